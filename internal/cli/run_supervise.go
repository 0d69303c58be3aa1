package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
)

// setPrograms is the option --supervise.
func (o *runOptions) setPrograms(value string) error {
	switch value {
	case "true":
		o.programs = "decided"
	case "strict":
		o.programs = value
	case "false":
		o.programs = ""
	default:
		return errors.New("want --supervise or --supervise=strict")
	}
	return nil
}

// supervisor decides about every program that a command starts, by the same policy as
// everything else, and records each decision; nil: nobody looks.
func (o *runOptions) supervisor(from sayso.Call, e *sayso.Engine, std IO) func(context.Context, sandbox.Program) error {
	if o.programs == "" || o.programs == "open" {
		return nil
	}
	var refused sync.Map // the last that a process was not allowed to start: shells try it under several names
	known := &answers{}
	return func(ctx context.Context, p sandbox.Program) error {
		if last, ok := refused.Load(p.PID); ok && p.Unread == nil && slices.Equal(last.([]string), p.Argv) { //nolint:forcetypeassert // nothing else is in it
			return errRefused
		}
		call := from
		call.ID, call.Tool = rand.Text(), "bash"
		if filepath.IsAbs(p.Dir) {
			call.Dir = p.Dir
		}
		line, d, err := o.program(ctx, call, p, known, std)
		note := "started: "
		if err != nil {
			note = "not started: "
			refused.Store(p.PID, p.Argv)
			printf(std.Err, "sayso: not allowed inside: %s: %s (%s)\n", line, d.Reason, d.Code)
		}
		record := sayso.Record{Kind: sayso.RecordExec, Note: note + line + ": " + d.Reason + " (" + string(d.Code) + ")"}
		if noted := e.Note(ctx, from, record); noted != nil {
			return errors.Join(err, noted) // what cannot be recorded is not started
		}
		return err
	}
}

// answers are those that count until a command has ended.
type answers struct {
	mu  sync.Mutex
	all map[string]func() (sayso.Decision, error)
}

// once asks for the first with a key, and gives all others the same answer, also those
// that come while it is asked.
func (a *answers) once(key string, ask func() (sayso.Decision, error)) (sayso.Decision, error) {
	a.mu.Lock()
	if a.all == nil {
		a.all = map[string]func() (sayso.Decision, error){}
	}
	answer := a.all[key]
	if answer == nil {
		answer = sync.OnceValues(ask)
		a.all[key] = answer
	}
	a.mu.Unlock()
	return answer()
}

// errRefused says that it was not allowed before.
var errRefused = errors.New("it was not allowed")

// unknowable are why something is asked about that only cannot be known: nothing is
// known of the program, or not everything that it does.
var unknowable = []sayso.Code{"mode.unknown", "safety.opaque"}

// program decides about a program. What only cannot be known is part of the command
// that was allowed to start it: it is confined as that is, what it starts is decided in
// its turn, and a build has many of these. Who wants to be strict is asked about each of
// them once.
func (o *runOptions) program(ctx context.Context, call sayso.Call, p sandbox.Program, known *answers, std IO) (line string, d sayso.Decision, err error) {
	if p.Unread != nil {
		d = sayso.Decision{Effect: sayso.Deny, Code: sayso.CodeInput, Reason: "what it is started with cannot be read: " + p.Unread.Error()}
		return shell.Shown(commandLine([]string{p.File})), d, p.Unread
	}
	words, d := o.byName(ctx, call, p)
	call.Input, line = commandInput(commandLine(words)), shell.Shown(commandLine(words))
	if o.ask.session != "" { // its mode and memory count, too
		if d, err = o.considered(ctx, call, std); err != nil {
			return line, d, err
		}
	}
	ask := func() (sayso.Decision, error) {
		how := o.ask
		how.away = "it wants to run " + line
		_, d, err := how.authorize(ctx, call, &o.plain, std)
		if err == nil && d.Effect != sayso.Allow {
			err = errors.New(d.Reason)
		}
		return d, err
	}
	switch {
	case o.lets(d):
		return line, d, nil
	case d.Effect != sayso.Ask:
		return line, d, errors.New(d.Reason)
	case !slices.Contains(unknowable, d.Code):
		d, err = ask()
	case isShell(p): // what is not known of it are programs, which are decided in their turn
		return line, d, nil
	case o.stranger(ctx, call, words[0]): // whatever it is told to do, nothing is known of it
		d, err = known.once(cmp.Or(p.Real, p.File), ask)
	default:
		d, err = known.once(line, ask)
	}
	return line, d, err
}

// isShell reports whether a program is a shell.
func isShell(p sandbox.Program) bool {
	return slices.Contains(shells, filepath.Base(cmp.Or(p.Real, p.File)))
}

// stranger reports whether nothing is known of a program, without any arguments either.
func (o *runOptions) stranger(ctx context.Context, call sayso.Call, name string) bool {
	call.Input = commandInput(commandLine([]string{name}))
	policy := &o.plain
	d := policy.engine.Check(ctx, call, o.session(call))
	return d.Effect == sayso.Ask && d.Code == unknowable[0]
}

// session is one that knows nothing of calls before.
func (o *runOptions) session(call sayso.Call) sayso.Session {
	policy := &o.plain
	return sayso.Session{ID: call.Session, Now: time.Now(), Mode: modeName(policy.mode, policy.engine.Preset), Surface: policy.surface, Grants: policy.grants}
}

// lets reports whether a program is started without asking anybody.
func (o *runOptions) lets(d sayso.Decision) bool {
	return d.Effect == sayso.Allow || d.Effect == sayso.Ask && o.programs != "strict" && slices.Contains(unknowable, d.Code)
}

// considered is what is decided about a call in its session, without asking anybody.
func (o *runOptions) considered(ctx context.Context, call sayso.Call, std IO) (sayso.Decision, error) {
	_, d, err := o.ask.permitted(ctx, call, &o.plain, std, func(ctx context.Context, e *sayso.Engine) (sayso.Permit, sayso.Decision, error) {
		d, err := e.Consider(ctx, call)
		return sayso.Permit{}, d, err
	})
	return d, err
}

// byName finds the name of a program that decides: the first that somebody has allowed,
// or that is not let through, and else the one that it was started with. So a link is no
// other name for what may not be started.
func (o *runOptions) byName(ctx context.Context, call sayso.Call, p sandbox.Program) (words []string, d sayso.Decision) {
	policy := &o.plain
	session := o.session(call)
	for i, name := range started(p) {
		call.Input = commandInput(commandLine(name))
		one := policy.engine.Check(ctx, call, session)
		if i == 0 {
			words, d = name, one
		}
		switch {
		case !o.lets(one):
			return name, one
		case one.Code == sayso.CodeAllowRule, one.Code == sayso.CodeGrant:
			return words, d
		}
	}
	return words, d
}

// started are the words of a command: the program as it is named, and its arguments;
// then the same with the file that the name leads to, and with the name that it is told
// for itself, where these are others; and for a script what the kernel starts in its
// place. A program that is many finds out by its name which one it is to be.
func started(p sandbox.Program) [][]string {
	var told string
	var rest []string
	if len(p.Argv) > 0 {
		told, rest = filepath.Base(p.Argv[0]), p.Argv[1:]
	}
	first := p.File
	if !strings.Contains(first, "/") { // it is in the folder that the process is in, and not looked for
		first = "./" + first
	}
	name := filepath.Base(p.File)
	if p.Real != "" && filepath.Base(p.Real) == name { // else its name may say what it is to do
		first = p.Real
	}
	if slices.Contains(manyTools, name) && told != "" && told != name {
		return [][]string{slices.Concat([]string{first, told}, rest)}
	}
	out := [][]string{slices.Concat([]string{first}, rest)}
	if p.Real != "" && p.Real != first {
		out = append(out, slices.Concat([]string{p.Real}, rest))
	}
	if told != "" && told != name && told != filepath.Base(p.Real) {
		out = append(out, slices.Concat([]string{told}, rest))
	}
	if len(p.By) > 0 && !slices.Contains(starters, filepath.Base(p.By[0])) {
		out = append(out, slices.Concat(p.By, []string{first}, rest))
	}
	return out
}

// starters are programs that run scripts, and of which nothing has to be known: what
// they start is decided in its turn.
var starters = append([]string{"env"}, shells...)

// manyTools are programs that are many.
var manyTools = []string{"busybox", "toybox", "coreutils"}
