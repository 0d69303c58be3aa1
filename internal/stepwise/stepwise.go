// Package stepwise runs a shell script command by command. The interpreter of the
// parser library expands variables, runs loops and functions and keeps its own state;
// whenever a command would be started, a file opened or a folder listed, it is put to
// somebody who decides it with its real words at that moment, and runs it.
//
// The interpreter itself runs nothing and opens nothing: what is allowed is started by
// [Steps], and files are opened as [Files] says. It works on Linux only.
package stepwise

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// A Script is what is run.
type Script struct {
	Text    string
	Name    string   // for messages; empty: it has none
	Params  []string // $1, $2 …
	Options []string // as a shell has them: -e, -u, -o pipefail

	Dir string
	Env []string // NAME=VALUE, all of them exported

	Stdin          *os.File // nil: nothing
	Stdout, Stderr io.Writer

	Memory uint64 // bytes that this process may use meanwhile; 0: half a gigabyte

	Steps Steps
	Files Files
}

// A Command is a program that a script wants to start.
type Command struct {
	Argv []string
	Set  []string // variables that the script has set for it, NAME=VALUE
	Env  []string // all of its variables
	Dir  string
	Line uint // of the script; 0: not known

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// An Action is what the shell itself does, as a command line.
type Action struct {
	Text string
	Dir  string
	Line uint
}

// Steps decide and run what a script wants. An error ends the script. They are used
// from several goroutines: a pipe has several commands at once.
type Steps interface {
	// Run decides a command, runs it, and returns its exit status.
	Run(ctx context.Context, c Command) (status int, err error)

	// Allow decides what the shell itself does.
	Allow(ctx context.Context, a Action) error

	// Turn waits while somebody is asked: what the shell writes meanwhile could be
	// taken for a part of the question.
	Turn(ctx context.Context)
}

// Run runs the script to its end, and returns its exit status. Commands that it has
// left running are ended.
func (s *Script) Run(ctx context.Context) (status int, err error) {
	file, err := s.parse()
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	jobs := &run{s: s, stop: stop, initial: map[string]string{}, seen: map[Action]bool{}, declared: declared(file)}
	defer jobs.wait()
	defer stop()
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		jobs.initial[name] = value
	}
	runner, err := jobs.runner()
	if err != nil {
		return 0, err
	}
	if err := jobs.prelude(ctx, runner); err != nil {
		return 0, err
	}
	go jobs.watch(ctx, cmp.Or(s.Memory, mostMemory))
	err = runner.Run(ctx, apart(file))
	var exit interp.ExitStatus
	switch failed := jobs.failed(); {
	case failed != nil: // somewhere, maybe in the background
		return 0, failed
	case errors.As(err, &exit):
		return int(exit), nil
	case err != nil:
		return 0, err
	}
	return 0, nil
}

// parse reads the script, and says what the interpreter could not do.
func (s *Script) parse() (*syntax.File, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s.Text), s.Name)
	if err != nil {
		return nil, &UnsupportedError{What: err.Error()}
	}
	if err := supported(file); err != nil {
		return nil, err
	}
	return file, nil
}

// Check says what is wrong with a script before anything of it is run.
func (s *Script) Check() error {
	_, err := s.parse()
	return err
}

// A run is one run of a script.
type run struct {
	s        *Script
	initial  map[string]string
	declared map[string]bool // functions

	stop context.CancelFunc

	mu     sync.Mutex
	err    error           // why the script was ended
	seen   map[Action]bool // what is allowed for this script
	active sync.WaitGroup  // commands that run
}

// fail ends the script, wherever in it something has failed.
func (r *run) fail(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop()
	return r.err
}

func (r *run) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// wait waits until no command runs any more.
func (r *run) wait() { r.active.Wait() }

func (r *run) runner() (*interp.Runner, error) {
	// What has the name of a named pipe of the interpreter is opened without asking
	// anybody. So these are in a folder that nobody can make or guess.
	hidden := "TMPDIR=/proc/sayso-" + rand.Text()
	env := slices.DeleteFunc(slices.Clone(r.s.Env), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
	options := []interp.RunnerOption{
		interp.Env(expand.ListEnviron(append(env, hidden)...)), interp.Dir(r.s.Dir),
		interp.StdIO(stdin(r.s.Stdin), r.s.Stdout, r.s.Stderr),
		interp.CallHandler(r.call), interp.OpenHandler(r.open), interp.ReadDirHandler2(r.readDir), interp.StatHandler(r.stat), interp.AccessHandler(r.access),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return r.exec }),
	}
	if len(r.s.Options)+len(r.s.Params) > 0 {
		options = append(options, interp.Params(slices.Concat(r.s.Options, []string{"--"}, r.s.Params)...))
	}
	runner, err := interp.New(options...)
	if err != nil {
		return nil, fmt.Errorf("the interpreter: %w", err)
	}
	return runner, nil
}

// prelude gives TMPDIR the value that it has for the script.
func (r *run) prelude(ctx context.Context, runner *interp.Runner) error {
	text := "unset TMPDIR"
	if dir, ok := r.initial["TMPDIR"]; ok {
		quoted, err := syntax.Quote(dir, syntax.LangBash)
		if err != nil {
			return err
		}
		text = "TMPDIR=" + quoted
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return err
	}
	for _, stmt := range file.Stmts {
		if err := runner.Run(ctx, stmt); err != nil {
			return err
		}
	}
	return nil
}

// stdin is nothing if there is none.
func stdin(f *os.File) io.Reader {
	if f == nil {
		return nil
	}
	return f
}
