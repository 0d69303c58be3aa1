package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
)

const runUse = `sayso run [--preview | --supervise[=strict] | --stepwise -c SCRIPT | --seatbelt]
                 [--keep] [--explain] [--json] [--network none|loopback|hosts|all]
                 [--host HOST]… [--write DIR]… [--timeout TIME] [--output BYTES]
                 [--memory BYTES] [--cpu TIME] [--processes N] [--wait TIME]
                 [--agent NAME] [--session ID]
                 [--preset NAME [--config FILE]] [--cwd DIR] [--] COMMAND ARGUMENT…

Decides a command as sayso check does, puts it to a person if the answer is to
ask, and runs it confined by the contract that was approved: it can write in the
workspace but not to what guards it (.git/hooks, .git/config, .env, policies and
settings of agents), reaches no network but its own loopback, gets no rights and
leaves nothing running. What cannot be enforced here is not run. The request, the
decision, the answer, the start and the result are recorded.

  --preview       run it first where nothing of what it does stays, show what it
                  changes, tries to reach and writes, and ask: make exactly these
                  changes, run it for real, or no
  --stepwise -c SCRIPT [NAME ARGUMENT…]
                  run a script command by command: each is decided when it is about
                  to run, with the words that it has then, and confined by itself
  --supervise     also decide every program that it starts, while that waits, and
                  with --network all every address that it connects to. For
                  programs this is a net and not a wall: a hostile one can change
                  what it starts after that was read. What it can do at all is
                  held by the sandbox. Programs of which nothing is known run;
                  with --supervise=strict they are asked about, each once
  --keep          keep the place that it runs in, for the next command of the same
                  contract in this workspace, or --session, up to five minutes:
                  that one starts sooner, and finds nothing of this one there
  --seatbelt      decide and run nothing: print what would hold it as a profile
                  for sandbox-exec of macOS, which nobody has tried there
  --network none|loopback|hosts|all
                  what it can reach (default: its own loopback, or the hosts that
                  the command is known to need; where it is hosts, others are
                  asked about while it waits)
  --host HOST     let it reach that host, such as example.com or example.com:8443;
                  can be given several times
  --write DIR     also let it write there; can be given several times
  --timeout TIME  end it after that time, such as 90s, with all it has started
  --output BYTES  keep so much of what it writes, of the start and of the end: a
                  number, or one such as 64K, 512M, 2G
  --memory BYTES, --cpu TIME, --processes N
                  for all of its processes together
  --wait TIME     how long to wait for an answer (default: as the policy says,
                  or 5m); no answer denies
  --explain       print on standard error what holds each promise
  --json          print one JSON object: decision, contract, report, result, and
                  what the command wrote
  --agent NAME, --session ID, --preset NAME, --config FILE, --cwd DIR
                  as for sayso ask

Exit status: that of the command, 128 and the number of the signal that ended it,
124 its time was over, 125 sayso failed or cannot enforce the contract, 126 not
allowed, 127 there is no such command, 130 interrupted, 2 wrong usage. With
--preview also 123: it was shown, nobody is there to ask, and nothing was changed.`

// Exit codes of run and sh, as env and timeout have them.
const (
	exitPreviewed  = 123
	exitTimeout    = 124
	exitFailed     = 125
	exitNotAllowed = 126
	exitNotFound   = 127
)

// runOptions are what run and sh are called with.
type runOptions struct {
	ask             askOptions
	explain, asJSON bool
	network         string
	hosts, write    []string
	timeout, cpu    time.Duration
	output, memory  int64
	processes       int
	argv            []string // the command, or
	script, shell   string   // a script and what runs it
	plain           loaded   // the policy, for calls that the command makes
	terminal        bool     // the command has it, and so the signals of the keyboard
	preview         bool     // it is first shown what it would do
	stepwise        bool     // each command of the script is decided when it is about to run
	params          []string // of such a script
	shellOptions    []string // of such a script
	seatbelt        bool     // it is only written what would hold it on macOS
	keep            bool     // its place is kept for the next one
	guard           atomic.Pointer[gitGuard]
	programs        string // what is done about those that it starts: one of config.Programs
}

func (o *runOptions) register(flags *flag.FlagSet) {
	flags.BoolVar(&o.explain, "explain", false, "")
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.BoolVar(&o.preview, "preview", false, "")
	flags.BoolVar(&o.stepwise, "stepwise", false, "")
	flags.BoolFunc("supervise", "", o.setPrograms)
	flags.BoolVar(&o.keep, "keep", false, "")
	flags.BoolVar(&o.seatbelt, "seatbelt", false, "")
	flags.StringVar(&o.network, "network", "", "")
	flags.Func("host", "", func(host string) error {
		name, err := readHost(host)
		o.hosts = append(o.hosts, name)
		return err
	})
	flags.Func("write", "", func(dir string) error { o.write = append(o.write, dir); return nil })
	flags.DurationVar(&o.timeout, "timeout", 0, "")
	flags.DurationVar(&o.cpu, "cpu", 0, "")
	flags.Func("output", "", sizeOption(&o.output))
	flags.Func("memory", "", sizeOption(&o.memory))
	flags.IntVar(&o.processes, "processes", 0, "")
	flags.DurationVar(&o.ask.timeout, "wait", 0, "")
	flags.StringVar(&o.ask.agent, "agent", "script", "")
	flags.StringVar(&o.ask.session, "session", "", "")
	flags.StringVar(&o.ask.preset, "preset", "", "")
	flags.StringVar(&o.ask.file, "config", "", "")
	flags.StringVar(&o.ask.cwd, "cwd", "", "")
}

func runVerb(args []string, std IO) error {
	var o runOptions
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	o.register(flags)
	flags.StringVar(&o.script, "c", "", "")
	if helped, err := parseBefore(flags, runUse, args, std); helped || err != nil {
		return err
	}
	o.argv = flags.Args()
	switch {
	case o.script != "" && !o.stepwise:
		return &usageError{"-c wants --stepwise", "or: sayso sh -c SCRIPT"}
	case o.stepwise && o.script == "":
		return &usageError{"--stepwise wants -c and a script", "for example: sayso run --stepwise -c 'for f in *.go; do gofmt -l $f; done'"}
	case o.stepwise:
		o.argv, o.params = nil, o.argv[min(1, len(o.argv)):] // the first one is the name of the script
	case len(o.argv) == 0:
		return &usageError{"run wants a command", "for example: sayso run -- go test ./..."}
	}
	return o.start(std)
}

// check looks for mistakes in the options.
func (o *runOptions) check() error {
	switch {
	case o.ask.file != "" && o.ask.preset == "":
		return &usageError{"--config wants --preset", "native is configured by its policy files"}
	case o.programs != "" && o.preview:
		return &usageError{"--supervise does not go together with --preview", "leave one of them out"}
	case o.timeout < 0 || o.cpu < 0 || o.ask.timeout < 0:
		return &usageError{"a time must be above 0", "for example: --timeout 90s"}
	case o.stepwise && o.preview:
		return &usageError{"--stepwise and --preview do not go together", "a preview runs all of a script: sayso run --preview -- bash -c SCRIPT"}
	case o.seatbelt && (o.preview || o.stepwise || o.programs != "" || o.keep):
		return &usageError{"--seatbelt only writes a profile", "leave --preview, --stepwise, --supervise and --keep out"}
	case o.stepwise && o.output > 0:
		return &usageError{"--stepwise has no --output", "leave one of them out"}
	case !utf8.ValidString(strings.Join(o.argv, "") + o.script): // what is decided would not be what runs
		return &usageError{"the command has bytes that are no text, and cannot be decided", "names of files must be UTF-8"}
	case o.output < 0 || o.memory < 0 || o.processes < 0:
		return &usageError{"a limit must be above 0", "for example: --processes 100"}
	}
	if _, ok := networks[o.network]; !ok {
		return &usageError{fmt.Sprintf("--network: there is no network %q", o.network), "one of none, loopback, hosts, all"}
	}
	return nil
}

// start decides the command and runs it.
func (o *runOptions) start(std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	at, err := place(o.ask.cwd, "")
	if err != nil {
		return err
	}
	call := o.call()
	call.ID = rand.Text()
	call.Dir, call.Home, call.Root = local.Real(at.Dir), at.Home, local.Root(local.Real(at.Dir))
	call.Agent, call.Session = o.ask.agent, cmp.Or(o.ask.session, shellSession(), "run-"+rand.Text())
	policy, err := loadAs(call.Root, call.Home, o.ask.preset, o.ask.file, std)
	if err != nil {
		return o.failed(err, std)
	}
	if !o.exists(call.Dir) {
		_ = report(&hintedError{"not found: there is no command " + o.argv[0], "is the name right? It is looked for in PATH, or in the folder that it names"}, std) // the code is another one
		return statusError(exitNotFound)
	}
	o.plain = policy
	o.programs = config.StricterPrograms(o.programs, policy.Sandbox.Programs)
	o.keep = o.keep || policy.Sandbox.Keep != nil && *policy.Sandbox.Keep
	base := policy.engine.Contract
	if base == nil {
		base = sayso.PlainContract
	}
	terms, err := o.terms(&policy, call.Home)
	if err != nil {
		return err
	}
	if o.keep {
		terms.sight = lookout(o.ask.session, call.Root, sightOfGit)
	}
	policy.engine.Contract = func(call sayso.Call, facts *sayso.Facts) sayso.Contract { return terms.of(base(call, facts)) }
	switch {
	case o.preview:
		return o.previewed(call, &policy, std)
	case o.stepwise:
		return o.stepped(call, &policy, std)
	case o.seatbelt:
		return o.profiled(call, &policy, std)
	}
	return o.decided(call, &policy, std)
}

// call is the call that is decided: the command as a shell reads it.
func (o *runOptions) call() sayso.Call {
	line := o.script
	if line == "" {
		line = commandLine(o.argv)
	}
	return sayso.Call{Tool: "bash", Input: commandInput(line)}
}

// decided asks if need be, and runs what is allowed.
func (o *runOptions) decided(call sayso.Call, policy *loaded, std IO) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	permit, decision, err := o.ask.authorize(ctx, call, policy, std)
	stop()
	var status statusError
	switch {
	case errors.As(err, &status):
		return status
	case err != nil:
		return o.failed(err, std)
	}
	for _, dropped := range policy.Dropped {
		printf(std.Err, "sayso: note: %s: %s does not count: %s\n", dropped.Source, dropped.What, dropped.Why)
	}
	if decision.Effect != sayso.Allow {
		return o.refused(call, decision, std)
	}
	return o.allowed(call, permit, decision, std)
}

// refused tells that a command was not allowed.
func (o *runOptions) refused(call sayso.Call, d sayso.Decision, std IO) error {
	if o.asJSON {
		if err := writeJSON(ranJSON{Decision: decisionJSON(call, d)}, std.Out); err != nil {
			return err
		}
		return statusError(exitNotAllowed)
	}
	printf(std.Err, "sayso: not allowed: %s (%s)\n", d.Reason, d.Code)
	for _, s := range d.Suggestions {
		printf(std.Err, "sayso: hint: it would be allowed by: %s (%s)\n", shell.ShownWhole(s.Rule), shell.ShownWhole(s.Allows))
	}
	return statusError(exitNotAllowed)
}

// failed tells that sayso itself failed.
func (o *runOptions) failed(err error, std IO) error {
	if code := report(err, std); code == exitUsage {
		return statusError(code)
	}
	return statusError(exitFailed)
}

// ranJSON is all that is known of a run, for programs.
type ranJSON struct {
	Decision any             `json:"decision"`
	Contract *sayso.Contract `json:"contract,omitempty"`
	Enforced bool            `json:"enforced"`
	Report   sandbox.Report  `json:"report,omitempty"`
	Result   *sandbox.Result `json:"result,omitempty"`
	Stdout   string          `json:"stdout,omitempty"`
	Stderr   string          `json:"stderr,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// allowed runs the command, and records that.
func (o *runOptions) allowed(call sayso.Call, permit sayso.Permit, d sayso.Decision, std IO) error {
	journal, err := theJournal()
	if err != nil {
		return o.failed(err, std)
	}
	e := sayso.Engine{Journal: journal}
	ctx := context.Background()
	told := ranJSON{Decision: decisionJSON(call, d)}
	var outs [2]bytes.Buffer
	options := o.options(std, &outs)
	signals, stop := o.signals()
	defer stop()
	options.Signals = signals
	ask, tell, left := o.connections(call, &e, std)
	options.Connect, options.Connected = ask, tell
	options.Exec = o.supervisor(call, &e, std)
	if o.keep {
		options.Borrow, options.Lookout = borrow(o.ask.session, call.Root), lookout(o.ask.session, call.Root, sightOfRun)
	}
	options.State = stateFolder()
	options.Before = func(c sayso.Contract, r sandbox.Report) error {
		told.Contract = &c
		return e.Note(ctx, call, sayso.Record{Kind: sayso.RecordRun, Contract: c.Hash(), Terms: &c, Note: held(r)})
	}
	guard, began := o.guard.Load(), time.Now()
	result, made, err := sandbox.Run(ctx, permit, options)
	result.Made = append(result.Made, newParts(told.Contract, guard, began)...)
	if result.Ran {
		made = append(made, guard.report()...)
	}
	told.Result, told.Report, told.Enforced = &result, made, made.Enforced() && err == nil
	told.Stdout, told.Stderr = outs[0].String(), outs[1].String()
	record := sayso.Result{Ran: result.Ran, Exit: result.Exit, Duration: result.Duration, Output: result.Output, Error: result.Ended}
	if err != nil {
		record.Error, told.Error = err.Error(), err.Error()
	}
	note := held(made) + madeNote(result)
	if n := left(); n > 0 {
		note += fmt.Sprintf("; %d more connections", n)
	}
	if noted := e.Note(ctx, call, sayso.Record{Kind: sayso.RecordResult, Result: &record, Note: note}); noted != nil {
		printf(std.Err, "sayso: error: the result could not be recorded: %v\n", noted)
	}
	if o.asJSON {
		if err := writeJSON(told, std.Out); err != nil {
			return err
		}
	}
	return o.ended(result, made, err, std)
}

// options are how the command is run.
func (o *runOptions) options(std IO, outs *[2]bytes.Buffer) sandbox.Options {
	in, _ := std.In.(*os.File)
	o.terminal = in != nil && term.IsTerminal(int(in.Fd()))
	options := sandbox.Options{Stdin: std.In, Stdout: std.Out, Stderr: std.Err, Terminal: o.terminal, Resolve: std.Resolve, Dial: std.Dial}
	if o.asJSON {
		options.Stdout, options.Stderr = io.Writer(&outs[0]), io.Writer(&outs[1])
	}
	return options
}

// ended says how it ended, and chooses the exit code.
func (o *runOptions) ended(result sandbox.Result, made sandbox.Report, err error, std IO) error {
	if o.explain {
		for _, l := range made {
			printf(std.Err, "sayso: %s\n", l)
		}
	} else {
		tellOpen(made, std)
	}
	var not *sandbox.NotEnforcedError
	switch {
	case errors.As(err, &not) && not.Report.Of(sandbox.AllEnded).State == sandbox.NotEnforced: // there is no sandbox at all
		return o.failed(&hintedError{err.Error(), "let a policy say sandbox: {required: false} to run it with what can be held here; sayso doctor lists that"}, std)
	case errors.As(err, &not) && not.Report.Of(sandbox.Network).State == sandbox.NotEnforced:
		return o.failed(&hintedError{err.Error(), "sayso run --network all lets it reach everything, --network loopback nothing"}, std)
	case errors.As(err, &not) && slices.ContainsFunc(not.Report, func(l sandbox.Line) bool { return l.Promise == sandbox.Unseen }):
		return o.failed(&hintedError{err.Error(), "start the agent in a folder further down, or let a policy say sandbox: {required: false}"}, std)
	case errors.As(err, &not) && not.Report.Of(sandbox.Protected).State == sandbox.NotEnforced:
		return o.failed(&hintedError{err.Error(), "put what the link leads to in its place, or let a policy say sandbox: {required: false}"}, std)
	case errors.Is(err, sandbox.ErrNotFound):
		_ = report(&hintedError{err.Error(), "inside, /tmp, /run and devices are its own; --write DIR shows a folder of yours"}, std) // the code is another one
		return statusError(exitNotFound)
	case errors.Is(err, sandbox.ErrCannotRun):
		_ = report(err, std) // the code is another one
		return statusError(exitNotAllowed)
	case err != nil:
		return o.failed(err, std)
	}
	tellMade(result, std)
	if result.Ended != "" {
		printf(std.Err, "sayso: error: it was ended: %s\n", result.Ended)
	}
	if result.TimedOut {
		printf(std.Err, "sayso: error: its time of %s was over\n", o.timeout)
		return statusError(exitTimeout)
	}
	if len(result.Undone) > 0 {
		return statusError(exitNotAllowed)
	}
	if !o.asJSON && !made.Enforced() {
		printf(std.Err, "sayso: note: %s\n", held(made))
	}
	return statusError(result.Exit)
}
