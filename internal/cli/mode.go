package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/session"
)

const modeUse = `sayso mode [--json] [--session ID] [--preset NAME] [NAME | --reset]

Shows the mode of an agent's session, or changes it from the next call on. Which
modes there are is told by sayso presets --list.

  --reset        go back to the mode that the policy sets
  --session ID   which session (default: the latest in this workspace)
  --preset NAME  the modes of this preset, for a hook that is called with it
  --json         print it as one JSON object

An agent cannot change it: run this in a terminal of your own.

Exit status: 0 done, 1 error, 2 wrong usage.`

// lockTimeout is how long a verb waits for the state of a session.
const lockTimeout = 5 * time.Second

// modeReport is what mode prints.
type modeReport struct {
	Mode    string `json:"mode"` // that counts
	Doc     string `json:"doc"`
	Chosen  string `json:"chosen,omitempty"` // with this verb
	From    string `json:"from,omitempty"`   // the file that sets it, if it was not chosen
	Preset  string `json:"preset"`
	Session string `json:"session,omitempty"`
	Root    string `json:"root"`

	Broken []string `json:"broken,omitempty"` // why the policy does not load, so that every call is denied
}

func mode(args []string, std IO) error {
	flags := flag.NewFlagSet("mode", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	id := flags.String("session", "", "")
	reset := flags.Bool("reset", false, "")
	preset := flags.String("preset", "", "")
	rest, helped, err := parse(flags, modeUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 1 {
		return &usageError{fmt.Sprintf("mode takes one name, not %d", len(rest)), "for example: sayso mode careful"}
	}
	if *reset && len(rest) > 0 {
		return &usageError{"--reset takes no name", "sayso mode --reset goes back to the mode of the policy"}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	found, err := findSession(*id, local.Root(at.Dir))
	if err != nil {
		return err
	}
	root := cmp.Or(found.State.Root, local.Root(at.Dir))
	policy, err := loadAs(root, at.Home, *preset, "", std)
	if err != nil {
		return err
	}
	switch {
	case *reset:
		err = switchMode("", &found, policy, root, std)
	case len(rest) == 1:
		err = chooseMode(rest[0], &found, policy, root, std)
	}
	if err != nil {
		return err
	}
	r, err := reportMode(found, policy, root)
	if err != nil {
		return err
	}
	for _, one := range split(policy.Err) {
		r.Broken = append(r.Broken, one.Error())
	}
	if *asJSON {
		err = writeJSON(r, std.Out)
	} else {
		r.print(std)
	}
	if err == nil && len(r.Broken) > 0 {
		return statusError(exitError)
	}
	return err
}

// findSession returns a session by its id, or the latest one of a workspace;
// none is no error if none was named.
func findSession(id, root string) (session.Summary, error) {
	folder, err := local.State()
	if err != nil {
		return session.Summary{}, err
	}
	if id != "" {
		st, err := folder.Get(context.Background(), id)
		if errors.Is(err, sayso.ErrNotFound) {
			return session.Summary{}, &hintedError{fmt.Sprintf("there is no session %q", id), "sayso doctor lists those of this workspace"}
		}
		return session.Summary{ID: id, State: st}, err
	}
	here := func(s session.Summary) bool { return s.Err == nil && local.Real(s.State.Root) == local.Real(root) }
	maybe := func(s session.Summary) bool {
		return here(s) || s.Err != nil && (s.State.Root == "" || local.Real(s.State.Root) == local.Real(root))
	}
	if found, ok := indexedSession(folder, root, here); ok {
		return found, nil
	}
	list, err := folder.List(context.Background(), maybe)
	if err != nil || len(list) == 0 || !maybe(list[len(list)-1]) {
		return session.Summary{}, err
	}
	latest := list[len(list)-1]
	if latest.Err != nil { // an older one is not the one that is meant
		return session.Summary{}, &hintedError{fmt.Sprintf("the latest session in this workspace may be one that cannot be read: %v", latest.Err), "sayso mode --session ID is about another one"}
	}
	return latest, nil
}

func chooseMode(name string, found *session.Summary, policy loaded, root string, std IO) error {
	if name == "" {
		return &usageError{"the mode has no name", "sayso presets --list says what each does"}
	}
	name = modeName(name, policy.engine.Preset)
	if err := knownMode(name, policy.engine.Preset); err != nil {
		return err
	}
	return switchMode(name, found, policy, root, std)
}

// switchMode changes the mode, and takes back what was approved for the session
// if the preset says that this ends with the switch.
func switchMode(name string, found *session.Summary, policy loaded, root string, std IO) error {
	before, after := policy.engine.Mode(found.State.Mode), policy.engine.Mode(name)
	if err := setMode(name, found, root); err != nil || before == after || !policy.engine.Preset.Clears(after) {
		return err
	}
	if neverKept() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deskTimeout)
	defer cancel()
	return std.clearGrants(ctx, found.ID, root, "the mode is "+after+" now")
}

// modeName is the mode that a name stands for: a command that a user types to the
// agent, such as /argus, names the mode that it switches to.
func modeName(name string, p sayso.Preset) string {
	if mode, ok := p.ModeFor(name); ok {
		return mode
	}
	return name
}

// knownMode returns an error if a preset does not have a mode; empty: its default.
func knownMode(name string, p sayso.Preset) error {
	_, err := p.For(name)
	if err == nil {
		return nil
	}
	var names []string
	for _, m := range p.Modes {
		names = append(names, m.Name)
	}
	return &usageError{err.Error() + orNear(name, names, ""), "sayso presets --list says what each does"}
}

// setMode keeps the mode of a session; without a name that of the policy counts
// again.
func setMode(name string, found *session.Summary, root string) error {
	if err := byPerson("the mode of a session"); err != nil {
		return err
	}
	if found.ID == "" {
		remedy := "start the agent first"
		if name != "" {
			remedy += ", or set mode: " + name + " in a policy file"
		}
		return &hintedError{"no agent has had a session in " + root + " yet", remedy}
	}
	folder, err := local.State()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	found.State.Mode = name
	return folder.Update(ctx, found.ID, func(st *sayso.SessionState) error {
		st.Mode = name
		return nil
	})
}

func reportMode(found session.Summary, policy loaded, root string) (modeReport, error) {
	preset := policy.engine.Preset
	if len(preset.Modes) == 0 {
		return modeReport{}, fmt.Errorf("preset %q has no modes", preset.Name)
	}
	r := modeReport{
		Mode: cmp.Or(policy.engine.Mode(found.State.Mode), preset.Modes[0].Name), Chosen: found.State.Mode, Preset: preset.Name,
		Session: found.ID, Root: root,
	}
	for _, m := range preset.Modes {
		if !slices.Contains(strings.Split(r.Mode, "+"), m.Name) { // several count together
			continue
		}
		if r.Doc != "" {
			r.Doc += "; "
		}
		r.Doc += m.Doc
	}
	if r.Chosen == "" && policy.Mode != "" {
		r.From = policy.ModeFrom.String()
	}
	return r, nil
}

func (r *modeReport) print(std IO) {
	printf(std.Out, "%s  %s\n", r.Mode, r.Doc)
	why := "as it is by default"
	switch {
	case r.Chosen == r.Mode:
		why = "as chosen"
	case r.From != "":
		why = "as set in " + r.From
	case r.Chosen != "":
		why = "as the administrator's policy has it"
	}
	which := "no session yet"
	if r.Session != "" {
		which = "session " + r.Session
	}
	printf(std.Out, "  %s, %s, in %s\n", why, which, r.Root)
	for _, one := range r.Broken {
		printf(std.Err, "sayso: error: %s\n", one)
	}
	if len(r.Broken) > 0 {
		hint("until the policy is mended every call is denied, whatever the mode", std)
	}
	if r.Chosen != "" && r.Chosen != r.Mode {
		printf(std.Err, "sayso: note: %s was chosen, but the administrator's policy allows nothing looser than %s\n", r.Chosen, r.Mode)
	}
}

// agentSigns are variables that agents set for the commands they run.
var agentSigns = []string{"CLAUDECODE", "AI_AGENT", "GEMINI_CLI", "CODEX_SANDBOX", "CURSOR_AGENT", "OPENCODE"}

// byPerson returns an error if an agent seems to run this command. The guards of
// the presets are what keeps an agent from it; this catches one that no guard
// watches.
func byPerson(what string) error {
	for _, name := range agentSigns {
		if os.Getenv(name) != "" {
			return &hintedError{fmt.Sprintf("%s is for a person to change, and %s says that an agent runs this", what, name), "run it in a terminal of your own: " + command()}
		}
	}
	return nil
}

// command is how this program was called.
func command() string { return "sayso " + strings.Join(os.Args[1:], " ") }
