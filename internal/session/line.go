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
)

// version is the version of the form of a line. A file with a line of a newer
// one is not read: what it says might be what denies.
const version = 1

// A line is one change of a state. What it does not name stays as it was.
type line struct {
	Version int       `json:"v"`
	Time    time.Time `json:"at"`
	ID      string    `json:"id,omitempty"` // of the session, in the first line

	Root      *string          `json:"root,omitempty"`
	Mode      *string          `json:"mode,omitempty"`
	AgentMode *sayso.AgentMode `json:"agent_mode,omitempty"`
	Turn      *int             `json:"turn,omitempty"`
	Surface   *sayso.Surface   `json:"surface,omitempty"`
	Stopped   *int             `json:"stopped,omitempty"`
	Tainted   *string          `json:"tainted,omitempty"`

	Denied  []sayso.Denial            `json:"denied,omitempty"` // more of them
	Spent   []string                  `json:"spent,omitempty"`  // more of them
	Soft    map[string]sayso.Denies   `json:"soft,omitempty"`   // changed ones
	Written map[string]int            `json:"written,omitempty"`
	Waiting map[string]*sayso.Waiting `json:"waiting,omitempty"` // null: it waits no longer
}

var errShrinks = errors.New("a session does not forget what was denied, spent, counted or written")

// difference makes a line of what has changed. What only ever grows must not
// have shrunk.
func difference(before, after sayso.SessionState) (line, bool, error) {
	l := line{
		Root: changed(before.Root, after.Root), Mode: changed(before.Mode, after.Mode), AgentMode: changed(before.AgentMode, after.AgentMode),
		Turn: changed(before.Turn, after.Turn), Stopped: changed(before.Stopped, after.Stopped), Tainted: changed(before.Tainted, after.Tainted),
	}
	if !reflect.DeepEqual(before.Surface, after.Surface) {
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
	return l, !reflect.DeepEqual(l, line{}), nil
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

// parse reads one line, key by key: to decode into a struct takes longer in a
// program that does it once.
func parse(text []byte) (line, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return line{}, fmt.Errorf("it is damaged: %w", err)
	}
	var l line
	if err := json.Unmarshal(all["v"], &l.Version); err != nil || l.Version != version {
		return line{}, fmt.Errorf("it has version %s, and this sayso knows %d", cmp.Or(string(all["v"]), "0"), version)
	}
	for key, raw := range all {
		to := l.part(key)
		if to == nil {
			return line{}, fmt.Errorf("it is damaged: unknown field %q", key)
		}
		if err := json.Unmarshal(raw, to); err != nil {
			return line{}, fmt.Errorf("it is damaged: %s: %w", key, err)
		}
	}
	if l.Root != nil && !path.IsAbs(*l.Root) {
		return line{}, fmt.Errorf("it is damaged: the workspace %q is not absolute", *l.Root)
	}
	return l, nil
}

// part is where the value of a key belongs; nil: there is no such key.
func (l *line) part(key string) any {
	switch key {
	case "v":
		return &l.Version
	case "at":
		return &l.Time
	case "id":
		return &l.ID
	case "root":
		return &l.Root
	case "mode":
		return &l.Mode
	case "agent_mode":
		return &l.AgentMode
	case "turn":
		return &l.Turn
	case "surface":
		return &l.Surface
	case "stopped":
		return &l.Stopped
	case "tainted":
		return &l.Tainted
	case "denied":
		return &l.Denied
	case "spent":
		return &l.Spent
	case "soft":
		return &l.Soft
	case "written":
		return &l.Written
	case "waiting":
		return &l.Waiting
	}
	return nil
}

// apply changes a state as the line says.
func (l *line) apply(st *sayso.SessionState) {
	set(&st.Root, l.Root)
	set(&st.Mode, l.Mode)
	set(&st.AgentMode, l.AgentMode)
	set(&st.Turn, l.Turn)
	set(&st.Surface, l.Surface)
	set(&st.Stopped, l.Stopped)
	set(&st.Tainted, l.Tainted)
	st.Denied = append(st.Denied, l.Denied...)
	st.Spent = append(st.Spent, l.Spent...)
	put(&st.Soft, l.Soft)
	put(&st.Written, l.Written)
	for id, w := range l.Waiting {
		if w == nil {
			delete(st.Waiting, id)
			continue
		}
		put(&st.Waiting, map[string]sayso.Waiting{id: *w})
	}
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
