package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/quick"
)

const hookUse = `sayso hook [--preset NAME] [--observe] AGENT [EVENT]

Speaks the hook protocol of an agent: reads one event from standard input and
writes the decision to standard output. AGENT is one of claude, codex, gemini,
opencode, copilot, cursor, vscode, windsurf and crush, which starts it before each
tool call, as sayso-hook AGENT. EVENT names the event for agents that do not write
it into each.

A call that asks is put to the agent's user by the agent. If that one cannot ask,
or approve.via of the policy leaves out the agent, the call waits in the queue
while the agent waits for the hook, and sayso approve, or the page of sayso serve,
answers it; without an answer it is denied before the agent would go on.

  --observe      record what would be decided, and enforce nothing but the
                 guardrails
  --preset NAME  decide by this preset, and not by the one that the policy sets

Exit status: 0 if the event was decided, 2, which blocks the call, if it was
not, or if the call is denied and the agent reads nothing but the status.`

func hookVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	preset := flags.String("preset", "", "")
	observe := flags.Bool("observe", false, "")
	rest, helped, err := parse(flags, hookUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) == 0 || len(rest) > 2 {
		return noAgent("hook", rest)
	}
	agent, ok := hook.Find(rest[0])
	if !ok {
		return noAgent("hook", rest[:1])
	}
	var policy loaded
	asker := hookAsker{std: std, policy: &policy}
	defer asker.close()
	var g hook.Guard
	engine := func(root, home string) (sayso.Engine, sayso.Surface, error) {
		var err error
		if policy, err = loadAs(root, home, *preset, "", std); err == nil {
			asker.wire(&policy.engine, g.CannotAsk)
		}
		return policy.engine, policy.surface, err
	}
	server := func(root string, call sayso.Call) *sayso.Server { return policy.server(root, call) }
	g = hook.Guard{Sessions: homeSessions{}, Journal: homeJournal{}, Root: local.Root, Engine: engine, Server: server, Env: os.Getenv, Clear: std.clearGrants, Starts: std.notTrusted, Deadline: quick.Deadline, Observe: *observe, Guardrails: quick.Guardrails}
	if err := g.Answer(agent, strings.Join(rest[1:], ""), std.In, std.Out); err != nil {
		var denied *hook.DeniedError
		if errors.As(err, &denied) {
			printf(std.Err, "%s\n", denied.Reason)
		} else {
			printf(std.Err, "sayso: error: %v\n", err)
		}
		return statusError(exitUsage) // the code that blocks
	}
	return nil
}

// noAgent says that a verb wants the name of an agent.
func noAgent(verb string, given []string) error {
	names := strings.Join(hook.Names(), ", ")
	if len(given) == 1 {
		return &usageError{fmt.Sprintf("unknown agent %q", given[0]) + orNear(given[0], hook.Names(), ""), verb + " wants the name of an agent: " + names}
	}
	return &usageError{verb + " wants the name of an agent: " + names, "for example: sayso " + verb + " claude"}
}

// clearGrants takes back what people have approved for a session.
func (std IO) clearGrants(ctx context.Context, session, _, why string) error {
	return atDesk(std.key(nil), func(_ context.Context, d *manage.Desk) error { return d.ClearGrants(ctx, session, why) })
}

// homeSessions are the sessions in the user's state folder. That there is no
// such folder is an error of each of its methods, so that it denies.
type homeSessions struct{}

func (homeSessions) Get(ctx context.Context, id string) (sayso.SessionState, error) {
	f, err := local.State()
	if err != nil {
		return sayso.SessionState{}, err
	}
	return f.Get(ctx, id)
}

func (homeSessions) Update(ctx context.Context, id string, change func(*sayso.SessionState) error) error {
	f, err := local.State()
	if err != nil {
		return err
	}
	return f.Update(ctx, id, change)
}

func (homeSessions) Remove(ctx context.Context, id string) error {
	f, err := local.State()
	if err != nil {
		return err
	}
	return f.Remove(ctx, id)
}

// homeJournal is the journal in the user's state folder.
type homeJournal struct{}

func (homeJournal) Record(ctx context.Context, records ...sayso.Record) error {
	f, err := theJournal()
	if err != nil {
		return err
	}
	return f.Record(ctx, records...)
}
