package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// loads follows the files that a program runs by itself because of their names,
// if they were just written: what they are stands in the table loads, as
// PROGRAM/FILE.
func (v *visit) loads() {
	w := v.w
	if len(w.written) == 0 && w.at.Written == nil && len(w.unpacked) == 0 || v.c.Elsewhere || v.c.Effects&(Executes|Installs) == 0 {
		return
	}
	if v.st.dir != "" {
		if from := w.unpackedAt(v.st.dir + "/x"); from != streamEmpty && v.traits()&(table.IsShell|table.IsInterpreter|table.IsWrapper) == 0 {
			v.c.doubt(Moderate, "it runs code that was just unpacked or fetched")
		}
	}
	program := v.r.name
	if g := v.r.given("-m"); g != nil && v.traits()&table.IsInterpreter != 0 { // python -m pytest
		program = g.value.Text
	}
	for i := range table.KeysLoads {
		e := &table.KeysLoads[i]
		for _, name := range e.Names {
			if file, ok := strings.CutPrefix(name, program+"/"); ok {
				v.loadsFile(file, e.Kind)
			}
		}
	}
}

// loadsFile follows one file; its name may be a pattern, for the files that the
// line itself has written.
func (v *visit) loadsFile(file string, k table.Kind) {
	if !strings.Contains(file, "*") {
		v.loaded(resolve(file, v.st.dir), k)
		return
	}
	for i := range v.w.written {
		if abs := v.w.written[i].abs; within(abs, v.st.dir) && matchStars(file, path.Base(abs)) {
			v.loaded(abs, k)
		}
	}
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

// unpacks notes the folders that clones and archives fill.
func (v *visit) unpacks() {
	r := &v.r
	switch {
	case len(r.subs) > 0 && r.subs[len(r.subs)-1].Text == "clone" && len(r.args) > 0 && v.c.Effects.Has(Network):
		name := strings.TrimSuffix(strings.TrimRight(r.args[0].Text, "/"), ".git")
		name = name[strings.LastIndexAny(name, "/:")+1:]
		if len(r.args) > 1 {
			name = r.args[1].Text
		}
		v.unpackedTo(resolve(name, v.st.dir), streamNetwork)
	case strings.HasSuffix(r.name, "tar") && r.has("-x"), r.name == "unzip" && !r.has("-l") && !r.has("-p"):
		from := streamUnknown
		if v.f.stdin != nil {
			from = max(from, v.f.stdin.kind)
		}
		for _, p := range v.c.Paths {
			for _, text := range v.w.textOfFile(p.Abs) {
				if p.Access == Read {
					from = max(from, text.kind)
				}
			}
		}
		to := v.st.dir
		option := "-C"
		if r.name == "unzip" {
			option = "-d"
		}
		if g := r.given(option); g != nil && g.hasValue {
			to = resolve(g.value.Text, v.st.dir)
		}
		if to != v.w.at.Dir || from == streamNetwork { // else what was there cannot be told from what is new
			v.unpackedTo(to, from)
		}
	}
}

func (v *visit) unpackedTo(folder string, from streamKind) {
	if folder != "" && len(v.w.unpacked) < maxVars {
		v.w.unpacked = append(v.w.unpacked, unpackedFolder{folder, from})
	}
}
