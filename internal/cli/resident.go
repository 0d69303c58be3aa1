package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/resident"
)

const residentUse = `sayso resident [--json]
sayso resident stop | off | on

Tells whether a process is there that answers the hooks of agents. The first hook
starts it, those that follow ask it and so take less time; it ends twenty minutes
after the last. It decides exactly as a hook by itself, and where there is none,
each hook decides by itself.

  stop    end it; the next hook starts it again
  off     end it, and never start it again
  on      let hooks start it again
  --json  print JSON

The variable SAYSO_RESIDENT=off keeps one agent from it: set it where the agent is
started.

Exit status: 0 done, 1 error, 2 wrong usage.`

// A residence is whether there is a resident process.
type residence struct {
	Supported bool `json:"supported"`
	Off       bool `json:"off"`
	PID       int  `json:"pid,omitempty"`
}

func (r residence) String() string {
	switch {
	case !r.Supported:
		return "there is none on this system: each hook decides by itself"
	case r.PID != 0 && r.Off:
		return fmt.Sprintf("process %d answers hooks; it is switched off, and not started again", r.PID)
	case r.PID != 0:
		return fmt.Sprintf("process %d answers hooks", r.PID)
	case r.Off:
		return "switched off: each hook decides by itself"
	}
	return "none now: the next hook decides by itself, and starts it"
}

// lookForResident tells whether there is a resident process.
func lookForResident() (r residence, state, hook string, err error) {
	folder, err := local.State()
	if err != nil {
		return r, "", "", err
	}
	if hook, err = local.Beside("sayso-hook"); err != nil {
		return r, "", "", err
	}
	r.Supported = resident.Supported
	if r.Supported {
		r.Off = resident.Off(folder.Dir) || os.Getenv(quick.Switch) == quick.Off
		r.PID, err = resident.Find(folder.Dir, hook)
	}
	return r, folder.Dir, hook, err
}

func residentVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("resident", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, helped, err := parse(flags, residentUse, args, std)
	if helped || err != nil {
		return err
	}
	r, state, hook, err := lookForResident()
	if err != nil {
		return err
	}
	switch {
	case len(rest) > 1:
		return &usageError{fmt.Sprintf("resident takes one word, not %d", len(rest)), "sayso help resident lists them"}
	case len(rest) == 0 && *asJSON:
		return json.NewEncoder(std.Out).Encode(r)
	case len(rest) == 0:
		_, err = fmt.Fprintln(std.Out, r)
		return err
	}
	return changeResident(rest[0], state, hook, std)
}

// changeResident does what the user says.
func changeResident(word, state, hook string, std IO) error {
	if word == "on" {
		if err := resident.Switch(state, true); err != nil {
			return err
		}
		_, err := fmt.Fprintln(std.Out, "on: the next hook starts it")
		return err
	}
	if word == "off" {
		if err := resident.Switch(state, false); err != nil {
			return err
		}
	} else if word != "stop" {
		return &usageError{fmt.Sprintf("resident cannot %q", word), "it takes stop, off or on"}
	}
	pid, err := resident.Stop(state, hook)
	if err != nil {
		return err
	}
	text := word
	if pid == 0 {
		text += ": there was none"
	} else {
		text += fmt.Sprintf(": process %d has ended", pid)
	}
	_, err = fmt.Fprintln(std.Out, text)
	return err
}

// resident tells who answers hooks.
func (r *doctorReport) resident() {
	found, _, _, err := lookForResident()
	if err != nil {
		return // what is missing was told
	}
	r.add(fine, "resident", found.String(), "")
}
