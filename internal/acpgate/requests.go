package acpgate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

// wants takes a request of the agent.
func (p *proxy) wants(m *jsonrpc.Request) {
	r := &request{Request: m, session: read(m.Params).text("sessionId")}
	r.ctx, r.cancel = context.WithCancel(p.ctx)
	p.mu.Lock()
	_, twice := p.asked[key(m.ID)]
	full := len(p.asked) >= mostOpen
	if !twice && !full {
		p.asked[key(m.ID)] = r
	}
	p.mu.Unlock()
	switch {
	case twice:
		p.Log("the agent has used the id of a request that is open")
		r.cancel()
		return
	case full:
		r.cancel()
		p.write(p.agent, &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests are open"}})
		return
	}
	switch {
	case m.Method == "session/request_permission":
		p.decide(r, p.permission)
	case slices.Contains([]string{"fs/read_text_file", "fs/write_text_file", "terminal/create"}, m.Method):
		p.decide(r, p.gated)
	case slices.Contains([]string{"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"}, m.Method):
		p.pass(r, nil)
	case strings.HasPrefix(m.Method, "fs/"), strings.HasPrefix(m.Method, "terminal/"): // what it does, nobody knows
		p.fail(r, jsonrpc.CodeMethodNotFound, "Method not found")
	default:
		p.pass(r, nil)
	}
}

// decide decides a request by itself, while others go on. A key that stands twice in
// it is an error, and so is a session that the editor has not opened; a mistake of ours
// is an error, too.
func (p *proxy) decide(r *request, do func(*request, *session)) {
	p.work.Go(func() {
		defer func() {
			if e := recover(); e != nil {
				p.Log("sayso failed: %v", e)
				p.fail(r, jsonrpc.CodeInternalError, "sayso failed")
			}
		}()
		if _, err := jsontext.Parse(r.Params); err != nil {
			p.fail(r, jsonrpc.CodeInvalidParams, "sayso: "+err.Error())
			return
		}
		p.mu.Lock()
		s := p.sessions[r.session]
		p.mu.Unlock()
		if s == nil {
			p.fail(r, jsonrpc.CodeInvalidParams, "sayso: there is no such session")
			return
		}
		do(r, s)
	})
}

// authorize decides calls, one after the other; the first that is not allowed counts.
func (p *proxy) authorize(ctx context.Context, s *session, list []Question, ask func(context.Context, string) (bool, bool)) (allowed []sayso.Call, d sayso.Decision) {
	for _, q := range list {
		q.Dir, q.Ask = s.dir, ask
		q.Call.ID, q.Call.Session, q.Call.Agent = "acp-"+rand.Text(), sessionName(s.id), p.Agent
		var err error
		if d, err = p.Authorize(ctx, q); err != nil {
			d = sayso.Decision{Effect: sayso.Deny, Code: sayso.CodeError, Reason: err.Error()}
		}
		if d.Effect != sayso.Allow {
			return nil, d
		}
		if !q.Claim {
			allowed = append(allowed, q.Call)
		}
	}
	return allowed, d
}

// An option is an answer that an agent offers its user.
type option struct{ id, kind string }

func optionsIn(about fields) (out []option) {
	for _, raw := range about.list("options") {
		o := read(raw)
		out = append(out, option{o.text("optionId"), o.text("kind")})
	}
	return out
}

// first is the first option of these kinds, in their order.
func first(list []option, kinds ...string) (string, bool) {
	for _, kind := range kinds {
		if i := slices.IndexFunc(list, func(o option) bool { return o.kind == kind && o.id != "" }); i >= 0 {
			return list[i].id, true
		}
	}
	return "", false
}

// permission answers what the agent asks its user: by policy where that decides, or by
// what the user says, who is told what it would do.
func (p *proxy) permission(r *request, s *session) {
	about := read(r.Params)
	told := read(about["toolCall"])
	id := told.text("toolCallId")
	p.mu.Lock()
	call := s.calls[id].with(told)
	p.mu.Unlock()
	options := optionsIn(about)
	chosen, asked := "", false
	allowed, d := p.authorize(r.ctx, s, call.calls(s.dir), func(ctx context.Context, text string) (bool, bool) {
		if asked { // about another part of the same call
			return chosen != "", true
		}
		option, yes, said := p.askUser(ctx, r, about, call, text)
		asked = said
		if yes {
			chosen = option
		}
		return yes, said
	})
	switch {
	case r.ctx.Err() != nil || d.Stop:
		p.result(r, cancelled)
	case d.Effect == sayso.Allow:
		if chosen == "" {
			chosen, _ = first(options, "allow_once")
		}
		if chosen == "" { // what lasts longer than this call is the user's to say
			p.fail(r, codeDenied, "sayso: nothing is offered that allows this once")
			return
		}
		p.mu.Lock()
		if len(s.allowed) < mostCalls && len(allowed) > 0 {
			s.allowed[id] = allowed[0]
		}
		p.mu.Unlock()
		p.result(r, selected(chosen, ""))
	default:
		p.explain(s, id, &d)
		if no, ok := first(options, "reject_once", "reject_always"); ok {
			p.result(r, selected(no, refusal(&d)))
			return
		}
		p.result(r, cancelled)
	}
	if d.Stop {
		p.tell(p.agent, "session/cancel", map[string]string{"sessionId": s.id})
	}
}

var cancelled = map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}

func selected(option, why string) any {
	out := map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": option}}
	if why != "" { // the protocol has no other place for it
		out["_meta"] = map[string]any{"sayso": map[string]string{"reason": why}}
	}
	return out
}

// askUser passes a question of the agent on to its user, with what sayso says of it. An
// answer that would have the agent ask no more is not offered: then nobody would decide
// any more.
func (p *proxy) askUser(ctx context.Context, r *request, about fields, call toolCall, text string) (option string, yes, said bool) {
	params := map[string]any{"sessionId": r.session}
	content := append([]json.RawMessage{textContent(text)}, fields(call).list("content")...)
	call["content"], _ = json.Marshal(content) // they were read from JSON
	params["toolCall"] = fields(call)
	options := optionsIn(about)
	_, once := first(options, "allow_once")
	var offered []json.RawMessage
	for _, raw := range about.list("options") {
		if !once || read(raw).text("kind") != "allow_always" {
			offered = append(offered, raw)
		}
	}
	params["options"] = offered
	return chosenIn(p.ask(ctx, r.Method, params), options)
}

// chosenIn is what a user has chosen.
func chosenIn(m *jsonrpc.Response, options []option) (id string, yes, said bool) {
	if m == nil || m.Error != nil {
		return "", false, false
	}
	if _, err := jsontext.Parse(m.Result); err != nil { // it could be read in two ways
		return "", false, false
	}
	outcome := read(read(m.Result)["outcome"])
	id = outcome.text("optionId")
	i := slices.IndexFunc(options, func(o option) bool { return o.id == id })
	if outcome.text("outcome") != "selected" || i < 0 {
		return "", false, false
	}
	return id, strings.HasPrefix(options[i].kind, "allow_"), true
}

func textContent(text string) json.RawMessage {
	out, _ := json.Marshal(map[string]any{"type": "content", "content": map[string]string{"type": "text", "text": text}}) // texts can be written
	return out
}

// gated decides what the agent has the editor do.
func (p *proxy) gated(r *request, s *session) {
	about := read(r.Params)
	call, kind := sayso.Call{Dir: s.dir}, "read"
	switch r.Method {
	case "fs/read_text_file":
		call.Tool, call.Input = "Read", jsonOf(map[string]string{"file_path": about.text("path")})
	case "fs/write_text_file":
		call.Tool, call.Input, kind = "Write", jsonOf(map[string]string{"file_path": about.text("path"), "content": about.text("content")}), "edit"
	default:
		line, err := terminalLine(about)
		if err != nil {
			p.fail(r, jsonrpc.CodeInvalidParams, "sayso: "+err.Error())
			return
		}
		call.Tool, call.Input, kind = "bash", jsonOf(map[string]string{"command": line}), "execute"
		if dir := about.text("cwd"); dir != "" {
			call.Dir = dir
		}
	}
	options := []option{{"yes", "allow_once"}, {"no", "reject_once"}}
	allowed, d := p.authorize(r.ctx, s, []Question{{Call: call}}, func(ctx context.Context, text string) (bool, bool) {
		_, yes, said := chosenIn(p.ask(ctx, "session/request_permission", map[string]any{
			"sessionId": s.id,
			"toolCall": map[string]any{
				"toolCallId": "sayso-" + rand.Text(), "title": "sayso: " + r.Method, "kind": kind, "status": "pending",
				"rawInput": call.Input, "content": []json.RawMessage{textContent(text)},
			},
			"options": []map[string]string{{"optionId": "yes", "name": "Allow once", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}},
		}), options)
		return yes, said
	})
	switch {
	case r.ctx.Err() != nil:
		p.fail(r, codeDenied, "it was cancelled")
	case d.Effect != sayso.Allow:
		p.fail(r, codeDenied, refusal(&d))
	default:
		p.pass(r, func(m *jsonrpc.Response) { p.record(allowed[0], m.Error) })
	}
	if d.Stop {
		p.tell(p.agent, "session/cancel", map[string]string{"sessionId": s.id})
	}
}

// terminalLine is the command of a terminal, with the variables that it gets.
func terminalLine(about fields) (string, error) {
	line := ""
	for _, raw := range about.list("env") {
		v := read(raw)
		if !variable.MatchString(v.text("name")) {
			return "", errors.New("a variable has no name")
		}
		line += v.text("name") + "=" + shell.Quote([]string{v.text("value")}) + " "
	}
	command, args := about.text("command"), about.list("args")
	if command == "" {
		return "", errors.New("there is no command")
	}
	if len(args) == 0 && strings.ContainsAny(command, " \t\n;|&<>()$`\"'") { // a line for a shell
		return line + command, nil
	}
	words := []string{command}
	for _, raw := range args {
		var word string
		if err := json.Unmarshal(raw, &word); err != nil {
			return "", err
		}
		words = append(words, word)
	}
	return line + commandLine(words), nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func jsonOf(value any) json.RawMessage {
	text, _ := json.Marshal(value) // texts can be written
	return text
}

// updated learns what the agent tells of its calls.
func (p *proxy) updated(about fields) {
	update := read(about["update"])
	id := update.text("toolCallId")
	if kind := update.text("sessionUpdate"); id == "" || kind != "tool_call" && kind != "tool_call_update" {
		return
	}
	p.mu.Lock()
	s := p.sessions[about.text("sessionId")]
	var call sayso.Call
	ended := false
	if s != nil {
		if len(s.calls) >= mostCalls {
			clear(s.calls)
		}
		s.calls[id] = s.calls[id].with(update)
		status := update.text("status")
		if call, ended = s.allowed[id]; ended && (status == "completed" || status == "failed") {
			delete(s.allowed, id)
		} else {
			ended = false
		}
	}
	p.mu.Unlock()
	if ended {
		var err error
		if update.text("status") == "failed" {
			err = &jsonrpc.Error{Message: "it failed"}
		}
		p.record(call, err)
	}
}

// record notes how a call has ended.
func (p *proxy) record(call sayso.Call, failed error) {
	result := sayso.Result{Ran: true}
	if failed != nil {
		result.Error = failed.Error()
	}
	if err := p.Note(context.WithoutCancel(p.ctx), call, sayso.Record{Kind: sayso.RecordResult, Result: &result}); err != nil {
		p.Log("the result of a call could not be recorded: %v", err)
	}
}

// explain tells the user why a call of the agent is not allowed: the agent itself need
// not.
func (p *proxy) explain(s *session, id string, d *sayso.Decision) {
	p.tell(p.editor, "session/update", map[string]any{"sessionId": s.id, "update": map[string]any{
		"sessionUpdate": "tool_call_update", "toolCallId": id, "content": []json.RawMessage{textContent(refusal(d))},
	}})
}

// refusal is what is told of a call that is not allowed.
func refusal(d *sayso.Decision) string {
	text := "sayso: not allowed: " + shell.ShownWhole(d.Reason)
	if d.Code != "" {
		text += " (" + string(d.Code) + ")"
	}
	return text + ". It has not been done"
}
