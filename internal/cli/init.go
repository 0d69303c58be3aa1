package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/wire"
)

const initUse = `sayso init [--user | --shared | --managed] [--observe] [--yes | --print]
                  [--undo] [--json] AGENT…

Lets agents ask sayso before each of their tool calls: writes a starter policy,
.sayso.yaml, if the workspace has none, and wires the hooks in the settings of
each agent: claude, codex, gemini, opencode, copilot, cursor, vscode, windsurf,
crush. It shows what would change, asks, and changes nothing else in the files. Run
again it does nothing.

The hooks name the program by its path, which is another one on each machine. For
Claude Code they go into .claude/settings.local.json, which is yours and not
committed; the others have no such file, so they are wired for all your workspaces.

  --user     wire them for all your workspaces, in your home folder
  --shared   wire them for everybody who works here, in a file that is committed:
             by the name sayso-hook, which everybody then needs on the search path
  --managed  wire them for everybody on this machine, in the administrator's file,
             which no file of a workspace can switch off
  --observe  only record what would have been decided, and enforce nothing but the
             guardrails; without it again, everything is enforced
  --yes      do not ask
  --print    show what would change, and change nothing
  --undo     take the hooks out again, and the starter policy if nobody changed it
  --json     print what was changed, or would be, as one JSON object

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
	user, shared, managed, observe, undo, yes, print, asJSON bool

	list []*wire.Agent
	at   wire.At
	kept keptFiles
}

func initVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	var job initJob
	flags.BoolVar(&job.user, "user", false, "")
	flags.BoolVar(&job.shared, "shared", false, "")
	flags.BoolVar(&job.managed, "managed", false, "")
	flags.BoolVar(&job.observe, "observe", false, "")
	flags.BoolVar(&job.yes, "yes", false, "")
	flags.BoolVar(&job.print, "print", false, "")
	flags.BoolVar(&job.undo, "undo", false, "")
	flags.BoolVar(&job.asJSON, "json", false, "")
	rest, helped, err := parse(flags, initUse, args, std)
	if helped || err != nil {
		return err
	}
	if job.list, err = job.agents(rest); err != nil {
		return err
	}
	if err := byPerson("what guards an agent"); err != nil && !job.print {
		return err
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	job.at = wire.At{Root: local.Root(at.Dir), Home: at.Home, Env: os.Getenv}
	job.kept = loadKept()
	policy, err := job.policy()
	if err != nil {
		return err
	}
	edits := []edit{policy}
	for _, a := range job.list {
		more, err := job.edits(a)
		if err != nil {
			return err
		}
		edits = append(edits, more...)
	}
	return job.apply(edits, std)
}

// agents are those that were named, if the options go together.
func (job *initJob) agents(names []string) ([]*wire.Agent, error) {
	var out []*wire.Agent
	for _, name := range names {
		a, ok := wire.Find(name)
		if !ok {
			return nil, noAgent("init", []string{name})
		}
		out = append(out, a)
	}
	scopes := 0
	for _, scope := range []bool{job.user, job.shared, job.managed} {
		if scope {
			scopes++
		}
	}
	switch {
	case len(out) == 0:
		return nil, noAgent("init", nil)
	case scopes > 1:
		return nil, &usageError{"--user, --shared and --managed do not go together", "sayso help init says what each does"}
	case job.asJSON && !job.yes && !job.print:
		return nil, &usageError{"--json cannot ask", "say --yes, or --print to change nothing"}
	}
	return out, nil
}

// policy is what becomes of the policy of the workspace.
func (job *initJob) policy() (edit, error) {
	policy, err := readEdit(filepath.Join(job.at.Root, config.CommittedFile))
	switch {
	case err != nil:
	case job.undo && string(policy.before) == starter:
		policy.after = nil
	case !job.undo && policy.missing && !job.managed:
		policy.after = []byte(starter)
	}
	return policy, err
}

// scope is for whom an agent is wired.
func (job *initJob) scope(a *wire.Agent) wire.Scope {
	switch {
	case job.user:
		return wire.User
	case job.shared:
		return wire.Shared
	case job.managed:
		return wire.Managed
	}
	if _, ok := a.Place(job.at, wire.Local); ok {
		return wire.Local
	}
	return wire.User
}

// edits says which files of an agent change.
func (job *initJob) edits(a *wire.Agent) ([]edit, error) {
	if job.undo {
		return job.undoing(a)
	}
	program, err := hookProgram()
	if err != nil {
		return nil, err
	}
	scope, call := job.scope(a), wire.Call{Program: program, Observe: job.observe}
	if scope == wire.Shared {
		if err := onPath(program); err != nil {
			return nil, err
		}
		call.Program = hookName
	}
	at, ok := a.Place(job.at, scope)
	if !ok {
		return nil, &hintedError{a.Title + " has no " + string(scope) + " settings", "leave --" + string(scope) + " out"}
	}
	var edits []edit
	if other, ok := otherPlace(a, job.at, scope); ok {
		moved, done, err := job.moveFrom(a, other, call)
		if err != nil {
			return nil, err
		}
		if done { // it is wired for everybody
			return nil, nil
		}
		edits = append(edits, moved)
	}
	settings, err := readEdit(at.File)
	if err != nil {
		return nil, err
	}
	if settings.after, err = a.Wire(settings.before, scope, call); err != nil {
		return nil, inSettings(a, at.File, err)
	}
	edits = append(edits, settings)
	if a.Name == "codex" && scope != wire.Managed {
		return job.trusting(edits, at, settings.after)
	}
	return edits, nil
}

// trusting lets Codex trust its hooks, which it would otherwise skip without a word.
func (job *initJob) trusting(edits []edit, at wire.Place, hooks []byte) ([]edit, error) {
	e, err := readEdit(wire.TrustFile(job.at))
	if err != nil {
		return nil, err
	}
	if hooks == nil {
		e.after = wire.Distrust(e.before)
	} else if e.after, err = wire.Trusts(e.before, at.File, hooks); err != nil {
		return nil, err
	}
	return append(edits, e), nil
}

// otherPlace is the other file of a workspace, for agents with one for each person and
// one for all.
func otherPlace(a *wire.Agent, at wire.At, scope wire.Scope) (wire.Place, bool) {
	own, has := a.Place(at, wire.Local)
	shared, _ := a.Place(at, wire.Shared)
	switch {
	case has && scope == wire.Local:
		return shared, true
	case has && scope == wire.Shared:
		return own, true
	}
	return wire.Place{}, false
}

// moveFrom takes the hooks out of the other settings of a workspace: two answers
// to one call are one too many. Hooks that name the program without a path are
// for everybody and stay; done says that they do here as well.
func (job *initJob) moveFrom(a *wire.Agent, from wire.Place, call wire.Call) (e edit, done bool, err error) {
	if e, err = readEdit(from.File); err != nil || e.missing {
		return e, false, err
	}
	found, err := a.Find(e.before, from.Scope)
	if err != nil {
		return e, false, inSettings(a, from.File, err)
	}
	if parsed, ok := firstCall(found); ok && !job.shared && parsed.Program == hookName && parsed.Observe == call.Observe {
		call.Program = hookName
		again, err := a.Wire(e.before, from.Scope, call)
		_, missing := exec.LookPath(hookName)
		return e, err == nil && missing == nil && bytes.Equal(again, e.before), err
	}
	e.after, err = a.Unwire(e.before, from.Scope)
	return e, false, err
}

func firstCall(found []wire.Hook) (wire.Call, bool) {
	if len(found) == 0 {
		return wire.Call{}, false
	}
	return wire.ParseCall(found[0].Command)
}

// inSettings says what is wrong with the settings of an agent, and where.
func inSettings(a *wire.Agent, name string, err error) error {
	hint := "mend it, for " + a.Title + " does not read it either"
	if a.Name == "claude" {
		hint += ": it is plain JSON, without comments and without a comma behind the last entry"
	}
	return &hintedError{inFile(name, err).Error(), hint}
}

// undoing says which files change to be as if init had not been.
func (job *initJob) undoing(a *wire.Agent) ([]edit, error) {
	var edits []edit
	scopes := []wire.Scope{job.scope(a)}
	if scopes[0] == wire.Local {
		scopes = append(scopes, wire.Shared)
	}
	for _, at := range a.Places(job.at) {
		if !slices.Contains(scopes, at.Scope) {
			continue
		}
		e, err := readEdit(at.File)
		if err != nil {
			return nil, err
		}
		if !e.missing {
			before, known := job.kept.before(e)
			older, _ := a.Find(before, at.Scope) // hooks of an older version go, too
			if e.after = before; !known || len(older) > 0 {
				if e.after, err = a.Unwire(e.before, at.Scope); err != nil {
					return nil, inSettings(a, at.File, err)
				}
			}
			edits = append(edits, e)
		}
		if a.Name == "codex" && at.Scope != wire.Managed {
			if edits, err = job.untrusting(edits); err != nil {
				return nil, err
			}
		}
	}
	return edits, nil
}

// untrusting takes back that Codex trusts its hooks.
func (job *initJob) untrusting(edits []edit) ([]edit, error) {
	edits, err := job.trusting(edits, wire.Place{}, nil)
	if err != nil {
		return nil, err
	}
	e := &edits[len(edits)-1]
	if before, known := job.kept.before(*e); known && !e.missing {
		e.after = before
	}
	if e.missing {
		edits = edits[:len(edits)-1]
	}
	return edits, nil
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
