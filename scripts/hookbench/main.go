// Hookbench measures what a hook costs, in turns with a process that does nothing of
// its own, so that a busy machine slows both down; the median of the ratios counts.
//
//	go run ./scripts/hookbench [-n 300]
//
// The hook as it is installed, which asks a resident process, is held against a process
// that reads what it is given and prints one line. The hook alone, which starts, opens and
// reads everything, decides and records by itself, is held against one that reads JSON and
// answers in JSON. Both are started as agents are told to start them; so that it can be seen
// what that does, the hook alone is also started like the other. It exits with 1 if one costs
// more than one and a half times the other.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// most is how many times the cost of the other process a hook may have.
const most = 1.5

func main() {
	n := flag.Int("n", 300, "turns")
	flag.Parse()
	dir, err := os.MkdirTemp("", "hookbench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	slow, err := measure(dir, *n)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if slow {
		fmt.Printf("hookbench: error: a hook costs more than %.1f times a process that does nothing of its own\n", most)
		os.Exit(1)
	}
}

// A program is one of those that are compared.
type program struct {
	name, path string
	env        []string
	command    string    // what the agent wants to run
	answer     string    // what is decided; empty: nothing is
	against    string    // what it is held against
	took       []float64 // milliseconds
}

func measure(dir string, n int) (slow bool, err error) {
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "alone"), 0o700), os.Mkdir(filepath.Join(dir, "bin"), 0o700)); err != nil {
		return false, err
	}
	if out, err := exec.Command("go", "run", "./scripts/lean").CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w\n%s", err, out)
	}
	for name, pkg := range map[string]string{
		"bin/sayso": "./cmd/sayso", "bin/sayso-hook": "./cmd/sayso-hook", "alone/sayso": "./cmd/sayso", "alone/sayso-hook": "./cmd/sayso-hook",
		"floor": "./scripts/hookbench/floor", "line": "./scripts/hookbench/line", "alone/unrecorded": "./scripts/hookbench/unrecorded",
	} {
		if err := install(filepath.Join(dir, name), pkg); err != nil {
			return false, err
		}
	}
	home, root := filepath.Join(dir, "home"), filepath.Join(dir, "repo")
	policy := filepath.Join(home, ".config", "sayso", "policy.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(policy), 0o700), os.MkdirAll(filepath.Join(root, ".git"), 0o700),
		os.WriteFile(policy, []byte("allow: [bash(git push origin *)]\ndeny: [bash(rm -rf *), read(**/secret/**)]\n"), 0o600)); err != nil {
		return false, err
	}
	old := time.Now().Add(-time.Hour) // as policies are
	if err := errors.Join(os.Chtimes(policy, old, old), approve(filepath.Join(home, ".local", "state", "sayso"), root)); err != nil {
		return false, err
	}
	env := append(os.Environ(), "HOME="+home, "CLAUDE_PROJECT_DIR="+root, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	all := programs(dir, env)
	if err := warm(all, root); err != nil {
		return false, err
	}
	for i := range n {
		for _, p := range all {
			if err := p.run(i, root); err != nil {
				return false, err
			}
		}
	}
	for _, p := range all {
		fmt.Printf("%-22s %6.2f ms", p.name, median(p.took))
		if p.against != "" {
			ratio := p.times(all)
			fmt.Printf(" %6.2f times %s", ratio, p.against)
			if ratio > most {
				slow = true
				fmt.Print(": too slow")
			}
		}
		fmt.Println()
	}
	return slow, nil
}

// approve keeps an approval for the workspace, as people leave some: a hook reads them, too.
func approve(state, root string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, state)
	if err != nil {
		return err
	}
	given := sayso.Grant{ID: "bench", Rule: "bash(npm publish *)", Scope: sayso.ForWorkspace, Given: time.Now()}
	return errors.Join(db.AddGrant(ctx, "", root, given), db.Close())
}

// programs are those that are run in turns.
func programs(dir string, env []string) []*program {
	const ordinary, removes, pushes = "git status && go test ./...", "rm -rf build && go test ./...", "git push origin2 main && go test ./..."
	hook, alone := filepath.Join(dir, "bin", "sayso-hook"), filepath.Join(dir, "alone", "sayso-hook")
	unrecorded := filepath.Join(dir, "alone", "unrecorded")
	wired := append(env[:len(env):len(env)], "GOMAXPROCS=1") // as package wire does
	plainly := append(env[:len(env):len(env)], "SAYSO_RESIDENT=off")
	lonely := append(wired[:len(wired):len(wired)], "SAYSO_RESIDENT=off")
	return []*program{
		{name: "one line", path: filepath.Join(dir, "line"), env: env, command: ordinary},
		{name: "JSON", path: filepath.Join(dir, "floor"), env: env, command: ordinary},
		{name: "allow", path: hook, env: wired, command: ordinary, answer: "allow", against: "one line"},
		{name: "deny", path: hook, env: wired, command: removes, answer: "deny", against: "one line"},
		{name: "ask", path: hook, env: wired, command: pushes, answer: "ask", against: "one line"},
		{name: "alone", path: alone, env: lonely, command: ordinary, answer: "allow", against: "JSON"},
		{name: "alone, no journal", path: unrecorded, env: lonely, command: ordinary, answer: "allow", against: "JSON"},
		{name: "alone, deny", path: alone, env: lonely, command: removes, answer: "deny", against: "JSON"},
		{name: "alone, plainly", path: alone, env: plainly, command: ordinary, answer: "allow", against: "JSON"},
		{name: "and no journal", path: unrecorded, env: plainly, command: ordinary, answer: "allow", against: "JSON"},
		{name: "alone, ask", path: alone, env: lonely, command: pushes, answer: "ask", against: "JSON"},
	}
}

// warm lets each run once, and the first hook start the resident process.
func warm(all []*program, root string) error {
	for _, p := range all {
		if err := p.run(-1, root); err != nil {
			return err
		}
		p.took = nil
	}
	time.Sleep(time.Second)
	return nil
}

// times is how many times what it is held against a program takes.
func (p *program) times(all []*program) float64 {
	ratios := make([]float64, len(p.took))
	for _, other := range all {
		if other.name == p.against {
			for i := range ratios {
				ratios[i] = p.took[i] / other.took[i]
			}
		}
	}
	return median(ratios)
}

// lean are the programs that make install builds so.
var lean = []string{"./cmd/sayso-hook", "./scripts/hookbench/unrecorded"}

// install builds a program and copies it to its place, as every way of installing
// does. What the linker has just written lies in memory page by page, and starts up
// to a fifth slower than the same file after it was copied, or read from a disk.
func install(name, pkg string) error {
	flags := []string{"build", "-trimpath", "-o", name + ".new"}
	if slices.Contains(lean, pkg) {
		flags = append(flags, "-modfile=.lean/go.mod")
	}
	build := exec.Command("go", append(flags, pkg)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	text, err := os.ReadFile(name + ".new")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(name, text, 0o755), os.Remove(name+".new"))
}

// run runs the program once, with an event. What was asked is answered then, as its
// user does: no agent lets questions pile up.
func (p *program) run(i int, root string) error {
	took, out, err := p.tell(i, root, "PreToolUse")
	if err == nil && p.answer == "ask" {
		_, _, err = p.tell(i, root, "PostToolUse")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if p.answer != "" && !bytes.Contains(out, []byte(`"permissionDecision":"`+p.answer+`"`)) {
		return fmt.Errorf("%s answers %s", p.name, out)
	}
	p.took = append(p.took, float64(took)/float64(time.Millisecond))
	return nil
}

// tell runs the program with an event.
func (p *program) tell(i int, root, name string) (took time.Duration, answer []byte, err error) {
	event, err := json.Marshal(map[string]any{
		"session_id": fmt.Sprint(p.name, i/50), "cwd": root, "hook_event_name": name, "permission_mode": "default",
		"tool_name": "Bash", "tool_input": map[string]string{"command": p.command}, "tool_use_id": fmt.Sprintf("t%d", i),
	})
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.Command(p.path, "claude")
	var out bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.env, bytes.NewReader(event), &out, os.Stderr
	start := time.Now()
	err = cmd.Run()
	return time.Since(start), out.Bytes(), err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
