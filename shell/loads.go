package shell

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// loads follows the files that a program runs by itself because of their names,
// if they were just written: what they are stands in the table loads, as
// PROGRAM/FILE.
func (v *visit) loads() {
	w := v.w
	runs := v.c.Effects&(Executes|Installs) != 0
	if len(w.written) == 0 && w.at.Written == nil && len(w.unpacked) == 0 || v.c.Elsewhere || !runs && !v.c.Effects.Has(Writes) {
		return
	}
	if runs {
		v.foreignFolder()
		v.module()
	}
	for _, program := range v.programs() {
		for i := range table.KeysLoads.All() {
			e := &table.KeysLoads.All()[i]
			for _, name := range e.Names {
				file, ok := strings.CutPrefix(name, program+"/")
				switch {
				case !ok:
				case runs:
					v.loadsFile(file, e.Kind)
				case e.Kind == table.KindCompiled: // it makes a program, which may be run later
					v.builds()
				}
			}
		}
	}
}

// foreignFolder notes that a program runs what was just put into the folder where
// it works.
func (v *visit) foreignFolder() {
	if v.st.dir == "" || v.traits()&(table.IsShell|table.IsInterpreter|table.IsWrapper) != 0 {
		return
	}
	switch from := v.w.unpackedAt(v.st.dir + "/x"); {
	case from == streamEmpty:
	case from == streamNetwork && !v.c.Effects.Has(Installs):
		v.c.doubt(Dangerous, "it runs code that was just fetched from the network")
	default: // what an installation fetches besides is no better known
		v.c.doubt(Moderate, "it runs code that was just unpacked or fetched")
	}
}

// programs are the names under which the table loads may have the program: its
// own, with its sub-command, or that of a module of Python.
func (v *visit) programs() []string {
	out := []string{v.r.name}
	if g := v.r.given("-m"); g != nil && v.traits()&table.IsInterpreter != 0 { // python -m unittest
		out[0] = g.value.Text
	}
	switch {
	case len(v.r.subs) > 0:
		out = append(out, v.r.name+" "+v.r.tool().Names[0])
	case v.r.name == "yarn" && len(v.r.args) == 0:
		out = append(out, "yarn install")
	case v.r.has("--test"):
		out = append(out, v.r.name+" --test")
	}
	return out
}

// module follows a program that was just written and is named in another way than
// as a script: python -m NAME.
func (v *visit) module() {
	for _, sub := range v.r.subs { // uv run FILE
		if codeOf(sub.Text) != table.KindNone && !sub.Unknown {
			v.runsFile(resolve(sub.Text, v.st.dir))
		}
	}
	g := v.r.given("-m")
	if g == nil || v.traits()&table.IsInterpreter == 0 || g.value.Unknown {
		return
	}
	name := resolve(strings.ReplaceAll(g.value.Text, ".", "/"), v.st.dir)
	for _, file := range [...]string{name + ".py", name + "/__init__.py", name + "/__main__.py"} {
		v.runsFile(file)
	}
	for _, a := range v.r.args { // python -m cProfile FILE
		if strings.HasSuffix(a.Text, ".py") && !a.Unknown {
			v.runsFile(resolve(a.Text, v.st.dir))
		}
	}
}

// loadsFile follows one file, or those that a pattern means. What a session has
// written changes all the time, tests most of all: of such files only what does
// harm counts, or nothing in a session would be silent any more.
func (v *visit) loadsFile(file string, k table.Kind) {
	strict := k != table.KindCompiled && file != "*.go" && file != "package.json"
	if !strings.Contains(file, "*") {
		abs := resolve(file, v.st.dir)
		if file == "package.json" {
			abs = v.w.nearest(file, v.st.dir)
		}
		if !strict {
			v.harm(func() { v.loaded(abs, k) })
			return
		}
		v.loaded(abs, k)
		return
	}
	own := len(v.w.written)
	for _, abs := range v.w.allOwn() {
		if !within(abs, v.st.dir) || !matchStars(file, path.Base(abs)) {
			continue
		}
		if strict && slices.ContainsFunc(v.w.written[:own], func(f writtenFile) bool { return f.abs == abs }) {
			v.loaded(abs, k)
			continue
		}
		v.harm(func() { v.loaded(abs, k) })
	}
}

// nearest is the file of that name in a folder or the first one above it that has
// one, as package managers look for it.
func (w *walker) nearest(file, dir string) string {
	for at := dir; at != "" && at != "/"; at = path.Dir(at) {
		abs := path.Join(at, file)
		if _, there := w.look(abs); there || slices.Contains(w.allOwn(), abs) {
			return abs
		}
	}
	return resolve(file, dir)
}

// harm follows something, and keeps of it only what nobody wants: commands that
// are blocked or run foreign text, and changes of what guards an agent, or of files
// outside the workspace that are special.
func (v *visit) harm(follow func()) {
	w, n, before := v.w, len(v.w.commands), *v.c
	says := len(v.says)
	follow()
	found := *v.c
	*v.c, v.says = before, v.says[:says]
	if found.Risk == Blocked {
		v.c.Risk = Blocked
	}
	if found.Runs >= Decoded {
		v.c.Runs, v.c.Risk = max(v.c.Runs, found.Runs), min(v.c.Risk, found.Risk)
	}
	for _, p := range found.Paths[len(before.Paths):] {
		class := w.at.ClassOf(&p)
		if p.Access > Read && p.Abs != "" && (class&Guard != 0 || !w.inWorkspace(p.Abs) && class&(OfSystem|Startup|Device) != 0) {
			w.addPath(v.c, p)
			v.c.Effects |= accessEffects[p.Access]
			v.c.Risk = min(v.c.Risk, w.judge(&p))
		}
	}
	kept := w.commands[:n]
	for _, c := range w.commands[n:] {
		if c.Risk == Blocked || c.Runs >= Decoded {
			c.Via = v.index
			kept = append(kept, c)
		} else {
			w.room++
		}
	}
	w.commands = kept
}

func (v *visit) loaded(abs string, k table.Kind) {
	for _, text := range v.w.textOfFile(abs) {
		switch {
		case text.kind != streamText && v.w.unpackedAt(abs) != streamEmpty:
		case text.kind != streamText:
			v.c.foreign(text)
		case k == table.KindShell:
			v.w.script(v.st.child(), v.below(), text.text, v.c.Span, true)
		case k != table.KindNone:
			v.code(k, Arg{Text: text.text})
		case strings.HasSuffix(abs, ".go"):
			v.directives(text.text)
		case path.Base(abs) == "package.json":
			v.lifecycle(text.text)
		case strings.HasSuffix(abs, ".yml") || strings.HasSuffix(abs, ".yaml"):
			v.tasks(text.text)
		case strings.Contains(strings.ToLower(path.Base(abs)), "justfile"):
			m := makeReader{v: v, prefix: " ", vars: map[string]string{}}
			for _, line := range strings.Split(strings.ReplaceAll(text.text, "\t", " "), "\n") {
				m.line(line)
			}
		default:
			v.c.doubt(Moderate, "it runs what was just written: "+path.Base(abs))
		}
	}
}

// directives runs the commands that go generate finds in a file.
func (v *visit) directives(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if command, ok := strings.CutPrefix(line, "//go:generate "); ok {
			v.w.script(v.st.child(), v.below(), command, v.c.Span, true)
		}
	}
}

// lifecycle runs the scripts that a package manager runs by itself when it
// installs or packs.
func (v *visit) lifecycle(text string) {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &pkg) != nil {
		return
	}
	for _, name := range [...]string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "prepack", "postpack", "prepublishOnly"} {
		if script := pkg.Scripts[name]; script != "" {
			v.w.script(v.st.child(), v.below(), script, v.c.Span, true)
		}
	}
}

// tasks runs the commands in a list of tasks: the items that are plain text,
// and the values of the keys that name one.
func (v *visit) tasks(text string) {
	for _, line := range strings.Split(text, "\n") {
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		key, value, ok := strings.Cut(item, ": ")
		switch {
		case ok && !strings.ContainsAny(strings.TrimSpace(key), " \"'"):
			switch key {
			case "cmd", "entry", "sh", "run", "script", "command", "cmds":
				item = value
			default:
				continue
			}
		case !isItem && (line == item || strings.HasSuffix(item, ":")): // no task is that far out
			continue
		}
		item = strings.Trim(strings.TrimSpace(item), "\"'[]")
		first, _, several := strings.Cut(item, " ")
		if item == "" || item == "|" || item == ">" || !several && table.Find(first) == nil && !strings.Contains(first, "/") {
			continue // a name of something else
		}
		v.w.script(v.st.child(), v.below(), item, v.c.Span, true)
	}
}

// An unpackedFolder is one that the script has filled with files from a server
// or an archive.
type unpackedFolder struct {
	abs  string
	from streamKind // streamNetwork if they were fetched by the same line
}

// unpackedAt says where the files in a folder come from.
func (w *walker) unpackedAt(abs string) streamKind {
	out := streamEmpty
	for _, u := range w.unpacked {
		if within(abs, u.abs) && abs != u.abs {
			out = max(out, u.from)
		}
	}
	return out
}

// fetched notes that a program comes from a folder that was just unpacked.
func (w *walker) fetched(c *Command, abs string) {
	switch from := w.unpackedAt(abs); from {
	case streamEmpty:
	case streamNetwork:
		c.foreign(stream{kind: from})
	default:
		c.doubt(Moderate, "it runs code that was just unpacked")
	}
}

func (v *visit) unpackedTo(folder string, from streamKind) {
	if folder != "" && len(v.w.unpacked) < maxVars {
		v.w.unpacked = append(v.w.unpacked, unpackedFolder{folder, from})
	}
}

// builds notes the programs that a compiler makes.
func (v *visit) builds() {
	if v.st.dir == "" || len(v.w.built) >= maxVars {
		return
	}
	v.w.built = append(v.w.built, path.Join(v.st.dir, "a.out"), path.Join(v.st.dir, path.Base(v.st.dir)))
	for _, p := range v.c.Paths {
		if p.Access == Write && p.Abs != "" && !p.Redirect {
			v.w.built = append(v.w.built, p.Abs)
		}
	}
}

// runsBuilt follows the sources of a program that was just built, or built by the
// session: those that the session has written. Only what does harm counts.
func (w *walker) runsBuilt(st *state, f *frame, c *Command, index int) {
	v := visit{w: w, f: f, c: c, st: st, outer: st, index: index}
	v.r.start("", &table.Tool{})
	for _, abs := range w.allOwn() {
		if codeOf(abs) == table.KindCompiled && !strings.HasSuffix(abs, "_test.go") {
			v.harm(func() { v.loaded(abs, table.KindCompiled) })
		}
	}
}
