package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/stepwise"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

// read is the script with all that it needs.
func (s *stepper) read() *stepwise.Script {
	script := &stepwise.Script{Text: s.o.script, Params: s.o.params, Options: s.o.shellOptions, Dir: s.script.Dir, Steps: s}
	if in, ok := s.std.In.(*os.File); ok {
		script.Stdin = in
	}
	return script
}

// stepLetters are the options of a shell that the interpreter knows, beside -c.
const stepLetters = "aefnux"

// stepScript takes what a shell is called with, for a script that is run step by step.
func (o *runOptions) stepScript(args []string, std IO) error {
	withScript, i := false, 0
	for ; i < len(args) && len(args[i]) > 1 && (args[i][0] == '-' || args[i][0] == '+') && args[i] != "--"; i++ {
		letters := args[i][1:]
		if args[i][0] == '-' && strings.Contains(letters, "c") {
			withScript, letters = true, strings.ReplaceAll(letters, "c", "")
		}
		named := strings.HasSuffix(letters, "o")
		if letters = strings.TrimSuffix(letters, "o"); strings.Trim(letters, stepLetters) != "" {
			return &usageError{"--stepwise does not know the option " + args[i] + " of a shell", "of those with a letter it knows -c, -o and any of -" + stepLetters}
		}
		for _, l := range letters {
			o.shellOptions = append(o.shellOptions, args[i][:1]+string(l))
		}
		if named && i+1 < len(args) {
			i++
			o.shellOptions = append(o.shellOptions, args[i-1][:1]+"o", args[i])
		}
	}
	rest := args[i:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 || withScript && strings.TrimSpace(rest[0]) == "":
		return &usageError{"sh wants -c and a script, or a file", "what is typed or piped into a shell is not decided: sayso sh -c 'git status'"}
	case withScript:
		o.script = rest[0]
		rest = rest[1:]
	default:
		text, err := local.Machine{}.ReadFile(rest[0], shell.MaxLength)
		if err != nil {
			return o.failed(fmt.Errorf("read the script: %w", err), std)
		}
		o.script = string(text)
	}
	if len(rest) > 0 {
		o.params = rest[1:] // the first one is the name of the script
	}
	return nil
}

// step is the call of a step, which belongs to the script.
func (s *stepper) step(text, dir string) sayso.Call {
	call := s.script
	call.Tool, call.Input, call.Dir = "bash", commandInput(text), dir
	s.mu.Lock()
	defer s.mu.Unlock()
	call.ID = fmt.Sprintf("%s.%d", s.script.ID, len(s.steps)+1)
	s.steps = append(s.steps, stepJSON{ID: call.ID})
	return call
}

// note keeps what is known of a step.
func (s *stepper) note(id string, set func(*stepJSON)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.steps, func(o stepJSON) bool { return o.ID == id }); i >= 0 {
		set(&s.steps[i])
	}
}

// decide decides one step: of a command, which gets signals, or of what the shell
// itself does.
func (s *stepper) decide(ctx context.Context, text string, line uint, c *stepwise.Command, signals chan os.Signal) (sayso.Call, sayso.Permit, error) {
	s.one.Lock()
	defer s.one.Unlock()
	if err := ctx.Err(); err != nil {
		return sayso.Call{}, sayso.Permit{}, err
	}
	if !utf8.ValidString(text + c.Dir) { // what is decided would not be what runs
		return sayso.Call{}, sayso.Permit{}, &stepError{text, line, sayso.Decision{Code: sayso.CodePolicy, Reason: "it has bytes that are no text, and cannot be decided"}}
	}
	call := s.step(text, c.Dir)
	s.current = c
	permit, d, err := s.engine.Authorize(ctx, call)
	s.current = nil
	s.note(call.ID, func(one *stepJSON) {
		one.Text, one.Line, one.Effect, one.Code, one.Reason = text, line, d.Effect, d.Code, d.Reason
	})
	if s.o.explain {
		printf(s.std.Err, "sayso: line %d: %s: %s: %s (%s)\n", line, text, d.Effect, d.Reason, string(d.Code))
	}
	switch {
	case err != nil:
		return call, permit, err
	case s.asker.interrupted:
		return call, permit, errors.New("interrupted")
	case d.Effect != sayso.Allow:
		return call, permit, &stepError{text, line, d}
	}
	if signals != nil { // before the next question can be asked
		s.mu.Lock()
		s.running[signals] = true
		s.mu.Unlock()
	}
	return call, permit, nil
}

// Turn waits while somebody is asked.
func (s *stepper) Turn(context.Context) {
	s.one.Lock()
	defer s.one.Unlock() // whoever asks has it
}

// busy reports whether another command of the script runs: it could write over the
// question, and read the answer.
func (s *stepper) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running) > 0
}

// Allow decides what the shell itself does.
func (s *stepper) Allow(ctx context.Context, a stepwise.Action) error {
	_, _, err := s.decide(ctx, a.Text, a.Line, &stepwise.Command{Argv: []string{"sh", "-c", a.Text}, Dir: a.Dir}, nil)
	return err
}

// Run decides a command with the words that it has, and runs these words.
func (s *stepper) Run(ctx context.Context, c stepwise.Command) (int, error) {
	signals := make(chan os.Signal, 8)
	call, permit, err := s.decide(ctx, stepwise.Line(c.Set, c.Argv), c.Line, &c, signals)
	if err != nil {
		return 0, err
	}
	ask, tell, left := s.o.connections(call, &s.engine, s.std)
	var contract *sayso.Contract
	guard, began := s.o.guard.Load(), time.Now()
	result, made, err := sandbox.Run(ctx, permit, sandbox.Options{
		Connect: ask, Connected: tell, Resolve: s.std.Resolve, Dial: s.std.Dial,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, Terminal: s.o.terminal, Signals: signals, Temp: s.temp, State: stateFolder(), Exec: s.o.supervisor(call, &s.engine, s.std),
		Before: func(terms sayso.Contract, r sandbox.Report) error {
			contract = &terms
			note := fmt.Sprintf("line %d of its script, %s", c.Line, held(r))
			return s.engine.Note(ctx, call, sayso.Record{Kind: sayso.RecordRun, Contract: terms.Hash(), Terms: &terms, Note: note})
		},
	})
	result.Made = append(result.Made, newParts(contract, guard, began)...)
	s.mu.Lock()
	delete(s.running, signals)
	if result.Signal == int(syscall.SIGINT) && s.ended == 0 && s.o.terminal {
		s.ended = syscall.SIGINT // as a shell does
	}
	over := s.ended != 0
	s.mu.Unlock()
	more := ""
	if n := left(); n > 0 {
		more = fmt.Sprintf("; %d more connections", n)
	}
	status, err := s.ran(ctx, call, &c, ranStep{result, made, more, err})
	if err == nil && over {
		err = errors.New("ended by a signal")
	}
	return status, err
}

// A ranStep is how the command of a step ended.
type ranStep struct {
	sandbox.Result
	made sandbox.Report
	more string // to be noted
	err  error
}

// ran records how a command ended, and says what that means for the script.
func (s *stepper) ran(ctx context.Context, call sayso.Call, c *stepwise.Command, result ranStep) (int, error) {
	status, err := result.Exit, result.err
	switch {
	case errors.Is(err, sandbox.ErrNotFound):
		status = exitNotFound
	case errors.Is(err, sandbox.ErrCannotRun):
		status = exitNotAllowed
	}
	record := sayso.Result{Ran: result.Ran, Exit: status, Duration: result.Duration, Output: result.Output, Error: result.Ended}
	if err != nil {
		record.Error = err.Error()
	}
	note := held(result.made) + result.more + madeNote(result.Result)
	s.note(call.ID, func(one *stepJSON) { one.Exit, one.Held = &status, note })
	if noted := s.engine.Note(context.WithoutCancel(ctx), call, sayso.Record{Kind: sayso.RecordResult, Result: &record, Note: note}); noted != nil {
		return status, noted
	}
	tellMade(result.Result, s.std)
	switch {
	case status == exitNotFound && err != nil:
		printf(c.Stderr, "sayso: %s: command not found\n", c.Argv[0])
		return status, nil
	case errors.Is(err, sandbox.ErrCannotRun):
		printf(c.Stderr, "sayso: %s: %v\n", c.Argv[0], err)
		return status, nil
	case err != nil:
		return status, err
	case result.Ended != "":
		return status, errors.New("it was ended: " + result.Ended)
	}
	return status, nil
}

// stepGrants are those that count under the policy, and what people have granted to
// earlier steps.
type stepGrants struct {
	keeping
	more store.Memory
}

// Grants returns what counts for a call.
func (g *stepGrants) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	list, err := g.keeping.Grants(ctx, session, root)
	if err != nil {
		return nil, err
	}
	more, err := g.more.Grants(ctx, session, root)
	return append(slices.Clone(list), more...), err
}

// AddGrant keeps a grant, for this script and for those after it.
func (g *stepGrants) AddGrant(ctx context.Context, session, root string, one sayso.Grant) error {
	if err := g.keeping.AddGrant(ctx, session, root, one); err != nil {
		return err
	}
	return g.more.AddGrant(ctx, session, root, one)
}

// A sharedMachine shows files as the steps see them: what is in /tmp is elsewhere.
type sharedMachine struct {
	machine
	temp string
}

// at is where what steps see at a path is.
func (m sharedMachine) at(name string) string {
	for _, dir := range []string{"/tmp/", "/var/tmp/"} {
		if m.temp != "" && strings.HasPrefix(name, dir) && !strings.HasPrefix(name, m.temp) {
			if _, err := os.Lstat(m.temp + name); err == nil {
				return m.temp + name
			}
		}
	}
	return name
}

func (m sharedMachine) Lstat(name string) (shell.Entry, error) { return m.machine.Lstat(m.at(name)) }

func (m sharedMachine) ReadFile(name string, most int) ([]byte, error) {
	return m.machine.ReadFile(m.at(name), most)
}

func (m sharedMachine) ReadDir(name string, most int) ([]shell.Child, error) {
	return m.machine.ReadDir(m.at(name), most)
}

func (m sharedMachine) Start(name string, n int) ([]byte, error) {
	return m.machine.Start(m.at(name), n)
}

// together lets several commands write to one place.
type together struct {
	mu sync.Mutex
	to io.Writer
}

func (t *together) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.to.Write(p)
}
