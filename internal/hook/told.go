package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// told is an event as an agent has sent it.
type told struct {
	agent *Agent
	what  moments

	Session, Dir, Event, Mode, Subagent, Tool, ID, Turn, Prompt, Source, Reason, Root, Server string

	Input    json.RawMessage
	Batch    []string // ids of calls
	Servers  []string // that the agent knows
	Command  string
	File     string
	Attached json.RawMessage
	Result   bool
}

// read reads an event. The name is that of the event, for an agent that does not
// write it into all of them; it may be empty.
func (a *Agent) read(text []byte, name string) (told, error) {
	e := told{agent: a, Event: name}
	var list []plainjson.Field
	all, err := plainjson.Parse(text)
	if err == nil && !utf8.Valid(text) { // what is no text would be decided as another one
		err = errors.New("it is not UTF-8")
	}
	if err == nil {
		list, err = all.Fields()
	}
	if err != nil {
		return e, fmt.Errorf("read the event: %w", err)
	}
	for i, f := range list {
		for _, known := range a.fields {
			if known.key != f.Key {
				continue
			}
			if slices.ContainsFunc(list[:i], func(before plainjson.Field) bool { return before.Key == f.Key }) {
				return e, fmt.Errorf("read the event: the key %s is given twice", f.Key)
			}
			if err := e.set(known.is, f.Value); err != nil {
				return e, fmt.Errorf("read the event: %s: %w", f.Key, err)
			}
			break
		}
	}
	if a.complete != nil {
		if err := a.complete(&e); err != nil {
			return e, fmt.Errorf("read the event: %w", err)
		}
	}
	if e.Event == "" {
		return e, errors.New("the event has no name")
	}
	if name != "" && name != e.Event {
		return e, fmt.Errorf("the event is %s, and not %s, which the hook is for", e.Event, name)
	}
	if e.what == (moments{}) {
		e.what, _ = a.moment(e.Event)
	}
	return e, nil
}

// set takes over a value of the event.
func (e *told) set(is field, v plainjson.Value) (err error) {
	if text := e.text(is); text != nil {
		*text, err = v.Text()
		return err
	}
	switch is {
	case fInput:
		e.Input = json.RawMessage(v)
	case fAnyArgs:
		e.Input, err = anyArgs(v)
	case fServer:
		var server struct{ Name string }
		err = json.Unmarshal(v, &server)
		e.Server = server.Name
	case fContext:
		var server struct {
			Name string `json:"server_name"`
		}
		err = json.Unmarshal(v, &server)
		e.Server = server.Name
	case fBatch:
		var calls []struct {
			ID string `json:"tool_use_id"`
		}
		err = json.Unmarshal(v, &calls)
		e.Batch = nil
		for _, call := range calls {
			e.Batch = append(e.Batch, call.ID)
		}
	case fServers:
		err = json.Unmarshal(v, &e.Servers)
	case fRoots:
		var roots []string
		if err = json.Unmarshal(v, &roots); err == nil && len(roots) > 0 {
			e.Root = roots[0]
		}
	case fAttached:
		e.Attached = json.RawMessage(v)
	case fResult:
		e.Result = true
	}
	return err
}

// text is where a field is kept that is a string; nil: it is none.
func (e *told) text(is field) *string {
	switch is {
	case fSession:
		return &e.Session
	case fDir:
		return &e.Dir
	case fEvent:
		return &e.Event
	case fMode:
		return &e.Mode
	case fSubagent:
		return &e.Subagent
	case fTool:
		return &e.Tool
	case fID:
		return &e.ID
	case fTurn:
		return &e.Turn
	case fPrompt:
		return &e.Prompt
	case fSource:
		return &e.Source
	case fReason:
		return &e.Reason
	case fRoot:
		return &e.Root
	case fCommand:
		return &e.Command
	case fFile:
		return &e.File
	}
	return nil
}

// anyArgs are the arguments of a tool, which some versions write as a string.
func anyArgs(v plainjson.Value) (json.RawMessage, error) {
	if v[0] != '"' {
		return json.RawMessage(v), nil
	}
	text, err := v.Text()
	if err == nil && !json.Valid([]byte(text)) {
		err = errors.New("the text in it is no JSON")
	}
	return json.RawMessage(text), err
}

// event is what is told, for the engine.
func (g *Guard) event(e *told) event {
	out := event{
		call: sayso.Call{
			ID: e.ID, Session: e.Session, Agent: e.agent.Name, Subagent: e.Subagent, Tool: e.Tool, Input: e.Input,
			Dir: e.Dir, Home: g.Env("HOME"),
		},
		project:    e.Root,
		unattended: e.Mode == "dontAsk",
		types:      e.agent.types,
	}
	if out.project == "" && e.agent.project != "" {
		out.project = g.Env(e.agent.project)
	}
	if e.agent.inside { // what an agent says of a call must not choose the workspace
		out.call.Dir = g.Env("PWD")
	}
	if e.Mode == string(sayso.PlanMode) {
		out.agentMode = sayso.PlanMode
	}
	if e.Server != "" {
		out.call.Server = &sayso.Server{Name: e.Server}
	}
	return out
}
