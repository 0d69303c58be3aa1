package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// ClaudeEvents are the events of Claude Code that sayso wants to be told of.
var ClaudeEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "SessionEnd"}

// claudeEvent is what Claude Code sends.
type claudeEvent struct {
	Session, Cwd, Event, Mode, Agent, Tool, ID, Prompt, Source, Reason string
	Input                                                              json.RawMessage
	Server                                                             string   // an MCP server
	Batch                                                              []string // ids of calls
}

// readClaude reads an event.
func readClaude(text []byte) (claudeEvent, error) {
	var c claudeEvent
	var fields []plainjson.Field
	all, err := plainjson.Parse(text)
	if err == nil {
		fields, err = all.Fields()
	}
	if err != nil {
		return c, fmt.Errorf("read the event: %w", err)
	}
	for _, f := range fields {
		if err := c.set(f); err != nil {
			return c, fmt.Errorf("read the event: %s: %w", f.Key, err)
		}
	}
	return c, nil
}

// set takes over a field of the event. Of two with the same key the last one counts,
// as it does for those who read JSON into a map.
func (c *claudeEvent) set(f plainjson.Field) (err error) {
	switch f.Key {
	case "session_id":
		c.Session, err = f.Value.Text()
	case "cwd":
		c.Cwd, err = f.Value.Text()
	case "hook_event_name":
		c.Event, err = f.Value.Text()
	case "permission_mode":
		c.Mode, err = f.Value.Text()
	case "agent_type":
		c.Agent, err = f.Value.Text()
	case "tool_name":
		c.Tool, err = f.Value.Text()
	case "tool_use_id":
		c.ID, err = f.Value.Text()
	case "prompt":
		c.Prompt, err = f.Value.Text()
	case "source":
		c.Source, err = f.Value.Text()
	case "reason":
		c.Reason, err = f.Value.Text()
	case "tool_input":
		c.Input = json.RawMessage(f.Value)
	case "mcp_server":
		var server struct{ Name string }
		err = json.Unmarshal(f.Value, &server)
		c.Server = server.Name
	case "tool_calls":
		var calls []struct {
			ID string `json:"tool_use_id"`
		}
		err = json.Unmarshal(f.Value, &calls)
		c.Batch = nil
		for _, call := range calls {
			c.Batch = append(c.Batch, call.ID)
		}
	}
	return err
}

// What Claude Code reads: each answer in the form of its event. It takes a form
// that it does not know for no answer.
type (
	claudeAnswer  map[string]claudeOutput
	claudeOutput  map[string]any
	claudeMessage map[string]string
)

func answerTo(event string, more claudeOutput) claudeAnswer {
	more["hookEventName"] = event
	return claudeAnswer{"hookSpecificOutput": more}
}

// Claude answers one event of Claude Code. Before a tool runs the answer is
// always an explicit decision; the error says why it is a denial although
// nothing was decided.
func (g *Guard) Claude(in io.Reader, out io.Writer) error {
	answer, err := g.claude(in)
	if err != nil {
		answer = preToolUse(sayso.Decision{Code: sayso.CodeInput, Reason: err.Error()})
	}
	if answer == nil {
		return nil
	}
	text, encoded := claudeText(answer)
	if encoded != nil {
		return encoded
	}
	if _, written := out.Write(text); written != nil { // all of it, or the agent reads none
		return written
	}
	return err
}

func claudeText(answer any) ([]byte, error) {
	if d, ok := answer.(claudeDecision); ok {
		return d.text(), nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(answer)
	return text.Bytes(), err
}

// ClaudeDecides reports whether an event wants a decision.
func ClaudeDecides(event []byte) bool {
	var c struct {
		Event string `json:"hook_event_name"`
	}
	return json.Unmarshal(event, &c) != nil || c.Event == "PreToolUse"
}

// ClaudeDenial is the answer that denies a call because nothing could decide it.
func ClaudeDenial(err error) []byte {
	text, _ := claudeText(preToolUse(sayso.Decision{Code: sayso.CodeError, Reason: err.Error()})) // strings can be written
	return text
}

// A claudeDecision is the answer before a tool runs: nearly all that a hook answers.
type claudeDecision struct{ decision, reason string }

func preToolUse(d sayso.Decision) any { return claudeDecision{d.Effect.String(), reason(d)} }

func (d claudeDecision) text() []byte {
	b := []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":`)
	b = plainjson.AppendText(b, d.decision, false)
	b = append(b, `,"permissionDecisionReason":`...)
	return append(plainjson.AppendText(b, d.reason, false), "}}\n"...)
}

// claude returns the answer to an event; nil is for an event that needs none.
func (g *Guard) claude(in io.Reader) (answer any, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	text, err := readAll(in)
	g.Event = text
	if err != nil {
		return nil, err
	}
	c, err := readClaude(text)
	if err != nil {
		return nil, err
	}
	e := g.claudeCall(&c)
	switch c.Event {
	case "PreToolUse":
		if c.Tool == "" {
			return nil, fmt.Errorf("the event %s has no tool", c.Event)
		}
		d, err := within(g.Deadline, func(ctx context.Context) sayso.Decision { return g.decide(ctx, e) })
		return preToolUse(d), err
	case "PermissionRequest":
		return g.claudePermission(e)
	case "":
		return nil, fmt.Errorf("the event has no name")
	}
	if note := g.claudeNote(&c, e); note != nil {
		return g.claudeLearn(e, note), nil
	}
	if c.Tool != "" { // it may be there to stop the tool
		return nil, fmt.Errorf("the event %s is not known", c.Event)
	}
	return nil, nil
}

func (g *Guard) claudeCall(c *claudeEvent) event {
	e := event{
		call: sayso.Call{
			ID: c.ID, Session: c.Session, Agent: "claude", Subagent: c.Agent, Tool: c.Tool, Input: c.Input,
			Dir: c.Cwd, Home: g.Env("HOME"),
		},
		project:    g.Env("CLAUDE_PROJECT_DIR"),
		unattended: c.Mode == "dontAsk",
	}
	if c.Mode == "plan" {
		e.agentMode = sayso.PlanMode
	}
	if c.Server != "" {
		e.call.Server = &sayso.Server{Name: c.Server}
	}
	return e
}

// claudePermission answers what Claude Code is about to ask its user: no, if
// sayso denies the call; else it is the user's to say.
func (g *Guard) claudePermission(e event) (any, error) {
	d, err := within(g.Deadline, func(ctx context.Context) sayso.Decision { return g.look(ctx, e) })
	if err != nil {
		d = sayso.Decision{Code: sayso.CodeError, Reason: err.Error()}
	}
	if d.Effect != sayso.Deny {
		return nil, nil
	}
	return answerTo("PermissionRequest", claudeOutput{"decision": map[string]string{"behavior": "deny", "message": reason(d)}}), nil
}

// A note is what an event changes in the state of its session, and what it tells
// about calls.
type note func(context.Context, *sayso.SessionState) ([]sayso.Record, error)

// reset is what Claude Code says of a conversation that starts anew, in SessionStart
// and in SessionEnd. One that is only made shorter, compact, goes on.
const reset = "clear"

// claudeNote is the note of an event; nil is for one that is not known.
func (g *Guard) claudeNote(c *claudeEvent, e event) note {
	switch c.Event {
	case "SessionStart": // the workspace is fixed in any case
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			if c.Source != reset {
				return nil, nil
			}
			return nil, g.clear(ctx, e, st, "the conversation starts anew", always)
		}
	case "PostToolUse", "PostToolUseFailure": // what failed may have done half of it
		return func(_ context.Context, st *sayso.SessionState) ([]sayso.Record, error) { return claudeRan(c, st), nil }
	case "PostToolBatch": // what is still waiting did not run
		return func(_ context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			var ids []string
			for _, id := range c.Batch {
				if _, ok := st.Waiting[id]; ok {
					ids = append(ids, id)
				}
			}
			return g.claudeRefused(st, ids), nil
		}
	case "SessionEnd":
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			why, ends := "the session ends", func(p sayso.Preset) bool { return p.ClearAtEnd }
			if c.Reason == reset {
				why, ends = "the conversation ends", always
			}
			err := g.clear(ctx, e, st, why, ends)
			return g.claudeRefused(st, waiting(st)), err
		}
	case "UserPromptSubmit":
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			records := g.claudeRefused(st, waiting(st))
			st.Turn++
			st.Prompt = prompted(c.Prompt)
			mode, ok, err := g.typed(c.Prompt, st.Root)
			if !ok || err != nil {
				return records, err
			}
			if mode != st.Mode {
				err = g.clear(ctx, e, st, "the mode is "+mode+" now", func(p sayso.Preset) bool { return p.Clears(mode) })
			}
			st.Mode = mode
			return records, err
		}
	}
	return nil
}

func always(sayso.Preset) bool { return true }

func waiting(st *sayso.SessionState) []string { return slices.Sorted(maps.Keys(st.Waiting)) }

// claudeRan notes that a call ran. If it had asked, its user said yes.
func claudeRan(c *claudeEvent, st *sayso.SessionState) []sayso.Record {
	var records []sayso.Record
	if _, asked := st.Waiting[c.ID]; asked {
		records = append(records, claudeSaid(c.ID, true))
	}
	st.Ran(c.ID)
	result := sayso.Result{Ran: true}
	if c.Event == "PostToolUseFailure" {
		result.Error = "it failed"
	}
	return append(records, sayso.Record{Kind: sayso.RecordResult, Call: c.ID, Result: &result})
}

func claudeSaid(id string, yes bool) sayso.Record {
	return sayso.Record{Kind: sayso.RecordAnswer, Call: id, Answer: &sayso.Answer{Yes: yes, Channel: "claude"}}
}

// claudeRefused notes that calls did not run. Where there is no user it was
// Claude Code that refused them, which binds nobody.
func (g *Guard) claudeRefused(st *sayso.SessionState, ids []string) []sayso.Record {
	var records []sayso.Record
	for _, id := range ids {
		if g.Env("CLAUDE_CODE_SESSION_ATTENDED") != "0" {
			st.Refused(id)
			records = append(records, claudeSaid(id, false))
		}
		delete(st.Waiting, id)
		records = append(records, sayso.Record{Kind: sayso.RecordResult, Call: id, Result: &sayso.Result{}})
	}
	return records
}

// claudeLearn notes an event. Nothing can be stopped any more, or yet: a failure
// is told to the user, and denies what comes next.
func (g *Guard) claudeLearn(e event, note note) any {
	failed, err := within(g.Deadline, func(ctx context.Context) error {
		return g.change(ctx, e, func(st *sayso.SessionState) error {
			records, err := note(ctx, st)
			if err != nil {
				return err
			}
			return g.tell(ctx, e, records)
		})
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		return nil
	}
	return claudeMessage{"systemMessage": "sayso: " + err.Error()} // shown to the user
}

// reason is what the agent and its user are told.
func reason(d sayso.Decision) string {
	text := "sayso: " + d.Reason
	if d.Code != "" {
		text += " (" + string(d.Code) + ")"
	}
	if d.Explanation != "" && d.Effect != sayso.Allow {
		text += ". It would: " + d.Explanation
	}
	const most = 4000 // longer ones are put into a file by the agent
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
