package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// printed is what the program writes to its standard output.
func (v *visit) printed() stream {
	c := v.c
	switch v.prints() {
	case table.PrintsArgs:
		return echoed(v.r.args)
	case table.PrintsCwd:
		if v.outer.dir != "" && v.outer.alt == "" {
			return stream{kind: streamText, text: v.outer.dir + "\n"}
		}
	case table.PrintsTop:
		if root := v.w.rootOf(v.st.dir); root != "" && v.st.alt == "" {
			return stream{kind: streamText, text: root + "\n"}
		}
	case table.PrintsTemp:
		return stream{kind: streamItems, items: []Arg{{Text: "/tmp/tmp.*", Unknown: true, Glob: true, plain: true}}}
	case table.PrintsBase:
		if name, ok := v.baseNameOf(); ok {
			return stream{kind: streamText, text: name + "\n"}
		}
		return v.oneName()
	case table.PrintsName:
		return v.oneName()
	case table.PrintsHash:
		return stream{kind: streamItems, items: []Arg{plainArg}}
	case table.PrintsLines:
		return v.someLines()
	case table.PrintsSettings: // the program is trusted to print what it is for
		return stream{kind: streamText, text: "\n"}
	case table.PrintsUnknown, table.PrintsEnvironment:
		return stream{kind: streamUnknown}
	case table.PrintsPrivate:
		return stream{kind: streamUnknown, private: true}
	case table.PrintsPaths:
		return v.pathsBelow()
	case table.PrintsNames:
		return v.namesIn()
	case table.PrintsStdin:
		if v.f.stdin != nil && !slices.ContainsFunc(c.Paths, func(p Path) bool { return p.Access == Read }) && (len(v.r.args) == 0 || c.Effects.Has(Writes)) {
			return *v.f.stdin // tee reads none of the files that it is given
		}
		return v.filesPrinted()
	case table.PrintsThrough:
		if v.f.stdin != nil {
			return *v.f.stdin
		}
		return stream{kind: streamUnknown}
	case table.PrintsDecoded:
		return stream{kind: streamDecoded}
	case table.PrintsUnpacked:
		if v.f.stdin != nil && v.f.stdin.kind == streamNetwork {
			return stream{kind: streamNetwork}
		}
		return stream{kind: streamDecoded, unpacked: true}
	case table.PrintsNetwork:
		return stream{kind: streamNetwork}
	}
	if c.Effects.Has(Network) && c.Effects&^(Reads|Network) == 0 {
		return stream{kind: streamNetwork}
	}
	if v.f.stdin != nil && v.f.stdin.kind >= streamNetwork { // a filter does not make it any better known
		return stream{kind: v.f.stdin.kind}
	}
	return stream{kind: streamUnknown}
}

// rootOf is the workspace that holds a folder: its repository is there, or below.
func (w *walker) rootOf(dir string) string {
	for _, root := range w.at.Workspace {
		if dir != "" && within(dir, root) {
			return root
		}
	}
	return ""
}

// oneName is a word without a slash, unless what it prints may come from its
// operands.
func (v *visit) oneName() stream {
	for _, a := range v.c.Args[1:] {
		if a.Unknown && !a.plain || strings.Contains(a.Text, "/") || strings.Contains(a.Text, "..") || strings.HasPrefix(a.Text, "+.") {
			return stream{kind: streamUnknown}
		}
	}
	return stream{kind: streamItems, items: []Arg{plainArg}}
}

// prints is what the tables say about the output; an option may change it.
func (v *visit) prints() table.Output {
	if !v.judged {
		return v.printsNow()
	}
	return v.printing
}

func (v *visit) printsNow() table.Output {
	t := v.r.tool()
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil && do.Prints != 0 {
			return do.Prints
		}
	}
	for i := v.r.nextHeld(0); i >= 0; i = v.r.nextHeld(i + 1) {
		if w := &t.Whens[i]; w.Do.Prints != 0 {
			return w.Do.Prints
		}
	}
	return t.Do.Prints
}

// filesPrinted is what cat and its like print: the worst of what they read.
func (v *visit) filesPrinted() stream {
	if text, ok := v.ownText(); ok {
		return text
	}
	out := stream{kind: streamUnknown}
	for _, a := range v.r.args {
		if a.proc() != nil {
			out.kind = max(out.kind, a.proc().printed.kind)
		}
	}
	return out
}

// ownText is the text of the files that it reads, if the script or the session
// has written all of them.
func (v *visit) ownText() (stream, bool) {
	var out stream
	for _, p := range v.c.Paths {
		if p.Access != Read || p.Redirect {
			continue
		}
		texts := v.w.textOfFile(p.Abs)
		if len(texts) == 0 || p.Glob {
			return out, false
		}
		for _, text := range texts {
			out = out.then(text)
		}
	}
	return out, out.kind != streamEmpty && len(v.r.flags) == 0
}

func echoed(args []Arg) stream {
	for _, a := range args {
		if a.Unknown || a.Glob {
			return stream{kind: streamUnknown}
		}
	}
	return textOf(joinArgs(args) + "\n")
}

// textOf is a stream of known text, if it is short enough to follow.
func textOf(text string) stream {
	if len(text) > MaxLength {
		return stream{kind: streamUnknown}
	}
	return stream{kind: streamText, text: text}
}

// namesIn is what ls prints: the names in a folder, or the files it was given.
func (v *visit) namesIn() stream {
	var items []Arg
	for _, a := range v.r.args {
		if a.Unknown {
			return stream{kind: streamUnknown}
		}
		items = append(items, a)
		if !a.Glob || strings.Trim(path.Base(a.Text), "*?") == "" { // a folder: its names
			items = append(items, Arg{Text: "*", Glob: true})
		}
	}
	if len(items) == 0 {
		items = []Arg{{Text: "*", Glob: true}}
	}
	return stream{kind: streamItems, items: items}
}

// pathsBelow is what find, git ls-files and their like print: their operands, if
// they are files, and paths below them. realpath and readlink print the operands
// only.
func (v *visit) pathsBelow() stream {
	var items []Arg
	exact := strings.HasSuffix(v.r.name, "realpath") || strings.HasSuffix(v.r.name, "readlink")
	for _, p := range v.c.Paths {
		if p.Access != List && p.Access != Read || p.Abs == "" || p.Redirect {
			continue
		}
		pattern := strings.ContainsAny(p.Raw, "*?[")
		if exact || p.Raw != "." {
			items = append(items, Arg{Text: p.Raw, Glob: pattern, deep: pattern && !exact})
		}
		if !exact && (!pattern || anyName(path.Base(p.Raw))) {
			items = append(items, Arg{Text: path.Join(p.Raw, "*"), Glob: true, deep: true})
		}
	}
	if len(items) == 0 {
		return stream{kind: streamUnknown}
	}
	return stream{kind: streamItems, items: items}
}

// someLines is what head, sort, grep and their like print of what they read:
// the same paths, or fewer. Text may be cut at other places than its words, so
// it is not passed on.
func (v *visit) someLines() stream {
	out := stream{kind: streamUnknown}
	if v.f.stdin == nil || v.f.stdin.kind != streamItems {
		return out
	}
	for _, p := range v.c.Paths {
		if !p.Redirect && (p.Access == Read || p.Access == List) {
			return out
		}
	}
	for i := range v.r.args {
		if v.looksFor(v.r.args[i]) {
			return out
		}
	}
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.hasValue && v.looksFor(g.value) {
			return out
		}
	}
	return *v.f.stdin
}

// looksFor reports whether a word, such as the pattern of grep, picks secrets
// out of a list: it has the name of one in it.
func (v *visit) looksFor(a Arg) bool {
	if a.Unknown {
		return true
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(a.Text), notInName) {
		base := hintOf("*" + word + "*")
		if len(word) > 1 && (pathsSecret.nameMeaning(&base, true) == meant || slices.Contains(pathsSecret.endings, "."+word)) {
			return true
		}
	}
	return false
}

func notInName(r rune) bool {
	return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
}

// baseNameOf is what basename prints for a path that is known.
func (v *visit) baseNameOf() (string, bool) {
	args := v.r.args
	if len(args) == 0 || len(args) > 2 || len(v.r.flags) > 0 {
		return "", false
	}
	for _, a := range args {
		if a.Unknown || a.Glob || a.Text == "" {
			return "", false
		}
	}
	name := path.Base(args[0].Text)
	if len(args) == 2 && name != args[1].Text {
		name = strings.TrimSuffix(name, args[1].Text)
	}
	return name, true
}
