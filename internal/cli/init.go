package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
)

const initUse = `sayso init [--user | --shared] [--yes | --print] [--undo] [--json] claude

Lets an agent ask sayso before each of its tool calls: writes a starter policy,
.sayso.yaml, if the workspace has none, and wires the hooks in the settings of
the agent. It shows what would change, asks, and changes nothing else in the
files. Run again it does nothing.

The hooks name the program by its path, which is another one on each machine:
they go into .claude/settings.local.json, which is yours and not committed.

  --user    wire them for all your workspaces, in ~/.claude/settings.json
  --shared  wire them for everybody who works here, in .claude/settings.json,
            which is committed: by the name sayso-hook, which everybody then
            needs on the search path
  --yes     do not ask
  --print   show what would change, and change nothing
  --undo    take the hooks out again, and the starter policy if nobody changed it
  --json    print what was changed, or would be, as one JSON object

Exit status: 0 done, 1 error, or not wanted, 2 wrong usage.`

// starter is the policy that init writes.
const starter = `# What agents may do in this workspace; see: sayso help rule
#
# This file is committed with the workspace and can only tighten. What you allow
# yourself stands in your own file: sayso rule add allow 'bash(npm test *)'
mode: default

deny:
  - rule: bash(git push --force *)
    because: it rewrites history that others have; use --force-with-lease
    match: [git push origin main -f]
    not_match: [git push --force-with-lease]
`

// An initJob is what init is to do.
type initJob struct {
	user, shared, undo, yes, print, asJSON bool
}

func initVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	var job initJob
	flags.BoolVar(&job.user, "user", false, "")
	flags.BoolVar(&job.shared, "shared", false, "")
	flags.BoolVar(&job.yes, "yes", false, "")
	flags.BoolVar(&job.print, "print", false, "")
	flags.BoolVar(&job.undo, "undo", false, "")
	flags.BoolVar(&job.asJSON, "json", false, "")
	rest, helped, err := parse(flags, initUse, args, std)
	if helped || err != nil {
		return err
	}
	switch {
	case len(rest) != 1 || rest[0] != "claude":
		near := ""
		if len(rest) == 1 {
			near = orNear(rest[0], []string{"claude"}, "")
		}
		return &usageError{"init wants the name of an agent: claude" + near, "for example: sayso init claude"}
	case job.user && job.shared:
		return &usageError{"--user and --shared do not go together", "sayso help init says what each does"}
	case job.asJSON && !job.yes && !job.print:
		return &usageError{"--json cannot ask", "say --yes, or --print to change nothing"}
	}
	if err := byPerson("what guards an agent"); err != nil && !job.print {
		return err
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	root := local.Root(at.Dir)
	in := claudeSettings(root, at.Home, os.Getenv("CLAUDE_CONFIG_DIR"))
	var edits []edit
	if job.undo {
		edits, err = job.undoClaude(root, in)
	} else {
		edits, err = job.initClaude(root, in)
	}
	if err != nil {
		return err
	}
	return job.apply(edits, std)
}

// initClaude says which files change.
func (job *initJob) initClaude(root string, in claudeFiles) ([]edit, error) {
	program, err := hookProgram()
	if err != nil {
		return nil, err
	}
	policy, err := readEdit(filepath.Join(root, config.CommittedFile))
	if err != nil {
		return nil, err
	}
	if policy.missing {
		policy.after = []byte(starter)
	}
	wired, other, command := in.local, in.shared, shellWord(program)+" claude"
	switch {
	case job.user:
		wired, other = in.user, ""
	case job.shared:
		if err := onPath(program); err != nil {
			return nil, err
		}
		wired, other, command = in.shared, in.local, hookName+" claude"
	}
	edits := []edit{policy}
	if other != "" {
		moved, done, err := job.moveFrom(other)
		if err != nil {
			return nil, err
		}
		if done { // it is wired for everybody
			return edits, nil
		}
		edits = append(edits, moved)
	}
	settings, err := readEdit(wired)
	if err != nil {
		return nil, err
	}
	text := settings.before
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if settings.after, err = wireClaude(text, command); err != nil {
		return nil, inSettings(wired, err)
	}
	return append(edits, settings), nil
}

// moveFrom takes the hooks out of the other settings of a workspace: two answers
// to one call are one too many. Hooks that name the program without a path are
// for everybody and stay; done says that they do here as well.
func (job *initJob) moveFrom(name string) (e edit, done bool, err error) {
	if e, err = readEdit(name); err != nil || e.missing {
		return e, false, err
	}
	found, err := claudeHooks(e.before)
	if err != nil {
		return e, false, inSettings(name, err)
	}
	if !job.shared && len(found) > 0 && found[0].command == hookName+" claude" {
		again, err := wireClaude(e.before, found[0].command)
		_, missing := exec.LookPath(hookName)
		return e, err == nil && missing == nil && bytes.Equal(again, e.before), err
	}
	e.after, err = unwired(e.before)
	return e, false, err
}

// inSettings says what is wrong with the settings of an agent, and where.
func inSettings(name string, err error) error {
	return &hintedError{inFile(name, err).Error(), "mend it, for Claude Code does not read it either: it is plain JSON, without comments and without a comma behind the last entry"}
}

// unwired is a file of settings without the hooks of sayso; nil if it has nothing
// else in it.
func unwired(before []byte) ([]byte, error) {
	after, err := unwireClaude(before)
	if err == nil && string(bytes.TrimSpace(after)) == "{}" && !bytes.Equal(before, after) {
		return nil, nil
	}
	return after, err
}

// onPath makes sure that the name of the hook leads to the program.
func onPath(program string) error {
	found, err := exec.LookPath(hookName)
	if err == nil && local.Real(found) == local.Real(program) {
		return nil
	}
	problem := hookName + " is not on the search path"
	if err == nil {
		problem = fmt.Sprintf("%s on the search path is %s, not %s", hookName, found, program)
	}
	return &hintedError{problem, "put " + filepath.Dir(program) + " on it for all who use the settings, or leave --shared out"}
}

// undoClaude says which files change to be as if init had not been.
func (job *initJob) undoClaude(root string, in claudeFiles) ([]edit, error) {
	policy, err := readEdit(filepath.Join(root, config.CommittedFile))
	if err != nil {
		return nil, err
	}
	if string(policy.before) == starter {
		policy.after = nil
	}
	edits := []edit{policy}
	names := []string{in.local, in.shared}
	switch {
	case job.user:
		names = []string{in.user}
	case job.shared:
		names = []string{in.shared}
	}
	for _, name := range names {
		e, err := readEdit(name)
		if err != nil {
			return nil, err
		}
		if e.missing {
			continue
		}
		if e.after, err = unwired(e.before); err != nil {
			return nil, inSettings(name, err)
		}
		edits = append(edits, e)
	}
	return edits, nil
}

// hookName is the small program that agents start.
const hookName = "sayso-hook"

// hookProgram finds sayso-hook beside this program. Where this one was called by
// a link, the link beside it is taken: it stays when a new version is installed.
func hookProgram() (string, error) {
	found, err := local.Beside(hookName)
	if err != nil {
		return "", &hintedError{"there is no " + hookName + " beside this program", "install both into the same folder: make install"}
	}
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		link, err := filepath.Abs(filepath.Join(filepath.Dir(called), filepath.Base(found)))
		if err == nil && local.Real(link) == local.Real(found) {
			return link, nil
		}
	}
	return found, nil
}
