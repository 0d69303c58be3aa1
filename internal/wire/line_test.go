package wire_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/wire"
)

// heard is what an agent gets of a line that it runs.
type heard struct {
	out, errs string
	status    int
}

// deciding is the line that is wired before a tool runs, with a hook that does what a
// script says; without a script there is no hook.
func deciding(t *testing.T, a *wire.Agent, observe bool, script string) string {
	t.Helper()
	hook := filepath.Join(t.TempDir(), "it's here", "sayso-hook")
	if err := os.Mkdir(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if script != "" {
		if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	settings, err := a.Wire(nil, wire.User, wire.Call{Program: hook, Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.Find(settings, wire.User)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range found {
		if call, ok := wire.ParseCall(h.Command); !ok || call.Program != hook || call.Observe != observe {
			t.Errorf("%s: read as %+v", h.Command, call)
		}
		if slices.Contains(a.Decisive(), h.Event) {
			return h.Command
		}
	}
	t.Fatalf("%s asks at no event", a.Name)
	return ""
}

func run(t *testing.T, shell, line string) (h heard) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), shell, "-c", line)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return heard{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// shellOf runs the hooks of an agent.
func shellOf(a *wire.Agent) string {
	if a.Name == "claude" || a.Name == "codex" {
		return "sh"
	}
	return "bash"
}

// opens are the agents that go on by themselves if a hook does not answer.
func opens() []*wire.Agent {
	return slices.DeleteFunc(wire.Agents(), func(a *wire.Agent) bool { return !a.Open })
}

// TestAnswersPass: what the hooks say reaches the agents, and a no has the status that
// blocks beside it.
func TestAnswersPass(t *testing.T) {
	for _, a := range opens() {
		text, err := os.ReadFile(filepath.Join("..", "hook", "testdata", a.Name+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		event := ""
		for line := range strings.Lines(string(text)) {
			word, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !strings.HasPrefix(line, " ") {
				event, _, _ = strings.Cut(strings.TrimSpace(line), ".")
			}
			if answer = strings.TrimSpace(answer); word == "call" || !strings.HasPrefix(line, " ") || !slices.Contains(a.Decisive(), event) {
				continue
			}
			seen[word]++
			if seen[word] > 1 {
				continue
			}
			script := "cat <<'END'\n" + answer + "\nEND"
			if said, ok := strings.CutPrefix(answer, "status 2: "); ok {
				script, word = "cat >&2 <<'END'\n"+said+"\nEND\nexit 2", "deny"
			}
			for _, observe := range []bool{false, true} {
				got := run(t, shellOf(a), deciding(t, a, observe, script))
				no := word == "deny" || word == "stop" || strings.Contains(answer, `"deny"`)
				switch {
				case no && (got.status != 2 || !strings.Contains(strings.ReplaceAll(got.out+got.errs, `\`, ""), strings.ReplaceAll(reasonIn(answer), `\`, ""))):
					t.Errorf("%s, %s %s: %+v", a.Name, event, word, got)
				case !no && got != (heard{out: answer}):
					t.Errorf("%s, %s %s: %+v, want %s", a.Name, event, word, got, answer)
				}
			}
		}
		if len(seen) != 4 {
			t.Errorf("%s: only %v", a.Name, seen)
		}
	}
}

// reasonIn is the reason in an answer, without its quotes.
func reasonIn(answer string) string {
	_, rest, _ := strings.Cut(answer, `eason":"`)
	reason, _, _ := strings.Cut(rest, `"}`)
	reason, _, _ = strings.Cut(reason, `","`)
	return reason
}

// TestNoAnswer: whatever is no answer blocks, and says so.
func TestNoAnswer(t *testing.T) {
	for name, script := range map[string]string{
		"missing":         "",
		"killed":          "kill -9 $$",
		"fails":           "exit 1",
		"fails in words":  "echo no such policy >&2; exit 2",
		"status 10":       `printf '%s' '{"decision":"allow"}'; exit 10`,
		"a word":          "echo yes",
		"no JSON":         "echo '{'",
		"another answer":  `echo '{"continue":true}'`,
		"null":            "echo null",
		"cut off":         `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","perm'`,
		"cut off in deny": `printf '{"decision":"deny","reas'`,
		"a line before":   `echo a log; echo '{"decision":"deny","reason":"no"}'`,
		"a line behind":   `echo '{"decision":"deny","reason":"no"}'; echo a log`,
		"usage":           "echo 'usage: sayso-hook AGENT'; exit 0",
		"bytes":           `printf '\377\000\001'`,
	} {
		for _, a := range opens() {
			got := run(t, shellOf(a), deciding(t, a, false, script))
			own := name == "fails in words" && a.Name == "windsurf" // there that is an answer
			if got.status != 2 || !own && !strings.Contains(got.errs, "the hook did not answer") || got.out != "" && !strings.Contains(got.out, `"deny"`) {
				t.Errorf("%s, %s: %+v", a.Name, name, got)
			}
			observed := run(t, shellOf(a), deciding(t, a, true, script))
			if want := map[bool]int{true: 2}[name == "fails in words"]; observed.status != want || observed.out != "" {
				t.Errorf("%s, %s, observed: %+v", a.Name, name, observed)
			}
		}
	}
	for _, a := range opens() { // where no answer is one
		quiet := slices.Contains([]string{"codex", "copilot", "vscode", "windsurf"}, a.Name)
		if got := run(t, shellOf(a), deciding(t, a, false, ":")); (got == heard{}) != quiet || (got.status == 2) == quiet {
			t.Errorf("%s, silent: %+v", a.Name, got)
		}
	}
}

// TestAnyShell: the shell that a user likes need not know how to read the line.
func TestAnyShell(t *testing.T) {
	a, _ := wire.Find("codex")
	line := deciding(t, a, false, "exit 1")
	rest, ok := strings.CutPrefix(line, "/bin/sh -c '")
	if !ok || !strings.HasSuffix(rest, "'") {
		t.Fatal(line)
	}
	if strings.Contains(strings.ReplaceAll(rest[:len(rest)-1], `'\''`, ""), "'") {
		t.Errorf("it is not one word: %s", line)
	}
}

// TestEarlierLines: what was wired before is found, and wired anew.
func TestEarlierLines(t *testing.T) {
	a, _ := wire.Find("claude")
	old := `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/sayso-hook claude || { echo 'sayso: the hook did not answer; install sayso, or see sayso doctor' >&2; exit 2; }"}]}]}}`
	found, err := a.Find([]byte(old), wire.User)
	if err != nil || len(found) != 1 || found[0].Closed {
		t.Fatalf("%+v, %v", found, err)
	}
	now, err := a.Wire([]byte(old), wire.User, wire.Call{Program: "/x/sayso-hook"})
	if err != nil || strings.Contains(string(now), "|| {") {
		t.Errorf("%s, %v", now, err)
	}
	other := func(h wire.Hook) bool {
		call, ok := wire.ParseCall(h.Command)
		return !ok || call.Program != "/x/sayso-hook"
	}
	slower := strings.ReplaceAll(string(now), "GOMAXPROCS=1 ", "")
	found, err = a.Find([]byte(slower), wire.User)
	if err != nil || slower == string(now) || len(found) < 2 || slices.ContainsFunc(found, other) {
		t.Errorf("%+v, %v", found, err)
	}
}
