package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/snapshot"
)

// channels are the places of approve.via where the queue is answered, as answers
// name them. The agent's own prompt is none of them.
var channels = map[string]string{"tty": line.Channel, "web": web.Channel}

// heard are the channels of the queue through which a yes counts under a policy;
// nobody: through none of them, else none means all.
func heard(a config.Approve) (via []string, nobody bool) {
	for _, place := range a.Via {
		if c := channels[place]; c != "" {
			via = append(via, c)
		}
	}
	return via, a.Via != nil && len(via) == 0
}

// asks is who asks for a hook under a policy: the agent, where the policy names no
// place or the agent among them, or else whoever looks at the queue, if anybody may.
func asks(a config.Approve) (agent, anybody bool) {
	if a.Via == nil || slices.Contains(a.Via, "agent") {
		return true, true
	}
	_, nobody := heard(a)
	return false, !nobody
}

// A hookAsker puts the questions of a hook into the queue, where the policy does not
// let the agent ask. It never asks in the terminal: that one is the agent's.
type hookAsker struct {
	std    IO
	policy *loaded
	done   func()
}

// wire lets an engine ask where its policy says, and in the queue if the agent cannot.
func (h *hookAsker) wire(e *sayso.Engine, cannotAsk bool) {
	agent, anybody := asks(h.policy.Approve)
	if _, nobody := heard(h.policy.Approve); cannotAsk {
		agent, anybody = false, !nobody
	}
	switch {
	case agent:
	case !anybody:
		e.Preset = hook.Unattended(e.Preset)
	default:
		kept := &keeping{counts: e.Grants} // where new ones go is opened with the first question
		e.Grants = kept
		e.Approver = sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) { return h.ask(ctx, r, kept) })
	}
}

// ask waits for the answer.
func (h *hookAsker) ask(ctx context.Context, r sayso.Request, kept *keeping) (sayso.Answer, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := whileWanted(ctx)
	defer cancel()
	var d *manage.Desk
	var err error
	if d, h.done, err = openDesk(ctx, "hook", h.std.key(nil)); err != nil {
		return sayso.Answer{}, err
	}
	kept.GrantStore = d.Grants
	via, _ := heard(h.policy.Approve)
	q := &approve.Queue{Store: d.Approvals, Timeout: h.policy.Approve.Timeout, Via: via}
	a, err := q.Approve(ctx, r)
	if errors.Is(err, approve.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w; it is no refusal, and may be asked again when somebody looks at %s", approve.ErrTimeout, where(via))
	}
	return a, err
}

// where are the verbs that answer through the channels; none: through all.
func where(via []string) string {
	var verbs []string
	for _, place := range []struct{ channel, verb string }{{line.Channel, "sayso approve"}, {web.Channel, "sayso serve"}} {
		if len(via) == 0 || slices.Contains(via, place.channel) {
			verbs = append(verbs, place.verb)
		}
	}
	return strings.Join(verbs, " or ")
}

// parentPause is how often it is looked whether the agent still waits.
const parentPause = 200 * time.Millisecond

// whileWanted is a context that ends when the process that has started this one is
// gone: then nobody waits for the answer, and nobody must be asked for it.
func whileWanted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-time.After(parentPause):
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// close closes what asking has opened.
func (h *hookAsker) close() {
	if h.done != nil {
		h.done()
	}
}

// queued is how long questions of hooks wait in the queue under a policy, as a
// snapshot has it.
func queued(a config.Approve) time.Duration {
	switch agent, anybody := asks(a); {
	case agent:
		return 0
	case !anybody:
		return snapshot.Nobody
	}
	return cmp.Or(a.Timeout, config.DefaultTimeout)
}
