// Package sandbox runs what was approved, and nothing else.
//
// [Run] takes a [sayso.Permit], which only an engine gives, runs its contract confined
// by the kernel, and returns how it ended and a [Report]: for each promise of the
// contract, what has held it, or why nothing did. A contract that is required and
// cannot be enforced in full is not run.
//
// On Linux the command gets namespaces of its own (user, mount, PID, IPC, UTS, and
// network unless it may reach everything), a view of the files in which only what it
// may write can be written, no capabilities and no way to get some, and behind that
// Landlock and a filter of system calls. It works the same for root and for an
// ordinary user. The program sayso-box, which builds all this inside, must be
// installed beside the program that calls Run.
//
// Elsewhere nothing is enforced but the environment, the time limit and the output
// limit, and the report says so.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/supervise"
)

// Options are what a run is given beside its contract.
type Options struct {
	Stdin          io.Reader // nil: nothing
	Stdout, Stderr io.Writer // nil: it is thrown away

	// Terminal lets the command have the terminal that this program was started
	// from, with the keys that interrupt and stop it. Otherwise it has none.
	Terminal bool

	// Signals are passed on to the command.
	Signals <-chan os.Signal

	// Temp is a folder with the folders tmp and var/tmp in it, which the command sees as
	// /tmp and /var/tmp: so several runs share them. Empty, or with a limit of memory:
	// each run has its own, which are gone at the end.
	Temp string

	// Box is the program sayso-box; empty: the one beside this program.
	Box string

	// Connect decides about a connection to a host that the contract does not list,
	// where its network is of hosts. It may wait for a person, and meanwhile the
	// program waits; an error says why not. Each host and port is asked about once.
	// Nil: no other host can be reached.
	Connect func(ctx context.Context, host string, port int) error

	// Connected is told of each connection to a host, made or not.
	Connected func(Connection)

	// Exec decides about each program that is started inside after the first; an error
	// keeps it from being started. It may wait for a person, and meanwhile the process
	// waits. What it is shown can be changed by a hostile program before it is
	// started: it is a net, and the sandbox the wall. With it, and a network that
	// reaches everything, Connect decides about each address, too, and this program
	// makes the connections. Nil: nobody looks.
	Exec func(ctx context.Context, p Program) error

	// Resolve and Dial are how hosts are looked up and reached; nil: as this program
	// does it.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, to netip.AddrPort) (net.Conn, error)

	// Borrow is asked for a place that is kept, in which a command of the contract
	// can run: see [Kept.Lend]. The key says what the place must have been made of.
	// Nil, or if it returns nil: the command gets a place of its own.
	Borrow func(key string, c sayso.Contract) *os.File

	// State is a folder of this program's own. In its folder aside goes what was made
	// under a name that the contract bars; if it is in another file system, or empty,
	// that gets another name where it is. In spare are empty folders that hold the
	// places of others, which can be had sooner than new ones.
	State string

	// Before is called with the contract when all is made that holds it, as the report
	// says, right before it runs; an error keeps it from running. The time that the
	// contract gives it counts from then on.
	Before func(sayso.Contract, Report) error

	// Lookout has looked before for what the contract bars and watches; nil: nobody has.
	Lookout *Lookout
}

// A Program is one that is started inside.
type Program = supervise.Program

// A Connection is one that a run wanted to a host.
type Connection struct {
	Host    string
	Port    int
	Via     string // how it was asked for: connect, http, socks, or direct
	Listed  bool   // in the contract
	Address string // that the name led to, if it was looked up
	Err     error  // why it was not made, or was ended
}

// A Result is how a run ended.
type Result struct {
	Ran      bool          `json:"ran"`
	Exit     int           `json:"exit"`               // the exit status; 128 and the signal, if one has ended it
	Signal   int           `json:"signal,omitempty"`   // that has ended it
	TimedOut bool          `json:"timedOut,omitempty"` // its time was over
	Kept     bool          `json:"kept,omitempty"`     // it ran in a place that is kept
	Ended    string        `json:"ended,omitempty"`    // why the sandbox has ended it before its time, or undone something of it
	Output   int64         `json:"output"`             // bytes that it wrote, if they were counted
	Cut      int64         `json:"cut,omitempty"`      // bytes of those that were not kept
	Made     []string      `json:"made,omitempty"`     // paths that the contract watches and that were not there before
	Undone   []Undone      `json:"undone,omitempty"`   // what was made, or removed, under a name that the contract bars
	Duration time.Duration `json:"duration"`
}

// ErrNotFound is returned if there is no such program inside.
var ErrNotFound = errors.New("not found")

// ErrCannotRun is returned if what is there cannot be run.
var ErrCannotRun = errors.New("cannot be run")

// A NotEnforcedError says that a required contract was not run, because a part of it
// cannot be enforced here.
type NotEnforcedError struct{ Report Report }

func (e *NotEnforcedError) Error() string {
	var missing []string
	for _, l := range e.Report {
		if l.State == NotEnforced {
			missing = append(missing, l.Promise+" ("+l.Why+")")
		}
	}
	return "it was not run, because this cannot be enforced here: " + strings.Join(missing, ", ")
}

// Run runs the contract of a permit. The error says why it was not run, or not to
// its end; a command that fails is no error.
func Run(ctx context.Context, permit sayso.Permit, o Options) (Result, Report, error) {
	c, err := permit.Use()
	if err != nil {
		return Result{}, nil, err
	}
	if c.Preview || c.Changes != "" {
		return Result{}, nil, errors.New("the permit is for a preview, or for what one has shown, and not for a run")
	}
	j := &job{c: c, o: o}
	if err := j.check(); err != nil {
		return Result{}, nil, err
	}
	return j.run(ctx)
}

// A job is one run of a contract.
type job struct {
	c   sayso.Contract
	o   Options
	env []string
	out *limiter

	before *survey                 // what was there
	report Report                  // as it is now
	told   Report                  // as it was when the command was about to start
	stop   context.CancelCauseFunc // ends the run
	timer  *time.Timer             // that ends it

	holds atomic.Pointer[holds] // what must not be moved while it runs; nil: nothing is held
	vigil *vigil                // looks after that, and after what is made; nil: nobody has to
	cut   chan struct{}         // closed when something of that was: it ends at once

	layers *layers   // of a preview
	tried  []Attempt // by a preview, to reach something
}

// check looks at what holds wherever it runs.
func (j *job) check() error {
	c := &j.c
	switch {
	case len(c.Argv) == 0 && c.Script == "":
		return errors.New("the contract names no command: only commands can be run")
	case len(c.Argv) > 0 && c.Script != "":
		return errors.New("the contract has both a program and a script")
	case c.Script != "":
		c.Argv = []string{cmp.Or(c.Shell, "sh"), "-c", c.Script}
	}
	for _, word := range c.Argv {
		if strings.ContainsRune(word, 0) {
			return errors.New("an argument has a NUL in it")
		}
	}
	for _, pattern := range slices.Concat(c.Barred, c.Watched) {
		if !strings.ContainsAny(pattern, `[\`) {
			continue // nothing else can be wrong with one
		}
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("the pattern %q in the contract: %w", pattern, err)
		}
	}
	for _, p := range slices.Concat([]string{c.Dir}, c.Read, c.Hidden, c.Write, c.Protected, c.Barred, c.Watched, c.Scratch) {
		if !filepath.IsAbs(p) || filepath.Clean(p) != p || strings.ContainsRune(p, 0) {
			return fmt.Errorf("the path %q in the contract is not absolute and clean", p)
		}
	}
	for _, f := range []any{j.o.Stdin, j.o.Stdout, j.o.Stderr} {
		if f, ok := f.(*os.File); ok && f != nil {
			if info, err := f.Stat(); err == nil && info.IsDir() {
				return fmt.Errorf("%s is a folder, through which the command could leave the sandbox", f.Name())
			}
		}
	}
	j.env = passed.of(c, os.Environ())
	return nil
}

// run chooses how to run it.
func (j *job) run(ctx context.Context) (Result, Report, error) {
	j.before = j.o.Lookout.look(&j.c)
	report, start := j.confine()
	report.reach(j.before)
	if j.o.Exec != nil && report.Of(Programs).State != Open { // whoever wants to decide does not want it to run without
		report.not(Programs, "nobody can decide about them here")
		return Result{}, report, &NotEnforcedError{report}
	}
	if !report.Enforced() && j.c.Required {
		return Result{}, report, &NotEnforcedError{report}
	}
	if j.c.Output > 0 {
		j.out = newLimiter(j.c.Output, j.o.Stdout, j.o.Stderr)
		j.o.Stdout, j.o.Stderr = j.out.stream(0), j.out.stream(1)
	}
	j.report = report
	result, err := j.guarded(ctx, start)
	if result.Signal != 0 {
		result.Exit = 128 + result.Signal
	}
	if j.out != nil {
		result.Output, result.Cut = j.out.close()
	}
	return result, j.report, err
}

// guarded runs it while it is looked out for what must not be made.
func (j *job) guarded(ctx context.Context, start func(context.Context) (Result, error)) (result Result, err error) {
	ctx, j.stop = context.WithCancelCause(ctx)
	defer j.stop(nil)
	j.cut = make(chan struct{})
	began, unbar := time.Now(), func() {}
	if j.layers == nil { // else it is shown what was made
		unbar = j.bar(*j.before)
	}
	result, err = start(ctx)
	var setup *setupError
	if errors.As(err, &setup) {
		result, err = j.otherwise(ctx, setup)
	}
	if j.timer != nil {
		j.timer.Stop()
	}
	unbar()
	result.Duration = time.Since(began)
	var failed error
	result.Undone, result.Made, failed = j.undo(j.before)
	err = errors.Join(err, failed)
	ended := new(endedError)
	switch {
	case errors.As(context.Cause(ctx), &ended):
		result.Ended = ended.Error()
	case len(result.Undone) > 0 && result.Ended == "": // it was quicker
		result.Ended = result.Undone[0].ended().Error()
	}
	return result, err
}

// begin is called when everything is ready for the command, right before it starts.
func (j *job) begin() error {
	if j.o.Before != nil && !reflect.DeepEqual(j.told, j.report) {
		j.told = j.report
		if err := j.o.Before(j.c, j.report); err != nil {
			return err
		}
	}
	if j.c.Timeout > 0 && j.timer == nil {
		j.timer = time.AfterFunc(j.c.Timeout, func() { j.stop(errTime) })
	}
	return nil
}

// otherwise runs it where the sandbox could not be made, with what can be enforced
// without it, if the contract lets that happen.
func (j *job) otherwise(ctx context.Context, why *setupError) (Result, error) {
	j.holds.Store(nil)
	report, start := j.flat(why)
	report.reach(j.before)
	if j.o.Exec != nil {
		report.not(Programs, "nobody can decide about them without namespaces")
	}
	j.report = report
	if j.c.Required || j.o.Exec != nil {
		return Result{}, fmt.Errorf("%w: %w", why, &NotEnforcedError{report})
	}
	result, err := start(ctx)
	var again *setupError
	if errors.As(err, &again) {
		j.report = nothing(&j.c, again.Error())
		j.report.reach(j.before)
		result, err = j.plain(ctx)
	}
	return result, err
}

// errTime is why a run ends whose time is over.
var errTime = errors.New("its time is over")

// A setupError says why the sandbox could not be made; nothing was run.
type setupError struct {
	step string
	err  error
}

func (e *setupError) Error() string {
	return "the sandbox cannot be made: " + e.step + ": " + e.err.Error()
}

func (e *setupError) Unwrap() error { return e.err }
