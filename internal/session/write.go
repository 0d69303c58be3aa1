package session

import (
	"maps"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// text is the line as encoding/json writes it. It is written by hand: a program that
// lives for milliseconds would spend a tenth of them on finding out how its types are
// written.
func (l *line) text() []byte {
	w := plainjson.Writer{EscapeHTML: true, Text: make([]byte, 0, 2<<10)} // enough for what a question leaves behind
	w.Open('{')
	w.Int("v", l.Version)
	w.True("sum", l.Sum)
	w.Key("at")
	w.Text = append(l.Time.AppendFormat(append(w.Text, '"'), time.RFC3339Nano), '"')
	w.Some("id", l.ID)
	given(&w, "root", l.Root)
	given(&w, "mode", l.Mode)
	given(&w, "agent_mode", l.AgentMode)
	count(&w, "turn", l.Turn)
	given(&w, "prompt", l.Prompt)
	if l.Surface != nil {
		w.Key("surface")
		surface(&w, l.Surface)
	}
	count(&w, "stopped", l.Stopped)
	given(&w, "tainted", l.Tainted)
	denials(&w, "denied", l.Denied)
	w.Strings("spent", l.Spent)
	object(&w, "soft", l.Soft, func(d sayso.Denies) {
		w.Open('{')
		w.Number("consecutive", d.Consecutive)
		w.Number("total", d.Total)
		w.Close('}')
	})
	object(&w, "written", l.Written, func(turn int) { w.Value(turn) })
	object(&w, "waiting", l.Waiting, func(one *sayso.Waiting) { waiting(&w, one) })
	w.Close('}')
	return w.Text
}

// given writes a text that has changed.
func given[T ~string](w *plainjson.Writer, name string, text *T) {
	if text != nil {
		w.String(name, string(*text))
	}
}

// count writes a number that has changed.
func count(w *plainjson.Writer, name string, n *int) {
	if n != nil {
		w.Int(name, *n)
	}
}

// object writes a map that is not empty, its keys in order.
func object[T any](w *plainjson.Writer, name string, values map[string]T, value func(T)) {
	if len(values) == 0 {
		return
	}
	w.Key(name)
	w.Open('{')
	for _, key := range slices.Sorted(maps.Keys(values)) {
		w.KeyText(key)
		value(values[key])
	}
	w.Close('}')
}

func surface(w *plainjson.Writer, s *sayso.Surface) {
	w.Open('{')
	if s.Only != nil { // none at all is something else than every tool
		w.Key("only")
		w.Open('[')
		for _, tool := range s.Only {
			w.Quote(tool)
		}
		w.Close(']')
	}
	w.Strings("not", s.Not)
	w.Close('}')
}

func denials(w *plainjson.Writer, name string, list []sayso.Denial) {
	if len(list) == 0 {
		return
	}
	w.Key(name)
	w.Open('[')
	for i := range list {
		d := &list[i]
		w.Open('{')
		w.Some("rule", d.Rule)
		w.Some("package", d.Package)
		w.Number("turn", d.Turn)
		w.Some("text", d.Text)
		w.Close('}')
	}
	w.Close(']')
}

func waiting(w *plainjson.Writer, one *sayso.Waiting) {
	if one == nil {
		w.Null()
		return
	}
	w.Open('{')
	denials(w, "denials", one.Denials)
	w.True("stops", one.Stops)
	if left := &one.Left; left.Secret != "" || left.Written != nil || left.Copies != nil {
		w.Key("left")
		w.Open('{')
		w.Some("secret", left.Secret)
		w.Strings("written", left.Written)
		if len(left.Copies) > 0 {
			w.Key("copies")
			w.Open('[')
			for _, c := range left.Copies {
				w.Open('{')
				w.String("from", c.From)
				w.String("to", c.To)
				w.Close('}')
			}
			w.Close(']')
		}
		w.Close('}')
	}
	w.Close('}')
}
