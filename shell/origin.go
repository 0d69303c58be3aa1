package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
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
		if p.Access == Write && p.Abs != "" && (text.kind != streamEmpty && text.kind != streamItems || text.secret != 0) {
			w.note(c, writtenFile{p.Abs, text})
		}
	}
}

// note remembers what a file holds.
func (w *walker) note(c *Command, f writtenFile) {
	if len(w.written) >= maxVars {
		c.doubt(Dangerous, "it writes too many files to follow")
		return
	}
	w.written = append(w.written, f)
}

// copied notes that copies and moved files hold what the originals do.
func (v *visit) copied() {
	for _, from := range v.c.Paths {
		if from.Access != Read || from.Redirect || from.Abs == "" {
			continue
		}
		for _, abs := range v.w.ownFiles(from.Abs, from.Glob, from.Recursive) {
			for _, text := range v.w.textOfFile(abs) {
				v.copiedTo(strings.TrimPrefix(abs, from.Abs), path.Base(abs), text)
			}
		}
	}
}

// copiedTo notes the text of a file in every place that it may be copied to: as
// the target, in it, or, of a folder that is copied, below it.
func (v *visit) copiedTo(below, name string, text stream) {
	for _, to := range v.c.Paths {
		if to.Access != Write || to.Abs == "" {
			continue
		}
		v.w.note(v.c, writtenFile{to.Abs, text})
		v.w.note(v.c, writtenFile{to.Abs + "/" + name, text})
		if strings.HasPrefix(below, "/") {
			v.w.note(v.c, writtenFile{to.Abs + below, text})
		}
	}
}

// ownFiles are the files that a path may mean and that the script or the session
// has written.
func (w *walker) ownFiles(abs string, pattern, tree bool) []string {
	if !pattern && !tree {
		return []string{abs}
	}
	var out []string
	for _, name := range w.allOwn() {
		if pattern && matchStars(abs, name) || tree && within(name, abs) {
			out = append(out, name)
		}
	}
	return out
}

// allOwn are all files that the script or the session has written, as far as they
// can be listed.
func (w *walker) allOwn() []string {
	out := w.at.WrittenFiles[:min(len(w.at.WrittenFiles), maxVars):min(len(w.at.WrittenFiles), maxVars)]
	for i := range w.written {
		if abs := w.written[i].abs; !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	return out
}

// into touches the files that a copy makes in a folder: cp x dir/ writes dir/x.
func (v *visit) into() {
	args := v.r.args
	folder := ""
	if v.r.tool().Use == table.UseCopy && v.c.Effects&(Writes|Deletes) == 0 {
		return // it only shows what it would do
	}
	if g := v.r.given("-t"); g != nil && g.hasValue {
		folder = g.value.Text
	} else if n := len(args); n == 1 && v.r.tool().Use == table.UseLink && v.r.name != "mount" {
		folder = "."
	} else if n > 1 {
		folder, args = args[n-1].Text, args[:n-1]
		abs := resolve(folder, v.st.dir)
		e, seen := v.w.look(abs)
		if !(seen && e.Dir || n > 2 || v.r.has("--parents") || strings.HasSuffix(folder, "/") || strings.HasPrefix(path.Base(folder), ".")) {
			return
		}
	}
	if folder == "" {
		return
	}
	for _, a := range args {
		if a.Unknown || len(a.Text) > maxPath {
			continue
		}
		name := path.Base(a.Text)
		if v.r.has("--parents") {
			name = a.Text
		}
		v.touch(Arg{Text: strings.TrimRight(folder, "/") + "/" + name, Glob: a.Glob}, Write, false)
	}
}

// download touches the files that curl -O and wget make without being told a
// name.
func (v *visit) download() {
	v.rerouted()
	named := v.r.has("-O")
	if v.traits()&table.IsSaves != 0 {
		named = !v.r.has("-O") && !v.r.has("-o") && !v.r.has("--spider")
	}
	if !named {
		return
	}
	folder := "."
	for _, option := range [...]string{"--output-dir", "-P", "--directory-prefix", "-d"} {
		if g := v.r.given(option); g != nil && g.hasValue {
			folder = g.value.Text
		}
	}
	for _, a := range v.r.args {
		_, rest, ok := strings.Cut(a.Text, "://")
		if !ok {
			rest = a.Text
		}
		rest, _, _ = strings.Cut(rest, "?")
		name := path.Base(rest)
		if !strings.Contains(rest, "/") || strings.HasSuffix(rest, "/") {
			name = "index.html"
		}
		v.touch(Arg{Text: folder + "/" + name, Glob: a.Unknown}, Write, false)
	}
}

// textOfFile returns what is in a file that the script or the session has
// written, as far as that is known: a program that was just written is judged by
// what it says, not by its name.
func (w *walker) textOfFile(abs string) (out []stream) {
	if abs == "" || len(w.written) == 0 && w.at.Written == nil && len(w.unpacked) == 0 {
		return nil
	}
	real := w.follow(abs, abs)
	for _, f := range w.written {
		if f.abs == abs || f.abs == real {
			out = append(out, f.text)
		}
	}
	if real != "" {
		abs = real
	}
	if len(out) == 0 && w.at.Written != nil && w.at.Written(abs) {
		if text, ok := w.readFile(abs); ok {
			return []stream{{kind: streamText, text: string(text)}}
		}
		return []stream{{kind: streamUnknown}}
	}
	if from := w.unpackedAt(abs); len(out) == 0 && from == streamNetwork {
		out = append(out, stream{kind: from})
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
		if k := codeOf(abs); k != table.KindNone && v.traits()&table.IsShell == 0 && v.language() == nil {
			v.code(k, Arg{Text: text.text})
			continue
		}
		v.runs(text)
	}
}

// runsFiles follows the content of the scripts that a word may mean, where it is a
// pattern, and of those that node finds without their ending.
func (v *visit) runsFiles(a Arg, abs string) {
	if a.Glob || a.Unknown {
		pattern := abs
		if a.deep {
			pattern = path.Dir(abs) + "/*" + path.Base(abs)
		}
		for _, name := range v.w.ownFiles(pattern, true, false) {
			v.runsFile(name)
		}
		return
	}
	v.runsFile(abs)
	if in := v.language(); in != nil && in.Kind == table.KindNode && path.Ext(abs) == "" {
		for _, ending := range [...]string{".js", ".cjs", ".mjs", ".ts", "/index.js"} {
			v.runsFile(abs + ending)
		}
	}
}

// interpreterOf is the program that a script is for, by the ending of its name.
func interpreterOf(abs string) string {
	switch codeOf(abs) {
	case table.KindPython:
		return "python3"
	case table.KindNode:
		return "node"
	case table.KindRuby:
		return "ruby"
	case table.KindPerl:
		return "perl"
	case table.KindPHP:
		return "php"
	}
	return "sh"
}

// codeOf is the language of a program by the ending of its name.
func codeOf(abs string) table.Kind {
	switch path.Ext(abs) {
	case ".py", ".pyw":
		return table.KindPython
	case ".js", ".cjs", ".mjs", ".ts", ".mts", ".cts", ".tsx", ".jsx":
		return table.KindNode
	case ".rb":
		return table.KindRuby
	case ".pl", ".pm":
		return table.KindPerl
	case ".php":
		return table.KindPHP
	case ".go", ".rs", ".c", ".cc", ".cpp", ".java", ".kt", ".swift":
		return table.KindCompiled
	case ".lua", ".r", ".R", ".jl", ".ex", ".exs", ".gradle", ".groovy":
		return table.KindOtherCode
	}
	return table.KindNone
}

// runsProgram follows the content of a file that is started by its name. Its
// first line may say which interpreter reads it: that one gets what stands
// behind its name as one word, then the name of the file, then the arguments.
func (w *walker) runsProgram(st *state, f *frame, c *Command, index int, abs string, args []Arg) {
	texts := w.textOfFile(abs)
	if slices.Contains(w.built, abs) || len(texts) == 1 && w.compiled(abs) {
		w.runsBuilt(st, f, c, index) // it is what its sources say, like all that the project builds
		return
	}
	for _, text := range texts {
		if text.kind != streamText {
			c.foreign(text)
			continue
		}
		inner := *f
		inner.via = index
		inner.depth++
		interpreter, option := "sh", ""
		first, _, _ := strings.Cut(text.text, "\n")
		if line, ok := strings.CutPrefix(first, "#!"); ok {
			interpreter, option, _ = strings.Cut(strings.TrimSpace(line), " ")
		}
		if !strings.HasPrefix(first, "#!") && codeOf(abs) != table.KindNone {
			interpreter = interpreterOf(abs)
		}
		if interpreter == "" || inner.depth > maxNested {
			c.foreign(stream{kind: streamUnknown})
			continue
		}
		inner.stdin = f.stdin
		sub := w.begin(&inner, c.Span)
		sub.Args, sub.Dir = []Arg{{Text: interpreter}}, st.dir
		if option = strings.TrimSpace(option); option != "" {
			sub.Args = append(sub.Args, Arg{Text: option})
		}
		sub.Args = append(append(sub.Args, Arg{Text: abs}), args...)
		w.invoke(st.child(), &inner, sub)
	}
}

// hooks follows the hooks that were just written, if git may run them.
func (v *visit) hooks() {
	if v.c.Effects&^(Reads|LongRunning) == 0 || v.st.dir == "" {
		return
	}
	for _, folder := range append([]string{resolve(".git/hooks", v.st.dir)}, v.w.hookFolders...) {
		for i := range table.KeysGitHooks.All() {
			for _, name := range table.KeysGitHooks.All()[i].Names {
				v.w.runsProgram(v.st, v.below(), v.c, v.index, folder+"/"+name, nil)
			}
		}
	}
}
