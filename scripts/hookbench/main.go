// Hookbench measures what a hook costs: a process that reads an event, decides and
// records it, against one that only starts, reads JSON and answers. Both are run in
// turns, so that a busy machine slows both down, and the median of the ratios counts.
//
//	go run ./scripts/hookbench [-n 300]
//
// It exits with 1 if the hook costs more than one and a half times the other.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// most is how many times the cost of the plain process the hook may have.
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
		fmt.Printf("hookbench: error: a hook costs more than %.1f times a process that only answers\n", most)
		os.Exit(1)
	}
}

// A program is one of those that are compared.
type program struct {
	name, path string
	env        []string
	command    string    // what the agent wants to run
	answer     string    // what is decided; empty: nothing is
	took       []float64 // milliseconds
}

func measure(dir string, n int) (slow bool, err error) {
	for name, pkg := range map[string]string{"sayso": "./cmd/sayso", "sayso-hook": "./cmd/sayso-hook", "floor": "./scripts/hookbench/floor", "unrecorded": "./scripts/hookbench/unrecorded"} {
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
	env := append(os.Environ(), "HOME="+home, "CLAUDE_PROJECT_DIR="+root, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	const ordinary = "git status && go test ./..."
	hook := filepath.Join(dir, "sayso-hook")
	all := []*program{
		{name: "plain", path: filepath.Join(dir, "floor"), env: env, command: ordinary},
		{name: "allow", path: hook, env: env, command: ordinary, answer: "allow"},
		{name: "without journal", path: filepath.Join(dir, "unrecorded"), env: env, command: ordinary, answer: "allow"},
		{name: "deny", path: hook, env: env, command: "rm -rf build && go test ./...", answer: "deny"},
		{name: "ask", path: hook, env: env, command: "git push origin2 main && go test ./...", answer: "ask"},
	}
	for i := range n {
		for _, p := range all {
			if err := p.run(i, root); err != nil {
				return false, err
			}
		}
	}
	for _, p := range all {
		ratios := make([]float64, n)
		for i := range ratios {
			ratios[i] = p.took[i] / all[0].took[i]
		}
		fmt.Printf("%-16s %6.2f ms %6.2f times\n", p.name, median(p.took), median(ratios))
		slow = slow || median(ratios) > most
	}
	return slow, nil
}

// install builds a program and copies it to its place, as every way of installing
// does. What the linker has just written lies in memory page by page, and starts up
// to a fifth slower than the same file after it was copied, or read from a disk.
func install(name, pkg string) error {
	build := exec.Command("go", "build", "-trimpath", "-o", name+".new", pkg)
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
