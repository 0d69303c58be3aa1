//go:build linux

// Boxbench measures what a sandbox costs: a program that does nothing, started plainly,
// by package sandbox, in a place that package sandbox keeps, and by bubblewrap with the
// same namespaces, view of the files, protected paths and filter of system calls. They are run
// in turns, so that a busy machine slows all of them down, and the median of the ratios
// counts. Those that make a place for each command have turns of their own: the kernel takes
// such places apart long after their end, while whatever comes next runs.
//
//	go run ./scripts/boxbench [-n 200]
//
// It exits with 1 if package sandbox costs more than bubblewrap, or a kept place more
// than twice as much as to start the program plainly: with the protected paths that
// bubblewrap is given, too; with places held of some that are not there; and with
// contracts that sayso run has made, in a small workspace and in one of many folders.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/sandbox"
)

func main() {
	n := flag.Int("n", 200, "turns")
	flag.Parse()
	home, err := os.UserHomeDir()
	if err != nil {
		fail(err)
	}
	dir, err := os.MkdirTemp(home, "boxbench") // not in /tmp, which is hidden inside
	if err != nil {
		fail(err)
	}
	slow, err := measure(dir, *n)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		fail(err)
	}
	for _, what := range slow {
		fmt.Println("boxbench: error: " + what)
	}
	if len(slow) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A way is one of those to start the program.
type way struct {
	name    string
	prepare func() error // what is not measured
	run     func() error
	took    []float64 // milliseconds
}

// missing are protected names that are not there.
var missing = []string{".env.x", ".mcp.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode"}

// many is how many folders a large workspace has.
const many = 2000

func measure(dir string, n int) (slow []string, err error) {
	if err := build(dir, "sayso-box", "sayso"); err != nil {
		return nil, err
	}
	program, work := filepath.Join(dir, "sayso-box"), filepath.Join(dir, "work")
	if err := workspace(work, 0); err != nil {
		return nil, err
	}
	simple := sayso.Contract{
		Tool: "bash", Argv: []string{"/bin/true"}, Dir: work, Write: []string{work}, Required: true, Network: sayso.NetworkLoopback,
		Protected: []string{work + "/.git/hooks", work + "/.git/config", work + "/.env"}, Inherit: []string{"PATH", "HOME"},
	}
	slow, err = fresh(dir, program, &simple, n)
	if err != nil {
		return nil, err
	}
	more, err := kept(dir, program, &simple, n)
	return append(slow, more...), err
}

// plain starts the program without anything.
func plain() *way {
	return &way{name: "plain", run: func() error { return exec.Command("/bin/true").Run() }}
}

// fresh compares places that are made for each command. The process that starts them is as
// small as it was at first: the kernel copies its tables of memory for a new user namespace.
func fresh(dir, program string, simple *sayso.Contract, n int) (slow []string, err error) {
	own := confined("sandbox", *simple, sandbox.Options{Box: program}, sandbox.Run)
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		fmt.Println("bubblewrap is not installed: scripts/setup installs it")
		return nil, turns(n, plain(), own)
	}
	filter, err := filterFile(dir)
	if err != nil {
		return nil, err
	}
	defer filter.Close() //nolint:errcheck // it was only read
	other := &way{name: "bubblewrap", run: func() error {
		cmd := exec.Command(bwrap, wrapped(simple.Dir)...)
		cmd.ExtraFiles = []*os.File{filter}
		_, err := filter.Seek(0, io.SeekStart)
		return errors.Join(err, cmd.Run())
	}}
	if err := turns(n, plain(), own, other); err != nil {
		return nil, err
	}
	ratio := median(ratios(own, other))
	fmt.Printf("%-20s %6.2f times bubblewrap\n", "sandbox", ratio)
	if ratio > 1 {
		slow = append(slow, "the sandbox costs more than bubblewrap")
	}
	return slow, nil
}

// kept compares places that are kept with none at all.
func kept(dir, program string, simple *sayso.Contract, n int) (slow []string, err error) {
	ways := []*way{plain()}
	keep := func(name string, c sayso.Contract) (end func() error) {
		kept := &sandbox.Kept{Box: program}
		ways = append(ways, confined(name, c, sandbox.Options{State: filepath.Join(dir, "state")}, kept.Run))
		return kept.Close
	}
	held := *simple
	for _, name := range missing {
		held.Protected = append(held.Protected, filepath.Join(simple.Dir, name))
	}
	defer keep("kept sandbox", *simple)()                                //nolint:errcheck // nothing was written
	defer keep(fmt.Sprintf("kept, %d names held", len(missing)), held)() //nolint:errcheck // as above
	for _, folders := range []int{0, many} {
		c, err := contract(dir, folders)
		if err != nil {
			return nil, err
		}
		defer keep(fmt.Sprintf("kept, sayso run %d", folders), c)() //nolint:errcheck // as above
	}
	if err := turns(n, ways...); err != nil {
		return nil, err
	}
	for _, w := range ways[1:] {
		if median(ratios(w, ways[0])) > 2 {
			slow = append(slow, w.name+": it costs more than twice as much as to start the program plainly")
		}
	}
	return slow, nil
}

// turns runs all ways so many times, in turns, and prints how long they take, also compared
// with the first.
func turns(n int, ways ...*way) error {
	for range n {
		for _, w := range ways {
			if w.prepare != nil {
				if err := w.prepare(); err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
			start := time.Now()
			if err := w.run(); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			w.took = append(w.took, float64(time.Since(start))/float64(time.Millisecond))
		}
	}
	for _, w := range ways {
		fmt.Printf("%-20s %6.2f ms %6.2f times plain\n", w.name, median(w.took), median(ratios(w, ways[0])))
	}
	return nil
}

// build builds programs of this module.
func build(dir string, programs ...string) error {
	for _, name := range programs {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), "./cmd/"+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}

// workspace makes a folder with what is usual in one, and so many others.
func workspace(dir string, folders int) error {
	err := errors.Join(os.MkdirAll(dir+"/.git/hooks", 0o755), os.WriteFile(dir+"/.git/config", nil, 0o644), os.WriteFile(dir+"/.env", nil, 0o644))
	for i := range folders {
		err = errors.Join(err, os.MkdirAll(fmt.Sprintf("%s/%d/%d", dir, i%(folders/20), i), 0o755))
	}
	return err
}

// contract is the one that sayso run makes in a workspace of so many folders, for a person
// who has nothing else.
func contract(dir string, folders int) (sayso.Contract, error) {
	var said struct{ Contract sayso.Contract }
	work := filepath.Join(dir, fmt.Sprint("work", folders))
	if err := workspace(work, folders); err != nil {
		return said.Contract, err
	}
	cmd := exec.Command(filepath.Join(dir, "sayso"), "run", "--json", "--", "/bin/true")
	cmd.Dir, cmd.Env = work, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		err = fmt.Errorf("sayso run: %w\n%s", err, out)
	}
	return said.Contract, err
}

func ratios(a, b *way) []float64 {
	out := make([]float64, len(a.took))
	for i := range out {
		out[i] = a.took[i] / b.took[i]
	}
	return out
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// confined runs the program in a sandbox, with the permit of an engine, which has
// decided before.
func confined(name string, c sayso.Contract, o sandbox.Options, run func(context.Context, sayso.Permit, sandbox.Options) (sandbox.Result, sandbox.Report, error)) *way {
	plan := func(string) (sayso.Plan, error) {
		return sayso.Plan{sayso.Otherwise(sayso.Allow, "bench", "it is measured")}, nil
	}
	e := sayso.Engine{
		Preset:   sayso.Preset{Name: "bench", Modes: []sayso.Mode{{Name: "bench"}}, Plan: plan},
		Contract: func(sayso.Call, *sayso.Facts) sayso.Contract { return c },
	}
	ctx := context.Background()
	var permit sayso.Permit
	prepare := func() (err error) {
		permit, _, err = e.Authorize(ctx, sayso.Call{Tool: "bash", Input: []byte(`{"command":"true"}`), Root: c.Dir})
		return err
	}
	return &way{name: name, prepare: prepare, run: func() error {
		result, report, err := run(ctx, permit, o)
		if err == nil && (result.Exit != 0 || !report.Enforced() || result.Kept != (o.Box == "")) {
			err = fmt.Errorf("exit status %d, enforced: %v, kept: %v", result.Exit, report.Enforced(), result.Kept)
		}
		return err
	}}
}

// filterFile has the filter of system calls that package sandbox uses.
func filterFile(dir string) (*os.File, error) {
	text, err := box.Filter()
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "filter")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// wrapped are the options with which bubblewrap does the same, but for Landlock.
func wrapped(work string) []string {
	git := work + "/.git"
	return []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--seccomp", "3", "--clearenv", "--setenv", "PATH", os.Getenv("PATH"), "--setenv", "HOME", os.Getenv("HOME"),
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", "/run",
		"--bind", work, work, "--bind", git, git, "--ro-bind", git + "/hooks", git + "/hooks", "--ro-bind", git + "/config", git + "/config", "--ro-bind", work + "/.env", work + "/.env",
		"--chdir", work, "/bin/true",
	}
}
