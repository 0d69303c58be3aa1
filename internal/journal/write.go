package journal

import (
	"encoding/json"
	"strconv"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// A writer puts JSON together.
type writer struct {
	text []byte
	err  error // of a value that cannot be written
}

func (w *writer) open(c byte)  { w.text = append(w.text, c) }
func (w *writer) close(c byte) { w.text = append(w.text, c) }

// next puts a comma where one belongs.
func (w *writer) next() {
	if c := w.text[len(w.text)-1]; c != '{' && c != '[' {
		w.text = append(w.text, ',')
	}
}

// key writes a key; its value comes next.
func (w *writer) key(name string) {
	w.next()
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

func (w *writer) string(name, value string) {
	w.key(name)
	w.quote(value)
}

// some writes a value that is not empty.
func (w *writer) some(name, value string) {
	if value != "" {
		w.string(name, value)
	}
}

// true writes a flag that is set.
func (w *writer) true(name string, set bool) {
	if set {
		w.key(name)
		w.text = append(w.text, "true"...)
	}
}

func (w *writer) number(name string, n int) {
	if n != 0 {
		w.key(name)
		w.text = strconv.AppendInt(w.text, int64(n), 10)
	}
}

// value writes anything, in the way that takes longer.
func (w *writer) value(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	w.key(name)
	w.text = append(w.text, text...)
}

// quote writes a string. Bytes that are no UTF-8 become the replacement character.
func (w *writer) quote(s string) { w.text = plainjson.AppendText(w.text, s, false) }

func (w *writer) request(c sayso.Call) {
	w.key("request")
	w.open('{')
	w.some("id", cut(c.ID))
	w.some("session", cut(c.Session))
	w.some("agent", clean(c.Agent))
	w.some("subagent", clean(c.Subagent))
	w.string("tool", clean(c.Tool))
	if input := short(c.Input); input != nil {
		w.key("input")
		w.text = append(w.text, input...)
	}
	w.some("cwd", c.Dir)
	w.some("root", c.Root)
	w.some("home", c.Home)
	if c.Server != nil {
		server := *c.Server
		server.Name = clean(server.Name)
		w.value("server", server)
	}
	w.some("approval", cut(c.Approval))
	w.close('}')
}

func (w *writer) decision(d *sayso.Decision) {
	w.open('{')
	w.string("effect", d.Effect.String())
	w.string("code", string(d.Code))
	w.string("reason", clean(d.Reason))
	w.some("stage", d.Stage)
	w.rule(d.Rule)
	w.some("scope", string(d.Scope))
	if len(d.Spends) > 0 {
		w.value("spends", d.Spends)
	}
	w.true("immune", d.Immune)
	w.true("soft", d.Soft)
	w.string("risk", d.Risk.String())
	w.string("explanation", clean(d.Explanation))
	w.some("part", clean(d.Part))
	w.some("subject", clean(d.Subject))
	if len(d.Keep) > 0 {
		w.value("keep", d.Keep)
	}
	if len(d.Suggestions) > 0 {
		w.maskedValue("suggestions", d.Suggestions)
	}
	if len(d.Choices) > 0 {
		w.maskedValue("choices", d.Choices)
	}
	w.true("stop", d.Stop)
	w.steps("trace", d.Trace)
	w.close('}')
}

// maskedValue writes a value with the secrets taken out of its strings.
func (w *writer) maskedValue(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	w.key(name)
	w.text = append(w.text, mask.JSON(text)...)
}

func (w *writer) rule(r *sayso.Rule) {
	if r == nil {
		return
	}
	w.key("rule")
	w.open('{')
	w.string("effect", r.Effect.String())
	w.string("rule", clean(r.Text))
	w.some("because", clean(r.Because))
	if len(r.Except) > 0 {
		w.value("except", texts(r.Except))
	}
	if !r.Until.IsZero() {
		w.value("until", r.Until)
	}
	if r.Source != (sayso.Source{}) {
		w.key("source")
		w.open('{')
		w.some("layer", string(r.Source.Layer))
		w.some("file", r.Source.File)
		w.number("line", r.Source.Line)
		w.number("column", r.Source.Column)
		w.close('}')
	}
	w.close('}')
}

func (w *writer) steps(name string, list []sayso.Step) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	w.open('[')
	for i := range list {
		s := &list[i]
		w.next()
		w.open('{')
		w.string("stage", s.Stage)
		w.some("part", clean(s.Part))
		w.string("spoke", s.Spoke)
		if s.Effect != sayso.Deny {
			w.string("effect", s.Effect.String())
		}
		w.some("code", string(s.Code))
		w.some("reason", clean(s.Reason))
		w.rule(s.Rule)
		w.steps("steps", s.Steps)
		w.close('}')
	}
	w.close(']')
}
