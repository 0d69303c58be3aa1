package tools

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const devNull = "/dev/null"

// add decides which files the headers of f name, and adds them all.
func (p *patchReader) add(f diffFile) {
	if p.err != nil {
		return
	}
	at := p.at
	p.at = f.line // errors are about the headers
	switch {
	case f.from != "" || f.to != "":
		p.moved(f)
	case f.old != "":
		p.changed(f)
	case f.git:
		name := p.sameTwice(f.names)
		p.out = append(p.out, PatchPath{Path: p.checkPath(name), Op: f.op()})
	default:
		p.fail("no file")
	}
	p.at = at
}

func (f diffFile) op() PatchOp {
	switch {
	case f.add:
		return PatchAdd
	case f.del:
		return PatchDelete
	}
	return PatchUpdate
}

// moved adds the two names of a rename or a copy.
func (p *patchReader) moved(f diffFile) {
	if f.from == "" || f.to == "" {
		p.fail("a rename with one name")
		return
	}
	if !strings.Contains(f.names, `"`) && f.names != "a/"+f.from+" b/"+f.to && f.names != f.from+" "+f.to {
		p.fail("the headers name different files")
	}
	op := PatchMove
	if f.copied {
		op = PatchCopy
	}
	p.out = append(p.out, PatchPath{Path: f.from, Op: op, MovedTo: f.to})
	if f.old != "" { // these must not name other files
		old, new, ok := stripped(f.old, f.new)
		if !ok || old != f.from || new != f.to {
			p.fail("the headers name different files")
		}
	}
}

// changed adds the names behind --- and +++. Where they differ and none is
// /dev/null, the programs that apply patches take one or the other.
func (p *patchReader) changed(f diffFile) {
	old, new, ok := stripped(f.old, f.new)
	if !ok {
		p.fail("a/ or b/ before one name only")
	}
	var names []string
	op := PatchUpdate
	switch {
	case f.old == devNull && f.new == devNull:
		p.fail("no file")
	case f.old == devNull:
		names, op = []string{new}, PatchAdd
	case f.new == devNull:
		names, op = []string{old}, PatchDelete
	case old == new:
		names, op = []string{old}, f.op()
	default:
		names = []string{old, new}
	}
	if f.index != "" && !slices.Contains(names, f.index) && f.index != f.new {
		p.fail("the headers name different files")
	}
	if f.git && (len(names) != 1 || p.sameTwice(f.names) != names[0]) {
		p.fail("the headers name different files")
	}
	for _, n := range names {
		p.out = append(p.out, PatchPath{Path: p.checkPath(n), Op: op})
	}
}

// stripped takes away the a/ and b/ that git puts before names. If only one of
// them has it, it is part of a name for some and not for others: ok is false.
func stripped(old, new string) (o, n string, ok bool) {
	o, okOld := strings.CutPrefix(old, "a/")
	n, okNew := strings.CutPrefix(new, "b/")
	switch {
	case (okOld || old == devNull) && (okNew || new == devNull):
		return o, n, true
	case okOld || okNew:
		return old, new, old == new || old == devNull || new == devNull
	}
	return old, new, true
}

// sameTwice reads the rest of a line diff --git a/x b/x, where both names must be
// the same: otherwise there would be other headers. A blank in the name is fine.
func (p *patchReader) sameTwice(s string) string {
	if strings.HasPrefix(s, `"`) {
		old, rest, ok1 := unquoteC(s[1:])
		new, ok2 := strings.CutPrefix(rest, " ")
		if quoted, is := strings.CutPrefix(new, `"`); is && ok2 {
			new, rest, ok2 = unquoteC(quoted)
			ok2 = ok2 && rest == ""
		}
		old, new, same := stripped(old, new)
		if !ok1 || !ok2 || !same || old != new {
			p.fail("the headers name different files")
		}
		return old
	}
	half := len(s) / 2
	if len(s)%2 == 0 || s[half] != ' ' {
		p.fail("the headers name different files")
		return ""
	}
	old, new, ok := stripped(s[:half], s[half+1:])
	if !ok || old != new {
		p.fail("the headers name different files")
	}
	return old
}

// unquoteC reads a name in double quotes, from behind the first one, as git and
// diff write it.
func unquoteC(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], utf8.ValidString(b.String())
		case '\\':
			i++
			c, n := escapeC(s[i:])
			if n == 0 {
				return "", "", false
			}
			b.WriteByte(c)
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// escapeC reads what follows a backslash; n is how long it is, 0 if it is wrong.
func escapeC(s string) (c byte, n int) {
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(`abfnrtv"\`, s[0]); i >= 0 {
		return "\a\b\f\n\r\t\v\"\\"[i], 1
	}
	if len(s) < 3 {
		return 0, 0
	}
	v := 0
	for _, d := range []byte(s[:3]) {
		if d < '0' || d > '7' {
			return 0, 0
		}
		v = v*8 + int(d-'0')
	}
	if v > 255 {
		return 0, 0
	}
	return byte(v), 3
}
