package cli

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso/internal/local"
)

// A gitSetting is one of the settings of git; section and key are in lower case.
type gitSetting struct{ section, key, value string }

// readGitSettings reads a file of settings as git does: what it does not understand ends
// a line, and no more.
func readGitSettings(text string) (out []gitSetting) {
	section := ""
	for _, line := range gitLines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, behind, _ := cutHeader(rest)
			section, line = strings.ToLower(name), strings.TrimSpace(behind) // a setting may stand behind it
		}
		key, value, _ := strings.Cut(line, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); key != "" && key[0] != '#' && key[0] != ';' {
			out = append(out, gitSetting{section, key, gitValue(value)})
		}
	}
	return out
}

// gitLines are the lines of a file; one that ends in a backslash goes on in the next.
func gitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out []string
	joined := ""
	for line := range strings.SplitSeq(text, "\n") {
		rest := strings.TrimRight(line, `\`)
		if (len(line)-len(rest))%2 == 1 {
			joined += line[:len(line)-1]
			continue
		}
		out, joined = append(out, joined+line), ""
	}
	return append(out, joined)
}

// cutHeader reads what is behind the bracket of a header: the section, without the
// name of a part of it, which may hold any character.
func cutHeader(text string) (name, behind string, ok bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			name, _, _ = strings.Cut(text[:i], `"`)
			name, _, _ = strings.Cut(strings.TrimSpace(name), ".")
			return name, text[i+1:], true
		}
	}
	return "", "", false
}

// gitValue is a value without quotes and what is said about it.
func gitValue(text string) string {
	var b strings.Builder
	quoted := false
	text = strings.TrimSpace(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Where things are in an index of git.
const (
	indexHead    = 12
	indexMode    = 24 // in an entry
	indexID      = 40 // as above
	indexLinked  = 0o160000
	indexMore    = 0x4000 // two bytes of flags more
	indexInPlace = 4      // the version from which on a path is written as what is different
)

// gitLinks are the paths under which a repository has others as parts of itself.
func gitLinks(dir string) (out []string) {
	text, err := local.Machine{}.ReadFile(filepath.Join(dir, "index"), mostIndex)
	if err != nil || len(text) < indexHead || string(text[:4]) != "DIRC" {
		return nil
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	id := 20
	if settings, err := os.ReadFile(filepath.Join(dir, "config")); err == nil && bytes.Contains(bytes.ToLower(settings), []byte("sha256")) {
		id = 32
	}
	last := ""
	for at := indexHead; count > 0; count-- {
		name, next, ok := indexEntry(text, at, id, version, last)
		if !ok {
			return out
		}
		if binary.BigEndian.Uint32(text[at+indexMode:])&0o170000 == indexLinked && filepath.IsLocal(name) {
			out = append(out, name)
		}
		at, last = next, name
	}
	return out
}

// indexEntry reads the path of an entry, and where the next one begins.
func indexEntry(text []byte, at, id int, version uint32, last string) (name string, next int, ok bool) {
	flags := at + indexID + id
	if flags+2 > len(text) {
		return "", 0, false
	}
	start := flags + 2
	if version > 2 && binary.BigEndian.Uint16(text[flags:])&indexMore != 0 {
		start += 2
	}
	if version >= indexInPlace {
		drop, size := gitVarint(text[min(start, len(text)):])
		name, start = last[:len(last)-min(drop, len(last))], start+size
	}
	length := bytes.IndexByte(text[min(start, len(text)):], 0)
	if length < 0 {
		return "", 0, false
	}
	name, next = name+string(text[start:start+length]), start+length+1
	if version < indexInPlace { // up to eight zeros
		next = at + (start+length-at+8)&^7
	}
	return name, next, true
}

// gitVarint reads a number as git writes it in an index, and how long it is.
func gitVarint(text []byte) (n, size int) {
	for i, c := range text[:min(len(text), 5)] {
		n += int(c & 0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
		n = (n + 1) << 7
	}
	return n, min(len(text), 5)
}
