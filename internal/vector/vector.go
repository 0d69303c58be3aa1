// Package vector reads calls as JSON lines, each with all that its decision
// depends on, and decides them: the form of the conformance vectors, of
// testdata/decisions and of sayso check --jsonl.
//
// A line stands alone: it has no session but the one it describes, no policy
// but its own, and sees no file but those it lists.
package vector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
)

// A Line is a call with its surroundings. Fields that are not known, and what
// is expected of the answer, are ignored by [Line.Decide].
type Line struct {
	ID        json.RawMessage `json:"id"`
	Kind      string          `json:"kind"` // decision, or empty
	Preset    string          `json:"preset"`
	System    string          `json:"system"` // the same
	Mode      string          `json:"mode"`
	AgentMode string          `json:"agent_mode"`
	Agent     json.RawMessage `json:"agent"`
	Config    json.RawMessage `json:"config"`
	Script    string          `json:"script"` // the text of a policy script
	Policy    *config.Policy  `json:"-"`      // in the place of config, for those that have read one

	Cwd  string `json:"cwd"` // the workspace
	Dir  string `json:"dir"` // where the call is made, if not there
	Home string `json:"home"`
	FS   *Files `json:"fs"`

	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Command  *string         `json:"command"` // a shell call, where there is no tool
	Server   *server         `json:"server"`
	Approval string          `json:"approval_type"`

	Session   Session           `json:"session"`
	Grants    []json.RawMessage `json:"grants"`     // as the preset writes them
	DenyState *sayso.Denies     `json:"deny_state"` // the same as soft in session

	Expect string `json:"expect"`
	Code   string `json:"code"`
	Stage  string `json:"stage"`
	Reason string `json:"reason"` // in the words of a document
	Risk   string `json:"risk"`

	Explanation string `json:"explanation"`
	Matched     string `json:"matched"` // the source of the rule that decided
	Says        string `json:"says"`    // what the reason must contain

	others []string // keys that are not known
}

// A Session is what a line says about the session of its call.
type Session struct {
	Turn    int            `json:"turn"`
	Grants  []sayso.Grant  `json:"grants"`
	Denied  []sayso.Denial `json:"denied"`
	Soft    *sayso.Denies  `json:"soft"` // for calls like this one
	Tainted string         `json:"tainted"`
	Written []string       `json:"written"`
	Stopped bool           `json:"stopped"`
}

// An Answer is the decision of a line.
type Answer struct {
	ID json.RawMessage `json:"id,omitempty"`
	sayso.Decision
	Error string `json:"error,omitempty"`
}

// Defaults are for lines that do not say where they are, and what runs policy
// scripts.
type Defaults struct {
	Cwd, Home string
	Preset    string // empty: native
	Script    func(name string, text []byte) (sayso.Stage, error)
}

// Decision reports whether the line is a call with its answer, and no statement
// of another kind.
func (l *Line) Decision() bool { return l.Kind == "" || l.Kind == "decision" }

// Parse reads a line.
func Parse(text []byte) (*Line, error) {
	var l Line
	if err := l.read(text); err != nil {
		return &l, err
	}
	if !l.Decision() {
		return &l, nil
	}
	if l.Tool == "" && l.Command == nil {
		return &l, errors.New(`no "tool" and no "command"`)
	}
	if l.Tool == "" {
		l.Tool = "bash"
		l.Args, _ = json.Marshal(map[string]string{"command": *l.Command})
	}
	return &l, nil
}

// read decodes a line. A key that is given twice, or in another case than it has,
// would be read in different ways by different programs.
func (l *Line) read(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("column %d: %w", syntax.Offset, err)
		}
		return errors.New("not a JSON object")
	}
	l.ID = fields["id"] // so that the answer can be told, whatever else is wrong
	seen := map[string]string{}
	for _, key := range keysOf(text) {
		folded := strings.ToLower(key)
		if other, ok := seen[folded]; ok {
			return fmt.Errorf("the key %q is given twice (as %q)", key, other)
		}
		if key != folded {
			if _, known := lineKeys[folded]; known {
				return fmt.Errorf("unknown key %q: did you mean %q?", key, folded)
			}
		}
		if !lineKeys[key] && !remarks[key] {
			l.others = append(l.others, key)
		}
		seen[folded] = key
	}
	if raw := fields["kind"]; raw != nil && json.Unmarshal(raw, &l.Kind) == nil && !l.Decision() {
		return nil // a statement of another kind has fields of its own
	}
	err := json.Unmarshal(text, l)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("the key %q has a value of the wrong type: %s", wrong.Field, wrong.Value)
	}
	return err
}

// lineKeys are the keys of a line.
var lineKeys = func() map[string]bool {
	out := map[string]bool{}
	for t, i := reflect.TypeFor[Line](), 0; i < t.NumField(); i++ {
		if name := t.Field(i).Tag.Get("json"); name != "" && name != "-" {
			out[name] = true
		}
	}
	return out
}()

// remarks are keys for people: nothing depends on them.
var remarks = map[string]bool{"at": true, "note": true, "doc_self_conflict": true}

// keysOf returns the keys of an object in the order in which they stand there.
func keysOf(text []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(text))
	var keys []string
	depth, key := 0, false
	for {
		token, err := dec.Token()
		if err != nil {
			return keys
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		case string:
			if depth == 1 && key {
				keys = append(keys, token)
			}
			key = depth == 1 && !key
		default:
			key = depth == 1
		}
	}
}

// Answer decides a line of text. A line that cannot be read is denied with the
// code input, and says why.
func (d Defaults) Answer(ctx context.Context, text []byte) Answer {
	l, err := Parse(text)
	if err != nil {
		return bad(l, err)
	}
	decision, err := l.Decide(ctx, d)
	if err != nil {
		return bad(l, err)
	}
	return Answer{ID: l.ID, Decision: decision}
}

// Bad is the answer to a line that cannot be read.
func Bad(err error) Answer { return bad(nil, err) }

func bad(l *Line, err error) Answer {
	a := Answer{Error: err.Error()}
	if l != nil {
		a.ID = l.ID
	}
	a.Code, a.Stage, a.Reason, a.Explanation = sayso.CodeInput, "input", err.Error(), "Something that cannot be judged"
	return a
}

// Decide decides the call of a line.
func (l *Line) Decide(ctx context.Context, d Defaults) (sayso.Decision, error) {
	system, err := catalog.Find(or(or(l.Preset, l.System), d.Preset))
	if err != nil {
		return sayso.Decision{}, err
	}
	cwd, home := or(l.Cwd, d.Cwd), or(l.Home, d.Home)
	machine := l.FS.at(cwd)
	setup, err := l.setup(system, catalog.Place{Root: cwd, Home: home, Machine: machine, Scripts: l.scripts(d)}, d)
	if err != nil {
		return sayso.Decision{}, err
	}
	cwd, home = or(setup.Root, cwd), or(setup.Home, home)
	call := sayso.Call{Tool: l.Tool, Input: l.Args, Root: cwd, Dir: or(l.Dir, cwd), Home: home, Server: l.Server.known(), Approval: l.Approval}
	s, err := l.session(&call, system, setup)
	if err != nil {
		return sayso.Decision{}, err
	}
	e := setup.Engine(machine)
	return e.Check(ctx, call, s), nil
}

func (l *Line) setup(system catalog.System, at catalog.Place, d Defaults) (catalog.Setup, error) {
	if l.Policy != nil && system.Name != "native" { // as it is by default, behind what the policy denies and asks
		return system.Configured(config.Other{Text: []byte("{}"), Trusted: true}, at, *l.Policy)
	}
	if l.Policy != nil {
		return system.Load(config.Places{Root: at.Root, Home: at.Home, RunScript: d.Script}, *l.Policy)
	}
	return system.FromJSON(l.Config, at)
}

// scripts returns the policy script of the line.
func (l *Line) scripts(d Defaults) []sayso.Stage {
	if l.Script == "" {
		return nil
	}
	return catalog.Scripts([]config.Script{{Name: local.ScriptFile, Text: []byte(l.Script)}}, d.Script)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
