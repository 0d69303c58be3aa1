package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects evaluates redirections and returns what the command can read from
// its standard input, if something is known of it.
func (w *walker) redirects(st *state, f *frame, c *Command, list []*syntax.Redirect) *stream {
	var stdin *stream
	for _, r := range list {
		target := w.word(st, f, r.Word)
		red := Redirect{Op: r.Op.String(), Target: target}
		if r.N != nil {
			red.Fd = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body := w.word(st, f, r.Hdoc)
			red.Target = body
			stdin = textStream(body, "")
			if len(r.Word.Parts) > 1 && r.Hdoc != nil && len(r.Hdoc.Parts) > 1 { // E"O"F quotes the body
				stdin = &stream{kind: streamUnknown}
			}
		case syntax.WordHdoc:
			stdin = textStream(target, "\n")
		case syntax.RdrIn:
			stdin = w.input(st, c, target)
		case syntax.RdrInOut:
			w.touch(st, c, target, Write, false)
			stdin = &stream{kind: streamUnknown}
		case syntax.DplIn, syntax.DplOut:
			if !isDescriptor(target.Text) {
				w.touch(st, c, target, Write, false)
			}
		default:
			w.touch(st, c, target, Write, false)
		}
		c.Redirects = append(c.Redirects, red)
	}
	return stdin
}

// input is < file or < <(…).
func (w *walker) input(st *state, c *Command, target Arg) *stream {
	if target.proc() != nil {
		return &target.proc().printed
	}
	w.touch(st, c, target, Read, false)
	return &stream{kind: streamUnknown}
}

func textStream(a Arg, end string) *stream {
	if a.Unknown {
		return &stream{kind: streamUnknown}
	}
	return &stream{kind: streamText, text: a.Text + end}
}

// isDescriptor reports whether the target of >& is a number or a dash.
func isDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// unless is s, or nothing if standard output goes somewhere else.
func (s stream) unless(redirects []Redirect) stream {
	for _, r := range redirects {
		if (r.Fd == "" || r.Fd == "1") && r.Op == ">&" && r.Target.Text != "1" {
			return stream{kind: streamUnknown} // it may be brought back by 2>&1 further out
		}
		if (r.Fd == "" || r.Fd == "1") && (r.Op == ">" || r.Op == ">>" || r.Op == "&>" || r.Op == "&>>" || r.Op == ">|") {
			return stream{}
		}
	}
	return s
}
