// Package hook speaks the hook protocols of agents, one file each.
//
// A hook must never be open by mistake: input that cannot be read, a panic, or
// a decision that takes too long is answered with a denial, whole and at once.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/sayso-dev/sayso"
)

// maxInput is the longest event that is read: a tool call with a large file in
// it.
const maxInput = 16 << 20

// claudeEvent is what Claude Code sends before a tool runs.
type claudeEvent struct {
	Session string          `json:"session_id"`
	Cwd     string          `json:"cwd"`
	Event   string          `json:"hook_event_name"`
	Mode    string          `json:"permission_mode"`
	Agent   string          `json:"agent_type"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
	ID      string          `json:"tool_use_id"`
}

// claudeAnswer is what Claude Code reads.
type claudeAnswer struct {
	Output claudeOutput `json:"hookSpecificOutput"`
}

type claudeOutput struct {
	Event    string       `json:"hookEventName"`
	Decision sayso.Effect `json:"permissionDecision"`
	Reason   string       `json:"permissionDecisionReason"`
}

// A Decider decides a call in a session; root is the agent's own idea of the
// workspace, if it has one.
type Decider func(ctx context.Context, call sayso.Call, s sayso.Session) sayso.Decision

// Claude answers one PreToolUse event of Claude Code. Env are the variables
// that the agent sets. The answer is always written; the error says why it is a
// denial although nothing was decided.
func Claude(in io.Reader, out io.Writer, env func(string) string, deadline time.Duration, decide Decider) error {
	d, err := claudeDecision(in, env, deadline, decide)
	if err != nil {
		d = sayso.Decision{Code: sayso.CodeInput, Reason: err.Error()}
	}
	answer := claudeAnswer{claudeOutput{"PreToolUse", d.Effect, reason(d)}}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if encoded := enc.Encode(answer); encoded != nil {
		return encoded
	}
	if _, written := out.Write(text.Bytes()); written != nil { // all of it, or the agent reads none
		return written
	}
	return err
}

func claudeDecision(in io.Reader, env func(string) string, deadline time.Duration, decide Decider) (d sayso.Decision, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = sayso.Decision{}, fmt.Errorf("panic: %v", r)
		}
	}()
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return d, fmt.Errorf("read the event: %w", err)
	}
	if len(text) > maxInput {
		return d, fmt.Errorf("the event is longer than %d bytes", maxInput)
	}
	var e claudeEvent
	if err := json.Unmarshal(text, &e); err != nil {
		return d, fmt.Errorf("read the event: %w", err)
	}
	if e.Event != "PreToolUse" || e.Tool == "" {
		return d, fmt.Errorf("want a PreToolUse event with a tool, not %q", e.Event)
	}
	call := sayso.Call{
		ID: e.ID, Session: e.Session, Agent: "claude", Subagent: e.Agent, Tool: e.Tool, Input: e.Input,
		Dir: e.Cwd, Root: env("CLAUDE_PROJECT_DIR"), Home: env("HOME"),
	}
	s := sayso.Session{ID: e.Session, Now: time.Now()}
	switch e.Mode {
	case "plan":
		s.AgentMode = sayso.PlanMode
	case "dontAsk":
		s.Mode = "dont-ask"
	}
	return within(deadline, func(ctx context.Context) sayso.Decision { return decide(ctx, call, s) })
}

// within decides before the deadline, or denies.
func within(deadline time.Duration, decide func(context.Context) sayso.Decision) (sayso.Decision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	type result struct {
		d   sayso.Decision
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("panic: %v", p)}
			}
			done <- r
		}()
		r.d = decide(ctx)
	}()
	select {
	case r := <-done:
		return r.d, r.err
	case <-ctx.Done():
		return sayso.Decision{}, fmt.Errorf("the decision took longer than %s", deadline)
	}
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
		text = text[:most] + "…"
	}
	return text
}
