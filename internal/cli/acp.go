package cli

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/acpgate"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/mask"
	"github.com/sayso-dev/sayso/internal/mcpgate"
	"github.com/sayso-dev/sayso/store"
)

const acpUse = `sayso acp [--agent NAME] [--wait TIME] -- AGENT ARGUMENT…

Stands between an editor and an agent that speak the Agent Client Protocol: put it in
front of the command that the editor's configuration has for the agent. What the agent
asks its user is answered by the policy where that decides, and else passed on with
what the call would do; files and terminals that it wants of the editor are decided
like calls of its own. Decisions and results are recorded.

What the agent does by itself, without asking and without the editor, never comes
here: sayso init wires its hooks.

  --agent NAME    who asks, in records (default: acp)
  --wait TIME     how long to wait for an answer (default: as the policy says, or
                  5m); no answer denies

A question is put to the queue (sayso approve, sayso serve), and to the user of the
editor if approve.via of the policy names the agent, or nobody.

Exit status: 0 one of both has ended, 1 error, 2 wrong usage.`

func acpVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("acp", flag.ContinueOnError)
	agent := flags.String("agent", "acp", "")
	wait := flags.Duration("wait", 0, "")
	if helped, err := parseBefore(flags, acpUse, args, std); helped || err != nil {
		return err
	}
	argv := flags.Args()
	switch {
	case len(argv) == 0:
		return &usageError{"acp wants the command of an agent", "for example: sayso acp -- gemini --acp"}
	case *wait < 0:
		return &usageError{"--wait wants a time above 0", "for example: --wait 90s"}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	child, err := mcpgate.Start(argv, at.Dir, nil, &plainLines{out: std.Err})
	if err != nil {
		return err
	}
	g := &acpGate{std: std, home: at.Home, wait: *wait, sessions: &store.Memory{}, gates: map[string]*mcpGate{}}
	defer g.end()
	gate := &acpgate.Gate{
		Agent: *agent, Authorize: g.authorize, Prompted: g.prompted,
		Note: func(ctx context.Context, call sayso.Call, records ...sayso.Record) error {
			e := sayso.Engine{Journal: homeJournal{}}
			return e.Note(ctx, call, records...)
		},
		Log: func(format string, args ...any) { printf(std.Err, "sayso: note: "+format+"\n", args...) },
	}
	return gate.Serve(ctx, mcpgate.Lines(std.In, std.Out, func() error { return nil }), child)
}

// An acpGate decides for an agent whose sessions are each in a workspace of their own.
type acpGate struct {
	std      IO
	home     string
	wait     time.Duration
	sessions sayso.Sessions

	mu    sync.Mutex
	gates map[string]*mcpGate // by session
}

// gate decides for a session, in the workspace in which the editor has opened it.
func (g *acpGate) gate(session, dir string) *mcpGate {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := g.gates[session]
	if gate == nil {
		gate = &mcpGate{std: g.std, wait: g.wait, sessions: g.sessions, own: map[string]time.Time{}}
		gate.call = sayso.Call{Home: g.home, Root: local.Real(local.Root(local.Real(filepath.Clean(dir))))}
		g.gates[session] = gate
	}
	return gate
}

// authorize decides a call as those of MCP servers are: by the policy as it is at that
// moment, in the queue and through the client.
func (g *acpGate) authorize(ctx context.Context, q acpgate.Question) (sayso.Decision, error) {
	if !filepath.IsAbs(q.Call.Dir) || !filepath.IsAbs(q.Dir) {
		return sayso.Decision{Effect: sayso.Deny, Code: sayso.CodeInput, Reason: "its folder is not absolute"}, nil
	}
	gate := g.gate(q.Call.Session, q.Dir)
	q.Call.Home, q.Call.Root = gate.call.Home, gate.call.Root
	if q.Claim {
		policy, err := load(gate.call.Root, gate.call.Home, g.std)
		if err != nil {
			return sayso.Decision{}, err
		}
		d := policy.engine.Check(ctx, q.Call, sayso.Session{Now: time.Now(), Mode: policy.mode, Surface: policy.surface})
		if d.Effect != sayso.Deny {
			return sayso.Decision{Effect: sayso.Allow}, nil // what follows is decided
		}
	}
	return gate.authorize(ctx, mcpgate.Question{Call: q.Call, Elicit: q.Ask, Waits: func(id string) {
		printf(g.std.Err, "sayso: note: a call waits for an answer: sayso approve %s\n", id)
	}})
}

// prompted begins a turn.
func (g *acpGate) prompted(ctx context.Context, session, prompt string) error {
	return g.sessions.Update(ctx, session, func(st *sayso.SessionState) error {
		st.Turn++
		st.Prompt = mask.Text(strings.ToValidUTF8(prompt[:min(len(prompt), mostPrompt)], ""))
		return nil
	})
}

// mostPrompt is how much of what a user says is remembered, in bytes.
const mostPrompt = 512

// end takes back what was approved for the sessions.
func (g *acpGate) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for session := range g.gates {
		if err := g.std.clearGrants(context.Background(), session, "", "the agent has ended"); err != nil {
			printf(g.std.Err, "sayso: error: what was approved for the session is not taken back: %v\n", err)
		}
	}
}
