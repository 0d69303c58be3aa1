package cli

import (
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

// programs decides about every program that a command starts, by the same policy as
// everything else, and records each decision.
func (o *runOptions) programs(from sayso.Call, e *sayso.Engine, std IO) func(context.Context, sandbox.Program) error {
	var refused sync.Map // the last that a process was not allowed to start: shells try it under several names
	return func(ctx context.Context, p sandbox.Program) error {
		if last, ok := refused.Load(p.PID); ok && p.Unread == nil && slices.Equal(last.([]string), p.Argv) { //nolint:forcetypeassert // nothing else is in it
			return errRefused
		}
		call := from
		call.ID, call.Tool = rand.Text(), "bash"
		if filepath.IsAbs(p.Dir) {
			call.Dir = p.Dir
		}
		line, d, err := o.program(ctx, call, p, std)
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

// errRefused says that it was not allowed before.
var errRefused = errors.New("it was not allowed")

// unknowable are why something is asked about that only cannot be known: nothing is
// known of the program, or not everything that it does.
var unknowable = []sayso.Code{"mode.unknown", "safety.opaque"}

// program decides about a program. What only cannot be known is part of the command
// that was allowed to start it: it is confined as that is, what it starts is decided in
// its turn, and a build has many of these.
func (o *runOptions) program(ctx context.Context, call sayso.Call, p sandbox.Program, std IO) (line string, d sayso.Decision, err error) {
	if p.Unread != nil {
		d = sayso.Decision{Effect: sayso.Deny, Code: sayso.CodeInput, Reason: "what it is started with cannot be read: " + p.Unread.Error()}
		return shell.Shown(commandLine([]string{p.File})), d, p.Unread
	}
	policy := &o.plain
	words, d := o.byName(ctx, call, p)
	call.Input, line = commandInput(commandLine(words)), shell.Shown(commandLine(words))
	if o.ask.session == "" { // else its mode and memory count, too
		switch {
		case d.Effect == sayso.Allow, d.Effect == sayso.Ask && slices.Contains(unknowable, d.Code):
			return line, d, nil
		case d.Effect != sayso.Ask:
			return line, d, errors.New(d.Reason)
		}
	}
	how := o.ask
	how.away = "it wants to run " + line
	_, d, err = how.authorize(ctx, call, policy, std)
	if err == nil && d.Effect != sayso.Allow {
		err = errors.New(d.Reason)
	}
	return line, d, err
}

// byName finds the name of a program that decides: the first that somebody has allowed,
// or that is not let through, and else the one that it was started with. So a link is no
// other name for what may not be started.
func (o *runOptions) byName(ctx context.Context, call sayso.Call, p sandbox.Program) (words []string, d sayso.Decision) {
	policy := &o.plain
	session := sayso.Session{ID: call.Session, Now: time.Now(), Mode: modeName(policy.mode, policy.engine.Preset), Surface: policy.surface, Grants: policy.grants}
	for i, name := range started(p) {
		call.Input = commandInput(commandLine(name))
		one := policy.engine.Check(ctx, call, session)
		through := one.Effect == sayso.Allow || one.Effect == sayso.Ask && slices.Contains(unknowable, one.Code)
		if i == 0 {
			words, d = name, one
		}
		switch {
		case !through:
			return name, one
		case one.Code == sayso.CodeAllowRule, one.Code == sayso.CodeGrant:
			return words, d
		}
	}
	return words, d
}

// started are the words of a command: the program as it is named, and its arguments;
// then the same with the file that the name leads to, and with the name that it is told
// for itself, where these are others. A program that is many finds out by its name which
// one it is to be.
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
	return out
}

// manyTools are programs that are many.
var manyTools = []string{"busybox", "toybox", "coreutils"}
