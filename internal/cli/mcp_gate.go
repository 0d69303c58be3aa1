package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/mcpgate"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// An mcpGate decides for a gateway. The policy is read anew for each call: it may
// change while a gateway runs.
type mcpGate struct {
	std       IO
	server    preset.MCPServer
	headers   map[string]string
	texts     map[string]string // headers of a file, with variables
	more      map[string]string // variables of a file that are no part of what is trusted
	problem   error             // why it cannot be used, whoever trusts it
	call      sayso.Call        // what all have in common
	wait      time.Duration
	sessions  sayso.Sessions
	seen      mcpgate.Kept
	statement string // how the server is trusted

	mu  sync.Mutex
	own map[string]time.Time // the sessions that end with it, and when each was busy last
}

// quiet is how long an agent that does not say when a turn begins must have been
// quiet for one to begin: what a person has said no to counts for a turn.
const quiet = time.Minute

func newMCPGate(o *mcpOptions, std IO) (*mcpGate, error) {
	at, err := place("", "")
	if err != nil {
		return nil, err
	}
	dir := local.Real(at.Dir)
	g := &mcpGate{
		std: std, server: o.server(), headers: o.headers, texts: o.texts, more: o.more, problem: o.problem, wait: o.wait, sessions: &store.Memory{}, own: map[string]time.Time{},
		call: sayso.Call{Agent: o.agent, Dir: dir, Home: at.Home, Root: local.Real(local.Root(dir))},
	}
	if o.session != "" {
		g.sessions = homeSessions{}
	}
	g.statement = "sayso trust add --server " + o.name
	if o.url != "" {
		words := []string{"--url", o.url}
		for _, name := range slices.Sorted(maps.Keys(o.headers)) {
			words = append(words, "--header", name+"="+o.headers[name])
		}
		g.statement += " " + commandLine(words)
	} else {
		for _, name := range slices.Sorted(maps.Keys(o.env)) {
			g.statement += " --env " + commandLine([]string{name})
		}
		g.statement += " -- " + commandLine(o.argv)
	}
	g.seen, err = keptTools(g.call.Root, g.server)
	return g, err
}

// gateway is one for a session.
func (g *mcpGate) gateway(session string) *mcpgate.Gateway {
	call := g.call
	call.Session = session
	if session == "" {
		call.Session = "mcp-" + rand.Text()
		g.mu.Lock()
		g.own[call.Session] = time.Now()
		g.mu.Unlock()
	}
	return &mcpgate.Gateway{
		Name: g.server.Name, Call: call, Seen: g.seen, Trusted: g.trusted, Open: g.open, Authorize: g.authorize, Denied: g.denied,
		Note: func(ctx context.Context, call sayso.Call, records ...sayso.Record) error {
			e := sayso.Engine{Journal: homeJournal{}}
			return e.Note(ctx, call, records...)
		},
		Log: func(format string, args ...any) { printf(g.std.Err, "sayso: note: "+format+"\n", args...) },
	}
}

// end takes back what was approved for sessions that are over.
func (g *mcpGate) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for session := range g.own {
		if err := g.std.clearGrants(context.Background(), session, "", "the gateway has ended"); err != nil {
			printf(g.std.Err, "sayso: error: what was approved for the session is not taken back: %v\n", err)
		}
	}
}

// trusted says why the server must not be started.
func (g *mcpGate) trusted(ctx context.Context) error {
	if g.problem != nil {
		return g.problem
	}
	kept, err := recall(g.call.Root, g.std.key(nil))
	if err != nil {
		return err
	}
	ok, err := kept.trusts.Trusted(ctx, g.call.Root, g.server.Name, g.server.Fingerprint())
	if err != nil || ok {
		return err
	}
	all, err := kept.trusts.AllTrust(ctx)
	if err != nil {
		return err
	}
	problem := "the MCP server " + g.server.Name + " is not trusted in " + g.call.Root + ", so it is not started"
	if slices.ContainsFunc(all, func(t sayso.Trust) bool { return t.Root == g.call.Root && t.Name == g.server.Name }) {
		problem = "the MCP server " + g.server.Name + " is not the one that you have trusted in " + g.call.Root + ", so it is not started"
	}
	return fmt.Errorf("%s; if you trust what it starts, run there, in a terminal of your own: %s", problem, g.statement)
}

// open starts the server, or connects to it.
func (g *mcpGate) open(ctx context.Context) (mcp.Connection, error) {
	if g.server.Type == "stdio" {
		if err := foundOutside(g.server.Command, g.call.Root); err != nil {
			return nil, err
		}
		more, err := g.variables()
		if err != nil {
			return nil, err
		}
		env := serverEnv(slices.Concat(os.Environ(), more), slices.Collect(maps.Keys(g.server.Env)), g.call.Root, func(name string) {
			printf(g.std.Err, "sayso: note: the MCP server %s does not get %s, which loads other code into programs; --env %s passes it on\n", g.server.Name, name, name)
		})
		return mcpgate.Start(append([]string{g.server.Command}, g.server.Args...), g.call.Dir, env, &plainLines{out: g.std.Err})
	}
	headers := http.Header{}
	for name, text := range g.texts {
		value, err := filled(text)
		if err != nil {
			return nil, fmt.Errorf("the header %s: %w", name, err)
		}
		headers.Set(name, value)
	}
	for name, variable := range g.headers {
		if headers.Get(name) != "" {
			continue // with more than the value of its variable
		}
		value, ok := os.LookupEnv(variable)
		if !ok {
			return nil, fmt.Errorf("the variable %s, for the header %s, is not set", variable, name)
		}
		headers.Set(name, value)
	}
	return mcpgate.Dial(ctx, g.server.Command, headers)
}

// plainLines passes text on without what controls a terminal.
type plainLines struct{ out io.Writer }

func (p *plainLines) Write(text []byte) (int, error) {
	shown := bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
	_, err := p.out.Write(shown)
	return len(text), err
}

// denied are the decisions about calls that a rule denies whatever their arguments are.
func (g *mcpGate) denied(ctx context.Context, calls []sayso.Call) []*sayso.Decision {
	out := make([]*sayso.Decision, len(calls))
	policy, err := load(g.call.Root, g.call.Home, g.std)
	for i, call := range calls {
		d := sayso.Decision{Effect: sayso.Deny, Code: sayso.CodePolicy}
		if err == nil {
			d = policy.engine.Check(ctx, call, sayso.Session{Now: time.Now(), Mode: policy.mode, Surface: policy.surface})
		} else {
			d.Reason = err.Error()
		}
		byRule := d.Rule != nil && !strings.ContainsAny(d.Rule.Text, " =") && len(d.Rule.Except) == 0 // without arguments
		if d.Effect == sayso.Deny && (byRule || err != nil) {
			out[i] = &d
		}
	}
	return out
}

// authorize decides a call, and asks if need be.
func (g *mcpGate) authorize(ctx context.Context, q mcpgate.Question) (sayso.Decision, error) {
	policy, err := load(g.call.Root, g.call.Home, g.std)
	if err != nil {
		return sayso.Decision{}, err
	}
	e := policy.engine
	e.Journal, e.Sessions = homeJournal{}, g.sessions
	newTurn := g.turn(q.Call.Session)
	defer g.turn(q.Call.Session)
	if err := e.Sessions.Update(ctx, q.Call.Session, func(st *sayso.SessionState) error {
		st.Surface = policy.surface
		if newTurn {
			st.Turn++
		}
		return nil
	}); err != nil {
		return sayso.Decision{}, err
	}
	if q.Changed != "" {
		e.Preset = asking(e.Preset, q.Changed)
	}
	if q.Reads {
		e.Preset = reading(e.Preset)
	}
	kept := &keeping{counts: e.Grants} // where new ones go is opened with the first question
	e.Grants = kept
	a := mcpAsker{gate: g, q: &q, policy: &policy, kept: kept}
	defer a.close()
	e.Approver = a.approver()
	_, d, err := e.Authorize(ctx, q.Call)
	return d, err
}

// turn notes that a session is busy, and reports whether it was quiet for so long that
// this is another turn. Sessions of agents say that themselves.
func (g *mcpGate) turn(session string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	last, ok := g.own[session]
	if !ok {
		return false
	}
	g.own[session] = time.Now()
	return time.Since(last) > quiet
}

// codeMCPChanged is for a tool that its server has changed since it is trusted.
const codeMCPChanged sayso.Code = "mcp.changed"

// asking is a preset that allows nothing without asking, and keeps no answer.
func asking(p sayso.Preset, why string) sayso.Preset {
	inner := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		plan, err := inner(mode)
		changed := sayso.Func("changed tool", func(*sayso.Case) sayso.Verdict {
			return sayso.Decide(sayso.Ask, codeMCPChanged, why).Immune()
		})
		return sayso.Plan{sayso.Strictest("changed tool and "+p.Name, changed, sayso.InOrder(p.Name, plan...))}, err
	}
	p.Keep, p.Choices = nil, nil
	p.Suggest = func(*sayso.Case) []sayso.Suggestion { return nil }
	return p
}

// codeMCPRead is for what a client reads of a server.
const codeMCPRead sayso.Code = "mcp.read"

// reading is a preset that lets a client read what a server offers, unless somebody has
// said otherwise, in a rule or in an answer. A preset that would only not let a tool of
// a server run has nothing against it.
func reading(p sayso.Preset) sayso.Preset {
	inner := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		plan, err := inner(mode)
		return sayso.Plan{readingStage{sayso.InOrder(p.Name, plan...)}}, err
	}
	return p
}

type readingStage struct{ sayso.Stage }

func (s readingStage) Check(ctx context.Context, c *sayso.Case) (sayso.Verdict, error) {
	v, err := s.Stage.Check(ctx, c)
	if err != nil || v.Rule() != nil || v.IsImmune() || v.Speaks() && v.Effect() == sayso.Allow {
		return v, err
	}
	if v.Effect() == sayso.Ask || v.Code() == sayso.CodeNobody {
		return sayso.Decide(sayso.Allow, codeMCPRead, "to read what a trusted MCP server offers is to read"), nil
	}
	return v, nil
}

// An mcpAsker puts a call to people: in the queue, and through the client.
type mcpAsker struct {
	gate   *mcpGate
	q      *mcpgate.Question
	policy *loaded
	kept   *keeping
	done   func()
}

// throughClient is the channel of answers that come from the user of the client: the
// agent's own, as approve.via has it.
const throughClient = "agent"

// approver is who is asked; nil: nobody can be.
func (a *mcpAsker) approver() sayso.Approver {
	via, nobody := heard(a.policy.Approve)
	elicit, _ := asks(a.policy.Approve)
	elicit = elicit && a.q.Elicit != nil
	if nobody && !elicit {
		return nil
	}
	if elicit && a.policy.Approve.Via != nil {
		via = append(via, throughClient)
	}
	return sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		d, done, err := openDesk(ctx, throughClient, a.gate.std.key(nil))
		if err != nil {
			return sayso.Answer{}, err
		}
		a.done, a.kept.GrantStore = done, d.Grants
		timeout := cmp.Or(a.gate.wait, a.policy.Approve.Timeout)
		if limit := a.policy.Approve.Timeout; limit > 0 {
			timeout = min(timeout, limit)
		}
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		wake := make(chan struct{}, 1)
		queue := &approve.Queue{Store: d.Approvals, Timeout: timeout, Via: via, Wake: wake, Opened: func(r sayso.Request) {
			a.q.Waits(r.ID)
			if elicit {
				work.Go(func() { a.elicit(ctx, d, r, wake) })
			}
		}}
		answer, err := queue.Approve(ctx, r)
		if errors.Is(err, approve.ErrTimeout) {
			err = fmt.Errorf("%w; it is no refusal, and may be asked again when somebody looks at %s", approve.ErrTimeout, where(via))
		}
		return answer, err
	})
}

// elicit asks through the client, and tells the queue what was said.
func (a *mcpAsker) elicit(ctx context.Context, d *manage.Desk, r sayso.Request, wake chan<- struct{}) {
	yes, said := a.q.Elicit(ctx, question(&r))
	if !said {
		return
	}
	desk := *d
	desk.By = cmp.Or(a.q.Call.Agent, "the client") + "'s user"
	if _, err := desk.Answer(ctx, r, yes, ""); err != nil && ctx.Err() == nil {
		printf(a.gate.std.Err, "sayso: note: the answer does not count: %v\n", err)
	}
	wake <- struct{}{}
}

func (a *mcpAsker) close() {
	if a.done != nil {
		a.done()
	}
}

// mostAsked is how much of an input a question in the client shows, in lines.
const mostAskedLines = 60

// question is a request as a text.
func question(r *sayso.Request) string {
	v := view.Of(r, view.Options{Home: r.Call.Home, Channel: throughClient})
	out := []string{"sayso asks: " + v.Asks() + " " + v.Wants}
	for i, line := range v.What {
		if i == mostAskedLines {
			out = append(out, fmt.Sprintf("  … and %d lines more: sayso approve shows them", len(v.What)-i))
			break
		}
		out = append(out, "  "+line.String())
	}
	out = append(out, v.Risk.Word+" · "+strings.Join(v.Sentences, " · "))
	out = append(out, v.Warnings...)
	return strings.Join(append(out, "because "+v.Why.Reason), "\n")
}
