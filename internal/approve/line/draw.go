package line

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso/internal/approve/view"
)

// What may be used to draw.
type look uint8

const (
	plain  look = iota // letters only
	marked             // bold, underlined and reversed, but no colour
	coloured
)

// lookFor is what a terminal can show, and a person wants to see.
func lookFor(env func(string) string) look {
	switch {
	case env("TERM") == "" || env("TERM") == "dumb":
		return plain
	case env("NO_COLOR") != "":
		return marked
	}
	return coloured
}

const (
	indent = "  "
	// gutter stands before every line of what the agent has sent, so that none of
	// them looks like one of ours.
	gutter = "  | "

	// mostRows is how many rows of what an agent sends are shown at once. More of
	// them are folded, but never those with the decisive part.
	mostRows            = 80
	firstRows, lastRows = 30, 10
)

// A page collects what is drawn.
type page struct {
	strings.Builder
	look look
	cols int
	all  bool // nothing is folded
}

// Text is a request as the prompt shows it, in letters alone and whole: for where
// nobody is asked.
func Text(v *view.View, columns int) string {
	p := &page{look: plain, cols: max(columns, 20), all: true}
	p.question(v)
	p.answers(v)
	return strings.ReplaceAll(p.String(), "\r\n", "\n")
}

// row draws a line, in as many rows as it needs, each behind the prefix. Further
// rows stand deeper, so that none of them looks like the first one of a line.
func (p *page) row(prefix string, l view.Line) { p.hang(prefix, prefix+"  ", l) }

// hang draws a line whose further rows have another prefix.
func (p *page) hang(first, prefix string, l view.Line) {
	for _, row := range l.Wrap(p.cols - 1 - len(prefix)) { // the last column stays free: some terminals wrap there
		p.WriteString(first)
		p.paint(row)
		p.WriteString("\r\n")
		first = prefix
	}
}

func (p *page) text(prefix, text string, role view.Role) {
	p.row(prefix, view.Line{{Text: text, Role: role}})
}

var colours = map[string]string{"red": "31", "green": "32", "yellow": "33"}

func (p *page) paint(l view.Line) {
	for _, s := range l {
		style := s.Role.Style()
		var codes []string
		if p.look >= marked {
			for _, c := range []struct {
				on   bool
				code string
			}{{style.Bold, "1"}, {style.Dim, "2"}, {style.Underline, "4"}, {style.Reverse, "7"}} {
				if c.on {
					codes = append(codes, c.code)
				}
			}
		}
		if p.look == coloured && style.Color != "" {
			codes = append(codes, colours[style.Color])
		}
		if len(codes) == 0 {
			p.WriteString(s.Text)
			continue
		}
		p.WriteString("\x1b[" + strings.Join(codes, ";") + "m" + s.Text + "\x1b[0m")
	}
}

// question draws all that a person must see. It reports whether a part of what the
// agent has sent was folded.
func (p *page) question(v *view.View) (folded bool) {
	head := view.Line{{Text: "sayso: ", Role: view.Note}, {Text: cmp.Or(v.Agent, "an agent"), Role: view.Plain}, {Text: " " + v.Wants, Role: view.Plain}}
	var who []string
	if v.Subagent != "" {
		who = append(who, "subagent "+v.Subagent)
	}
	if v.Session != "" {
		who = append(who, "session "+v.Session)
	}
	if len(who) > 0 {
		head = append(head, view.Span{Text: " (" + strings.Join(who, ", ") + ")", Role: view.Note})
	}
	p.hang("", indent+"  ", head)
	folded = p.what(v.What, false)
	if v.Part != nil && p.look == plain {
		p.row(indent, append(view.Line{{Text: "it asks because of: ", Role: view.Note}}, v.Part...))
	}
	for _, row := range v.Also {
		p.text(indent, row.Title(), view.Note)
		folded = p.what(row.Lines, false) || folded
	}
	p.risk(v)
	for _, w := range v.Warnings {
		p.hang(indent+"! ", indent+"  ", view.Line{{Text: w, Role: view.RiskDangerous}})
	}
	p.row(indent, contract(v))
	because := "because " + v.Why.Reason
	if v.Why.Stage != "" {
		because += " (" + v.Why.Stage + ")"
	}
	p.text(indent, because, view.Plain)
	if v.Why.Edit != "" {
		p.text(indent, v.Why.Edit, view.Plain)
	}
	if v.Why.Elsewhere != "" {
		p.text(indent, v.Why.Elsewhere, view.Plain)
	}
	return folded
}

func (p *page) risk(v *view.View) {
	first := view.Line{{Text: v.Risk.Word, Role: v.Risk.Role}}
	if len(v.Sentences) > 0 {
		first = append(first, view.Span{Text: " · " + v.Sentences[0], Role: view.Plain})
		p.row(indent, first)
		for _, s := range v.Sentences[1:] {
			p.hang(indent+"- ", indent+"  ", view.Line{{Text: s, Role: view.Plain}})
		}
		return
	}
	p.row(indent, first)
}

// contract is what the contract says, but for the command, which stands above.
func contract(v *view.View) view.Line {
	var out view.Line
	for i, row := range v.Terms[1:] {
		if i > 0 {
			out = append(out, view.Span{Text: " · ", Role: view.Note})
		}
		out = append(out, view.Span{Text: row.Name + ": ", Role: view.Note}, view.Span{Text: row.Text(), Role: view.Plain})
	}
	return out
}

// what draws what the agent has sent; all of it, or else at most what a person can
// look at. It reports whether something is missing.
func (p *page) what(lines []view.Line, all bool) (folded bool) {
	var rows []view.Line
	for _, l := range lines {
		rows = append(rows, l.Wrap(p.cols-1-len(gutter))...)
	}
	all = all || p.all || len(rows) <= mostRows
	missing := 0
	tell := func() {
		if missing > 0 {
			p.text(gutter, fmt.Sprintf("[%d rows are not shown here: press ? to see them]", missing), view.Hidden)
			folded = true
		}
		missing = 0
	}
	for i, row := range rows {
		if !all && i >= firstRows && i < len(rows)-lastRows && !row.Is(view.Decisive) {
			missing++
			continue
		}
		tell()
		p.WriteString(gutter)
		p.paint(row)
		p.WriteString("\r\n")
	}
	tell()
	return folded
}

// choices draws the answers, with what each of them stores and allows.
func (p *page) choices(v *view.View) {
	p.answers(v)
	p.choice(keyExplain, "explain")
}

func (p *page) answers(v *view.View) {
	for _, c := range v.Choices {
		p.choice(c.Key, c.Label)
		if c.Stores != "nothing" {
			p.text(indent+"    ", "stores: "+c.Stores, view.Note)
		}
		if c.Stores != "nothing" || c.Contract != v.Contract {
			p.text(indent+"    ", "allows: "+c.Allows, view.Note)
		}
	}
}

func (p *page) choice(key, label string) {
	p.hang(indent, indent+"    ", view.Line{{Text: "[" + key + "]", Role: view.Decisive}, {Text: " " + label, Role: view.Plain}})
}

// explain draws what is behind the question: the stages, the contract row by row,
// and what each answer means.
func (p *page) explain(v *view.View) {
	p.text("", "sayso: what it would run, whole", view.Note)
	p.what(v.What, true)
	for _, row := range v.Also {
		p.text(indent, row.Title(), view.Note)
		p.what(row.Lines, true)
	}
	p.text("", "sayso: what every stage said", view.Note)
	for _, s := range v.Steps {
		prefix := indent + strings.Repeat("  ", s.Depth)
		p.hang(prefix, prefix+"  ", view.Line{{Text: s.Name + ": ", Role: view.Note}, {Text: s.Said, Role: view.Plain}})
	}
	p.text("", "sayso: the contract, "+v.Contract[:12], view.Note)
	for _, row := range v.Terms[1:] {
		p.hang(indent, indent+"  ", view.Line{{Text: row.Name + ": ", Role: view.Note}, {Text: row.Text(), Role: view.Plain}})
	}
	p.text("", "sayso: what each answer means", view.Note)
	for _, c := range v.Choices {
		p.choice(c.Key, c.Label)
		p.text(indent+"    ", "stores: "+c.Stores, view.Plain)
		p.text(indent+"    ", "allows: "+c.Allows, view.Plain)
		if c.Contract != v.Contract {
			p.text(indent+"    ", "runs another contract: "+c.Contract[:12], view.Plain)
		}
	}
}
