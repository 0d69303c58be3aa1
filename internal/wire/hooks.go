package wire

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/jsontext"
)

// A Hook is a hook of sayso in the settings of an agent.
type Hook struct {
	Event, Matcher, Command string
	Line                    int
	Wait                    time.Duration // how long the agent waits for it; 0: as it always does
	Closed                  bool          // a call is blocked if the hook is lost
}

// parse reads settings. Claude Code wants plain JSON; the others are not so strict.
func (a *Agent) parse(text []byte) (*jsontext.Value, error) {
	if a.Name == "claude" {
		return jsontext.Parse(text)
	}
	return jsontext.ParseCommented(text)
}

// wait is how long the agent is to wait at an event.
func (a *Agent) wait(event string) time.Duration {
	if brief, ok := a.brief[event]; ok {
		return brief
	}
	return a.Wait
}

// entry is what is written for an event.
func (a *Agent) entry(call Call, event string) any {
	entry := map[string]any{}
	maps.Copy(entry, a.every)
	if slices.Contains(a.Decisive(), event) && !call.Observe { // then no answer is one
		maps.Copy(entry, a.decides)
	}
	key := a.command
	if key == "" {
		key = "command"
	}
	entry[key] = a.line(call, event)
	if a.unit > 0 {
		entry[a.time] = int(a.wait(event)/time.Second) * a.unit
	}
	if a.form == flat {
		return entry
	}
	group := map[string]any{"hooks": []any{entry}}
	if a.Name != "claude" || strings.Contains(event, "Tool") {
		group["matcher"] = "*"
	}
	return group
}

// Wire returns the settings with the hooks in them, and nothing else changed. The
// text is nil for a file that is not there.
func (a *Agent) Wire(text []byte, scope Scope, call Call) ([]byte, error) {
	switch {
	case a.form == plugin:
		return pluginText(call), nil
	case a.Name == "codex" && scope == Managed:
		return wireRequirements(text, call)
	}
	if blank(text) {
		text = []byte("{}\n")
		if a.form == flat && !a.bare {
			text = []byte("{\n  \"version\": 1\n}\n")
		}
	}
	for _, event := range a.Wired() {
		wired, err := a.wired(text, event, call)
		if wired {
			continue
		}
		if err == nil {
			text, err = a.unwire(text, event)
		}
		if err != nil {
			return nil, err
		}
		root, err := a.parse(text)
		if err != nil {
			return nil, err
		}
		if text, err = root.Append(text, a.entry(call, event), "hooks", event); err != nil {
			return nil, err
		}
	}
	if scope == Managed {
		return a.insist(text)
	}
	return text, nil
}

// insist writes what a managed file must say so that no other file switches it off.
func (a *Agent) insist(text []byte) ([]byte, error) {
	for _, s := range a.more {
		root, err := a.parse(text)
		if err != nil {
			return nil, err
		}
		at, value := root, any(map[string]any{s.Path[len(s.Path)-1]: s.Value})
		key := s.Path[0]
		if inner := root.Get(key); inner != nil {
			at, key, value = inner, s.Path[1], s.Value
		}
		if text, err = at.Set(text, key, value); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// wired reports whether the command is run for every event of that name, and
// nothing else of sayso.
func (a *Agent) wired(text []byte, event string, call Call) (bool, error) {
	found, err := a.Find(text, User)
	if err != nil {
		return false, err
	}
	n := 0
	for _, h := range found {
		if h.Event == event {
			n++
			if h.Command != a.line(call, event) || !call.Observe && !h.Closed && slices.Contains(a.Decisive(), event) || h.Matcher != "" && h.Matcher != "*" || a.unit > 0 && h.Wait != a.wait(event) {
				return false, nil
			}
		}
	}
	return n == 1, nil
}

// Unwire returns the settings without the hooks of sayso; nil if they have nothing
// else in them.
func (a *Agent) Unwire(text []byte, scope Scope) ([]byte, error) {
	switch {
	case a.form == plugin && bytes.HasPrefix(text, []byte(pluginSign)):
		return nil, nil
	case a.form == plugin:
		return text, nil
	case a.Name == "codex" && scope == Managed:
		if after := unwireRequirements(text); !blank(after) || blank(text) {
			return after, nil
		}
		return nil, nil
	case blank(text):
		return text, nil
	}
	after, err := a.unwire(text)
	if err != nil || bytes.Equal(after, text) {
		return after, err
	}
	root, err := a.parse(after)
	if err == nil && (len(root.Members) == 0 || len(root.Members) == 1 && root.Get("version") != nil) && !bytes.Contains(after, []byte("/")) {
		return nil, nil
	}
	return after, err
}

// unwire takes the hooks for the events out, or all of them. What becomes empty by
// that goes, too.
func (a *Agent) unwire(text []byte, events ...string) ([]byte, error) {
	for {
		root, err := a.parse(text)
		if err != nil {
			return nil, err
		}
		removed, ok := a.unwireOne(text, root, events)
		if !ok {
			return text, nil
		}
		text = removed
	}
}

// An owned entry is one of sayso, with all that holds it.
type owned struct {
	lists   []*jsontext.Value // from the outside: root, hooks, event, maybe group, list
	indexes []int             // where the next one stands
}

// unwireOne removes the first entry of sayso that it finds, with the lists and
// objects that hold nothing else.
func (a *Agent) unwireOne(text []byte, root *jsontext.Value, events []string) ([]byte, bool) {
	for _, o := range a.entries(root) {
		event := o.lists[1].Members[o.indexes[1]].Key
		if len(events) > 0 && event != events[0] {
			continue
		}
		for i := len(o.lists) - 1; i >= 0; i-- {
			list := o.lists[i]
			group := a.form == nested && i == 3 // with its matcher it is nothing without entries
			if !group && (i == 0 || len(list.Members)+len(list.Items) > 1) {
				return jsontext.Remove(text, list, o.indexes[i]), true
			}
		}
	}
	return nil, false
}

// entries finds the entries of sayso.
func (a *Agent) entries(root *jsontext.Value) []owned {
	var out []owned
	at := indexOf(root, "hooks")
	if at < 0 {
		return nil
	}
	hooks := root.Members[at].Value
	for i, event := range hooks.Members {
		for j, item := range event.Value.Items {
			lists, indexes := []*jsontext.Value{root, hooks, event.Value}, []int{at, i, j}
			if a.form == flat {
				if _, ok := a.call(item); ok {
					out = append(out, owned{lists, indexes})
				}
				continue
			}
			inner := indexOf(item, "hooks")
			if inner < 0 {
				continue
			}
			entries := item.Members[inner].Value
			for k, entry := range entries.Items {
				if _, ok := a.call(entry); ok {
					out = append(out, owned{append(lists[:3:3], item, entries), append(indexes[:3:3], inner, k)})
				}
			}
		}
	}
	return out
}

func indexOf(object *jsontext.Value, key string) int {
	for i, m := range object.Members {
		if m.Key == key {
			return i
		}
	}
	return -1
}

// call is the command of an entry, if it is one of sayso for this agent.
func (a *Agent) call(entry *jsontext.Value) (string, bool) {
	for _, key := range []string{"command", "bash"} {
		if c := entry.Get(key); c != nil {
			parsed, ok := ParseCall(c.Text)
			return c.Text, ok && parsed.Agent == a.Name
		}
	}
	return "", false
}

// Find lists the hooks of sayso in settings.
func (a *Agent) Find(text []byte, scope Scope) ([]Hook, error) {
	switch {
	case a.form == plugin:
		return findPlugin(a, text), nil
	case a.Name == "codex" && scope == Managed:
		return findRequirements(text), nil
	case blank(text):
		return nil, nil
	}
	root, err := a.parse(text)
	if err != nil {
		return nil, err
	}
	var out []Hook
	for _, o := range a.entries(root) {
		last := len(o.lists) - 1
		entry := o.lists[last].Items[o.indexes[last]]
		h := Hook{Event: o.lists[1].Members[o.indexes[1]].Key, Line: entry.Line(text)}
		h.Command, _ = a.call(entry)
		h.Closed = a.closed(h.Command) && (!slices.Contains(a.Decisive(), h.Event) || a.sets(entry, text))
		holder := entry
		if a.form == nested {
			holder = o.lists[3]
		}
		if m := holder.Get("matcher"); m != nil {
			h.Matcher = m.Text
			if h.Matcher == a.every["matcher"] { // as it says that it means all
				h.Matcher = "*"
			}
		}
		if t := entry.Get(a.time); t != nil {
			n := 0
			if _, err := fmt.Sscan(t.Raw(text), &n); err == nil {
				h.Wait = time.Duration(n) * time.Second / time.Duration(max(a.unit, 1))
			}
		}
		out = append(out, h)
	}
	return out, nil
}

// sets reports whether an entry says all that must be said where a call is decided.
func (a *Agent) sets(entry *jsontext.Value, text []byte) bool {
	for key, want := range a.decides {
		if v := entry.Get(key); v == nil || v.Raw(text) != fmt.Sprint(want) {
			return false
		}
	}
	return true
}

// Waits is how long the agent waits for a hook.
func (a *Agent) Waits(h Hook) time.Duration {
	if h.Wait > 0 {
		return h.Wait
	}
	return a.usual
}

// Off reports whether settings switch the hooks off, in which line and how.
func (a *Agent) Off(text []byte) (line int, how string, off bool) {
	root, err := a.parse(text)
	if err != nil || a.form == plugin {
		return 0, "", false
	}
	for _, s := range a.off {
		v := root
		for _, key := range s.Path {
			v = v.Get(key)
		}
		if v == nil {
			continue
		}
		raw := v.Raw(text)
		if raw == fmt.Sprint(s.Value) || v.Kind == jsontext.Array && containsText(v, fmt.Sprint(s.Value)) {
			return v.Line(text), strings.Join(s.Path, "."), true
		}
	}
	return 0, "", false
}

func containsText(list *jsontext.Value, text string) bool {
	for _, item := range list.Items {
		if item.Text == text {
			return true
		}
	}
	return false
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
