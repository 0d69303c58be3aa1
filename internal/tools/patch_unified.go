package tools

import (
	"strconv"
	"strings"
)

// A diffFile is what the headers of one file say.
type diffFile struct {
	line     int
	git      bool
	names    string // the rest of the line diff --git
	index    string // from a line Index:
	old, new string // from --- and +++
	from, to string // from rename and copy
	add, del bool
	copied   bool
}

// unified reads unified diffs.
func (p *patchReader) unified() {
	for p.blank(); !p.done(); p.blank() {
		f := diffFile{line: p.at}
		p.diffHeaders(&f)
		if f.old != "" {
			p.hunks()
		}
		p.add(f)
	}
}

// diffHeaders reads the lines before the hunks of a file.
func (p *patchReader) diffHeaders(f *diffFile) {
	for ; !p.done(); p.at++ {
		line := p.peek()
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "---" && rest != "":
			f.old = p.name(rest)
			p.at++
			after, ok := strings.CutPrefix(p.peek(), "+++ ")
			if !ok {
				p.fail("no +++ behind ---")
				return
			}
			f.new = p.name(after)
			p.at++
			return
		case word == "diff" && p.at == f.line:
			var ok bool
			if f.names, ok = strings.CutPrefix(rest, "--git "); !ok {
				p.fail("not a diff of git")
			}
			f.git = true
		case word == "Index:" && p.at == f.line:
			f.index = p.name(rest)
		case f.index != "" && p.at == f.line+1 && strings.Trim(line, "=") == "":
		case f.git && p.gitHeader(f, line):
		case f.git:
			return
		default:
			p.fail("no header of a file")
		}
	}
}

// gitHeader reads one of the further header lines of git. It is false for a line
// that is none.
func (p *patchReader) gitHeader(f *diffFile, line string) bool {
	for _, h := range gitHeaders {
		rest, ok := strings.CutPrefix(line, h.start)
		if !ok {
			continue
		}
		switch h.means {
		case gitRenameFrom, gitCopyFrom:
			f.from, f.copied = p.once(f.from, rest), h.means == gitCopyFrom
		case gitRenameTo, gitCopyTo:
			f.to = p.once(f.to, rest)
			if f.copied != (h.means == gitCopyTo) {
				p.fail("half a rename, half a copy")
			}
		case gitAdd, gitDelete, gitMode:
			f.add = f.add || h.means == gitAdd
			f.del = f.del || h.means == gitDelete
			if !strings.HasPrefix(rest, "100") {
				p.fail("a symbolic link, or something else that is no file")
			}
		case gitBinary:
			p.binary()
		}
		return true
	}
	return false
}

type gitMeaning uint8

const (
	gitNothing gitMeaning = iota
	gitRenameFrom
	gitRenameTo
	gitCopyFrom
	gitCopyTo
	gitAdd
	gitDelete
	gitMode
	gitBinary
)

// gitHeaders are the lines that git puts between diff --git and the hunks; Copilot
// writes create instead of new.
var gitHeaders = [...]struct {
	start string
	means gitMeaning
}{
	{"rename from ", gitRenameFrom},
	{"rename to ", gitRenameTo},
	{"copy from ", gitCopyFrom},
	{"copy to ", gitCopyTo},
	{"new file mode ", gitAdd},
	{"create file mode ", gitAdd},
	{"deleted file mode ", gitDelete},
	{"old mode ", gitMode},
	{"new mode ", gitMode},
	{"index ", gitNothing},
	{"similarity index ", gitNothing},
	{"dissimilarity index ", gitNothing},
	{"Binary files ", gitNothing},
	{"GIT binary patch", gitBinary},
}

// base85 are the characters in the data of a binary patch.
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// binary skips the data of a binary patch. Each line starts with its length, which
// is a letter.
func (p *patchReader) binary() {
	for p.at+1 < len(p.lines) {
		line := p.lines[p.at+1]
		data, _ := strings.CutPrefix(line, "literal ")
		data, _ = strings.CutPrefix(data, "delta ")
		if strings.Trim(data, base85) != "" || line != "" && (line[0]|0x20 < 'a' || line[0]|0x20 > 'z') {
			return
		}
		p.at++
	}
}

func (p *patchReader) once(had, name string) string {
	if had != "" {
		p.fail("a header that was there before")
	}
	return p.name(name)
}

// name reads the name of a file: in quotes with the escapes of C, or plain, with a
// tab before what is not part of it.
func (p *patchReader) name(s string) string {
	if !strings.HasPrefix(s, `"`) {
		name, _, tab := strings.Cut(s, "\t")
		if !tab && strings.Contains(name, " ") {
			// Some programs would end it here, others at a date.
			p.fail("a name with a blank in it, and no quotes")
		}
		return p.checkPath(name)
	}
	name, rest, ok := unquoteC(s[1:])
	if !ok || rest != "" && rest[0] != '\t' {
		p.fail("wrong quotes around a name")
	}
	return p.checkPath(name)
}

// hunks skips the hunks of a file, and counts their lines: a line in a hunk may
// look like a header.
func (p *patchReader) hunks() {
	for !p.done() && strings.HasPrefix(p.peek(), "@@ ") {
		before, after, ok := hunkSize(p.peek())
		if !ok {
			p.fail("a wrong hunk header")
			return
		}
		p.at++
		for ; before > 0 || after > 0; p.at++ {
			if p.done() {
				p.fail("a hunk does not end")
				return
			}
			p.hunkLine(&before, &after)
		}
		if strings.HasPrefix(p.peek(), `\`) { // no newline at the end of file
			p.at++
		}
	}
}

func (p *patchReader) hunkLine(before, after *int) {
	line := p.peek()
	mark := byte(' ') // for a line whose only blank was lost
	if line != "" {
		mark = line[0]
	}
	switch mark {
	case ' ':
		*before--
		*after--
	case '-':
		*before--
		if strings.HasPrefix(line, "--- ") && p.at+1 < len(p.lines) && strings.HasPrefix(p.lines[p.at+1], "+++ ") {
			p.fail("a hunk that looks like the header of a file")
		}
	case '+':
		*after--
	case '\\':
	default:
		p.fail("not a line of a hunk")
	}
	if *before < 0 || *after < 0 {
		p.fail("a hunk is longer than it says")
	}
}

// hunkSize reads @@ -1,2 +3,4 @@.
func hunkSize(line string) (before, after int, ok bool) {
	f := strings.SplitN(line, " ", 5)
	if len(f) < 4 || f[3] != "@@" || f[1][:min(1, len(f[1]))] != "-" || f[2][:min(1, len(f[2]))] != "+" {
		return 0, 0, false
	}
	before, ok1 := span(f[1][1:])
	after, ok2 := span(f[2][1:])
	return before, after, ok1 && ok2
}

// span reads the number of lines from "start,lines" or "start".
func span(s string) (int, bool) {
	start, lines, comma := strings.Cut(s, ",")
	if !comma {
		lines = "1"
	}
	_, err1 := strconv.ParseUint(start, 10, 31)
	n, err2 := strconv.ParseUint(lines, 10, 31)
	return int(n), err1 == nil && err2 == nil
}
