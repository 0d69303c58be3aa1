package tui

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A paper is written on, row by row, in a width.
type paper struct {
	rows  []view.Line
	width int
}

// put writes a line in as many rows as it needs. Further rows begin otherwise, so
// that none of them looks like the first one of a line.
func (p *paper) put(first, further string, l view.Line) {
	if name, indent := []rune(first), len([]rune(further)); len(name) > indent { // what is longer is part of the line
		l = append(view.Line{{Text: string(name[indent:]), Role: view.Note}}, l...)
		first = string(name[:indent])
	}
	for _, row := range l.Wrap(p.width - view.Width(further)) {
		p.rows = append(p.rows, append(view.Line{{Text: first, Role: view.Note}}, row...))
		first = further
	}
}

func (p *paper) text(indent, text string, role view.Role) {
	p.put(indent, indent+"  ", view.Line{{Text: text, Role: role}})
}

// sent writes what an agent has sent: each row behind a bar, so that none of them
// looks like one of ours.
func (p *paper) sent(lines []view.Line) {
	for _, l := range lines {
		p.put("│ ", "│   ", l)
	}
}

// lines are the rows of the dialog, and where each choice begins.
func (d *dialog) lines(width, others int) (rows []view.Line, first []int) {
	p := &paper{width: width}
	v := &d.v
	p.put("", "  ", view.Line{{Text: v.Asks() + " " + v.Wants, Role: view.Plain}})
	p.sent(v.What)
	for _, row := range v.Also {
		p.text("", row.Title(), view.Note)
		p.sent(row.Lines)
	}
	p.risk(v)
	for _, w := range v.Warnings {
		p.put("! ", "  ", view.Line{{Text: w, Role: view.RiskDangerous}})
	}
	p.contract(v, d.explain)
	p.why(v)
	if d.explain {
		p.stages(v)
	}
	p.alike(d, others)
	for i := range v.Choices {
		first = append(first, len(p.rows))
		p.choice(v, i, i == d.focus, d.explain)
	}
	return p.rows, first
}

func (p *paper) risk(v *view.View) {
	l := view.Line{{Text: v.Risk.Word, Role: v.Risk.Role}}
	for i, s := range v.Sentences {
		if i == 0 {
			p.put("", "  ", append(l, view.Span{Text: " · " + s, Role: view.Plain}))
			continue
		}
		p.put("- ", "  ", view.Line{{Text: s, Role: view.Plain}})
	}
	if len(v.Sentences) == 0 {
		p.put("", "  ", l)
	}
}

// contract writes the contract but for the command, which stands above: in one
// paragraph, or else row by row.
func (p *paper) contract(v *view.View, whole bool) {
	if whole {
		p.text("", "the contract, "+v.Contract[:12]+":", view.Note)
	}
	var all view.Line
	for i, row := range v.Terms[1:] {
		if whole {
			p.put("  "+row.Name+": ", "    ", view.Line{{Text: row.Text(), Role: view.Plain}})
			continue
		}
		if i > 0 {
			all = append(all, view.Span{Text: " · ", Role: view.Note})
		}
		all = append(all, view.Span{Text: row.Name + ": ", Role: view.Note}, view.Span{Text: row.Text(), Role: view.Plain})
	}
	if !whole {
		p.put("", "  ", all)
	}
}

func (p *paper) why(v *view.View) {
	text := "because " + v.Why.Reason
	if v.Why.Stage != "" {
		text += " (" + v.Why.Stage + ")"
	}
	p.text("", text, view.Plain)
	if v.Why.Rule != "" && !strings.Contains(v.Why.Reason, v.Why.Rule) {
		p.text("", "the rule "+v.Why.Rule+" of "+v.Why.Place, view.Plain)
	}
	if v.Why.Edit != "" {
		p.text("", v.Why.Edit, view.Plain)
	}
	if v.Why.Elsewhere != "" {
		p.text("", v.Why.Elsewhere, view.Plain)
	}
}

func (p *paper) stages(v *view.View) {
	p.text("", "what every stage said:", view.Note)
	for _, s := range v.Steps {
		indent := strings.Repeat("  ", s.Depth+1)
		p.put(indent+s.Name+": ", indent+"  ", view.Line{{Text: s.Said, Role: view.Plain}})
	}
}

// alike writes which other requests get the same answer, or could.
func (p *paper) alike(d *dialog, others int) {
	if len(d.alike) == 0 && others > 0 {
		p.put("[*] ", "    ", view.Line{{Text: "give the same answer to " + count(others, "identical call"), Role: view.Plain}})
	}
	if len(d.alike) == 0 {
		return
	}
	p.put("[*] ", "    ", view.Line{{Text: "the answer is also for " + count(len(d.alike), "identical call") + ":", Role: view.RiskModerate}})
	for i := range d.alike {
		o := view.View{Agent: view.Safe(d.alike[i].Call.Agent), Subagent: view.Safe(d.alike[i].Call.Subagent), Session: view.Safe(d.alike[i].Call.Session)}
		p.text("    ", o.Asks()+", request "+view.Safe(d.alike[i].ID), view.Plain)
	}
}

// choice writes an answer that can be given, with what it stores and allows.
func (p *paper) choice(v *view.View, i int, focused, whole bool) {
	c := v.Choices[i]
	mark, role := "  ", view.Plain
	if focused {
		mark, role = "> ", view.Decisive
	}
	p.put(mark, "      ", view.Line{{Text: "[" + c.Key + "]", Role: view.Decisive}, {Text: " ", Role: view.Plain}, {Text: c.Label, Role: role}})
	if whole || c.Stores != "nothing" {
		p.put("      stores: ", "        ", view.Line{{Text: c.Stores, Role: view.Plain}})
	}
	if whole || c.Stores != "nothing" || c.Contract != v.Contract {
		p.put("      allows: ", "        ", view.Line{{Text: c.Allows, Role: view.Plain}})
	}
	if c.Contract != v.Contract {
		p.text("      ", "runs another contract: "+c.Contract[:12], view.Plain)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if root, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, root)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
