package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/session"
	"github.com/sayso-dev/sayso/internal/wire"
)

const doctorUse = `sayso doctor [--json] [--preset NAME]

Tells whether sayso really guards this workspace: for each agent that is there,
is the hook wired, trusted, called and fast, and what happens if it is lost; is it
the same version, which policy is in force and what of it does not count, what
state the sessions are in, and whether commands are really confined here: it tries
to break out in ten ways, first where nothing confines it and then inside. Each
problem comes with what to do about it.

  --preset NAME  look at the policy as it is with this preset, for a hook that
                 is called with it
  --json         print the findings as one JSON object

Exit status: 0 no problem, 1 there is one, 2 wrong usage.`

// Levels of findings.
const (
	fine    = "ok"
	note    = "note"
	problem = "problem"
)

// A finding is one thing that doctor has looked at.
type finding struct {
	Level  string `json:"level"` // ok, note or problem
	About  string `json:"about"`
	Says   string `json:"says"`
	Remedy string `json:"remedy,omitempty"`
}

// A doctorReport is all that doctor has found.
type doctorReport struct {
	OK       bool      `json:"ok"`
	Root     string    `json:"root"`
	Findings []finding `json:"findings"`
}

func (r *doctorReport) add(level, about, says, remedy string) {
	r.OK = r.OK && level != problem
	r.Findings = append(r.Findings, finding{level, about, says, remedy})
}

func doctor(args []string, std IO) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	preset := flags.String("preset", "", "")
	rest, helped, err := parse(flags, doctorUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"doctor takes no argument", ""}
	}
	if _, err := catalog.Find(*preset); err != nil {
		return &usageError{"--preset: " + err.Error(), ""}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	r := doctorReport{OK: true, Root: local.Root(at.Dir)}
	r.programs()
	r.agents(wire.At{Root: r.Root, Home: at.Home, Env: os.Getenv})
	r.sessions()
	r.memory(std)
	r.resident()
	r.policy(at.Home, *preset, std)
	r.sandbox()
	if *asJSON {
		err = writeJSON(r, std.Out)
	} else {
		r.print(std)
	}
	if err == nil && !r.OK {
		return statusError(exitError)
	}
	return err
}

func (r *doctorReport) print(std IO) {
	printf(std.Out, "%-8s %-8s %s\n", "", "root", r.Root)
	for _, f := range r.Findings {
		printf(std.Out, "%-8s %-8s %s\n", f.Level, f.About, f.Says)
		if f.Remedy != "" {
			printf(std.Out, "%-17s do: %s\n", "", f.Remedy)
		}
	}
}

// programs looks at sayso and the hook beside it.
func (r *doctorReport) programs() {
	self := build.This()
	path, err := hookProgram()
	if err != nil {
		r.add(problem, "hook", err.Error(), "install both into the same folder: make install")
		return
	}
	other, err := buildOf(path)
	switch {
	case err != nil:
		r.add(problem, "hook", fmt.Sprintf("%s does not say its version: %v", path, err), "install it again: make install")
	case other != self:
		r.add(problem, "hook", fmt.Sprintf("%s is %s, and sayso is %s", path, other.Text(), self.Text()), "install both from the same version: make install")
	default:
		r.add(fine, "hook", fmt.Sprintf("%s, %s as sayso itself", path, self.Text()), "")
	}
}

// buildOf asks a program for its version.
func buildOf(path string) (build.Info, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version", "--json").Output()
	var b build.Info
	if err == nil {
		err = json.Unmarshal(out, &b)
	}
	return b, err
}

// sessions looks at what the hook has left behind.
func (r *doctorReport) sessions() {
	folder, err := local.State()
	var list []session.Summary
	if err == nil {
		list, err = folder.List(context.Background(), nil)
	}
	if err != nil {
		r.add(problem, "state", err.Error(), "without its state the hook denies every call; do as it says")
		return
	}
	r.add(fine, "state", folder.Dir+" is for you alone", "")
	shown := 0
	for _, s := range list {
		switch {
		case s.Err != nil:
			r.add(problem, "session", s.Err.Error(), "its calls are denied until you do as it says")
		case local.Real(s.State.Root) == local.Real(r.Root) && shown < 5:
			shown++
			text := fmt.Sprintf("%s, last change %s", s.ID, s.Time.Format(time.DateTime))
			if s.State.Mode != "" {
				text += ", mode " + s.State.Mode
			}
			if s.State.Tainted != "" {
				text += ", has read a secret"
			}
			r.add(fine, "session", text, "")
		}
	}
	if shown == 0 {
		r.add(note, "session", "the hook was never called in this workspace", "start the agent, let it read a file, and look again")
	}
}
