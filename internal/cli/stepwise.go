package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/stepwise"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/store"
)

// A stepper decides and runs the commands of a script, each when it is about to run.
type stepper struct {
	o      *runOptions
	std    IO
	script sayso.Call
	engine sayso.Engine // asks, records and remembers
	asker  *asker
	temp   string // what all commands see as /tmp

	one     sync.Mutex        // one question at a time
	current *stepwise.Command // that is being decided

	mu      sync.Mutex
	steps   []stepJSON
	running map[chan os.Signal]bool
	ended   syscall.Signal // that has ended the script; 0: none
	stop    context.CancelFunc
}

// stepJSON is a step, for programs.
type stepJSON struct {
	ID     string       `json:"id"`
	Line   uint         `json:"line,omitempty"` // of the script
	Text   string       `json:"text"`
	Effect sayso.Effect `json:"effect"`
	Code   sayso.Code   `json:"code,omitempty"`
	Reason string       `json:"reason,omitempty"`
	Exit   *int         `json:"exit,omitempty"` // of a command that ran
	Held   string       `json:"held,omitempty"` // what was enforced
}

// stepsJSON is all that is known of a script, for programs.
type stepsJSON struct {
	Decision any        `json:"decision"`
	Steps    []stepJSON `json:"steps"`
	Exit     int        `json:"exit"`
	Stdout   string     `json:"stdout,omitempty"`
	Stderr   string     `json:"stderr,omitempty"`
	Error    string     `json:"error,omitempty"`
}

// A stepError says that a step was not allowed, which ends the script.
type stepError struct {
	text string
	line uint
	d    sayso.Decision
}

func (e *stepError) Error() string {
	where := ""
	if e.line > 0 {
		where = fmt.Sprintf("line %d: ", e.line)
	}
	return fmt.Sprintf("%s%s: %s (%s)", where, e.text, e.d.Reason, e.d.Code)
}

// mostStack is how much of the stack a script can use. What is nested deeper ends
// sayso, and with it all that it has started.
const mostStack = 256 << 20

// stepped runs a script command by command.
func (o *runOptions) stepped(call sayso.Call, policy *loaded, std IO) error {
	s := &stepper{o: o, std: std, script: call, running: map[chan os.Signal]bool{}}
	script := s.read()
	if err := script.Check(); err != nil {
		return o.failed(&hintedError{err.Error(), "without --stepwise, the shell itself runs it"}, std)
	}
	debug.SetMaxStack(mostStack)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if o.timeout > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, o.timeout)
		defer end()
	}
	s.stop = stop
	defer s.listen()()
	err := atDeskIn(ctx, std.key(nil), func(ctx context.Context, d *manage.Desk) error {
		return s.inside(ctx, d, policy, script)
	})
	var status statusError
	if err == nil || errors.As(err, &status) {
		return err
	}
	return o.failed(err, std)
}

// inside runs the script, with what sayso remembers.
func (s *stepper) inside(ctx context.Context, d *manage.Desk, policy *loaded, script *stepwise.Script) error {
	dir, err := s.place()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in a folder for temporary files
	s.engaged(d, policy)
	defer s.asker.close()
	if err := s.engine.Sessions.Update(ctx, s.script.Session, func(st *sayso.SessionState) error {
		st.Surface = policy.surface
		return nil
	}); err != nil {
		return err
	}
	decision, err := s.engine.Consider(ctx, s.script)
	if err != nil {
		return err
	}
	if decision.Effect == sayso.Deny {
		return s.o.refused(s.script, decision, s.std)
	}
	facts := s.engine.Analyzer.Analyze(s.script)
	contract := s.engine.Contract(s.script, facts)
	tellOpen(s.o.guard.Load().report(), s.std)
	script.Env = sandbox.Variables(contract)
	script.Files = stepwise.Files{Read: contract.Read, Hidden: contract.Hidden, Write: contract.Write, Protected: slices.Concat(contract.Protected, sandbox.There(contract)), Barred: contract.Bars, Temp: s.temp}
	var outs [2]bytes.Buffer
	script.Stdout, script.Stderr = s.std.Out, s.std.Err
	if s.o.asJSON {
		script.Stdout, script.Stderr = &together{to: &outs[0]}, &together{to: &outs[1]}
	}
	if err := s.engine.Note(ctx, s.script, sayso.Record{Kind: sayso.RecordRun, Note: "stepwise"}); err != nil {
		return err
	}
	exit, err := script.Run(ctx)
	return s.finish(ctx, stepsJSON{Decision: decisionJSON(s.script, decision), Exit: exit, Stdout: outs[0].String(), Stderr: outs[1].String()}, err)
}

// engaged is an engine that asks and records as this machine does, for all steps.
func (s *stepper) engaged(d *manage.Desk, policy *loaded) {
	e := policy.engine
	e.Journal, e.Grants = d.Journal, &stepGrants{keeping: keeping{e.Grants, d.Grants}}
	e.Sessions = &store.Memory{} // a no counts for this script only
	if s.o.ask.session != "" {
		e.Sessions = homeSessions{}
	}
	s.asker = &asker{o: &s.o.ask, desk: d, policy: policy, std: s.std, busy: s.busy}
	e.Approver = s.asker.approver()
	e.Analyzer.Machine = sharedMachine{machine{}, s.temp}
	terms := e.Contract
	e.Contract = func(call sayso.Call, facts *sayso.Facts) sayso.Contract { return s.terms(terms(call, facts)) }
	s.engine = e
}

// terms is the contract of the step that is being decided.
func (s *stepper) terms(c sayso.Contract) sayso.Contract {
	if s.current == nil {
		return c // of the script
	}
	c.Argv, c.Script, c.Shell = s.current.Argv, "", ""
	c.Env, c.Inherit = map[string]string{}, nil
	for _, v := range s.current.Env {
		name, value, _ := strings.Cut(v, "=")
		if given, ok := os.LookupEnv(name); ok && given == value {
			c.Inherit = append(c.Inherit, name)
		} else if !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) {
			c.Env[name] = value
		}
	}
	return c
}

// place makes the folders for temporary files that all steps share. With a limit of
// memory, each has its own.
func (s *stepper) place() (dir string, err error) {
	if s.o.memory > 0 {
		return "", nil
	}
	base := "/var/tmp"
	if !isDir(base) {
		base = os.TempDir()
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return "", err
	}
	if s.temp, err = os.MkdirTemp(base, "sayso-steps-"); err != nil {
		return "", err
	}
	return s.temp, errors.Join(os.MkdirAll(s.temp+"/tmp", 0o700), os.MkdirAll(s.temp+"/var/tmp", 0o700))
}

// finish records how the script ended, and chooses the exit code.
func (s *stepper) finish(ctx context.Context, told stepsJSON, err error) error {
	record := sayso.Result{Ran: true, Exit: told.Exit}
	var denied *stepError
	status := statusError(told.Exit)
	switch {
	case s.signalled() != 0:
		status = statusError(128 + int(s.signalled()))
	case errors.As(err, &denied):
		status = exitNotAllowed
	case s.asker.interrupted:
		status = exitInterrupted
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		status, err = exitTimeout, fmt.Errorf("its time of %s was over", s.o.timeout)
	case err != nil:
		status = exitFailed
	}
	record.Exit = int(status)
	if err != nil && s.signalled() == 0 {
		record.Error, told.Error = err.Error(), err.Error()
	}
	note := fmt.Sprintf("%d steps", len(s.steps))
	if noted := s.engine.Note(context.WithoutCancel(ctx), s.script, sayso.Record{Kind: sayso.RecordResult, Result: &record, Note: note}); noted != nil {
		printf(s.std.Err, "sayso: error: the result could not be recorded: %v\n", noted)
	}
	told.Exit, told.Steps = int(status), s.steps
	if s.o.asJSON {
		if err := writeJSON(told, s.std.Out); err != nil {
			return err
		}
		return status
	}
	switch {
	case denied != nil:
		printf(s.std.Err, "sayso: not allowed: %s\n", denied)
		printf(s.std.Err, "sayso: hint: what the script has done before it was ended here stays; sayso log shows it (%s)\n", s.script.ID)
	case record.Error != "" && status != exitInterrupted:
		printf(s.std.Err, "sayso: error: %s\n", record.Error)
	}
	return status
}

// listen passes on signals to what runs, and ends the script by those that would end a
// shell.
func (s *stepper) listen() (stop func()) {
	in, _ := s.std.In.(*os.File)
	s.o.terminal = in != nil && term.IsTerminal(int(in.Fd()))
	all, done := make(chan os.Signal, 8), make(chan struct{})
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for {
			select {
			case sig := <-all:
				s.signal(sig.(syscall.Signal))
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(all); close(done) }
}

func (s *stepper) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	typed := (sig == syscall.SIGINT || sig == syscall.SIGQUIT) && s.o.terminal
	if len(s.running) == 0 {
		s.ended = sig
		s.stop()
		return
	}
	if !typed { // else what runs has it from the terminal
		for to := range s.running {
			select {
			case to <- sig:
			default:
			}
		}
	}
	if sig != syscall.SIGINT { // a command that goes on after that lets its shell go on
		s.ended = sig
	}
}

func (s *stepper) signalled() syscall.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}
