// Package view says what a person must see of a request before they answer it.
// It draws nothing: the line prompt, the full screen and the web page all show
// the same [View], each in its own way.
//
// Every text in a View is safe to be shown: it holds no control character, none
// that changes the order of what is shown, and none that cannot be seen. What
// stood there is written as its code. Nothing is left out.
package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A View is a request as it is shown.
type View struct {
	ID       string // of the request
	Contract string // the hash of what would run

	Agent, Subagent, Session string // who asks; empty: not known

	Kind  Kind
	Wants string // what the agent wants to do, behind its name: "wants to run"
	What  []Line // the command, the changes or the input, all of it
	Also  []Row  // what else the agent has sent
	Part  Line   // the decisive part, if it is not all of it

	Risk      Risk
	Sentences []string // what it will do: the whole first, then the parts that it leaves out
	Warnings  []string // what could deceive somebody who only glances at it

	Terms []Row  // the contract, in the order in which it is documented
	Where string // the contract in one line: folder, network, what it may write

	Why     Why
	Steps   []Step // what every stage said
	Choices []Choice

	Opened, Until time.Time // zero: not known; for ever
}

// A Kind is what a call is about.
type Kind uint8

// The kinds of calls.
const (
	OfInput   Kind = iota // a tool with its arguments
	OfCommand             // a command line
	OfChange              // changes of files
)

// A Row is a name with what belongs to it, which may be several lines.
type Row struct {
	Name  string
	Lines []Line
	Found bool // by sayso itself; else the agent has sent it
}

// Title is what stands above the row where it is not one of many.
func (r Row) Title() string {
	if r.Found {
		return r.Name + ":"
	}
	return "also sent, " + r.Name + ":"
}

// Text is the row in one line.
func (r Row) Text() string {
	texts := make([]string, len(r.Lines))
	for i, l := range r.Lines {
		texts[i] = l.String()
	}
	return strings.Join(texts, ", ")
}

// A Risk is how bad a call may be, as a word and a colour.
type Risk struct {
	Word string
	Role Role
}

// Why says why a person is asked.
type Why struct {
	Reason string // one sentence
	Stage  string // that asked
	Code   string
	Rule   string // that asked; empty: none did
	Place  string // of the rule: file:line, or whose it is
	Edit   string // what to do about a rule that always asks; empty: nothing

	Elsewhere string // where a yes counts that does not count here; empty: it does
}

// A Step is what one stage said.
type Step struct {
	Depth int
	Name  string // of the stage, or of the part it looked at
	Said  string
}

// Options are what a view needs that a request does not have.
type Options struct {
	// Home is written as ~ in what sayso itself says about paths.
	Home string

	// Before returns what is in a file now, so that a file that is written is
	// shown as what changes. Nil, or not ok: all that is written is shown.
	Before func(path string) (text string, ok bool)

	// Channel is where it is shown: answers that do not count there are not
	// offered. Empty: all are.
	Channel string
}

// Of says what to show of a request.
func Of(r *sayso.Request, o Options) View {
	d := &r.Decision
	v := View{
		ID: Safe(r.ID), Contract: r.Contract.Hash(), Agent: name(r.Call.Agent), Subagent: name(r.Call.Subagent), Session: name(r.Call.Session),
		Risk: riskOf(d.Risk), Opened: r.Opened, Until: r.Until,
	}
	facts := analyse(r)
	warned := v.what(r, facts, o)
	if len(r.Shows) > 0 {
		v.Also = append(v.Also, preview(warned, r.Shows))
	}
	v.Sentences = sentences(d, facts)
	v.Terms, v.Where = terms(&r.Contract, v.What, o), where(&r.Contract, o)
	v.Why = whyOf(d, o)
	v.Steps = steps(nil, d.Trace, 0)
	v.Choices = choices(r)
	if o.Channel != "" && !r.Hears(o.Channel) {
		v.Choices = slices.DeleteFunc(v.Choices, func(c Choice) bool { return c.Yes })
		v.Why.Elsewhere = "the policy lets nobody say yes here, but: " + Safe(strings.Join(r.Via, ", ")) + " (approve.via)"
	}
	v.Warnings = warned.warnings()
	return v
}

// preview is what a preview of the call has shown: each line of a diff has its sign in
// front, and what the command wrote has another one, so that none of them looks like
// one of ours.
func preview(w *writer, shows []string) Row {
	row := Row{Name: "what it would do, by a preview", Found: true}
	role, tabs := w.role, w.tabs
	w.tabs = true
	for _, text := range shows {
		w.role = Command
		switch {
		case strings.HasPrefix(text, "+"):
			w.role = Added
		case strings.HasPrefix(text, "-"):
			w.role = Removed
		}
		row.Lines = append(row.Lines, w.line(text, 0, nil))
	}
	w.role, w.tabs = role, tabs
	return row
}

// analyse looks at the call again: a request says what was decided, and not where
// in the text the parts stand. It sees no files; what it cannot find is only not
// highlighted.
func analyse(r *sayso.Request) *sayso.Facts {
	call := r.Call
	call.Tool = cmp.Or(r.Contract.Tool, call.Tool)
	if len(r.Contract.Input) > 0 {
		call.Input = r.Contract.Input
	}
	return (&sayso.Analyzer{}).Analyze(call)
}

// name is a name in a sentence of ours, in quotes if it could be taken for more of
// the sentence.
func name(text string) string {
	if text = Safe(text); strings.ContainsAny(text, ` ,:"`) {
		return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	return text
}

// Asks is who asks, in one line.
func (v *View) Asks() string {
	text := cmp.Or(v.Agent, "an agent")
	if v.Subagent != "" {
		text += ", subagent " + v.Subagent
	}
	if v.Session != "" {
		text += ", session " + v.Session
	}
	return text
}

// Left is how much time there is for an answer; empty: there is no end.
func (v *View) Left(now time.Time) string {
	if v.Until.IsZero() {
		return ""
	}
	switch d := v.Until.Sub(now); {
	case d <= 0:
		return "no time left"
	case d < time.Minute:
		return fmt.Sprintf("%ds left", int(d.Seconds())+1)
	case d < time.Hour:
		return fmt.Sprintf("%dm left", int(d.Minutes()))
	default:
		return fmt.Sprintf("%dh left", int(d.Hours()))
	}
}

func riskOf(r shell.Risk) Risk {
	roles := map[shell.Risk]Role{shell.Safe: RiskSafe, shell.Moderate: RiskModerate}
	role, ok := roles[r]
	if !ok {
		role = RiskDangerous
	}
	return Risk{r.String(), role}
}

// sentences say what the call will do: all of it, and then each part that the first
// sentence leaves out.
func sentences(d *sayso.Decision, facts *sayso.Facts) []string {
	whole := Safe(d.Explanation)
	out := []string{whole}
	if len(facts.Parts) < 2 || facts.Err != nil {
		return out
	}
	for i := range facts.Parts {
		if s := Safe(facts.Parts[i].Sentence); !strings.Contains(whole, s) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func steps(out []Step, list []sayso.Step, depth int) []Step {
	for _, s := range list {
		said := "no opinion"
		if s.Spoke != "pass" {
			said = fmt.Sprintf("%s: %s (%s)", s.Effect, Safe(s.Reason), Safe(string(s.Code)))
		}
		out = append(out, Step{depth, Safe(cmp.Or(s.Part, s.Stage)), said})
		out = steps(out, s.Steps, depth+1)
	}
	return out
}

// warnings say what was replaced, and what is unusual.
func (w *writer) warnings() []string {
	var out []string
	if w.hidden > 0 {
		out = append(out, plural(w.hidden, "character that cannot be seen or controls a terminal is", "characters that cannot be seen or control a terminal are")+` shown as a code like \x1b`)
	}
	if w.alike > 0 {
		out = append(out, plural(w.alike, "character that looks like another one is", "characters that look like other ones are")+` shown as a code like \u{430}`)
	}
	if w.rightToLeft > 0 {
		out = append(out, "it has letters that are written from right to left: what stands beside them may be shown in another order")
	}
	if w.longest > longLine {
		out = append(out, fmt.Sprintf("it has a line of %d characters", w.longest))
	}
	return out
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
