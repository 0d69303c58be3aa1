//go:build linux

// Boxbench measures what a sandbox costs: a program that does nothing, started plainly,
// by package sandbox, in a place that package sandbox keeps, and by bubblewrap with the
// same namespaces, view of the files, protected paths and filter of system calls. They are run
// in turns, so that a busy machine slows all of them down, and the median of the ratios
// counts.
//
//	go run ./scripts/boxbench [-n 200]
//
// It exits with 1 if package sandbox costs more than bubblewrap, or a kept place more
// than twice as much as to start the program plainly, also where it has to hold the
// places of protected paths that are not there. What else a contract of sayso run has,
// names that nobody may make in any folder, is measured, too: what that costs depends on
// how many folders there are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// missing are protected names that are not there, and barred patterns of names, as those
// of sayso run.
var (
	missing = []string{".env.x", ".mcp.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode"}
	barred  = []string{
		"**/.env*", "**/.sayso.yaml", "**/.sayso", "**/.git/hooks", "**/.git/config", "**/.git/commondir",
		"**/.mcp.json", "**/.claude", "**/.codex", "**/.gemini", "**/.cursor", "**/.vscode",
	}
)

func measure(dir string, n int) (slow []string, err error) {
	program, work := filepath.Join(dir, "sayso-box"), filepath.Join(dir, "work")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/sayso-box")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if err := errors.Join(os.MkdirAll(work+"/.git/hooks", 0o755), os.WriteFile(work+"/.git/config", nil, 0o644), os.WriteFile(work+"/.env", nil, 0o644)); err != nil {
		return nil, err
	}
	kept := &sandbox.Kept{Box: program}
	defer kept.Close() //nolint:errcheck // nothing was written
	names := &sandbox.Kept{Box: program}
	defer names.Close() //nolint:errcheck // as above
	ways := []*way{
		{name: "plain", run: func() error { return exec.Command("/bin/true").Run() }},
		confined("sandbox", work, sandbox.Options{Box: program}, sandbox.Run),
		confined("kept sandbox", work, sandbox.Options{}, kept.Run),
		confined("kept, 7 names held", work, sandbox.Options{State: dir + "/state"}, names.Run, missing...),
	}
	run := &sandbox.Kept{Box: program}
	defer run.Close() //nolint:errcheck // as above
	ways = append(ways, confined("kept, names barred", work, sandbox.Options{State: dir + "/state"}, run.Run, append(slices.Clone(missing), barred...)...))
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		fmt.Println("bubblewrap is not installed: scripts/setup installs it")
	} else {
		filter, err := filterFile(dir)
		if err != nil {
			return nil, err
		}
		defer filter.Close() //nolint:errcheck // it was only read
		ways = append(ways, &way{name: "bubblewrap", run: func() error {
			cmd := exec.Command(bwrap, wrapped(work)...)
			cmd.ExtraFiles = []*os.File{filter}
			_, err := filter.Seek(0, io.SeekStart)
			return errors.Join(err, cmd.Run())
		}})
	}
	for range n {
		for _, w := range ways {
			if w.prepare != nil {
				if err := w.prepare(); err != nil {
					return nil, fmt.Errorf("%s: %w", w.name, err)
				}
			}
			start := time.Now()
			if err := w.run(); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			w.took = append(w.took, float64(time.Since(start))/float64(time.Millisecond))
		}
	}
	for _, w := range ways {
		fmt.Printf("%-20s %6.2f ms %6.2f times plain\n", w.name, median(w.took), median(ratios(w, ways[0])))
	}
	for _, w := range ways[2:4] {
		if median(ratios(w, ways[0])) > 2 {
			slow = append(slow, w.name+": it costs more than twice as much as to start the program plainly")
		}
	}
	if bwrap == "" {
		return slow, nil
	}
	ratio := median(ratios(ways[1], ways[len(ways)-1]))
	fmt.Printf("%-20s %6.2f times bubblewrap\n", "sandbox", ratio)
	if ratio > 1 {
		slow = append(slow, "the sandbox costs more than bubblewrap")
	}
	return slow, nil
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
func confined(name, work string, o sandbox.Options, run func(context.Context, sayso.Permit, sandbox.Options) (sandbox.Result, sandbox.Report, error), names ...string) *way {
	c := sayso.Contract{
		Tool: "bash", Argv: []string{"/bin/true"}, Dir: work, Write: []string{work}, Required: true, Network: sayso.NetworkLoopback,
		Protected: []string{work + "/.git/hooks", work + "/.git/config", work + "/.env"}, Inherit: []string{"PATH", "HOME"},
	}
	for _, name := range names {
		if strings.Contains(name, "*") {
			c.Barred = append(c.Barred, work+"/"+name)
		} else {
			c.Protected = append(c.Protected, work+"/"+name)
		}
	}
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
		permit, _, err = e.Authorize(ctx, sayso.Call{Tool: "bash", Input: []byte(`{"command":"true"}`), Root: work})
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
