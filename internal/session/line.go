package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// version is the version of the form of a line. A file with a line of a newer
// one is not read: what it says might be what denies. 1 had no prompt, 2 no line that
// sums up; a line that does not is still written as one of that version.
const (
	version      = 3
	plainVersion = 2
)

// sumStart is how a line begins that sums up those before it, with the end of the line
// before it. Nothing that agents write can look like it: no line has an end inside.
const sumStart = "\n" + `{"v":3,"sum":true,`

// A line is one change of a state. What it does not name stays as it was.
type line struct {
	Version int       `json:"v"`
	Sum     bool      `json:"sum,omitempty"` // it says all that the lines before it say
	Time    time.Time `json:"at"`
	ID      string    `json:"id,omitempty"` // of the session, in the first line

	Root      *string          `json:"root,omitempty"`
	Mode      *string          `json:"mode,omitempty"`
	AgentMode *sayso.AgentMode `json:"agent_mode,omitempty"`
	Turn      *int             `json:"turn,omitempty"`
	Prompt    *string          `json:"prompt,omitempty"`
	Surface   *sayso.Surface   `json:"surface,omitempty"`
	Stopped   *int             `json:"stopped,omitempty"`
	Tainted   *string          `json:"tainted,omitempty"`

	Denied  []sayso.Denial            `json:"denied,omitempty"` // more of them
	Spent   []string                  `json:"spent,omitempty"`  // more of them
	Soft    map[string]sayso.Denies   `json:"soft,omitempty"`   // changed ones
	Written map[string]int            `json:"written,omitempty"`
	Waiting map[string]*sayso.Waiting `json:"waiting,omitempty"` // null: it waits no longer

	waits plainjson.Value // in a line that was read, in place of Waiting
}

var errShrinks = errors.New("a session does not forget what was denied, spent, counted or written")

// difference makes a line of what has changed. What only ever grows must not
// have shrunk.
func difference(before, after sayso.SessionState) (line, bool, error) {
	l := line{
		Root: changed(before.Root, after.Root), Mode: changed(before.Mode, after.Mode), AgentMode: changed(before.AgentMode, after.AgentMode),
		Turn: changed(before.Turn, after.Turn), Prompt: changed(before.Prompt, after.Prompt), Stopped: changed(before.Stopped, after.Stopped), Tainted: changed(before.Tainted, after.Tainted),
	}
	if b, a := before.Surface, after.Surface; !slices.Equal(b.Only, a.Only) || (b.Only == nil) != (a.Only == nil) || !slices.Equal(b.Not, a.Not) {
		l.Surface = &after.Surface
	}
	var kept [4]bool
	l.Denied, kept[0] = longer(before.Denied, after.Denied)
	l.Spent, kept[1] = longer(before.Spent, after.Spent)
	l.Soft, kept[2] = more(before.Soft, after.Soft)
	l.Written, kept[3] = more(before.Written, after.Written)
	if kept != [4]bool{true, true, true, true} {
		return l, false, errShrinks
	}
	l.Waiting = settled(before.Waiting, after.Waiting)
	return l, !l.empty(), nil
}

// empty reports whether the line changes nothing.
func (l *line) empty() bool {
	return l.Root == nil && l.Mode == nil && l.AgentMode == nil && l.Turn == nil && l.Prompt == nil && l.Surface == nil && l.Stopped == nil && l.Tainted == nil &&
		len(l.Denied) == 0 && len(l.Spent) == 0 && len(l.Soft) == 0 && len(l.Written) == 0 && len(l.Waiting) == 0
}

func changed[T comparable](before, after T) *T {
	if before == after {
		return nil
	}
	return &after
}

// longer returns what a list has more at its end, and whether the rest is as it
// was.
func longer[T comparable](before, after []T) ([]T, bool) {
	if len(after) < len(before) || !slices.Equal(before, after[:len(before)]) {
		return nil, false
	}
	return append([]T(nil), after[len(before):]...), true
}

// more returns what is new or different, and whether nothing is gone.
func more[T comparable](before, after map[string]T) (map[string]T, bool) {
	var out map[string]T
	for key, value := range after {
		if old, ok := before[key]; !ok || old != value {
			put(&out, map[string]T{key: value})
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			return nil, false
		}
	}
	return out, true
}

func settled(before, after map[string]sayso.Waiting) map[string]*sayso.Waiting {
	var out map[string]*sayso.Waiting
	for id, w := range after {
		if old, ok := before[id]; !ok || !reflect.DeepEqual(old, w) {
			put(&out, map[string]*sayso.Waiting{id: &w})
		}
	}
	for id := range before {
		if _, ok := after[id]; !ok {
			put(&out, map[string]*sayso.Waiting{id: nil})
		}
	}
	return out
}

// parse reads one line.
func parse(text []byte) (line, error) {
	var fields []plainjson.Field
	all, err := plainjson.Parse(text)
	if err == nil {
		fields, err = all.Fields()
	}
	if err != nil {
		return line{}, fmt.Errorf("it is damaged: %w", err)
	}
	var l line
	if v := plainjson.Get(fields, "v"); string(v) != "1" && string(v) != "2" && string(v) != "3" {
		return line{}, fmt.Errorf("it has version %s, and this sayso knows up to %d", cmp.Or(string(v), "0"), version)
	}
	for _, f := range fields {
		if err := l.set(f); err != nil {
			return line{}, fmt.Errorf("it is damaged: %w", err)
		}
	}
	if l.Root != nil && !path.IsAbs(*l.Root) {
		return line{}, fmt.Errorf("it is damaged: the workspace %q is not absolute", *l.Root)
	}
	return l, nil
}

// set takes over one key of a line.
func (l *line) set(f plainjson.Field) (err error) {
	switch f.Key {
	case "v":
		l.Version, err = f.Value.Int()
	case "sum":
		l.Sum, err = f.Value.Bool()
	case "at":
		var text string
		if text, err = f.Value.Text(); err == nil {
			l.Time, err = time.Parse(time.RFC3339Nano, text)
		}
	case "id":
		l.ID, err = f.Value.Text()
	case "root":
		l.Root, err = one(f.Value.Text())
	case "mode":
		l.Mode, err = one(f.Value.Text())
	case "agent_mode":
		var text string
		text, err = f.Value.Text()
		l.AgentMode = new(sayso.AgentMode(text))
	case "turn":
		l.Turn, err = one(f.Value.Int())
	case "stopped":
		l.Stopped, err = one(f.Value.Int())
	case "prompt":
		l.Prompt, err = one(f.Value.Text())
	case "tainted":
		l.Tainted, err = one(f.Value.Text())
	case "denied":
		l.Denied, err = readList(f.Value, readDenial)
	case "written":
		l.Written, err = readWritten(f.Value)
	case "waiting":
		l.waits = f.Value
	default:
		to := l.part(f.Key)
		if to == nil {
			return fmt.Errorf("unknown field %q", f.Key)
		}
		err = json.Unmarshal(f.Value, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	return nil
}

func one[T any](v T, err error) (*T, error) { return &v, err }

// part is where the value of a key belongs that is seldom there; nil: there is no such
// key.
func (l *line) part(key string) any {
	switch key {
	case "surface":
		return &l.Surface
	case "spent":
		return &l.Spent
	case "soft":
		return &l.Soft
	}
	return nil
}

// apply changes a state as the line says, but for the calls that wait.
func (l *line) apply(st *sayso.SessionState) {
	set(&st.Root, l.Root)
	set(&st.Mode, l.Mode)
	set(&st.AgentMode, l.AgentMode)
	set(&st.Turn, l.Turn)
	set(&st.Prompt, l.Prompt)
	set(&st.Surface, l.Surface)
	set(&st.Stopped, l.Stopped)
	set(&st.Tainted, l.Tainted)
	st.Denied = append(st.Denied, l.Denied...)
	st.Spent = append(st.Spent, l.Spent...)
	put(&st.Soft, l.Soft)
	put(&st.Written, l.Written)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func put[T any](to *map[string]T, from map[string]T) {
	if *to == nil && len(from) > 0 {
		*to = map[string]T{}
	}
	maps.Copy(*to, from)
}

func clone(st sayso.SessionState) sayso.SessionState {
	st.Denied, st.Spent = slices.Clone(st.Denied), slices.Clone(st.Spent)
	st.Soft, st.Written, st.Waiting = maps.Clone(st.Soft), maps.Clone(st.Written), maps.Clone(st.Waiting)
	return st
}
