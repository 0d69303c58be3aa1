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
		if last, ok := refused.Load(p.PID); ok && slices.Equal(last.([]string), p.Argv) { //nolint:forcetypeassert // nothing else is in it
			return errRefused
		}
		call := from
		call.ID, call.Tool, call.Input = rand.Text(), "bash", commandInput(commandLine(started(p)))
		if filepath.IsAbs(p.Dir) {
			call.Dir = p.Dir
		}
		line := shell.Shown(commandLine(started(p)))
		d, err := o.program(ctx, call, line, std)
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
func (o *runOptions) program(ctx context.Context, call sayso.Call, line string, std IO) (sayso.Decision, error) {
	policy := &o.plain
	mode := modeName(policy.mode, policy.engine.Preset)
	d := policy.engine.Check(ctx, call, sayso.Session{ID: call.Session, Now: time.Now(), Mode: mode, Surface: policy.surface, Grants: policy.grants})
	if o.ask.session == "" { // else its mode and memory count, too
		switch {
		case d.Effect == sayso.Allow, d.Effect == sayso.Ask && slices.Contains(unknowable, d.Code):
			return d, nil
		case d.Effect != sayso.Ask:
			return d, errors.New(d.Reason)
		}
	}
	how := o.ask
	how.away = "it wants to run " + line
	_, d, err := how.authorize(ctx, call, policy, std)
	if err == nil && d.Effect != sayso.Allow {
		err = errors.New(d.Reason)
	}
	return d, err
}

// started are the words of a command: the program as it is found, and its arguments.
// A program that is many finds out by its name which one it is to be.
func started(p sandbox.Program) []string {
	words := []string{p.File}
	if name := filepath.Base(p.File); len(p.Argv) > 0 && slices.Contains(manyTools, name) && filepath.Base(p.Argv[0]) != name {
		words = append(words, filepath.Base(p.Argv[0]))
	}
	if len(p.Argv) > 0 {
		words = append(words, p.Argv[1:]...)
	}
	if !strings.Contains(p.File, "/") { // it is in the folder that the process is in, and not looked for
		words[0] = "./" + p.File
	}
	if p.Real != "" && filepath.Base(p.Real) == filepath.Base(p.File) { // else its name may say what it is to do
		words[0] = p.Real
	}
	return words
}

// manyTools are programs that are many.
var manyTools = []string{"busybox", "toybox", "coreutils"}
