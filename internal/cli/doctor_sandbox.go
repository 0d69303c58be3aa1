package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
)

// A probe is an attempt to break out: what holds it if the promise is kept.
type probe struct {
	promise string
	attempt []string // $OUT is outside, $IN the workspace
	stdin   string   // a file
	hosts   bool     // where a host is listed that can be reached
}

var probes = []probe{
	{promise: sandbox.FilesWrite, attempt: []string{"write", "$OUT/file"}},
	{promise: sandbox.Protected, attempt: []string{"create", "$IN/.git/hooks/pre-commit"}},
	{promise: sandbox.Environ, attempt: []string{"env", "SAYSO_DOCTOR"}},
	{promise: sandbox.Network, attempt: []string{"tcp", "$PORT"}},
	{promise: sandbox.Network, attempt: []string{"tcp", "$PORT"}, hosts: true},
	{promise: sandbox.Sockets, attempt: []string{"unix", "$OUT/s"}},
	{promise: sandbox.Escalation, attempt: []string{"unshare"}},
	{promise: sandbox.Outside, attempt: []string{"kill", "$PID"}},
	{promise: sandbox.Descriptor, attempt: []string{"stdin-again"}, stdin: "$OUT/file"},
	{promise: sandbox.AllEnded, attempt: []string{"stay", "$IN/late", "30000"}},
}

// probeTime is how long all attempts may take.
const probeTime = 30 * time.Second

// sandbox proves what confines commands here, by trying to break out: each attempt has
// to succeed outside and to fail inside.
func (r *doctorReport) sandbox() {
	if runtime.GOOS != "linux" {
		r.add(note, "sandbox", "commands cannot be confined on "+runtime.GOOS+" yet", "sayso run runs nothing here, unless a policy says sandbox: {required: false}")
		return
	}
	box, err := local.Beside("sayso-box")
	if err != nil {
		r.add(problem, "sandbox", err.Error(), "install it into the same folder: make install")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	ground, err := newGround(box)
	if err != nil {
		r.add(note, "sandbox", "it could not be tried whether commands are confined: "+err.Error(), "")
		return
	}
	defer ground.close()
	for _, p := range probes {
		if !r.probe(ctx, p, ground) {
			return
		}
	}
}

// probe makes one attempt, and reports whether others are worth trying.
func (r *doctorReport) probe(ctx context.Context, p probe, g *ground) bool {
	if said, status := g.outside(ctx, p); status != breakout.Out {
		r.add(note, "sandbox", fmt.Sprintf("%s: not tried, because the attempt fails also outside: %s", p.promise, said), "")
		return true
	}
	if err := g.reset(); err != nil {
		r.add(note, "sandbox", p.promise+": not tried: "+err.Error(), "")
		return true
	}
	said, status, made, err := g.inside(ctx, p)
	line := made.Of(p.promise)
	switch {
	case err != nil:
		r.unconfined(made, err)
		return false
	case status == breakout.Out:
		r.add(problem, "sandbox", fmt.Sprintf("%s: an attempt to break out succeeded (%s)", p.promise, strings.Join(p.attempt, " ")), "do not rely on sayso run here, and report it")
	case status != breakout.Held:
		r.add(note, "sandbox", fmt.Sprintf("%s: the attempt could not be made inside: status %d %s", p.promise, status, said), "")
	default:
		r.add(fine, "sandbox", fmt.Sprintf("%s: an attempt failed (%s); held by: %s", p.promise, said, strings.Join(line.By, ", ")), "")
	}
	return true
}

// unconfined tells why commands cannot be confined, and what would be held of a command
// that may run nevertheless.
func (r *doctorReport) unconfined(made sandbox.Report, err error) {
	why, _, _ := strings.Cut(err.Error(), ": it was not run, because")
	r.add(note, "sandbox", "commands cannot be confined here: "+why, "sayso run runs nothing here, unless a policy says sandbox: {required: false}")
	for _, l := range made {
		if l.State == sandbox.Open {
			continue
		}
		r.add(note, "sandbox", "of a command that may run nevertheless: "+l.String(), "")
	}
}

// A ground is where attempts are made.
type ground struct {
	dir, tool string
	values    *strings.Replacer
	listeners []net.Listener
}

// newGround makes a folder of the user's own, with what attempts try to reach.
func newGround(box string) (*ground, error) {
	state, err := local.State()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(state.Dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(state.Dir, "doctor")
	if err != nil {
		return nil, err
	}
	g := &ground{dir: local.Real(dir), tool: filepath.Join(local.Real(dir), "in", "sayso-box")}
	tcp, err := g.listen("tcp4", "127.0.0.1:0")
	if err == nil {
		_, port, _ := net.SplitHostPort(tcp.Addr().String()) // it is an address
		g.values = strings.NewReplacer("$OUT", g.dir+"/out", "$IN", g.dir+"/in", "$PORT", port, "$PID", strconv.Itoa(os.Getpid()))
		err = errors.Join(g.reset(), copyFile(box, g.tool))
	}
	if err == nil {
		_, err = g.listen("unix", g.dir+"/out/s")
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) close() {
	for _, l := range g.listeners {
		_ = l.Close() // nobody talks to it any more
	}
	_ = os.RemoveAll(g.dir) // it is in nobody's way
}

// listen greets whoever comes.
func (g *ground) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	g.listeners = append(g.listeners, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello")) // whether it arrives is what is tried
			_ = c.Close()                   // as above
		}
	}()
	return l, nil
}

// reset makes the files anew that attempts may have changed.
func (g *ground) reset() error {
	_ = os.RemoveAll(g.dir + "/in/.git") // it may not be there
	_ = os.Remove(g.dir + "/in/late")    // as above
	err := errors.Join(os.MkdirAll(g.dir+"/out", 0o700), os.MkdirAll(g.dir+"/in/.git/hooks", 0o700))
	return errors.Join(err, os.WriteFile(g.dir+"/out/file", []byte("outside\n"), 0o600))
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o700)
}

func (g *ground) words(p probe) []string {
	words := make([]string, len(p.attempt))
	for i, w := range p.attempt {
		words[i] = g.values.Replace(w)
	}
	return words
}

// input opens what the attempt reads.
func (g *ground) input(p probe) (*os.File, error) {
	if p.stdin == "" {
		return os.Open(os.DevNull)
	}
	return os.Open(g.values.Replace(p.stdin))
}

// outside makes the attempt where nothing confines it.
func (g *ground) outside(ctx context.Context, p probe) (said string, status int) {
	in, err := g.input(p)
	if err != nil {
		return err.Error(), breakout.Unable
	}
	defer in.Close() //nolint:errcheck // it was only read
	cmd := exec.CommandContext(ctx, g.tool, append([]string{"try"}, g.words(p)...)...)
	var errs bytes.Buffer
	cmd.Args[0], cmd.Env, cmd.Stdin, cmd.Stderr = "sayso-box", []string{"SAYSO_DOCTOR=1"}, in, &errs
	err = cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return strings.TrimSpace(errs.String()), failed.ExitCode()
	case err != nil:
		return err.Error(), breakout.Unable
	case p.promise == sandbox.AllEnded:
		return g.stayed(breakout.Unable)
	}
	return "", breakout.Out
}

// stayed is the outcome of an attempt to leave a process behind: it got out if the
// process lives, and otherwise what is said.
func (g *ground) stayed(otherwise int) (said string, status int) {
	switch alive, err := breakout.Stayed(g.dir + "/in/late"); {
	case err != nil:
		return err.Error(), breakout.Unable
	case alive:
		return "", breakout.Out
	}
	return "a process that was left behind has ended", otherwise
}

// inside makes the attempt in a sandbox.
func (g *ground) inside(ctx context.Context, p probe) (said string, status int, made sandbox.Report, err error) {
	in, err := g.input(p)
	if err != nil {
		return "", breakout.Unable, nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	c := sayso.Contract{
		Tool: "doctor", Argv: append([]string{g.tool, "try"}, g.words(p)...), Dir: g.dir + "/in", Write: []string{g.dir + "/in"},
		Protected: []string{g.dir + "/in/.git/hooks"}, Timeout: probeTime, Required: true,
	}
	if p.hosts {
		c.Network, c.Hosts = sayso.NetworkHosts, []string{"example.com"}
	}
	permit, err := probePermit(ctx, c)
	if err != nil {
		return "", breakout.Unable, nil, err
	}
	var errs bytes.Buffer
	result, made, err := sandbox.Run(ctx, permit, sandbox.Options{Stdin: in, Stderr: &errs})
	said, status = strings.TrimSpace(errs.String()), result.Exit
	if p.promise == sandbox.AllEnded && status == breakout.Out {
		said, status = g.stayed(breakout.Held)
	}
	return said, status, made, err
}

// probePermit lets an attempt be made: it is sayso's own, and needs nobody's answer.
func probePermit(ctx context.Context, c sayso.Contract) (sayso.Permit, error) {
	plan := func(string) (sayso.Plan, error) {
		return sayso.Plan{sayso.Otherwise(sayso.Allow, "doctor", "sayso tries its own sandbox")}, nil
	}
	e := sayso.Engine{
		Preset:   sayso.Preset{Name: "doctor", Modes: []sayso.Mode{{Name: "doctor"}}, Plan: plan},
		Contract: func(sayso.Call, *sayso.Facts) sayso.Contract { return c },
	}
	permit, _, err := e.Authorize(ctx, sayso.Call{Tool: "bash", Input: commandInput("true"), Root: c.Dir})
	return permit, err
}
