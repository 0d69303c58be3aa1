package tools

import (
	"strings"
	"unicode/utf8"
)

// A PatchOp is what a patch does to a file.
type PatchOp uint8

// What a patch does. The zero value is the usual one.
const (
	PatchUpdate PatchOp = iota
	PatchAdd
	PatchDelete
	PatchMove // to MovedTo, with or without changes
	PatchCopy // to MovedTo
)

var patchOpNames = [...]string{"update", "add", "delete", "move", "copy"}

// String returns the operation in lower case.
func (o PatchOp) String() string { return nameOf(patchOpNames[:], int(o)) }

// A PatchPath is a file that a patch touches.
type PatchPath struct {
	Path    string
	Op      PatchOp
	MovedTo string
}

// Paths says what happens to which path.
func (p PatchPath) Paths() []Path {
	switch p.Op {
	case PatchDelete:
		return []Path{{Path: p.Path, Access: Deletes}}
	case PatchMove:
		return []Path{{Path: p.Path, Access: MovesFrom}, {Path: p.MovedTo, Access: MovesTo}}
	case PatchCopy:
		return []Path{{Path: p.Path, Access: Reads}, {Path: p.MovedTo, Access: Writes}}
	default:
		return []Path{{Path: p.Path, Access: Writes}}
	}
}

// PatchPaths returns the files that a patch touches, in order. It reads the form
// that starts with *** Begin Patch, and unified diffs, of git or not.
//
// It reads less than the programs that apply patches do, because those differ:
// whatever one of them could take for the header of another file is an error
// here. So is a symbolic link in a diff of git, as later writes would follow it.
func PatchPaths(text string) ([]PatchPath, error) {
	switch {
	case len(text) > maxInput:
		return nil, &PatchError{Problem: "longer than 1 MiB"}
	case !utf8.ValidString(text):
		return nil, &PatchError{Problem: "not UTF-8"}
	}
	p := &patchReader{lines: strings.Split(text, "\n")}
	for i, line := range p.lines {
		p.lines[i] = strings.TrimSuffix(line, "\r")
		if hidesHeader(p.lines[i]) {
			return nil, &PatchError{Line: i + 1, Problem: "a line break that is not one everywhere"}
		}
	}
	p.blank()
	if p.peek() == "*** Begin Patch" {
		p.at++
		p.sections()
	} else {
		p.unified()
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case len(p.out) == 0:
		return nil, &PatchError{Problem: "names no file"}
	}
	return p.out, nil
}

// A patchReader reads a patch line by line, and keeps the first error.
type patchReader struct {
	lines []string
	at    int
	out   []PatchPath
	err   error
}

func (p *patchReader) done() bool { return p.err != nil || p.at >= len(p.lines) }

// peek returns the line to be read, or "" at the end.
func (p *patchReader) peek() string {
	if p.at >= len(p.lines) {
		return ""
	}
	return p.lines[p.at]
}

// blank skips empty lines.
func (p *patchReader) blank() {
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
}

func (p *patchReader) fail(problem string) {
	if p.err == nil {
		p.err = &PatchError{Line: p.at + 1, Problem: problem}
	}
}

// headers start the lines that name files.
var headers = [...]string{
	"***", "--- ", "+++ ", "diff ", "Index:", "rename ", "copy ", "new file", "deleted file", "@@", "<<", "cat ",
}

// hidesHeader reports whether line goes on with a header behind something that is
// the end of a line for some programs.
func hidesHeader(line string) bool {
	for {
		i := strings.IndexAny(line, "\r\v\f\u0085\u2028\u2029\x1c\x1d\x1e")
		if i < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(line[i:])
		line = line[i+n:]
		start := strings.TrimLeft(line, " \t")
		for _, h := range headers {
			if strings.HasPrefix(start, h) {
				return true
			}
		}
	}
}

// checkPath makes sure that s is a path and the same one for everybody.
func (p *patchReader) checkPath(s string) string {
	switch {
	case s == "":
		p.fail("no path")
	case strings.TrimSpace(s) != s:
		p.fail("white space around a path")
	case strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
	}):
		p.fail("a control character in a path")
	}
	return s
}
