package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/journal"
)

// A stop is one place on the way of a call.
type stop struct {
	Time  time.Time // zero: as the one before
	Class string    // allow, ask, deny, pass, or nothing
	Shape string    // event, pass, lean, decide
	Depth int
	Title string
	Lines []string
}

// way is how a call went through the stages, from its records.
func way(lines []journal.Line) []stop {
	var out []stop
	traced := ""
	for i := range lines {
		l := &lines[i]
		if l.Decision != nil { // the one behind an answer says the same again
			if same := fmt.Sprintf("%+v", l.Decision.Trace); same != traced {
				out, traced = stages(out, l.Decision.Trace, 0), same
			}
		}
		out = append(out, stopOf(&l.Record))
	}
	return out
}

// stages are the stages that a call went through.
func stages(out []stop, list []sayso.Step, depth int) []stop {
	for i := range list {
		s := &list[i]
		one := stop{Class: "pass", Shape: "pass", Depth: min(depth, 5), Title: view.Safe(s.Stage)}
		if s.Part != "" {
			one.Title += ": " + view.Safe(s.Part)
		}
		if s.Spoke != "pass" {
			one.Class, one.Shape = s.Effect.String(), string(s.Spoke)
			one.Lines = append(one.Lines, fmt.Sprintf("%s %s: %s (%s)", map[bool]string{true: "decides to", false: "leans to"}[s.Spoke == "decide"], s.Effect, view.Safe(s.Reason), view.Safe(string(s.Code))))
			if s.Rule != nil {
				one.Lines = append(one.Lines, "rule "+view.Safe(s.Rule.Text)+" at "+view.Safe(s.Rule.Source.String()))
			}
		}
		out = append(out, one)
		out = stages(out, s.Steps, depth+1)
	}
	return out
}

// stopOf is a record as a place on the way.
func stopOf(r *sayso.Record) stop {
	s := stop{Time: r.Time, Shape: "event", Title: titles[r.Kind]}
	if s.Title == "" {
		s.Title = view.Safe(string(r.Kind))
	}
	line := func(format string, args ...any) {
		for i, a := range args {
			if text, ok := a.(string); ok {
				args[i] = view.Safe(text)
			}
		}
		s.Lines = append(s.Lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	if q := r.Request; q != nil {
		line("%s uses %s in %s", cmp.Or(q.Agent, "an agent"), q.Tool, cmp.Or(q.Dir, q.Root))
		line("%s", readable(q.Input))
	}
	if d := r.Decision; d != nil {
		s.Class = d.Effect.String()
		line("%s: %s (%s)", s.Class, d.Reason, string(d.Code))
		if d.Explanation != "" {
			line("it would: %s", d.Explanation)
		}
	}
	if d := r.Decider; d != nil {
		line("by %s %s %s %s", d.Kind, d.Name, d.Where, d.Channel)
	}
	if t := r.Terms; t != nil {
		line("contract %s: %s", r.Contract, readable(t.Canonical()))
	}
	if a := r.Answer; a != nil {
		s.Class = map[bool]string{true: "allow", false: "deny"}[a.Yes]
		line("%s", toldOf(*a))
	}
	if q := r.Result; q != nil {
		text := "it did not run"
		if q.Ran {
			text = cmp.Or(q.Error, fmt.Sprintf("it ran, exit status %d", q.Exit))
		}
		line("%s", text)
	}
	if g := r.Grant; g != nil {
		line("%s for %s", g.Rule, string(g.Scope))
	}
	if r.Note != "" && r.Answer == nil {
		line("%s", r.Note)
	}
	return s
}

var titles = map[sayso.RecordKind]string{
	sayso.RecordRequest: "The agent asks", sayso.RecordDecision: "Decision", sayso.RecordPrompt: "A person is asked", sayso.RecordAnswer: "The person answers",
	sayso.RecordRun: "It starts", sayso.RecordConnect: "It connects", sayso.RecordExec: "It starts a program", sayso.RecordResult: "Result", sayso.RecordGrant: "It is kept for later calls", sayso.RecordRevoke: "It is taken back",
}

func (p *Page) showCall(w http.ResponseWriter, r *http.Request, s *session) {
	id := r.URL.Query().Get("id")
	if now := p.reading(w); now.Busy {
		p.show(w, r, s, "reading", "Journal", now.Percent)
		return
	}
	lines, err := p.linesOf(r.Context(), id)
	if err != nil {
		p.fail(w, r, s, err)
		return
	}
	if len(lines) == 0 {
		p.showAs(w, r, s, http.StatusNotFound, page{"problem", "Journal", "The journal has no call " + view.Safe(id) + "."})
		return
	}
	p.show(w, r, s, "call", "One call, from request to result", struct {
		ID   string
		Way  []stop
		Size int
	}{id, way(lines), len(lines)})
}
