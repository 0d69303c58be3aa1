package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// changing are the classes of tools that change the text of files.
var changing = []sayso.Class{sayso.ClassWrite, sayso.ClassEdit, sayso.ClassPatch, sayso.ClassNotebook}

// what fills in what the agent wants to do. It shows what would run: what the
// contract has counts, and not what the call had.
func (v *View) what(r *sayso.Request, facts *sayso.Facts, o Options) *writer {
	w := &writer{role: Command, strict: true}
	c := &r.Contract
	input := c.Input
	if len(input) == 0 {
		input = r.Call.Input
	}
	values, readable := leaves(input)
	lines := facts.Lines
	switch {
	case c.Script != "":
		lines, values = []string{c.Script}, without(values, c.Script)
	case len(c.Argv) > 0:
		lines = []string{words(c.Argv)}
	case facts.Err != nil || !readable:
		lines = nil
	}
	switch {
	case len(lines) > 0:
		v.Kind, v.Wants = OfCommand, "wants to run"
		v.command(w, &r.Decision, facts, lines)
		v.Also = w.rows(without(values, lines...))
	case facts.Err == nil && readable && slices.Contains(changing, facts.Class):
		v.Kind, v.Wants = OfChange, "wants to change"
		ch := change{w: &writer{role: Command, tabs: true}, o: o, facts: facts, part: r.Decision.Part}
		v.What, v.Also = ch.show(values)
		w = ch.w
	default:
		v.Wants = "wants to use the tool " + Safe(cmp.Or(c.Tool, r.Call.Tool))
		marks := func(text string) []mark { return find(text, r.Decision.Part) }
		for _, l := range values {
			v.What = append(v.What, labelled(l.path, w.lines(l.text, marks(l.text)))...)
		}
	}
	return w
}

// command shows command lines, with what decided among them.
func (v *View) command(w *writer, d *sayso.Decision, facts *sayso.Facts, lines []string) {
	marked := decisive(d, facts)
	for i, text := range lines {
		var marks []mark
		if i < len(facts.Lines) && facts.Lines[i] == text {
			marks = marked[i]
		}
		if len(marks) == 0 {
			marks = find(text, d.Part)
		}
		v.What = append(v.What, w.lines(text, marks)...)
		for _, m := range marks {
			if part := strings.TrimSpace(text[m.start:m.end]); v.Part == nil && (len(lines) > 1 || part != strings.TrimSpace(text)) {
				v.Part = (&writer{role: Decisive, strict: true}).line(part, 0, nil)
			}
		}
	}
}

// decisive says where in each command line the parts stand that decided: those
// that the decision names, or else the worst.
func decisive(d *sayso.Decision, facts *sayso.Facts) map[int][]mark {
	out := spans(facts, func(p *sayso.Part) bool { return d.Part != "" && names(p, d.Part) })
	if len(out) == 0 && !slices.ContainsFunc(facts.Lines, func(l string) bool { return len(find(l, d.Part)) > 0 }) {
		out = spans(facts, func(p *sayso.Part) bool { return p.Risk == facts.Risk && p.Risk < shell.Safe })
	}
	return out
}

// names reports whether a part, or a host or a path of it, is what a decision
// calls by the text.
func names(p *sayso.Part, text string) bool {
	return p.Text == text || slices.Contains(p.Hosts, text) ||
		slices.ContainsFunc(p.Paths, func(f shell.Path) bool { return f.Raw == text || f.Abs == text })
}

// spans is where the chosen parts stand, by command line.
func spans(facts *sayso.Facts, chosen func(*sayso.Part) bool) map[int][]mark {
	lines := map[*shell.Command]int{}
	for n, a := range facts.Shell {
		for k := range a.Commands {
			lines[&a.Commands[k]] = n
		}
	}
	out := map[int][]mark{}
	for i := range facts.Parts {
		p := &facts.Parts[i]
		if p.Command == nil || !chosen(p) {
			continue
		}
		n, span := lines[p.Command], p.Command.Span
		if 0 <= span.Start && span.Start < span.End && n < len(facts.Lines) && span.End <= len(facts.Lines[n]) {
			out[n] = append(out[n], mark{span.Start, span.End, Decisive})
		}
	}
	for n := range out {
		out[n] = inOrder(out[n])
	}
	return out
}

// find is where a part stands in a text.
func find(text, part string) []mark {
	if part == "" {
		return nil
	}
	if i := strings.Index(text, part); i >= 0 {
		return []mark{{i, i + len(part), Decisive}}
	}
	return nil
}

// labelled puts a name in front of lines: beside them if there is only one.
func labelled(name string, lines []Line) []Line {
	label := Span{Safe(name) + ": ", Note}
	if len(lines) == 1 {
		return []Line{append(Line{label}, lines[0]...)}
	}
	out := []Line{{label}}
	for _, l := range lines {
		out = append(out, append(Line{{"  ", Plain}}, l...))
	}
	return out
}

// rows shows further arguments of a call.
func (w *writer) rows(values []leaf) []Row {
	var out []Row
	for _, l := range values {
		out = append(out, Row{Name: Safe(l.path), Lines: w.lines(l.text, nil)})
	}
	return out
}

// without takes out the values that are one of the texts.
func without(values []leaf, texts ...string) []leaf {
	return slices.DeleteFunc(slices.Clone(values), func(l leaf) bool { return l.quoted && slices.Contains(texts, l.text) })
}

// words writes words as a shell has them, with quotes only where they are needed.
func words(list []string) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = w
		if w == "" || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,") != "" {
			out[i] = shell.Quote([]string{w})
		}
	}
	return strings.Join(out, " ")
}
