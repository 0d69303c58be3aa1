package journal

import (
	"encoding/json"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// A writer puts a record together.
type writer struct {
	plainjson.Writer
	err error // of a value that cannot be written
}

// value writes anything, in the way that takes longer.
func (w *writer) value(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	w.Raw(name, text)
}

func (w *writer) request(c sayso.Call) {
	w.Key("request")
	w.Open('{')
	w.Some("id", cut(c.ID))
	w.Some("session", cut(c.Session))
	w.Some("agent", clean(c.Agent))
	w.Some("subagent", clean(c.Subagent))
	w.String("tool", clean(c.Tool))
	if input := short(c.Input); input != nil {
		w.Raw("input", input)
	}
	w.Some("cwd", c.Dir)
	w.Some("root", c.Root)
	w.Some("home", c.Home)
	if c.Server != nil {
		server := *c.Server
		server.Name = clean(server.Name)
		w.value("server", server)
	}
	w.Some("approval", cut(c.Approval))
	w.Close('}')
}

func (w *writer) decision(d *sayso.Decision) {
	w.Open('{')
	w.String("effect", d.Effect.String())
	w.String("code", string(d.Code))
	w.String("reason", clean(d.Reason))
	w.Some("stage", d.Stage)
	w.rule(d.Rule)
	w.Some("scope", string(d.Scope))
	if len(d.Spends) > 0 {
		w.value("spends", d.Spends)
	}
	w.True("immune", d.Immune)
	w.True("soft", d.Soft)
	w.String("risk", d.Risk.String())
	w.String("explanation", clean(d.Explanation))
	w.Some("part", clean(d.Part))
	w.Some("subject", clean(d.Subject))
	if len(d.Keep) > 0 {
		w.value("keep", d.Keep)
	}
	w.suggestions(d.Suggestions)
	w.choices(d.Choices)
	w.True("stop", d.Stop)
	w.steps("trace", d.Trace)
	w.Close('}')
}

func (w *writer) suggestions(list []sayso.Suggestion) {
	if len(list) == 0 {
		return
	}
	w.Key("suggestions")
	w.Open('[')
	for i := range list {
		s := &list[i]
		w.Open('{')
		w.String("rule", mask.Text(s.Rule))
		w.String("allows", mask.Text(s.Allows))
		if s.Keep == nil {
			w.Raw("keep", []byte("null"))
		} else {
			w.Key("keep")
			w.Open('[')
			for _, scope := range s.Keep {
				w.Quote(string(scope))
			}
			w.Close(']')
		}
		w.Close('}')
	}
	w.Close(']')
}

func (w *writer) choices(list []sayso.Choice) {
	if len(list) == 0 {
		return
	}
	w.Key("choices")
	w.Open('[')
	for i := range list {
		c := &list[i]
		w.Open('{')
		w.String("key", mask.Text(c.Key))
		w.String("label", mask.Text(c.Label))
		w.Bool("yes", c.Yes)
		w.Some("scope", string(c.Scope))
		w.Some("rule", mask.Text(c.Rule))
		w.Some("network", string(c.Network))
		w.True("real", c.Real)
		w.Close('}')
	}
	w.Close(']')
}

func (w *writer) rule(r *sayso.Rule) {
	if r == nil {
		return
	}
	w.Key("rule")
	w.Open('{')
	w.String("effect", r.Effect.String())
	w.String("rule", clean(r.Text))
	w.Some("because", clean(r.Because))
	if len(r.Except) > 0 {
		w.value("except", texts(r.Except))
	}
	if !r.Until.IsZero() {
		w.value("until", r.Until)
	}
	if r.Source != (sayso.Source{}) {
		w.Key("source")
		w.Open('{')
		w.Some("layer", string(r.Source.Layer))
		w.Some("file", r.Source.File)
		w.Number("line", r.Source.Line)
		w.Number("column", r.Source.Column)
		w.Close('}')
	}
	w.Close('}')
}

func (w *writer) steps(name string, list []sayso.Step) {
	if len(list) == 0 {
		return
	}
	w.Key(name)
	w.Open('[')
	for i := range list {
		s := &list[i]
		w.Open('{')
		w.String("stage", s.Stage)
		w.Some("part", clean(s.Part))
		w.String("spoke", s.Spoke)
		if s.Effect != sayso.Deny {
			w.String("effect", s.Effect.String())
		}
		w.Some("code", string(s.Code))
		w.Some("reason", clean(s.Reason))
		w.rule(s.Rule)
		w.steps("steps", s.Steps)
		w.Close('}')
	}
	w.Close(']')
}
