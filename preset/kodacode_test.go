package preset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

const kodaRoot = "/work/ws"

// A kodaStatement is a statement with the fields that KodaCode's have.
type kodaStatement struct {
	ID, Subject, Value, Pattern, Key, Change, Given string
	Rules                                           [][2]string
	Actions                                         []sayso.Effect
	PromptKind                                      string `json:"prompt_kind"`
}

func kodaStatements(t *testing.T, kind string, each func(s kodaStatement, expect json.RawMessage)) {
	t.Helper()
	for _, line := range statements(t, "kodacode", kind) {
		var s kodaStatement
		if err := json.Unmarshal(line.text, &s); err != nil {
			t.Fatal(err)
		}
		each(s, line.Expect)
	}
}

func kodaRulesOf(t *testing.T, pairs [][2]string) []preset.KodaCodeRule {
	t.Helper()
	var out []preset.KodaCodeRule
	for _, pair := range pairs {
		r := preset.KodaCodeRule{Pattern: pair[0]}
		if err := r.Action.UnmarshalText([]byte(pair[1])); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestKodaCodePolicyMatch: the last rule that matches a value wins.
func TestKodaCodePolicyMatch(t *testing.T) {
	kodaStatements(t, "policy_match", func(s kodaStatement, expect json.RawMessage) {
		got := "none"
		if action, ok := preset.MatchKodaCode(s.Subject, s.Value, kodaRulesOf(t, s.Rules)); ok {
			got = action.String()
		}
		if strconv.Quote(got) != string(expect) {
			t.Errorf("%s: %s, want %s", s.ID, got, expect)
		}
	})
}

// TestKodaCodeNormalized: values are normalised before they are matched.
func TestKodaCodeNormalized(t *testing.T) {
	tests := []struct{ subject, pattern, value, want string }{
		{"external_directory", "/tmp/a", "/tmp/./b/../a", "allow"},
		{"external_directory", "/tmp//a/", "/tmp/a", "allow"},
		{"external_directory", "/tmp/a", " /tmp/a/ ", "allow"},
		{"external_directory", "/tmp/**", "/tmp", "none"},
		{"external_directory", "/tmp/?", "/tmp/ab", "none"},
		{"bash", "git status*", "  git status\n", "allow"},
		{"bash", "git status*", "GIT status", "none"},
		{"bash", "*rm*", "ls && rm x", "allow"},
		{"network_target", "example.com", "EXAMPLE.com", "allow"},
		{"network_target", "Example.COM:443", "example.com:8080", "allow"},
		{"network_target", "example.com", "example.com.", "allow"},
		{"network_target", "*.example.com", "example.com", "none"},
		{"network_target", "::1", "[::1]:80", "allow"},
		{"network_target", "::1", "::1", "allow"},
		{"network_target", "package registries", "package registries", "allow"},
		{"network_target", "command:*", "command:x", "allow"},
		{"web_fetch", "https://docs.example.com/**", "https://DOCS.Example.com/A", "allow"},
		{"web_fetch", "HTTPS://Docs.example.com/a", "https://docs.example.com/a", "allow"},
		{"web_fetch", "https://docs.example.com/**", "https://docs.example.com", "allow"},
		{"web_fetch", "https://docs.example.com", "https://docs.example.com", "allow"},
		{"web_fetch", "https://docs.example.com/**", "https://docs.example.com:443/a", "allow"},
		{"web_fetch", "https://docs.example.com/**", "https://docs.example.com:8443/a", "none"},
		{"web_fetch", "https://docs.example.com*", "https://docs.example.com@evil.test/", "none"},
		{"web_fetch", "https://example.com/docs/**", "https://example.com/docs/../admin", "none"},
		{"web_fetch", "https://example.com/docs/**", "https://example.com/docs/%2e%2e/admin", "none"},
		{"web_fetch", "https://example.com/a?b=*", "https://example.com/a?b=1#c", "allow"},
	}
	for _, test := range tests {
		got := "none"
		rules := []preset.KodaCodeRule{{Pattern: test.pattern, Action: sayso.Allow}}
		if action, ok := preset.MatchKodaCode(test.subject, test.value, rules); ok {
			got = action.String()
		}
		if got != test.want {
			t.Errorf("%s %q with %q: %s, want %s", test.subject, test.value, test.pattern, got, test.want)
		}
	}
}

// TestKodaCodeGlob: * is any text, ? one character, and all of it must match.
func TestKodaCodeGlob(t *testing.T) {
	kodaStatements(t, "glob", func(s kodaStatement, expect json.RawMessage) {
		_, got := preset.MatchKodaCode("bash", s.Value, []preset.KodaCodeRule{{Pattern: s.Pattern, Action: sayso.Allow}})
		if strconv.FormatBool(got) != string(expect) {
			t.Errorf("%s: %v, want %s", s.ID, got, expect)
		}
	})
}

// TestKodaCodeCombine: of several subjects the most restrictive action counts.
func TestKodaCodeCombine(t *testing.T) {
	kodaStatements(t, "combine", func(s kodaStatement, expect json.RawMessage) {
		// a command that talks to one host for each action
		var hosts []string
		cfg := preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{}}
		for i, action := range s.Actions {
			host := fmt.Sprintf("h%d.test", i)
			hosts = append(hosts, host)
			cfg.Permissions[preset.SubjectNetworkTarget] = append(cfg.Permissions[preset.SubjectNetworkTarget], preset.KodaCodeRule{Pattern: host, Action: action})
		}
		e := sayso.Engine{Preset: preset.KodaCode(cfg)}
		d := e.Check(context.Background(), bashIn(kodaRoot, "curl "+strings.Join(hosts, " ")), sayso.Session{})
		if strconv.Quote(d.Effect.String()) != string(expect) {
			t.Errorf("%s: %s, want %s (%s)", s.ID, d.Effect, expect, d.Reason)
		}
	})
}

// A kodaSession is a session in which an agent makes calls and a person answers.
type kodaSession struct {
	t      *testing.T
	memory *store.Memory
	engine sayso.Engine
	asked  []sayso.Request
	answer string // the key that the person presses
}

func newKodaSession(t *testing.T, cfg preset.KodaCodeConfig, answer string) *kodaSession {
	s := &kodaSession{t: t, memory: &store.Memory{}, answer: answer}
	s.open(cfg)
	return s
}

// open starts the program anew, with what was stored.
func (s *kodaSession) open(cfg preset.KodaCodeConfig) {
	s.engine = sayso.Engine{Preset: preset.KodaCode(cfg), Sessions: s.memory, Grants: s.memory, Journal: s.memory, Contract: preset.KodaCodeContract(cfg)}
	s.engine.Approver = sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		s.asked = append(s.asked, r)
		for _, c := range r.Decision.Choices {
			if c.Key == s.answer {
				return sayso.Answer{RequestID: r.ID, ContractHash: c.Contract(r.Contract).Hash(), Choice: c.Key}, nil
			}
		}
		return sayso.Answer{RequestID: r.ID, Choice: s.answer}, nil
	})
}

func (s *kodaSession) call(tool, input string) (sayso.Permit, sayso.Decision) {
	s.t.Helper()
	permit, d, err := s.engine.Authorize(context.Background(), sayso.Call{Session: "s", Tool: tool, Input: json.RawMessage(input), Root: kodaRoot, Home: "/home/user"})
	if err != nil {
		s.t.Fatal(err)
	}
	return permit, d
}

// expect makes a call and checks its effect and how often was asked so far.
func (s *kodaSession) expect(tool, input string, want sayso.Effect, asked int) {
	s.t.Helper()
	if _, d := s.call(tool, input); d.Effect != want || len(s.asked) != asked {
		s.t.Errorf("%s %s: %s (%s), asked %d times; want %s and %d", tool, input, d.Effect, d.Reason, len(s.asked), want, asked)
	}
}

func (s *kodaSession) nextTurn() {
	_ = s.memory.Update(context.Background(), "s", func(st *sayso.SessionState) error { st.Turn++; return nil })
}

func bashInput(command string) string {
	text, _ := json.Marshal(map[string]string{"cmd": command})
	return string(text)
}

// TestKodaCodeGrants: what is remembered, for how long, and for what.
func TestKodaCodeGrants(t *testing.T) {
	known := map[string]func(t *testing.T){
		"koda-grant-once-doc": func(t *testing.T) {
			s := newKodaSession(t, preset.KodaCodeConfig{}, "1")
			s.expect("bash", bashInput("curl example.com"), sayso.Allow, 1)
			s.expect("bash", bashInput("curl example.com"), sayso.Allow, 1)                         // the same in the same turn
			s.expect("bash", `{"cmd":"curl example.com","description":"again"}`, sayso.Allow, 1)    // whatever is said about it
			s.expect("bash", `{"cmd":"curl example.com","workdir":"/work/ws/sub"}`, sayso.Allow, 2) // another folder
			s.expect("bash", bashInput("curl example.com/x"), sayso.Allow, 3)                       // another command
			s.open(preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{"bash": {{Pattern: "x"}}}})
			s.expect("bash", bashInput("curl example.com"), sayso.Allow, 4) // other policies
			s.nextTurn()
			s.expect("bash", bashInput("curl example.com"), sayso.Allow, 5) // another turn
			s.answer = "3"
			s.nextTurn()
			s.expect("bash", bashInput("curl example.com"), sayso.Deny, 6)
			s.expect("bash", bashInput("curl example.com"), sayso.Deny, 7) // a no is no approval
		},
		"koda-grant-replay": func(t *testing.T) {
			s := newKodaSession(t, preset.KodaCodeConfig{}, "2")
			s.expect("bash", bashInput("npm install"), sayso.Allow, 1)
			s.expect("read", `{"paths":["/etc/hosts"]}`, sayso.Allow, 2)
			s.expect("web_fetch", `{"url":"https://example.com/a"}`, sayso.Allow, 3)
			s.open(preset.KodaCodeConfig{}) // the session is resumed
			s.nextTurn()
			s.expect("bash", bashInput("npm install lodash"), sayso.Allow, 3)
			s.expect("read", `{"paths":["/etc/hosts"]}`, sayso.Allow, 3)
			s.expect("web_fetch", `{"url":"https://EXAMPLE.com:443/b"}`, sayso.Allow, 3)
		},
		"koda-grant-survive-turns": func(t *testing.T) {
			s := newKodaSession(t, preset.KodaCodeConfig{}, "2")
			s.expect("bash", bashInput("git push origin main"), sayso.Allow, 1)
			for range 3 {
				s.nextTurn()
				s.expect("bash", bashInput("git push"), sayso.Allow, 1)
			}
			s.expect("bash", bashInput("git fetch"), sayso.Allow, 2)         // the host was approved for git push
			s.expect("bash", bashInput("pip install x"), sayso.Allow, 3)     //
			s.expect("bash", bashInput("X=1 git push"), sayso.Allow, 4)      // a variable changes what it does
			s.expect("bash", bashInput("git push | nc h 1"), sayso.Allow, 5) // all of a compound must be covered
		},
	}
	kodaStatements(t, "grant", func(s kodaStatement, _ json.RawMessage) {
		run := known[s.ID]
		if run == nil {
			t.Errorf("%s is not tested", s.ID)
			return
		}
		t.Run(s.ID, run)
	})
}

// TestKodaCodeChoices: each key of a prompt and what it means.
func TestKodaCodeChoices(t *testing.T) {
	asks := map[string][2]string{
		"path_or_network": {"read", `{"paths":["/etc/hosts"]}`},
		"command":         {"bash", bashInput("curl example.com")},
	}
	kodaStatements(t, "prompt", func(s kodaStatement, expect json.RawMessage) {
		call, ok := asks[s.PromptKind]
		if !ok {
			t.Errorf("%s: the kind of prompt %s is not tested", s.ID, s.PromptKind)
			return
		}
		e := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{})}
		d := e.Check(context.Background(), sayso.Call{Tool: call[0], Input: json.RawMessage(call[1]), Root: kodaRoot}, sayso.Session{})
		i := slices.IndexFunc(d.Choices, func(c sayso.Choice) bool { return c.Key == s.Key })
		got := "none"
		if i >= 0 {
			switch c := d.Choices[i]; {
			case !c.Yes:
				got = "deny"
			case c.Network == sayso.NetworkAll:
				got = "allow_network"
			case strings.Contains(c.Label, "amendment"):
				got = "allow_amendment"
			case c.Scope == sayso.ForSession:
				got = "allow_session"
			case c.Scope == sayso.ForTurn:
				got = "allow_once"
			}
		}
		if strconv.Quote(got) != string(expect) {
			t.Errorf("%s: %s, want %s", s.ID, got, expect)
		}
	})
}

// TestKodaCodePrompts: which choices a request has, numbered one after the other.
func TestKodaCodePrompts(t *testing.T) {
	base := []string{"1 Allow once", "2 Allow for session duration", "3 Deny"}
	ask := map[string][]preset.KodaCodeRule{"bash": {{Pattern: "*", Action: sayso.Ask}}}
	tests := []struct {
		name, mode, tool, input string
		rules                   map[string][]preset.KodaCodeRule
		more                    []string
	}{
		{"path", "", "read", `{"paths":["/etc/hosts"]}`, nil, nil},
		{"fetch", "", "web_fetch", `{"url":"https://example.com"}`, nil, nil},
		{"write", preset.ReadOnly, "write", `{"path":"a"}`, nil, nil},
		{"network", "", "bash", bashInput("curl example.com"), nil, []string{
			"4 Allow with network enabled", `5 Allow with execution policy amendment: network_target "example.com": allow`,
		}},
		{"rule", "", "bash", bashInput("git commit -m x"), ask, []string{
			`4 Allow with execution policy amendment: bash "git commit": allow, bash "git commit *": allow`,
		}},
		{"interpreter", "", "bash", bashInput("python x.py"), ask, []string{`4 Allow with execution policy amendment: bash "python x.py": allow`}},
		{"posture", preset.ReadOnly, "bash", bashInput("touch a"), nil, nil},
		{"posture and network", preset.ReadOnly, "bash", bashInput("wget http://example.com/a"), nil, []string{"4 Allow with network enabled"}},
		{"pattern in it", "", "bash", bashInput("python 'a*b'"), ask, nil},
		{"compound", "", "bash", bashInput("ls; git commit"), ask, nil},
	}
	for _, test := range tests {
		e := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{Permissions: test.rules})}
		d := e.Check(context.Background(), sayso.Call{Tool: test.tool, Input: json.RawMessage(test.input), Root: kodaRoot}, sayso.Session{Mode: test.mode})
		var got []string
		for _, c := range d.Choices {
			got = append(got, c.Key+" "+c.Label)
			if c.Rule != "" && e.Preset.CheckRule(c.Rule) != nil {
				t.Errorf("%s: %s cannot be kept", test.name, c.Rule)
			}
		}
		if want := append(slices.Clone(base), test.more...); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
}

// TestKodaCodeNetworkChoice: the run gets the network, and is another contract.
func TestKodaCodeNetworkChoice(t *testing.T) {
	s := newKodaSession(t, preset.KodaCodeConfig{}, "4")
	permit, d := s.call("bash", bashInput("curl example.com"))
	c, err := permit.Use()
	if err != nil || d.Effect != sayso.Allow || c.Network != sayso.NetworkAll || c.Hash() == s.asked[0].Contract.Hash() || s.asked[0].Contract.Network != sayso.NetworkHosts {
		t.Errorf("%+v %+v %v", c, d, err)
	}
	if !strings.Contains(d.Explanation, "network targets: example.com") {
		t.Errorf("the targets are not shown: %s", d.Explanation)
	}
}

// TestKodaCodeAmendment: the rule that was proposed counts for the session, and
// behind the others.
func TestKodaCodeAmendment(t *testing.T) {
	cfg := preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{"bash": {{Pattern: "*", Action: sayso.Ask}, {Pattern: "git commit --amend*"}}}}
	s := newKodaSession(t, cfg, "4")
	s.expect("bash", bashInput("git commit -m x"), sayso.Allow, 1)
	s.nextTurn()
	s.expect("bash", bashInput("git commit"), sayso.Allow, 1)
	s.expect("bash", bashInput("git commit --amend"), sayso.Allow, 1) // the last match wins
	s.answer = "3"
	s.expect("bash", bashInput("git committed"), sayso.Deny, 2)
	s.expect("bash", bashInput("git commit; make"), sayso.Deny, 3)
}

// TestKodaCodeSchema: the fields of an execution contract.
func TestKodaCodeSchema(t *testing.T) {
	kodaStatements(t, "schema", func(s kodaStatement, expect json.RawMessage) {
		var want, got []string
		if err := json.Unmarshal(expect, &want); err != nil {
			t.Fatal(err)
		}
		for typ, i := reflect.TypeFor[preset.ExecutionContract](), 0; i < typ.NumField(); i++ {
			got = append(got, typ.Field(i).Tag.Get("json"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", s.ID, got, want)
		}
	})
}
