package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/tui"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/shell"
)

const approveUse = `sayso approve [--preset NAME]
       sayso approve [--json] [--choice KEY [--for TIME]] [--contract HASH] ID

Says yes to a call that waits for an answer, from another terminal than that of
the agent. ID is that of the request, or the start of it; without one, in a
terminal, a full screen shows the calls that wait, and grants, rules and journal;
elsewhere, or with --json, the calls are listed, the oldest first. The first
answer counts.

  --choice KEY     one of the choices that are listed (default: this call only)
  --for TIME       what is approved for longer ends after that in any case: 90m, 8h
  --contract HASH  answer only if this is what would run
  --preset NAME    the preset in force on the screen, if not that of the policy
  --json           print what waits, or the answer, as one JSON object a line

An agent cannot answer for you: run this in a terminal of your own.

Exit status: 0 done, 1 error, or somebody else was first, 2 wrong usage, 130
interrupted.`

const denyUse = `sayso deny [--preset NAME]
       sayso deny [--json] [--choice KEY] [--contract HASH] ID

Says no to a call that waits for an answer. Without an ID it shows what waits, as
sayso approve does.

  --choice KEY     one of the choices that are listed (default: the no)
  --contract HASH  answer only if this is what would run
  --preset NAME    the preset in force on the screen, if not that of the policy
  --json           print what waits, or the answer, as one JSON object a line

An agent cannot answer for you: run this in a terminal of your own.

Exit status: 0 done, 1 error, or somebody else was first, 2 wrong usage, 130
interrupted.`

func approveVerb(args []string, std IO) error { return answer("approve", approveUse, args, std) }

func denyVerb(args []string, std IO) error { return answer("deny", denyUse, args, std) }

// answer lists what waits, or answers one of them.
func answer(verb, use string, args []string, std IO) error {
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	key := flags.String("choice", "", "")
	hash := flags.String("contract", "", "")
	preset := flags.String("preset", "", "")
	lasts := time.Duration(0)
	if verb == "approve" {
		flags.DurationVar(&lasts, "for", 0, "")
	}
	rest, helped, err := parse(flags, use, args, std)
	if helped || err != nil {
		return err
	}
	if lasts < 0 || lasts > 0 && *key == "" {
		return &usageError{"--for wants a time such as 90m, and a choice that is for longer than this call", "for example: sayso approve --choice s --for 90m ID"}
	}
	if len(rest) > 1 || len(rest) == 0 && (*key != "" || *hash != "") {
		return &usageError{verb + " wants one id", "sayso " + verb + " without one lists what waits"}
	}
	if len(rest) == 1 {
		if err := byPerson("an answer"); err != nil {
			return err
		}
	}
	if in, out, ok := onScreen(std); ok && len(rest) == 0 && !*asJSON {
		return screen(tui.AtQueue, *preset, in, out, std)
	}
	return atDesk(std.key(nil), func(ctx context.Context, d *manage.Desk) error {
		list, err := d.Approvals.Waiting(ctx)
		if err != nil {
			return err
		}
		if len(rest) == 0 {
			return showWaiting(list, *asJSON, std)
		}
		r, err := byID(list, func(r *sayso.Request) string { return r.ID }, rest[0], "waiting request", "it may have been answered, or its time be over; sayso approve lists what waits")
		if err != nil {
			return cmp.Or(gone(ctx, d, rest[0]), err)
		}
		if *hash != "" && *hash != r.Contract.Hash() {
			return &hintedError{"the request is for another contract, " + r.Contract.Hash(), "look at it again with sayso approve"}
		}
		var until time.Time
		if lasts > 0 {
			until = time.Now().Add(lasts)
		}
		a, err := d.AnswerUntil(ctx, *r, verb == "approve", *key, until)
		if errors.Is(err, sayso.ErrChoice) || errors.Is(err, manage.ErrOnce) || err != nil && strings.Contains(err.Error(), "the opposite") {
			return &usageError{err.Error(), "sayso approve lists the choices of " + r.ID}
		}
		if errors.Is(err, sayso.ErrChannel) {
			return &hintedError{err.Error(), "approve.via of the policy names where: " + shell.Shown(strings.Join(r.Via, ", "))}
		}
		if err != nil {
			return err
		}
		if *asJSON {
			return writeJSON(a, std.Out)
		}
		err = printErr(std.Out, "%s: %s\n", map[bool]string{true: "approved", false: "denied"}[a.Yes], wanted(r))
		return err
	})
}

// gone is what became of a request that does not wait any more, if that is known:
// who was first, or that its time is over.
func gone(ctx context.Context, d *manage.Desk, id string) error {
	err := d.Approvals.Answer(ctx, sayso.Answer{RequestID: id}) // without a contract it fits no request
	if errors.Is(err, sayso.ErrAnswered) || errors.Is(err, sayso.ErrLate) {
		return err
	}
	return nil
}

// showWaiting lists the requests, with all that the prompt shows of them.
func showWaiting(list []sayso.Request, asJSON bool, std IO) error {
	home, _ := os.UserHomeDir() // without one, no path is shortened
	o := view.Options{Home: home, Before: readable, Channel: line.Channel}
	for i := range list {
		r := &list[i]
		if asJSON {
			if err := writeJSON(r, std.Out); err != nil {
				return err
			}
			continue
		}
		v := view.Of(r, o)
		left := v.Left(time.Now())
		if left != "" {
			left = ", " + left
		}
		fmt.Fprintf(std.Out, "%s  asked %s ago%s\n%s", v.ID, span(time.Since(r.Opened)), left, line.Text(&v, columns(std.Out)))
	}
	if len(list) == 0 && !asJSON {
		fmt.Fprintln(std.Err, "sayso: note: nothing waits for an answer")
	}
	return nil
}

// listWidth is how wide a list is that is not for a terminal.
const listWidth = 100

// columns is how many there are for a list.
func columns(out io.Writer) int {
	if file, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return listWidth
}

// wanted is what a call would run, whole: a person answers for all of it.
func wanted(r *sayso.Request) string {
	c := &r.Contract
	switch {
	case c.Script != "":
		return view.Safe(c.Script)
	case len(c.Argv) > 0:
		return view.Safe(strings.Join(c.Argv, " "))
	}
	return view.Safe(c.Tool + " " + string(c.Input))
}
