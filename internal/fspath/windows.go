package fspath

import (
	"path"
	"strings"
)

// fromWindows writes a Windows path with slashes: C:\x and \\?\C:\x become
// C:/x, \\?\UNC\host\share and \\host\share become //host/share. Any other
// backslash is a separator too.
func fromWindows(p string) string {
	p = toSlash(p)
	if strings.HasPrefix(p, "//") { // Windows cleans the text first
		p = "/" + path.Clean(p)
	}
	for _, prefix := range [...]string{"//?/", "//./", "/??/"} {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		if len(rest) > 4 && strings.EqualFold(rest[:4], "UNC/") {
			return "//" + rest[4:]
		}
		if drive(rest) {
			p = rest
		}
	}
	if drive(p) && (len(p) == 2 || p[2] == '/') {
		p = strings.ToUpper(p[:1]) + p[1:]
	}
	return p
}

func toSlash(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// drive reports whether p begins with a drive letter.
func drive(p string) bool {
	return len(p) > 1 && p[1] == ':' && 'a' <= p[0]|0x20 && p[0]|0x20 <= 'z'
}

// volume returns the drive of an absolute Windows path that is written with
// slashes; empty if it is none.
func volume(p string) string {
	if drive(p) && (len(p) == 2 || p[2] == '/') {
		return p[:2]
	}
	return ""
}

// spellWindows adds what the path means to a program that takes backslashes
// for separators: on Windows, in its subsystem for Linux, or by itself.
func (p *Path) spellWindows(at At) {
	text := fromWindows(p.Raw)
	if text == p.Raw && volume(text) == "" {
		return
	}
	if volume(text) != "" {
		p.other(Clean(text))
		return
	}
	if strings.HasPrefix(text, "//") && strings.HasPrefix(p.Raw, `\`) { // a share of another machine
		p.other("/" + Clean(text))
	}
	q := Path{Raw: text}
	q.resolve(text, at)
	for _, s := range q.All() {
		p.other(s)
	}
	p.Unsure = p.Unsure || q.Unsure
	if q.Err != nil {
		p.fail(q.Err)
	}
}
