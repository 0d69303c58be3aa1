package preset_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

// A statement is a line of a conformance file that is no decision.
type statement struct {
	ID, Kind string
	Steps    []string
	Expect   json.RawMessage
	text     json.RawMessage // all of it
}

// statements reads the lines of one kind from the conformance file of a system.
func statements(t *testing.T, system, kind string) []statement {
	t.Helper()
	text, err := os.ReadFile("../testdata/decisions/" + system + "/conformance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []statement
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var s statement
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if s.Kind == kind {
			s.text = slices.Clone(lines.Bytes())
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no statement of the kind %s", system, kind)
	}
	return out
}

// A cosmoTurn is a turn in which an agent makes calls and a person answers.
type cosmoTurn struct {
	t      *testing.T
	engine sayso.Engine
	asked  []sayso.Request
	answer string // the key that the person presses
}

func newCosmoTurn(t *testing.T, answer string) *cosmoTurn {
	turn := &cosmoTurn{t: t, answer: answer}
	memory := &store.Memory{}
	turn.engine = sayso.Engine{Preset: preset.Cosmo(), Sessions: memory, Grants: memory, Journal: memory}
	turn.engine.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		turn.asked = append(turn.asked, r)
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: turn.answer}, nil
	})
	return turn
}

func (turn *cosmoTurn) call(command string, args ...string) (sayso.Permit, sayso.Decision) {
	input, _ := json.Marshal(map[string]any{"command": command, "args": append([]string{}, args...)})
	permit, d, err := turn.engine.Authorize(context.Background(), sayso.Call{Session: "s", Tool: "run_command", Input: input, Root: cosmoRoot, Home: cosmoHome})
	if err != nil {
		turn.t.Fatal(err)
	}
	return permit, d
}

// TestCosmoSequence: the sequences of the conformance file, each by its name.
func TestCosmoSequence(t *testing.T) {
	hardStop := func(t *testing.T) {
		turn := newCosmoTurn(t, "n")
		if _, d := turn.call("ls"); d.Effect != sayso.Deny || d.Code != sayso.CodePersonNo || !d.Stop {
			t.Errorf("denied: %+v", d)
		}
		for _, other := range []string{"pwd", "mkfs"} { // pending calls, and alternatives that are tried
			if _, d := turn.call(other); d.Code != sayso.CodeStopped || !d.Stop || len(turn.asked) != 1 {
				t.Errorf("pending: %+v, asked %d times", d, len(turn.asked))
			}
		}
	}
	blocked := func(t *testing.T) {
		turn := newCosmoTurn(t, "y")
		if _, d := turn.call("mkfs", "/dev/sda"); d.Effect != sayso.Deny || d.Code != preset.CodeCosmoBlocked || d.Stop || len(turn.asked) != 0 || !strings.Contains(d.Reason, "destructive") {
			t.Errorf("blocked: %+v, asked %d times", d, len(turn.asked))
		}
		if _, d := turn.call("ls"); d.Effect != sayso.Allow || len(turn.asked) != 1 {
			t.Errorf("after it: %+v, asked %d times", d, len(turn.asked))
		}
	}
	known := map[string]func(t *testing.T){
		"cosmo-deny-hardstop": hardStop, "cosmo-deny-nofeedback": hardStop, "cosmo-deny-noalternative": hardStop,
		"cosmo-blocked-noprompt": blocked, "cosmo-blocked-not-hardstop": blocked,
		"cosmo-allow-exec": func(t *testing.T) {
			turn := newCosmoTurn(t, "y")
			permit, d := turn.call("ls", "; rm -rf /")
			if _, err := permit.Use(); err != nil || d.Code != sayso.CodePersonYes || len(turn.asked) != 1 {
				t.Errorf("%+v %v", d, err)
			}
			if permit, _ := newCosmoTurn(t, "n").call("ls"); !isRefused(permit) {
				t.Error("what was denied can run")
			}
			if turn.call("ls", "; rm -rf /"); len(turn.asked) != 2 {
				t.Error("an approval was remembered")
			}
		},
	}
	for _, s := range statements(t, "cosmo", "sequence") {
		run := known[s.ID]
		if run == nil {
			t.Errorf("%s is not tested", s.ID)
			continue
		}
		t.Run(s.ID, run)
	}
}

func isRefused(p sayso.Permit) bool {
	_, err := p.Use()
	return err != nil
}

// TestCosmoSchema: the shapes that the document gives.
func TestCosmoSchema(t *testing.T) {
	shapes := map[string]any{
		"cosmo-verdict-shape": preset.EvaluateCommand("mkfs", nil, cosmoRoot),
		"cosmo-confirm-shape": preset.CosmoConfirmation(sayso.Request{Decision: sayso.Decision{Explanation: "x"}}),
	}
	for _, s := range statements(t, "cosmo", "schema") {
		shape := shapes[s.ID]
		if shape == nil {
			t.Errorf("%s is not tested", s.ID)
			continue
		}
		var want, got []string
		if err := json.Unmarshal(s.Expect, &want); err != nil {
			t.Fatal(err)
		}
		for typ, i := reflect.TypeOf(shape), 0; i < typ.NumField(); i++ {
			if name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); options == "omitempty" {
				got = append(got, name+"?")
			} else if name != "" {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", s.ID, got, want)
		}
	}
}

// TestCosmoChoices: a person can allow or deny, and nothing is remembered.
func TestCosmoChoices(t *testing.T) {
	e := sayso.Engine{Preset: preset.Cosmo()}
	for _, command := range []string{"ls", "git commit -m x", "sudo ls"} {
		d := e.Check(context.Background(), bashIn(cosmoRoot, command), sayso.Session{})
		if d.Effect != sayso.Ask || len(d.Suggestions) != 0 || len(d.Choices) != 2 || d.Choices[0].Label != "Allow" || !d.Choices[0].Yes || d.Choices[1].Label != "Deny" || d.Choices[1].Yes {
			t.Errorf("%s: %+v", command, d)
		}
	}
	if err := e.Preset.CheckRule("bash(ls)"); err == nil {
		t.Error("an approval can be kept")
	}
}

func bashIn(root, command string) sayso.Call {
	input, _ := json.Marshal(map[string]string{"command": command})
	return sayso.Call{Tool: "bash", Input: input, Root: root, Home: cosmoHome}
}

// TestCosmoOther: what is no program and its arguments has a level, too.
func TestCosmoOther(t *testing.T) {
	tests := []struct {
		tool, input string
		effect      sayso.Effect
		risk        shell.Risk
	}{
		{"bash", `{"command":"cat a > b"}`, sayso.Ask, shell.Moderate},
		{"bash", `{"command":"cat a > /etc/b"}`, sayso.Deny, shell.Blocked},
		{"bash", `{"command":"ls | grep x"}`, sayso.Ask, shell.Safe},
		{"bash", `{"command":"ls; rm -rf /"}`, sayso.Deny, shell.Blocked},
		{"bash", `{"command":"$X"}`, sayso.Ask, shell.Dangerous},
		{"bash", `{"command":"ssh host rm -rf /etc"}`, sayso.Ask, shell.Dangerous},
		{"Read", `{"file_path":"a"}`, sayso.Ask, shell.Safe},
		{"Read", `{"file_path":"/etc/hosts"}`, sayso.Ask, shell.Safe},
		{"Read", `{"file_path":"/home/user/.ssh/id_rsa"}`, sayso.Deny, shell.Blocked},
		{"Write", `{"file_path":"a","content":""}`, sayso.Ask, shell.Moderate},
		{"Write", `{"file_path":"/tmp/a","content":""}`, sayso.Ask, shell.Dangerous},
		{"Write", `{"file_path":"/etc/a","content":""}`, sayso.Deny, shell.Blocked},
		{"WebFetch", `{"url":"https://example.com"}`, sayso.Ask, shell.Dangerous},
		{"mcp__x__y", `{}`, sayso.Ask, shell.Dangerous},
		{"Bash", `{"command":3}`, sayso.Deny, shell.Blocked},
	}
	e := sayso.Engine{Preset: preset.Cosmo()}
	for _, test := range tests {
		call := sayso.Call{Tool: test.tool, Input: json.RawMessage(test.input), Root: cosmoRoot, Home: cosmoHome}
		if d := e.Check(context.Background(), call, sayso.Session{}); d.Effect != test.effect || d.Risk != test.risk {
			t.Errorf("%s %s: %s %s: %s", test.tool, test.input, d.Effect, d.Risk, d.Reason)
		}
	}
}

// TestCosmoUnknownHome: without a home folder the secrets of every home are
// protected.
func TestCosmoUnknownHome(t *testing.T) {
	for arg, want := range map[string]shell.Risk{
		"~/.ssh/id_rsa": shell.Blocked, "/home/ann/.aws/credentials": shell.Blocked, "/Users/ann/.gnupg/x": shell.Blocked, "/root/.ssh/id_rsa": shell.Blocked,
		"~/notes": shell.Safe, "/home/ann/x": shell.Safe, "/x": shell.Safe,
	} {
		if got := preset.EvaluateCommand("cat", []string{arg}, "/work"); got.Risk != want {
			t.Errorf("cat %s: %s, want %s", arg, got.Risk, want)
		}
	}
}

func ExampleEvaluateCommand() {
	for _, argv := range [][]string{{"rm", "-rf", "node_modules"}, {"git", "push", "--force"}, {"rm", "-rf", "/etc"}, {"frobnicate", "a", "b"}} {
		v := preset.EvaluateCommand(argv[0], argv[1:], "/path/to/workspace")
		fmt.Printf("%s: %s\n", v.Risk, v.Explanation)
		if v.Blocked {
			fmt.Println("  blocked because:", v.BlockReason)
		}
	}
	// Output:
	// moderate: Delete folder and all its contents: node_modules
	// dangerous: Force-push changes to the remote (overwrites remote history)
	// blocked: Delete folder and all its contents: /etc
	//   blocked because: recursive delete on a critical path /etc
	// dangerous: Run command: frobnicate a b
}

func ExampleCosmo() {
	engine := sayso.Engine{Preset: preset.Cosmo()}
	call := sayso.Call{Tool: "run_command", Input: []byte(`{"command":"git","args":["push","origin","main"]}`), Root: "/path/to/workspace"}
	d := engine.Check(context.Background(), call, sayso.Session{})
	fmt.Println(d.Effect, d.Risk, d.Explanation)
	for _, c := range d.Choices {
		fmt.Println(c.Key, c.Label)
	}
	// Output:
	// ask moderate Push commits to the remote repository
	// y Allow
	// n Deny
}
