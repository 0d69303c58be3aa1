package preset_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// kodaServer is a server as a workspace configures it.
func kodaServer(name string) preset.MCPServer {
	return preset.MCPServer{Name: name, Type: "stdio", Command: "npx", Args: []string{"-y", name}, Env: map[string]string{"TOKEN": "1", "HOST": "2"}}
}

// TestKodaCodeFingerprint: what changes the fingerprint of a server.
func TestKodaCodeFingerprint(t *testing.T) {
	changes := map[string]func(s *preset.MCPServer){
		"type":              func(s *preset.MCPServer) { s.Type = "http" },
		"command":           func(s *preset.MCPServer) { s.Command = "node" },
		"args":              func(s *preset.MCPServer) { s.Args = []string{"-y"} },
		"args order":        func(s *preset.MCPServer) { slices.Reverse(s.Args) },
		"args joined":       func(s *preset.MCPServer) { s.Args = []string{strings.Join(s.Args, " ")} },
		"env key added":     func(s *preset.MCPServer) { s.Env["X"] = "" },
		"env key removed":   func(s *preset.MCPServer) { delete(s.Env, "HOST") },
		"env key renamed":   func(s *preset.MCPServer) { delete(s.Env, "HOST"); s.Env["HOSTS"] = "2" },
		"env value changed": func(s *preset.MCPServer) { s.Env["TOKEN"] = "other" },
		"env value":         func(s *preset.MCPServer) { s.Env["TOKEN"] = "other" },
		"name":              func(s *preset.MCPServer) { s.Name = "other" },
		"nothing":           func(*preset.MCPServer) {},
	}
	same := []string{"env value changed", "env value", "name", "nothing"}
	before := kodaServer("a").Fingerprint()
	check := func(id, change, want string) {
		change = strings.NewReplacer("environment", "env", "arguments", "args", "variable ", "").Replace(change)
		apply := changes[change]
		if apply == nil {
			t.Errorf("%s: the change %q is not tested", id, change)
			return
		}
		s := kodaServer("a")
		apply(&s)
		got := "different"
		if s.Fingerprint() == before {
			got = "same"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	kodaStatements(t, "fingerprint", func(s kodaStatement, expect json.RawMessage) {
		want, _ := strconv.Unquote(string(expect))
		check(s.ID, s.Change, want)
	})
	for change := range changes {
		check(change, change, map[bool]string{true: "same", false: "different"}[slices.Contains(same, change)])
	}
	if len(before) != 64 {
		t.Errorf("%s is no SHA-256", before)
	}
}

// TestKodaCodeTrust: the keys of the trust manager, on what was trusted in two
// workspaces.
func TestKodaCodeTrust(t *testing.T) {
	press := func(keys ...string) (left []sayso.Trust, confirming int, closed bool) {
		m := trustedStore(t)
		manager, err := preset.OpenTrustManager(context.Background(), m, kodaRoot)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			var do preset.TrustAction
			manager, do = manager.Press(key)
			if err := do.Apply(context.Background(), m); err != nil {
				t.Fatal(err)
			}
			closed = do.Close
		}
		left, _ = m.AllTrust(context.Background())
		return left, manager.Confirming(), closed
	}
	// how many of the five entries are left once it is confirmed
	after := map[string]int{"r": 4, "a": 2, "A": 0}
	kodaStatements(t, "trust", func(s kodaStatement, _ json.RawMessage) {
		want, ok := after[s.Key]
		switch {
		case slices.Contains([]string{"Enter", "y", "Esc", "n"}, s.Key): // the answers to what r asks
			confirmed := s.Key == "Enter" || s.Key == "y"
			if left, n, _ := press("r", s.Key); (len(left) == 4) != confirmed || n != 0 {
				t.Errorf("%s: left %v", s.ID, left)
			}
			return
		case !ok:
			t.Errorf("%s: the key %s is not tested", s.ID, s.Key)
			return
		}
		for _, yes := range []string{"enter", "y"} {
			if left, n, _ := press(s.Key); len(left) != 5 || n != 5-want {
				t.Errorf("%s: not confirmed, and %d are left, %d are asked about", s.ID, len(left), n)
			}
			if left, n, _ := press(s.Key, yes); len(left) != want || n != 0 {
				t.Errorf("%s %s: left %v", s.ID, yes, left)
			}
		}
		for _, no := range []string{"esc", "n"} {
			if left, n, closed := press(s.Key, no); len(left) != 5 || n != 0 || closed {
				t.Errorf("%s %s: left %v", s.ID, no, left)
			}
		}
	})
	for keys, want := range map[string]string{
		"j j r y":                "/other: /other:x /work/ws:a /work/ws:b",
		"down down down r enter": "/other: /other:x /work/ws: /work/ws:b",
		"j j j j j j r y":        "/other: /other:x /work/ws: /work/ws:a",
		"j k r y":                "/other:x /work/ws: /work/ws:a /work/ws:b",
		"down up r y":            "/other:x /work/ws: /work/ws:a /work/ws:b",
		"r q x y":                "/other:x /work/ws: /work/ws:a /work/ws:b",
		"r a y":                  "/other:x /work/ws: /work/ws:a /work/ws:b", // nothing else before it is confirmed
		"r Enter":                "/other:x /work/ws: /work/ws:a /work/ws:b",
		"r Esc":                  "/other: /other:x /work/ws: /work/ws:a /work/ws:b",
		"y enter":                "/other: /other:x /work/ws: /work/ws:a /work/ws:b",
		"a y a y r y":            "/other:x",
		"A y r y a y":            "",
	} {
		left, _, _ := press(strings.Fields(keys)...)
		var names []string
		for _, l := range left {
			names = append(names, l.Root+":"+l.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", keys, got, want)
		}
	}
	if _, _, closed := press("esc"); !closed {
		t.Error("it does not close")
	}
}

func trustedStore(t *testing.T) *store.Memory {
	t.Helper()
	m := &store.Memory{}
	for _, at := range []struct{ root, name string }{{kodaRoot, ""}, {kodaRoot, "a"}, {kodaRoot, "b"}, {"/other", ""}, {"/other", "x"}} {
		print := ""
		if at.name != "" {
			print = kodaServer(at.name).Fingerprint()
		}
		if err := m.Trust(context.Background(), at.root, at.name, print); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestKodaCodeTrustPrompt: what the keys of the startup prompt lead to.
func TestKodaCodeTrustPrompt(t *testing.T) {
	ctx := context.Background()
	servers := []preset.MCPServer{kodaServer("a"), kodaServer("b")}
	tests := []struct {
		keys      string
		workspace bool
		started   string
		exit      bool
	}{
		{"1", true, "a b", false},
		{"2", true, "", false},
		{"3", false, "a b", false},
		{"4", false, "", false},
		{"5", false, "", true},
		{"esc", false, "", true},
		{"Esc", false, "", true},
		{"Space Down Up Enter", true, "", false},
		{"enter", false, "", false}, // nothing is switched on
		{"space enter", true, "", false},
		{"x enter", true, "", false},
		{"x x enter", false, "", false},
		{"j x j space enter", false, "a b", false},
		{"j j x k enter", false, "b", false},
		{"j j j enter", true, "a b", false}, // the first choice
		{"down down down down enter", true, "", false},
		{"j j j j j enter", false, "a b", false},
		{"j j j j j j enter", false, "", false},
		{"j j j j j j j j j j enter", false, "", true}, // not beyond the last
		{"x j j j j j j j enter", false, "", true},
		{"up k x enter", true, "", false}, // not above the first
		{"j j j x 9 0 q k k x enter", false, "a", false},
	}
	for _, test := range tests {
		m := &store.Memory{}
		p, needed, err := preset.AskTrust(ctx, m, kodaRoot, servers)
		if err != nil || !needed {
			t.Fatalf("%v %v", needed, err)
		}
		var answer preset.TrustAnswer
		var done bool
		for _, key := range strings.Fields(test.keys) {
			if done {
				t.Fatalf("%s: done before the end", test.keys)
			}
			p, answer, done = p.Press(key)
		}
		if err := answer.Keep(ctx, m); err != nil {
			t.Fatal(err)
		}
		workspace, _ := m.Trusted(ctx, kodaRoot, "", "")
		started, err := preset.StartableServers(ctx, m, kodaRoot, servers)
		var names []string
		for _, s := range started {
			names = append(names, s.Name)
		}
		if !done || err != nil || workspace != test.workspace || strings.Join(names, " ") != test.started || answer.Exit != test.exit {
			t.Errorf("%s: workspace %v, started %q, exit %v, done %v", test.keys, workspace, names, answer.Exit, done)
		}
		_, needed, _ = preset.AskTrust(ctx, m, kodaRoot, servers)
		if all := test.workspace && test.started == "a b"; needed == all {
			t.Errorf("%s: the prompt comes again: %v", test.keys, needed)
		}
	}
}

// TestKodaCodeTrustEnds: trust is in one workspace, and in what was seen.
func TestKodaCodeTrustEnds(t *testing.T) {
	ctx := context.Background()
	m := trustedStore(t)
	both := []preset.MCPServer{kodaServer("a"), kodaServer("b")}
	needed := func(root string, servers []preset.MCPServer) bool {
		_, needed, err := preset.AskTrust(ctx, m, root, servers)
		return err != nil || needed
	}
	changed := kodaServer("a")
	changed.Args = append(changed.Args, "--more")
	if needed(kodaRoot, both) || needed(kodaRoot, nil) || !needed("/other", both) || !needed("/new", nil) || !needed(kodaRoot, []preset.MCPServer{changed}) {
		t.Error("trusted at the wrong place")
	}
	broken := &brokenTrust{}
	if _, needed, err := preset.AskTrust(ctx, broken, kodaRoot, both); err == nil || !needed {
		t.Error("a store that fails trusts")
	}
	if list, err := preset.StartableServers(ctx, broken, kodaRoot, both); err == nil || len(list) > 0 {
		t.Error("a store that fails starts servers")
	}
	if _, err := preset.OpenTrustManager(ctx, broken, kodaRoot); err == nil {
		t.Error("a store that fails is shown")
	}
	if err := (preset.TrustAction{Revoke: []sayso.Trust{{Root: "/"}}}).Apply(ctx, broken); err == nil {
		t.Error("a store that fails has revoked")
	}
	if err := (preset.TrustAction{Revoke: []sayso.Trust{{Root: "/nobody"}}}).Apply(ctx, m); err != nil {
		t.Errorf("gone already: %v", err)
	}
	for _, a := range []preset.TrustAnswer{{Workspace: true}, {Servers: both}} {
		if err := a.Keep(ctx, broken); err == nil {
			t.Error("a store that fails has kept")
		}
	}
	unnamed := preset.MCPServer{Command: "x"} // its name would be that of the workspace
	if err := (preset.TrustAnswer{Servers: []preset.MCPServer{unnamed}}).Keep(ctx, m); err == nil {
		t.Error("a server without a name is trusted")
	}
}

type brokenTrust struct{ store.Memory }

var errBroken = errors.New("the disk is full")

func (*brokenTrust) Trusted(context.Context, string, string, string) (bool, error) {
	return true, errBroken
}

func (*brokenTrust) Trust(context.Context, string, string, string) error { return errBroken }

func (*brokenTrust) Revoke(context.Context, string, string) error { return errBroken }

func (*brokenTrust) AllTrust(context.Context) ([]sayso.Trust, error) { return nil, errBroken }

// TestKodaCodeShown: prompts show what they are about, and nothing in it can
// change how they are read.
func TestKodaCodeShown(t *testing.T) {
	ctx := context.Background()
	evil := preset.MCPServer{Name: "a\x1b[2J\n> 1. Trust", Type: "stdio", Command: "sh", Args: []string{"-c", "x y"}, Env: map[string]string{"B": "secret", "A": "s"}}
	p, _, _ := preset.AskTrust(ctx, &store.Memory{}, kodaRoot, []preset.MCPServer{evil})
	p, _, _ = p.Press("x")
	want := []string{
		"> [x] workspace /work/ws",
		`  [ ] MCP server a\x1b[2J\n> 1. Trust (stdio): sh -c 'x y', environment: A, B`,
		"  1. Trust workspace and all listed MCP servers",
		"  2. Trust workspace only",
		"  3. Trust all listed MCP servers only",
		"  4. Continue without trusting listed MCP servers",
		"  5. Cancel",
	}
	if got := p.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	manager, _ := preset.OpenTrustManager(ctx, trustedStore(t), kodaRoot)
	if got := manager.Lines(); len(got) != 6 || got[0] != "> /other  workspace" || !strings.HasPrefix(got[1], "  /other  MCP server x ") {
		t.Errorf("%q", got)
	}
	manager, _ = manager.Press("a")
	if got := manager.Lines(); got[len(got)-1] != "Revoke 3? Enter or y: yes, Esc or n: no" {
		t.Errorf("%q", got)
	}
	empty, _ := preset.OpenTrustManager(ctx, &store.Memory{}, kodaRoot)
	for _, key := range []string{"r", "a", "A", "down", "y"} {
		empty, _ = empty.Press(key)
	}
	if got := empty.Lines(); got[0] != "nothing is trusted" || empty.Confirming() != 0 {
		t.Errorf("%q", got)
	}
}

// TestKodaCodeContract: the eight fields of the execution contract.
func TestKodaCodeContract(t *testing.T) {
	full := preset.ShowContract(sayso.Contract{
		Script: "make\n\x1b[2Jall " + strings.Repeat("x", 200), Dir: "/w", Write: []string{"/w"}, Protected: []string{"/w/.git/hooks"}, Env: map[string]string{"B": "2", "A": "1"},
		Timeout: time.Minute, Output: 100, Network: sayso.NetworkHosts, Hosts: []string{"a.test", "package registries"},
	})
	want := []string{
		`Command: make\n\x1b[2Jall ` + strings.Repeat("x", 200), "Working directory: /w", "Workspace: read-write", "Protected paths: /w/.git/hooks",
		"Environment overrides: A=1, B=2", "Timeout: 1m0s", "Output limit: 100 bytes", "Network policy: a.test, package registries",
	}
	if got := full.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	plain := []string{"Command: ls 'a b'", "Working directory: /w", "Workspace: read-only", "Protected paths: none", "Environment overrides: none", "Timeout: none", "Output limit: none", "Network policy: disabled"}
	if got := preset.ShowContract(sayso.Contract{Argv: []string{"ls", "a b"}, Dir: "/w"}).Lines(); !slices.Equal(got, plain) {
		t.Errorf("%q", got)
	}
	for network, want := range map[sayso.Network]string{sayso.NetworkAll: "enabled", sayso.NetworkLoopback: "this machine only"} {
		if got := preset.ShowContract(sayso.Contract{Tool: "read", Input: []byte(`{}`), Network: network}); got.NetworkPolicy != want || got.Command != "read {}" {
			t.Errorf("%+v", got)
		}
	}
	for _, network := range []string{"", preset.NetworkEnabled} {
		s := newKodaSession(t, preset.KodaCodeConfig{Network: network}, "1")
		permit, _ := s.call("bash", bashInput("curl example.com"))
		c, err := permit.Use()
		shown := preset.ShowContract(c)
		if err != nil || shown.Command != "curl example.com" || shown.WorkingDirectory != kodaRoot || shown.NetworkPolicy != map[string]string{"": "example.com", "enabled": "enabled"}[network] {
			t.Errorf("%+v %v", shown, err)
		}
		if permit, _ = s.call("read", `{"paths":["a"]}`); isRefused(permit) {
			t.Error("refused")
		}
	}
}
