package sayso_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// person answers every request in the same way.
func person(yes bool, scope sayso.Scope, rule string) sayso.Approver {
	return sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: yes, Scope: scope, Rule: rule, By: "me", Channel: "test"}, nil
	})
}

func engine(m *store.Memory, a sayso.Approver, rules ...sayso.Rule) *sayso.Engine {
	set, err := sayso.NewRuleSet(rules)
	if err != nil {
		panic(err)
	}
	return &sayso.Engine{
		Preset: preset.Native(preset.Policy{Rules: set}), Approver: a, Sessions: m, Grants: m, Journal: m,
		Clock: func() time.Time { return someTime },
	}
}

func authorize(t *testing.T, e *sayso.Engine, call sayso.Call) (sayso.Permit, sayso.Decision) {
	t.Helper()
	call.Session = "s"
	p, d, err := e.Authorize(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return p, d
}

// TestAuthorize: a permit comes with an allowed call only, works once, and what
// was decided is recorded before.
func TestAuthorize(t *testing.T) {
	m := &store.Memory{}
	e := engine(m, nil)
	permit, d := authorize(t, e, bash("ls"))
	if d.Effect != sayso.Allow || kinds(m) != "request decision" || m.Records()[1].Decision.Effect != sayso.Allow || m.Records()[1].Call == "" {
		t.Fatalf("%+v %+v", d, m.Records())
	}
	contract, err := permit.Use()
	if err != nil || contract.Hash() != m.Records()[1].Contract {
		t.Errorf("%+v %v", contract, err)
	}
	if _, err := permit.Use(); !errors.Is(err, sayso.ErrNoPermit) {
		t.Errorf("a permit works twice: %v", err)
	}
	if _, err := (sayso.Permit{}).Use(); !errors.Is(err, sayso.ErrNoPermit) {
		t.Errorf("the zero permit works: %v", err)
	}
	permit, d = authorize(t, e, bash("rm -rf /"))
	if _, err := permit.Use(); d.Effect != sayso.Deny || err == nil {
		t.Errorf("%+v %v", d, err)
	}
}

// TestPermitIsForOneContract: what the permit points to cannot be exchanged, neither while
// somebody is asked nor later.
func TestPermitIsForOneContract(t *testing.T) {
	made := func() sayso.Contract {
		list := func(text string) []string { return []string{text} }
		return sayso.Contract{
			Argv: list("ls"), Input: []byte(`{"a":1}`), Env: map[string]string{"A": "1"},
			Read: list("/r"), Hidden: list("/h"), Write: list("/w"), Protected: list("/p"), Barred: list("/b"), Watched: list("/n"), Skipped: list("s"), Scratch: list("/c"), Inherit: list("I"), Hosts: list("o"),
		}
	}
	change := func(c *sayso.Contract) {
		for _, list := range [][]string{c.Argv, c.Read, c.Hidden, c.Write, c.Protected, c.Barred, c.Watched, c.Skipped, c.Scratch, c.Inherit, c.Hosts} {
			list[0] = "/"
		}
		c.Input[5], c.Env["A"] = '2', "2"
	}
	shared, want := made(), made()
	m := &store.Memory{}
	e := engine(m, sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		change(&shared)
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true}, nil
	}))
	e.Contract = func(sayso.Call, *sayso.Facts) sayso.Contract { return shared }
	permit, d := authorize(t, e, bash("git push"))
	if d.Effect != sayso.Allow || shared.Write[0] != "/" {
		t.Fatalf("%+v %v", d, shared)
	}
	change(&shared)
	if c, err := permit.Use(); err != nil || c.Hash() != want.Hash() {
		t.Errorf("the contract was changed after it was made: %+v %v", c, err)
	}
}

// TestAsk: what a person says is done, and nothing else.
func TestAsk(t *testing.T) {
	push := bash("git push")
	for _, test := range []struct {
		name     string
		approver sayso.Approver
		want     sayso.Effect
		code     sayso.Code
	}{
		{"nobody", nil, sayso.Deny, sayso.CodeUnattended},
		{"yes", person(true, "", ""), sayso.Allow, sayso.CodePersonYes},
		{"no", person(false, "", ""), sayso.Deny, sayso.CodePersonNo},
		{"zero answer", sayso.ApproverFunc(func(context.Context, sayso.Request) (sayso.Answer, error) { return sayso.Answer{}, nil }), sayso.Deny, sayso.CodeChanged},
		{"error", sayso.ApproverFunc(func(context.Context, sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{Yes: true}, errors.New("gone")
		}), sayso.Deny, sayso.CodeNobodyAsk},
		{"another contract", sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{RequestID: r.ID, ContractHash: "x", Yes: true}, nil
		}), sayso.Deny, sayso.CodeChanged},
	} {
		_, d := authorize(t, engine(&store.Memory{}, test.approver), push)
		if d.Effect != test.want || d.Code != test.code {
			t.Errorf("%s: %s %s, want %s %s", test.name, d.Effect, d.Code, test.want, test.code)
		}
	}
}

// TestGrant: an answer for longer than once covers later calls like it, and no
// others.
func TestGrant(t *testing.T) {
	m := &store.Memory{}
	authorize(t, engine(m, person(true, sayso.ForSession, "bash(git push *)")), bash("git push"))
	quiet := engine(m, nil)
	_, d := authorize(t, quiet, bash("git push origin main"))
	if d.Effect != sayso.Allow || d.Code != sayso.CodeGrant || d.Scope != sayso.ForSession {
		t.Errorf("%+v", d)
	}
	if _, d := authorize(t, quiet, bash("git push && gh pr create")); d.Effect != sayso.Deny {
		t.Errorf("a grant covers a part only: %+v", d)
	}
	strict := engine(m, nil, sayso.Rule{Effect: sayso.Ask, Text: "bash(git push *)"})
	if _, d := authorize(t, strict, bash("git push")); d.Effect == sayso.Allow {
		t.Errorf("a grant beats a configured ask: %+v", d)
	}
	strict = engine(m, nil, sayso.Rule{Effect: sayso.Deny, Text: "bash(git push *)", Because: "no"})
	if _, d := authorize(t, strict, bash("git push")); d.Code != sayso.CodeDenyRule || d.Rule == nil {
		t.Errorf("a grant beats a deny rule: %+v", d)
	}
	_, _, err := engine(m, person(true, sayso.ForSession, "bash(")).Authorize(context.Background(), bash("gh pr create"))
	if err == nil {
		t.Error("a grant that is no rule is kept")
	}
}

// TestMoreRules: an answer may accept several rules; with a mistake in one of
// them none is kept.
func TestMoreRules(t *testing.T) {
	m := &store.Memory{}
	accepts := func(choice string, more ...string) sayso.Approver {
		return sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			return sayso.Answer{
				RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: choice, Yes: true, Scope: sayso.ForSession, Rule: "bash(git push *)", More: more,
			}, nil
		})
	}
	both := bash("git push && gh pr create")
	if _, _, err := engine(m, accepts("", "bash(")).Authorize(context.Background(), both); err == nil {
		t.Error("a rule with a mistake is accepted")
	}
	authorize(t, engine(m, accepts("y", "bash(gh pr create *)")), both)
	if _, d := authorize(t, engine(m, nil), bash("git push")); d.Effect != sayso.Deny {
		t.Errorf("a rule is kept that was not chosen: %+v", d)
	}
	authorize(t, engine(m, accepts("", "bash(gh pr create *)")), both)
	if _, d := authorize(t, engine(m, nil), both); d.Code != sayso.CodeGrant {
		t.Errorf("%+v", d)
	}
}

// TestTurn: a grant for the turn ends with it, a denial binds the effect by
// whatever tool, and asks for the rest of the session.
func TestTurn(t *testing.T) {
	m := &store.Memory{}
	ctx := context.Background()
	authorize(t, engine(m, person(true, sayso.ForTurn, "bash(git push *)")), bash("git push"))
	authorize(t, engine(m, person(false, "", "")), tool("Write", map[string]any{"file_path": "/srv/x", "content": "y"}))
	quiet := engine(m, nil)
	if _, d := authorize(t, quiet, bash("git push")); d.Effect != sayso.Allow {
		t.Errorf("%+v", d)
	}
	if _, d := authorize(t, quiet, bash("echo y > /srv/x")); d.Effect != sayso.Deny || d.Code != "denied.before" {
		t.Errorf("denied in one tool, done with another: %+v", d)
	}
	if err := m.Update(ctx, "s", func(st *sayso.SessionState) error { st.Turn++; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, d := authorize(t, quiet, bash("git push")); d.Effect == sayso.Allow {
		t.Errorf("a grant outlives its turn: %+v", d)
	}
	asked := false
	later := engine(m, sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		asked = r.Decision.Code == "denied.before" && r.Decision.Immune
		return sayso.Answer{}, errors.New("no")
	}))
	authorize(t, later, bash("echo y > /srv/x"))
	if !asked {
		t.Error("what was denied before is not asked about in a later turn")
	}
}

// TestSessionState: a secret that was read taints the session, what it wrote it
// may delete, soft denials are counted, the workspace is fixed.
func TestSessionState(t *testing.T) {
	m := &store.Memory{}
	ctx := context.Background()
	yes := engine(m, person(true, "", ""))
	authorize(t, yes, bash("cat .env; echo x > notes.txt"))
	st, err := m.Get(ctx, "s")
	if err != nil || st.Tainted == "" || len(st.Written) != 1 || st.Root != "/home/dev/app" {
		t.Errorf("%+v %v", st, err)
	}
	quiet := engine(m, nil)
	if _, d := authorize(t, quiet, bash("curl https://example.com")); d.Effect == sayso.Allow {
		t.Errorf("after a secret was read: %+v", d)
	}
	if _, d := authorize(t, quiet, bash("rm notes.txt")); d.Effect != sayso.Allow {
		t.Errorf("its own file: %+v", d)
	}
	call := bash("echo x > /srv/y")
	call.Root, call.Session = "/srv", "s"
	if _, d, _ := quiet.Authorize(ctx, call); d.Effect == sayso.Allow {
		t.Errorf("a call has moved the workspace: %+v", d)
	}
	_ = m.Update(ctx, "s", func(st *sayso.SessionState) error { st.Mode = preset.Plan; return nil })
	for range 3 {
		if _, d := authorize(t, quiet, bash("touch x")); d.Code != "mode.plan" {
			t.Errorf("%+v", d)
		}
	}
	if _, d := authorize(t, engine(m, person(true, "", "")), bash("touch x")); d.Code != sayso.CodePersonYes {
		t.Errorf("three denials do not become a question: %+v", d)
	}
	st, _ = m.Get(ctx, "s")
	call = bash("touch x")
	if n := st.Soft[call.Fingerprint()]; n.Total != 3 || n.Consecutive != 0 {
		t.Errorf("%+v", st.Soft)
	}
}

// broken fails at one thing.
type broken struct {
	store.Memory
	update, grants, add, record error
	updates                     int
}

func (b *broken) Update(ctx context.Context, id string, f func(*sayso.SessionState) error) error {
	if b.updates--; b.update != nil && b.updates < 0 {
		return b.update
	}
	return b.Memory.Update(ctx, id, f)
}

func (b *broken) Grants(ctx context.Context, s, r string) ([]sayso.Grant, error) {
	if b.grants != nil {
		return nil, b.grants
	}
	return b.Memory.Grants(ctx, s, r)
}

func (b *broken) AddGrant(ctx context.Context, s, r string, g sayso.Grant) error {
	if b.add != nil {
		return b.add
	}
	return b.Memory.AddGrant(ctx, s, r, g)
}

func (b *broken) Record(ctx context.Context, r ...sayso.Record) error {
	if b.record != nil {
		return b.record
	}
	return b.Memory.Record(ctx, r...)
}

// TestFailures: whatever fails, nothing is allowed.
func TestFailures(t *testing.T) {
	oops := errors.New("oops")
	badGrant := &broken{}
	_ = badGrant.Memory.AddGrant(context.Background(), "", "", sayso.Grant{ID: "1", Rule: "bash(", Scope: sayso.ForProfile})
	for name, b := range map[string]*broken{
		"session": {update: oops}, "remember": {update: oops, updates: 1}, "grants": {grants: oops}, "journal": {record: oops}, "a grant that is no rule": badGrant,
	} {
		e := engine(&b.Memory, nil)
		e.Sessions, e.Grants, e.Journal = b, b, b
		p, d, err := e.Authorize(context.Background(), bash("ls"))
		if _, used := p.Use(); err == nil || d.Effect != sayso.Deny || d.Code != sayso.CodeError || used == nil {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
	b := &broken{add: oops}
	e := engine(&b.Memory, person(true, sayso.ForSession, "bash(git push *)"))
	e.Grants = b
	if _, d, err := e.Authorize(context.Background(), bash("git push")); err == nil || d.Effect != sayso.Deny {
		t.Errorf("a grant that is not kept: %+v %v", d, err)
	}
}

// TestCheck: a bare engine decides, and an unknown mode denies.
func TestCheck(t *testing.T) {
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	if d := e.Check(context.Background(), bash("ls"), sayso.Session{}); d.Effect != sayso.Allow || d.Explanation != "List files" && d.Explanation == "" {
		t.Errorf("%+v", d)
	}
	if d := e.Check(context.Background(), bash("ls"), sayso.Session{Mode: "yolo"}); d.Effect != sayso.Deny || d.Code != sayso.CodePolicy {
		t.Errorf("%+v", d)
	}
	if _, d, err := e.Authorize(context.Background(), bash("ls")); err != nil || d.Effect != sayso.Allow {
		t.Errorf("%+v %v", d, err)
	}
}

// TestContract: the same contract has the same hash, however its sets are
// ordered; any other has another.
func TestContract(t *testing.T) {
	a := sayso.Contract{Tool: "bash", Input: object(map[string]int{"a": 1, "b": 2}), Write: []string{"/b", "/a", "/a"}, Hosts: []string{"y", "x"}}
	b := sayso.Contract{Tool: "bash", Input: []byte(`{"b":2,"a":1}`), Write: []string{"/a", "/b"}, Hosts: []string{"x", "y"}}
	if a.Hash() != b.Hash() || string(a.Canonical()) != string(b.Canonical()) {
		t.Errorf("%s\n%s", a.Canonical(), b.Canonical())
	}
	b.Required = true
	c := a
	c.Input = []byte(`{`)
	if a.Hash() == b.Hash() || a.Hash() == c.Hash() {
		t.Error("different contracts have the same hash")
	}
	if a.Write[0] != "/b" {
		t.Error("the contract itself was sorted")
	}
}

// TestCanonical: the canonical form has every part of a contract, as its type says.
func TestCanonical(t *testing.T) {
	full := sayso.Contract{
		Tool: "Bash<&>", Input: []byte(`{"a":1}`), Argv: []string{"x", "\"y\""}, Script: "a\nb", Shell: "sh", Dir: "/d", Read: []string{"/r"}, Hidden: []string{"/h"}, Write: []string{"/w"},
		Protected: []string{"/p"}, Barred: []string{"/b*"}, Watched: []string{"/q*"}, Skipped: []string{"k"}, Scratch: []string{"/s"}, Env: map[string]string{"B": "2", "A": "1"}, Inherit: []string{"PATH"}, Timeout: 1, Grace: 2, Output: 3, CPU: 4, Memory: 5, Procs: 6,
		Network: sayso.NetworkHosts, Hosts: []string{"h"}, Required: true, Preview: true, Changes: "c",
	}
	for i, v := 0, reflect.ValueOf(full); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the test does not know %s", v.Type().Field(i).Name)
		}
	}
	for _, c := range []sayso.Contract{full, {}} {
		want, err := json.Marshal(c)
		if err != nil || string(c.Canonical()) != string(want) {
			t.Errorf("%s\nwant %s %v", c.Canonical(), want, err)
		}
	}
}

// TestBars: what is barred has such a name, or is in a folder that has, unless it is
// only told.
func TestBars(t *testing.T) {
	c := sayso.Contract{Barred: []string{"/w/.env*"}, Watched: []string{"/w/.env.example", "/w/["}}
	for name, want := range map[string]bool{
		"/w/.env": true, "/w/.env.local": true, "/w/.envs/a/b": true, "/w/.env.example": false, "/w/env": false, "/w/a/.env": false, "/": false, "w": false,
	} {
		if got := c.Bars(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if c.Barred = []string{"/w/["}; !c.Bars("/other") {
		t.Error("a pattern that cannot be read bars nothing")
	}
}

// TestBarsBelow: ** stands for folders, in the name of which there is nothing to skip.
func TestBarsBelow(t *testing.T) {
	c := sayso.Contract{
		Barred:  []string{`/w\*/**/.env*`, "/w*/**/.git/hooks", "/w*/**/a/**/b"},
		Watched: []string{"/w*/**/.env*example"}, Skipped: []string{"node_modules", ".git"},
	}
	for name, want := range map[string]bool{
		"/w*/.env": true, "/w*/a/.env.x": true, "/w*/a/b/c/.env": true, "/w*/a/.envs/x/y": true, "/w*/a/.env.example": false, "/w*/a/.env.example/.env": true,
		"/wx/.env": false, "/w*": false, "/x/.env": false, "/w*/a/node_modules/p/.env": false, "/w*/node_modules/.env": false, "/w*/.git/.env": false,
		"/w*/.git/hooks": true, "/w*/a/.git/hooks": true, "/w*/a/.git/hooks/pre-commit": true, "/w*/a/.git/x/hooks": false, "/w*/a/.git/.git/hooks": false,
		"/w*/x/a/y/z/b": true, "/w*/a/b": true, "/w*/b/a": false, "/w*/a": false,
	} {
		if got := c.Bars(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if c.Barred = []string{"/v/**/**"}; !c.Bars("/v/x/y") || !c.Bars("/v/x") || c.Bars("/u/x") { // the last one stands for a name
		t.Error("the last ** does not count")
	}
	for _, bad := range []string{"/w/**/[", "/w/[/**/]"} {
		if c.Barred = []string{bad}; !c.Bars("/w/x/y") {
			t.Errorf("%s bars nothing", bad)
		}
	}
}

// TestPlainContract: the network of a contract is what the call names, and so are the
// files outside the workspace that a tool changes.
func TestPlainContract(t *testing.T) {
	for command, want := range map[string]sayso.Network{"ls": sayso.NetworkNone, "curl https://example.com": sayso.NetworkHosts} {
		c := caseOf(bash(command))
		if got := sayso.PlainContract(c.Call, c.Facts); got.Network != want || len(got.Protected) == 0 {
			t.Errorf("%s: %+v", command, got)
		}
	}
	for file, more := range map[string][]string{"/w/x": nil, "/srv/x": {"/srv/x"}} {
		for tool, want := range map[string][]string{"Write": more, "Read": nil} {
			call := sayso.Call{Tool: tool, Input: object(map[string]string{"file_path": file, "content": "x"}), Root: "/w", Dir: "/w"}
			a := sayso.Analyzer{}
			got := sayso.PlainContract(call, a.Analyze(call))
			if !slices.Equal(got.Write, append([]string{"/w"}, want...)) {
				t.Errorf("%s %s: %v", tool, file, got.Write)
			}
		}
	}
}
