package shell

import (
	"path"
	"strings"
)

// An Origin is where code comes from that a command runs and that is not
// written in the command line or in a file of the project.
type Origin uint8

const (
	NoOrigin      Origin = iota // nothing of the kind
	UnknownOrigin               // it cannot be known
	Decoded                     // the result of decoding something
	Fetched                     // sent by a server
)

var originNames = [...]string{"none", "unknown", "decoded", "fetched"}

// String returns the origin in lower case.
func (o Origin) String() string {
	if int(o) < len(originNames) {
		return originNames[o]
	}
	return "unknown"
}

// MarshalText writes the name of the origin.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// origin is where the text of a stream comes from.
func (k streamKind) origin() Origin {
	switch k {
	case streamNetwork:
		return Fetched
	case streamDecoded:
		return Decoded
	case streamUnknown:
		return UnknownOrigin
	}
	return NoOrigin
}

// A writtenFile is a file that an earlier command of the same script has filled:
// with known text, or with text that came from somewhere else.
type writtenFile struct {
	abs  string
	text stream
}

// fills notes what the files hold that a command writes: curl -o x, echo … > x,
// … | tee x. Printed is what it prints, for its redirections.
func (w *walker) fills(c *Command, written, printed stream) {
	for _, p := range c.Paths {
		text := written
		if p.Redirect {
			text = printed
		}
		if p.Access == Write && p.Abs != "" && text.kind != streamEmpty && text.kind != streamItems && len(w.written) < maxVars {
			w.written = append(w.written, writtenFile{p.Abs, text})
		}
	}
}

// textOfFile returns what is in a file that the script or the session has
// written, as far as that is known: a program that was just written is judged by
// what it says, not by its name.
func (w *walker) textOfFile(abs string) (out []stream) {
	for _, f := range w.written {
		if f.abs == abs {
			out = append(out, f.text)
		}
	}
	if len(out) == 0 && w.at.Written != nil && abs != "" && w.at.Written(abs) {
		if text, ok := w.readFile(abs); ok {
			return []stream{{kind: streamText, text: string(text)}}
		}
		return []stream{{kind: streamUnknown}}
	}
	return out
}

// foreign notes that a command runs text that is not known.
func (c *Command) foreign(text stream) {
	c.Runs = max(c.Runs, text.kind.origin())
	c.doubt(Dangerous, text.source())
}

// runsFile follows the content of a script that an interpreter is given.
func (v *visit) runsFile(abs string) {
	for _, text := range v.w.textOfFile(abs) {
		if text.kind != streamText {
			v.c.foreign(text)
			continue
		}
		v.runs(text)
	}
}

// runsProgram follows the content of a file that is started by its name. Its
// first line may say which interpreter reads it.
func (w *walker) runsProgram(st *state, f *frame, c *Command, index int, abs string) {
	for _, text := range w.textOfFile(abs) {
		if text.kind != streamText {
			c.foreign(text)
			continue
		}
		inner := *f
		inner.via = index
		inner.depth++
		first, _, _ := strings.Cut(text.text, "\n")
		interpreter, ok := strings.CutPrefix(first, "#!")
		if !ok {
			interpreter = "sh"
		}
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(interpreter), "/usr/bin/env "))
		if len(fields) == 0 || inner.depth > maxNested {
			c.foreign(stream{kind: streamUnknown})
			continue
		}
		inner.stdin = &text
		sub := w.begin(&inner, c.Span)
		sub.Args, sub.Dir = []Arg{{Text: fields[0]}}, st.dir
		w.invoke(st.child(), &inner, sub)
	}
}

// makefile follows the recipes of a Makefile that was just written.
func (v *visit) makefile() {
	names := []string{"Makefile", "makefile", "GNUmakefile"}
	if g := v.r.given("-f"); g != nil && !g.value.Unknown {
		names = []string{g.value.Text}
	}
	for _, name := range names {
		for _, text := range v.w.textOfFile(resolve(name, v.st.dir)) {
			if text.kind != streamText {
				v.c.foreign(text)
				continue
			}
			for _, line := range strings.Split(text.text, "\n") {
				if recipe, ok := strings.CutPrefix(line, "\t"); ok {
					recipe = strings.ReplaceAll(strings.TrimLeft(recipe, "@-+ "), "$$", "$")
					v.w.script(v.st.child(), v.below(), recipe, v.c.Span, true)
				}
			}
		}
	}
}

// gitHooks are the scripts that git runs by itself.
var gitHooks = [...]string{
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push", "post-checkout", "post-merge", "pre-rebase", "post-rewrite", "pre-merge-commit",
}

// hooks follows the hooks that were just written, if git may run them.
func (v *visit) hooks() {
	if v.c.Effects&^(Reads|LongRunning) == 0 || v.st.dir == "" {
		return
	}
	for _, name := range gitHooks {
		v.w.runsProgram(v.st, v.below(), v.c, v.index, resolve(".git/hooks/"+name, v.st.dir))
	}
}

// A link is one that the script itself has made.
type link struct{ at, to string }

// link notes where a new link leads, because later paths may go through it.
func (v *visit) link() {
	if !v.r.has("-s") || len(v.r.args) == 0 || len(v.w.links) >= maxVars {
		return
	}
	target := v.r.args[0]
	name := path.Base(target.Text)
	if n := len(v.r.args); n > 1 {
		name = v.r.args[n-1].Text
	}
	at := resolve(name, v.st.dir)
	if at == "" || target.Unknown {
		return
	}
	v.w.links = append(v.w.links, link{at, resolve(target.Text, path.Dir(at))})
}

// throughLinks follows the links that the script itself has made; empty if p
// does not lead through one.
func (w *walker) throughLinks(p string) string {
	out := ""
	for i := len(w.links) - 1; i >= 0; i-- {
		l := &w.links[i]
		if l.to != "" && within(p, l.at) {
			p = path.Clean(l.to + p[len(l.at):])
			out = p
		}
	}
	return out
}
