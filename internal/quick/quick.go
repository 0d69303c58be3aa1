// Package quick is the program sayso-hook. An agent starts it before each tool
// call, so it links nothing that takes long to start: it reads the policy from a
// snapshot, and lets the rich program beside it make one where there is none, or
// answer in its place where the policy needs that.
package quick

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
)

// Deadline is how long a decision may take; far below the time after which Claude
// Code would go on without an answer.
const Deadline = 10 * time.Second

// exitBlock is the exit status that blocks the call.
const exitBlock = 2

// Main is the program: it takes the name of an agent, or version, and returns the
// exit status.
func Main(args []string, in io.Reader, out, errs io.Writer) (status int) {
	defer func() {
		if r := recover(); r != nil { // nothing was written yet: that is done last, and at once
			status = write(nil, fmt.Errorf("panic: %v", r), out, errs)
		}
	}()
	switch {
	case len(args) > 0 && args[0] == "version":
		if err := build.Print(out, len(args) > 1 && args[1] == "--json"); err != nil {
			return 1
		}
		return 0
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
		return write([]byte("usage: sayso-hook AGENT [EVENT] [--observe]\n\nAGENT is one of "+strings.Join(hook.Names(), ", ")+". It is sayso hook AGENT, started quickly;\nsayso help hook tells more.\n"), nil, out, errs)
	}
	if c, ok := called(args); ok {
		return answer(c, in, out, errs)
	}
	problem := "hook wants the name of an agent"
	if len(args) > 0 {
		problem += fmt.Sprintf(", and cannot be called with %q", args)
	}
	fmt.Fprintf(errs, "sayso: error: %s: %s\nsayso: hint: sayso init AGENT wires it\n", problem, strings.Join(hook.Names(), ", "))
	return exitBlock
}

// A Call is how the program is called.
type Call struct {
	Agent   *hook.Agent
	Event   string // its name; empty: it stands in the event
	Observe bool   // nothing is enforced but guardrails
}

// called reads the arguments.
func called(args []string) (c Call, ok bool) {
	if i := slices.Index(args, "--observe"); i >= 0 {
		c.Observe, args = true, slices.Concat(args[:i], args[i+1:])
	}
	if len(args) == 0 || len(args) > 2 {
		return c, false
	}
	c.Agent, ok = hook.Find(args[0])
	c.Event = strings.Join(args[1:], "")
	return c, ok
}

// IsEvent reports whether the program is called with these arguments for an event.
func IsEvent(args []string) bool {
	_, ok := called(args)
	return ok
}

// args are the arguments for the rich program.
func (c Call) args() []string {
	out := []string{"hook", c.Agent.Name}
	if c.Event != "" {
		out = append(out, c.Event)
	}
	if c.Observe {
		out = append(out, "--observe")
	}
	return out
}

// answer answers one event of an agent.
func answer(c Call, in io.Reader, out, errs io.Writer) int {
	state, err := local.State()
	if err != nil {
		return Answer(c, "", lost{err}, lost{err}, in, out, errs)
	}
	return Answer(c, state.Dir, state, journal.Folder{Dir: state.Dir}, in, out, errs)
}

// Answer answers one event of an agent, with the state in this folder, these sessions
// and this journal.
func Answer(c Call, state string, sessions sayso.Sessions, journal sayso.Journal, in io.Reader, out, errs io.Writer) int {
	q := quick{agent: c.Agent.Name, state: state, env: os.Getenv}
	over := watch(c, out, errs)
	decided, err := func() ([]byte, error) {
		defer over() // also where it panics: then Main answers
		return q.answer(c, sessions, journal, in)
	}()
	if q.rich {
		return handOver(c, q.hold, q.guard.Event, out, errs)
	}
	return write(decided, err, out, errs)
}

// late is when the program answers, whatever it is doing: what knows of the deadline has
// ended before, and told why.
const late = Deadline + 2*time.Second

// watch denies when it is late, and ends the program, unless the function that it returns
// is called before: something that does not know of the deadline hangs, an agent that
// keeps its end open or a file system that does not answer.
func watch(c Call, out, errs io.Writer) (over func()) {
	var answered atomic.Bool
	timer := time.AfterFunc(late, func() {
		if answered.CompareAndSwap(false, true) {
			os.Exit(fail(c, fmt.Errorf("it took longer than %s", late), out, errs))
		}
	})
	return func() {
		if !answered.CompareAndSwap(false, true) {
			select {} // the other answer is being written
		}
		timer.Stop()
	}
}

// fail tells the agent why there is no decision.
func fail(c Call, err error, out, errs io.Writer) int {
	return write(c.Agent.Denial(err), err, out, errs)
}

// write gives the answer to the agent.
func write(answer []byte, err error, out, errs io.Writer) int {
	if _, failed := out.Write(answer); failed != nil {
		err = errors.Join(err, failed)
	}
	var denied *hook.DeniedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &denied):
		fmt.Fprintln(errs, denied.Reason)
	default:
		fmt.Fprintf(errs, "sayso: error: %v\n", err)
	}
	return exitBlock
}

// lost is state that there is no place for.
type lost struct{ err error }

func (l lost) Get(context.Context, string) (sayso.SessionState, error) {
	return sayso.SessionState{}, l.err
}

func (l lost) Update(context.Context, string, func(*sayso.SessionState) error) error { return l.err }

func (l lost) Remove(context.Context, string) error { return l.err }

func (l lost) Record(context.Context, ...sayso.Record) error { return l.err }
