// Package quick is the program sayso-hook. An agent starts it before each tool
// call, so it links nothing that takes long to start: it reads the policy from a
// snapshot, and lets the rich program beside it make one where there is none, or
// answer in its place where the policy needs that.
package quick

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/packed"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// Deadline is how long a decision may take; far below the time after which Claude
// Code would go on without an answer.
const Deadline = 10 * time.Second

// exitBlock is the exit status that blocks the call.
const exitBlock = 2

// Main is the program: it takes the name of an agent, or version, and returns the
// exit status.
func Main(args []string, in io.Reader, out, errs io.Writer) (status int) {
	defer func() {
		if r := recover(); r != nil { // nothing was written yet: that is done last, and at once
			status = write(nil, fmt.Errorf("panic: %v", r), out, errs)
		}
	}()
	switch {
	case len(args) > 0 && args[0] == "version":
		if err := build.Print(out, len(args) > 1 && args[1] == "--json"); err != nil {
			return 1
		}
		return 0
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
		return write([]byte("usage: sayso-hook AGENT [EVENT] [--observe]\n\nAGENT is one of "+strings.Join(hook.Names(), ", ")+". It is sayso hook AGENT, started quickly;\nsayso help hook tells more.\n"), nil, out, errs)
	}
	if c, ok := called(args); ok {
		return answer(c, in, out, errs)
	}
	problem := "hook wants the name of an agent"
	if len(args) > 0 {
		problem += fmt.Sprintf(", and cannot be called with %q", args)
	}
	fmt.Fprintf(errs, "sayso: error: %s: %s\nsayso: hint: sayso init AGENT wires it\n", problem, strings.Join(hook.Names(), ", "))
	return exitBlock
}

// A Call is how the program is called.
type Call struct {
	Agent   *hook.Agent
	Event   string // its name; empty: it stands in the event
	Observe bool   // nothing is enforced but guardrails
}

// called reads the arguments.
func called(args []string) (c Call, ok bool) {
	if i := slices.Index(args, "--observe"); i >= 0 {
		c.Observe, args = true, slices.Concat(args[:i], args[i+1:])
	}
	if len(args) == 0 || len(args) > 2 {
		return c, false
	}
	c.Agent, ok = hook.Find(args[0])
	c.Event = strings.Join(args[1:], "")
	return c, ok
}

// args are the arguments for the rich program.
func (c Call) args() []string {
	out := []string{"hook", c.Agent.Name}
	if c.Event != "" {
		out = append(out, c.Event)
	}
	if c.Observe {
		out = append(out, "--observe")
	}
	return out
}

// answer answers one event of an agent.
func answer(c Call, in io.Reader, out, errs io.Writer) int {
	state, err := local.State()
	if err != nil {
		return Answer(c, lost{err}, lost{err}, in, out, errs)
	}
	return Answer(c, state, journal.Folder{Dir: state.Dir}, in, out, errs)
}

// Answer answers one event of an agent, with these sessions and this journal.
func Answer(c Call, sessions sayso.Sessions, journal sayso.Journal, in io.Reader, out, errs io.Writer) int {
	var decided bytes.Buffer
	q := quick{agent: c.Agent.Name}
	g := &q.guard
	*g = hook.Guard{Sessions: sessions, Journal: journal, Root: local.Root, Engine: q.engine, Env: os.Getenv, Deadline: Deadline, Observe: c.Observe, Guardrails: Guardrails}
	g.Clear = func(context.Context, string, string, string) error { // no database is opened here
		q.rich = true
		return hook.ErrHandOver
	}
	g.Starts = func(_ context.Context, root, _ string) string { // what is trusted only the rich program knows
		if _, err := local.Beside("sayso"); err == nil && local.Trustable(root) {
			q.rich = true
		}
		return ""
	}
	err := g.Answer(c.Agent, c.Event, in, &decided)
	if q.rich {
		return handOver(c, q.hold, g.Event, out, errs)
	}
	return write(decided.Bytes(), err, out, errs)
}

// write gives the answer to the agent.
func write(answer []byte, err error, out, errs io.Writer) int {
	if _, failed := out.Write(answer); failed != nil {
		err = errors.Join(err, failed)
	}
	if err != nil {
		fmt.Fprintf(errs, "sayso: error: %v\n", err)
		return exitBlock
	}
	return 0
}

// quick knows the policy of the workspace that the event is about.
type quick struct {
	agent string
	guard hook.Guard
	rich  bool          // the rich program must answer
	hold  time.Duration // how long that one may ask a person
}

// engine decides the calls in a workspace.
func (q *quick) engine(root, home string) (sayso.Engine, sayso.Surface, error) {
	at := local.Files{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: local.Real(root)}
	s, err := policy(at)
	if err != nil {
		return sayso.Engine{}, sayso.Surface{}, err
	}
	if s.Queued == 0 && q.guard.CannotAsk { // the rich program knows for how long
		s.Queued = hook.Hold(q.agent)
	}
	q.hold = min(max(s.Queued, 0), hook.Hold(q.agent))
	if s.Rich || s.Unseal(at.ProfileKey()) != nil { // without its key the rich program says what is wrong
		q.rich = true
		return sayso.Engine{}, sayso.Surface{}, hook.ErrHandOver
	}
	e := Engine(s, at)
	if s.Queued > 0 {
		e.Approver = hook.HandOver(func() { q.rich = true })
	}
	if len(s.Grants) > 0 {
		e.Grants, err = grants(s.Grants)
	}
	return e, s.Surface, err
}

// grants are those of a snapshot.
func grants(list []sayso.GivenGrant) (sayso.GrantStore, error) {
	m := &store.Memory{}
	for _, g := range list {
		if err := m.AddGrant(context.Background(), g.Session, g.Root, g.Grant); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Engine decides by a snapshot.
func Engine(s snapshot.Snapshot, at local.Files) sayso.Engine {
	native := preset.Native(s.Policy(local.Guarded(at)))
	if s.Queued == snapshot.Nobody {
		native = hook.Unattended(native)
	}
	return sayso.Engine{
		Preset:   native,
		Analyzer: sayso.Analyzer{Machine: machine{Client: &packed.Client{Start: startUnpacking}}, Also: s.Also},
		Mode:     s.ModeFor,
		Policy:   s.Hash,
	}
}

// Guardrails decides by guardrails alone.
func Guardrails(root, home string) (sayso.Engine, sayso.Surface, error) {
	at := local.Files{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: local.Real(root)}
	e := Engine(snapshot.Snapshot{}, at)
	e.Mode = func(string) string { return preset.Bypass }
	return e, sayso.Surface{}, nil
}

// machine shows the files of this machine to the analysis. The rich program tells
// what is in packed ones, which is seldom asked.
type machine struct {
	local.Machine
	*packed.Client
}

// startUnpacking starts the rich program. It ends when this one does: there are no
// more questions then.
func startUnpacking() (io.ReadWriter, error) {
	rich, err := local.Beside("sayso")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(rich, "unpack")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Writer
	}{out, in}, cmd.Start()
}

// policy is the snapshot of a workspace, made anew if need be. Without any policy
// file what is built in counts.
func policy(at local.Files) (snapshot.Snapshot, error) {
	state, err := local.State()
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	sources, any := snapshot.Sources(at, local.Database(state.Dir))
	if !any {
		return snapshot.Snapshot{Hash: snapshot.PolicyHash("", nil)}, nil
	}
	folder := snapshot.Folder{Dir: state.Dir}
	s, err := folder.Load(at, sources)
	if !errors.Is(err, snapshot.ErrStale) {
		return s, err
	}
	if err := makeSnapshot(at.Root); err != nil {
		return s, fmt.Errorf("the policy was not read: %w", err)
	}
	sources, _ = snapshot.Sources(at, local.Database(state.Dir))
	if s, err = folder.Load(at, sources); errors.Is(err, snapshot.ErrStale) {
		return snapshot.Snapshot{Rich: true, Queued: math.MaxInt64}, nil // what cannot be kept, the rich program tells
	}
	return s, err
}

// makeSnapshot lets the rich program read the policy.
func makeSnapshot(root string) error {
	rich, err := local.Beside("sayso")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Deadline/2)
	defer cancel()
	cmd := exec.CommandContext(ctx, rich, "snapshot", "--root", root)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s snapshot: %w %s", rich, err, bytes.TrimSpace(out[:min(len(out), 500)]))
	}
	return nil
}

// handOver lets the rich program answer, which may ask a person for so long.
// Whatever goes wrong denies.
func handOver(c Call, hold time.Duration, event []byte, out, errs io.Writer) int {
	rich, err := local.Beside("sayso")
	if err == nil {
		var answer []byte
		var status int
		if answer, status, err = ask(rich, c, hold, event, errs); err == nil {
			return max(status, write(answer, nil, out, errs))
		}
		err = fmt.Errorf("%s gave no answer: %w", rich, err)
	}
	if denial := c.Agent.Denial(err); len(denial) > 0 {
		return write(denial, nil, out, errs)
	}
	return write(nil, err, out, errs)
}

// ask is the answer of the rich program. It is whole, or an error.
func ask(rich string, c Call, hold time.Duration, event []byte, errs io.Writer) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hold+Deadline+time.Second) // it has a deadline of its own
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, rich, c.args()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(event), &out, errs, time.Second
	err := cmd.Run()
	status := cmd.ProcessState.ExitCode()
	if err != nil && status != exitBlock { // that one blocks, too
		return nil, 0, err
	}
	none := out.Len() == 0 && (c.Observe || !c.Agent.Decides(c.Event, event)) // most events need no answer
	if !none && !json.Valid(out.Bytes()) && !(status == exitBlock && out.Len() == 0) {
		return nil, 0, errors.New("its answer is not whole")
	}
	return out.Bytes(), status, nil
}

// lost is state that there is no place for.
type lost struct{ err error }

func (l lost) Get(context.Context, string) (sayso.SessionState, error) {
	return sayso.SessionState{}, l.err
}

func (l lost) Update(context.Context, string, func(*sayso.SessionState) error) error { return l.err }

func (l lost) Remove(context.Context, string) error { return l.err }

func (l lost) Record(context.Context, ...sayso.Record) error { return l.err }
