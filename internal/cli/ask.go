package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

const askUse = `sayso ask [--json] [--timeout TIME] [--agent NAME] [--session ID]
                 [--preset NAME [--config FILE]] [--cwd DIR] TOOL ARGUMENT…

Decides a call as sayso check does, and puts it to a person if the answer is to
ask: in this terminal, and at the same time in the queue, where sayso approve and
sayso deny find it. The first answer counts. It is remembered and recorded; the
call is not run. So a script can say

  sayso ask bash 'git push' && git push

  --timeout TIME  how long to wait for an answer, such as 90s (default: as the
                  policy says, or 5m); no answer denies
  --agent NAME    who asks (default: script)
  --session ID    the session of an agent that the call belongs to, whose mode
                  and memory count (default: this shell; what is approved for
                  the session ends with it)
  --json          print the decision as one JSON object
  --preset NAME, --config FILE, --cwd DIR
                  as for sayso check

Where an agent runs this, it is not asked in the terminal: it waits in the queue
until a person answers from a terminal of their own.

Exit status: 0 allowed, 4 denied, or nobody answered, 130 interrupted, 1 error,
2 wrong usage.`

type askOptions struct {
	asJSON                            bool
	timeout                           time.Duration
	agent, session, preset, file, cwd string

	away string // why nobody is asked in this terminal; empty: somebody may be
}

func ask(args []string, std IO) error {
	var o askOptions
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.DurationVar(&o.timeout, "timeout", 0, "")
	flags.StringVar(&o.agent, "agent", "script", "")
	flags.StringVar(&o.session, "session", "", "")
	flags.StringVar(&o.preset, "preset", "", "")
	flags.StringVar(&o.file, "config", "", "")
	flags.StringVar(&o.cwd, "cwd", "", "")
	if helped, err := parseBefore(flags, askUse, args, std); helped || err != nil {
		return err
	}
	switch {
	case o.file != "" && o.preset == "":
		return &usageError{"--config wants --preset", "native is configured by its policy files"}
	case o.timeout < 0:
		return &usageError{"--timeout wants a time above 0", "for example: --timeout 90s"}
	}
	call, err := callOf("ask", flags.Args(), std)
	if err != nil {
		return err
	}
	at, err := place(o.cwd, "")
	if err != nil {
		return err
	}
	call.Dir, call.Home, call.Root = at.Dir, at.Home, local.Root(at.Dir)
	call.Agent, call.Session = o.agent, cmp.Or(o.session, shellSession(), "ask-"+rand.Text())
	policy, err := loadAs(call.Root, call.Home, o.preset, o.file, std)
	if err != nil {
		return err
	}
	return o.run(call, &policy, std)
}

// run decides, asks, and says what came out.
func (o *askOptions) run(call sayso.Call, policy *loaded, std IO) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	_, decision, err := o.authorize(ctx, call, policy, std)
	if err != nil {
		return err
	}
	if !o.asJSON {
		decision.Suggestions = nil // it was answered
	}
	if err := show(call, decision, false, o.asJSON, std.Out); err != nil {
		return err
	}
	if decision.Effect != sayso.Allow {
		return statusError(exitDeny)
	}
	return nil
}

// authorize decides, and asks if need be. That it was interrupted is an error.
func (o *askOptions) authorize(ctx context.Context, call sayso.Call, policy *loaded, std IO) (sayso.Permit, sayso.Decision, error) {
	return o.permitted(ctx, call, policy, std, func(ctx context.Context, e *sayso.Engine) (sayso.Permit, sayso.Decision, error) {
		return e.Authorize(ctx, call)
	})
}

// permitted lets an engine give a permit that records, remembers and asks as this
// machine does.
func (o *askOptions) permitted(ctx context.Context, call sayso.Call, policy *loaded, std IO, give func(context.Context, *sayso.Engine) (sayso.Permit, sayso.Decision, error)) (permit sayso.Permit, decision sayso.Decision, err error) {
	err = atDeskIn(ctx, std.key(nil), func(ctx context.Context, d *manage.Desk) error {
		e := policy.engine
		e.Journal, e.Grants = d.Journal, keeping{e.Grants, d.Grants}
		e.Sessions = &store.Memory{} // a no counts for this call only
		if o.session != "" {
			e.Sessions = homeSessions{}
		}
		if err := e.Sessions.Update(ctx, call.Session, func(st *sayso.SessionState) error {
			st.Surface = policy.surface
			return nil
		}); err != nil {
			return err
		}
		asker := &asker{o: o, desk: d, policy: policy, std: std}
		defer asker.close()
		e.Approver = asker.approver()
		permit, decision, err = give(ctx, &e)
		if ctx.Err() != nil || asker.interrupted {
			return statusError(exitInterrupted)
		}
		return err
	})
	return permit, decision, err
}

// keeping reads the grants that count under the policy, and keeps new ones.
type keeping struct {
	counts sayso.GrantStore // nil: none do
	sayso.GrantStore
}

func (k keeping) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	if k.counts == nil {
		return nil, nil
	}
	return k.counts.Grants(ctx, session, root)
}

// An asker is the queue with a prompt beside it, if there is somebody to ask here.
type asker struct {
	o      *askOptions
	desk   *manage.Desk
	policy *loaded
	std    IO

	// busy reports whether something runs that has the terminal, too; nil: nothing does.
	busy func() bool

	terminal    *line.Terminal
	interrupted bool
}

func (a *asker) close() {
	if a.terminal != nil {
		_ = a.terminal.Close() // all was written
	}
}

// via are the places that the policy names; nil: all.
func (a *asker) via() (via []string) {
	for _, place := range a.policy.Approve.Via {
		if c := channels[place]; c != "" {
			via = append(via, c)
		}
	}
	return via
}

// approver is who is asked; nil: the policy lets nobody be asked.
func (a *asker) approver() sayso.Approver {
	via, nobody := heard(a.policy.Approve)
	if nobody {
		return nil
	}
	timeout := cmp.Or(a.o.timeout, a.policy.Approve.Timeout)
	if limit := a.policy.Approve.Timeout; limit > 0 {
		timeout = min(timeout, limit)
	}
	q := &approve.Queue{Store: a.desk.Approvals, Timeout: timeout, Via: via}
	return sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		why := a.o.away
		if why == "" {
			why = a.here(via)
		}
		if why != "" {
			q.Opened = func(r sayso.Request) {
				where := "sayso approve " + shell.Shown(r.ID)
				if !r.Hears(line.Channel) {
					where = "sayso serve"
				}
				printf(a.std.Err, "sayso: note: %s; it waits for an answer: %s\n", why, where)
			}
			return q.Approve(ctx, r)
		}
		answer, err := a.beside(q).Approve(ctx, r)
		a.interrupted = errors.Is(err, line.ErrInterrupted)
		return answer, err
	})
}

// beside is the queue with a prompt in the terminal.
func (a *asker) beside(q *approve.Queue) *line.Beside {
	home, _ := os.UserHomeDir() // without one, no path is shortened
	prompt := line.NewPrompt(a.terminal, os.Getenv, a.desk.By, view.Options{Home: home, Before: readable})
	prompt.Lock = func(ctx context.Context) (func(), error) { return lockTerminal(ctx, a.terminal.Name()) }
	return &line.Beside{Queue: q, Prompt: prompt, Say: func(ctx context.Context, r sayso.Request, c view.Choice) error {
		_, err := a.desk.Answer(ctx, r, c.Yes, c.Name)
		return err
	}}
}

// lockPause is how often it is looked whether a terminal is free.
const lockPause = 100 * time.Millisecond

// lockTerminal waits until no other sayso asks in a terminal.
func lockTerminal(ctx context.Context, name string) (unlock func(), err error) {
	state, err := local.State()
	if err != nil {
		return nil, err
	}
	for {
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		file, err := private.Lock(short, filepath.Join(state.Dir, "terminal-"+name+".lock"))
		cancel()
		switch {
		case err == nil:
			return func() { _ = file.Close() }, nil // nothing was written to it
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.Is(err, context.DeadlineExceeded):
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

// here opens the terminal if somebody may be asked in it, or says why not.
func (a *asker) here(via []string) string {
	if err := byPerson("an answer"); err != nil {
		return "an agent seems to run this"
	}
	if via != nil && !slices.Contains(via, line.Channel) {
		return "the policy lets nobody be asked in a terminal"
	}
	if a.busy != nil && a.busy() {
		return "another command of the script runs in this terminal"
	}
	if a.terminal != nil {
		return "" // it is open since an earlier question
	}
	in, _ := a.std.In.(*os.File)
	out, _ := a.std.Err.(*os.File) // results go to standard output
	var err error
	if a.terminal, err = line.OpenTerminal(in, out); err != nil {
		return err.Error()
	}
	return ""
}

// mostShown is how large a file may be for a prompt to compare it.
const mostShown = 1 << 20

// readable reads a file that is to be written, to show what changes.
func readable(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostShown {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}
