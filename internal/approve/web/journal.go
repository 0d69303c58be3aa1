package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/journal"
)

const (
	mostShown = 100    // calls on one page
	mostRead  = 20000  // calls that are looked at, from the end
	mostLines = 100000 // records that are searched for a text, likewise
)

// A search is what somebody looks for in the journal.
type search struct {
	Tool, Session, Effect, Text, Since, Until string

	from, to time.Time
}

func searchOf(q url.Values) (search, error) {
	s := search{Tool: q.Get("tool"), Session: q.Get("session"), Effect: q.Get("effect"), Text: q.Get("text"), Since: q.Get("since"), Until: q.Get("until")}
	var e sayso.Effect
	if s.Effect != "" && e.UnmarshalText([]byte(s.Effect)) != nil {
		return s, fmt.Errorf("there is no effect %q: want allow, ask or deny", view.Safe(s.Effect))
	}
	var err error
	if s.from, err = moment(s.Since); err != nil {
		return s, err
	}
	s.to, err = moment(s.Until)
	return s, err
}

// moment is a time as browsers send it; empty: none.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; for example 2026-03-04T05:06", view.Safe(text))
}

// readable is JSON with its signs as they are, and not as codes; of a command
// alone it is the command.
func readable(raw json.RawMessage) string {
	var v any
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if json.Unmarshal(raw, &v) != nil || e.Encode(v) != nil {
		return string(raw)
	}
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		if command, ok := m["command"].(string); ok {
			return command
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A story is what the journal has about a call, or what somebody managed.
type story struct {
	Call, Session, Agent, Tool string
	Time                       time.Time
	Effect                     string // what was decided at last
	What, Answer, End          string

	effects []string
	found   bool // the text that is looked for
}

// add takes over what a record says.
func (s *story) add(r *sayso.Record) {
	if s.Time.IsZero() {
		s.Time = r.Time
	}
	s.Session = cmp.Or(s.Session, r.Session)
	switch {
	case r.Request != nil:
		s.Agent, s.Tool, s.What = r.Request.Agent, r.Request.Tool, readable(r.Request.Input)
	case r.Decision != nil:
		s.Effect = r.Decision.Effect.String()
		s.effects = append(s.effects, s.Effect)
		s.End = r.Decision.Reason
	case r.Answer != nil:
		s.Answer = toldOf(*r.Answer)
	case r.Grant != nil:
		s.What = cmp.Or(s.What, string(r.Kind)+": "+r.Grant.Rule)
	case r.Trust != nil:
		s.What = string(r.Kind) + ": " + strings.TrimSpace(r.Trust.Root+" "+r.Trust.Name)
	case r.Rule != nil:
		s.What = string(r.Kind) + ": " + r.Rule.Effect.String() + " " + r.Rule.Text
	case r.Kind == journal.Repaired:
		s.What = "the journal was repaired: " + r.Note
	}
	if s.Call == "" && r.Decider != nil {
		s.Answer = "by " + r.Decider.Name
	}
}

func (s *search) wants(one *story) bool {
	switch {
	case s.Tool != "" && !strings.EqualFold(s.Tool, one.Tool),
		s.Session != "" && one.Session != s.Session,
		s.Effect != "" && !slices.Contains(one.effects, s.Effect),
		s.Text != "" && !one.found,
		!s.from.IsZero() && one.Time.Before(s.from),
		!s.to.IsZero() && one.Time.After(s.to):
		return false
	}
	return true
}

// A teller makes stories of records.
type teller struct {
	text   []byte // that is looked for, in small letters
	byCall map[string]*story
	all    []*story
	more   bool // some were left out
}

// tell takes a record into account.
func (t *teller) tell(line *journal.Line) {
	one := t.byCall[line.Call]
	if one == nil || line.Call == "" {
		one = &story{Call: line.Call}
		t.byCall[line.Call] = one
		t.all = append(t.all, one)
	}
	one.add(&line.Record)
	one.found = one.found || len(t.text) > 0 && (bytes.Contains(bytes.ToLower(line.Text), t.text) || bytes.Contains(bytes.ToLower([]byte(one.What)), t.text))
	if len(t.all) >= 2*mostRead {
		for _, old := range t.all[:mostRead] {
			delete(t.byCall, old.Call)
		}
		t.all, t.more = slices.Clone(t.all[mostRead:]), true
	}
}

// stories are the calls in the journal that are looked for, the newest first. More
// reports whether there are others.
func (p *Page) stories(ctx context.Context, s search) (list []*story, more bool, err error) {
	lines := p.Journal.All()
	if x, done := p.index(ctx); x != nil {
		defer done()
		if s.Text == "" {
			return p.indexed(ctx, x, s)
		}
		lines = p.Journal.Read(x.Find(ctx, s.query(mostLines))) // a text stands in no index
	}
	t := teller{text: []byte(strings.ToLower(s.Text)), byCall: map[string]*story{}}
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, err
		}
		if line.Err == nil { // sayso log verify says what is wrong with the others
			t.tell(&line)
		}
	}
	for _, one := range slices.Backward(t.all) {
		if !s.wants(one) {
			continue
		}
		if len(list) == mostShown {
			return list, true, nil
		}
		list = append(list, one)
	}
	return list, t.more, nil
}

// reading is how far a large journal is looked at for the first time.
type reading struct {
	Busy    bool
	Percent int
}

// reading looks whether the journal can be shown. If not, the browser is told to look
// again soon.
func (p *Page) reading(w http.ResponseWriter) (now reading) {
	if p.Reading != nil {
		now.Percent, now.Busy = p.Reading()
	}
	if now.Busy {
		w.Header().Set("Refresh", "2")
	}
	return now
}

func (p *Page) showJournal(w http.ResponseWriter, r *http.Request, s *session) {
	shown := struct {
		search
		List    []*story
		More    bool
		Problem string
		reading
	}{reading: p.reading(w)}
	var err error
	if shown.search, err = searchOf(r.URL.Query()); err == nil && !shown.Busy {
		shown.List, shown.More, err = p.stories(r.Context(), shown.search)
	}
	if err != nil {
		shown.Problem = view.Safe(err.Error())
	}
	p.show(w, r, s, "journal", "Journal", shown)
}
