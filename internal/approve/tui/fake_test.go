package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

var (
	opened = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	until  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // the stores have another clock
	now    = until.Add(-4 * time.Minute)
)

// presets are those that ask, with the tool that runs commands there.
var presets = map[string]struct {
	preset sayso.Preset
	tool   string
}{
	"native":      {preset.Native(preset.Policy{}), "bash"},
	"ask-rule":    {withRule("bash(git push *)"), "bash"},
	"kosmokrator": {preset.KosmoKrator(preset.KosmoKratorDefaults()), "bash"},
	"agentscope":  {preset.AgentScope(preset.AgentScopeConfig{}), "Bash"},
	"cosmo":       {preset.Cosmo(), "bash"},
	"kodacode":    {preset.KodaCode(preset.KodaCodeConfig{}), "bash"},
	"cowork":      {preset.CoWork(preset.CoWorkConfig{}), "run_command"},
}

func withRule(text string) sayso.Preset {
	set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Ask, Text: text, Source: sayso.Source{File: "/home/dev/app/.sayso.yaml", Line: 7}}})
	if err != nil {
		panic(err)
	}
	return preset.Native(preset.Policy{Rules: set})
}

// requestOf is what a call is put to a person as, under a preset.
func requestOf(name, id, command string) sayso.Request {
	p := presets[name]
	input, _ := json.Marshal(map[string]string{"command": command}) // a text can be written
	var out sayso.Request
	e := sayso.Engine{Preset: p.preset, Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		out = r
		return sayso.Answer{}, errors.New("not now")
	})}
	call := sayso.Call{ID: "call-" + id, Agent: "coder", Session: "s-" + id, Tool: p.tool, Input: input, Root: "/home/dev/app", Home: "/home/dev"}
	_, _, _ = e.Authorize(context.Background(), call) // nobody answers
	if out.ID == "" {
		panic(fmt.Sprintf("%s does not ask about %s", name, command))
	}
	out.ID, out.Opened, out.Until = id, opened, until
	return out
}

// A fake is a desk without anything behind it.
type fake struct {
	sayso.Approvals
	mem   *store.Memory
	known approve.Known
	rules []Rule

	mu       sync.Mutex
	answers  []string // id, yes or no, and the name of the choice
	outcome  *sayso.Answer
	mode     Mode
	broken   error // the policy
	switched []string
	needed   bool
	first    bool
	trusted  []string
	panics   bool
	percent  int           // how far the journal is read
	reads    chan struct{} // it is read when this is closed; nil: at once
}

func newFake(name string, requests ...sayso.Request) *fake {
	mem := &store.Memory{Clock: func() time.Time { return now }}
	f := &fake{Approvals: mem, mem: mem, mode: Mode{Session: "s1", Root: "/home/dev/app", Preset: name, Name: presets[name].preset.Modes[0].Name, Known: presets[name].preset.Modes}}
	for _, r := range requests {
		if _, err := mem.Open(context.Background(), r); err != nil {
			panic(err)
		}
	}
	return f
}

func (f *fake) desk() Desk {
	return Desk{Queue: f, Kept: (*fakeKept)(f), History: (*fakeHistory)(f), Modes: (*fakeModes)(f), Trusts: (*fakeTrusts)(f)}
}

func (f *fake) Waiting(ctx context.Context) ([]*sayso.Request, error) {
	f.known.Store = f.Approvals
	return f.known.Waiting(ctx)
}

func (f *fake) Answer(ctx context.Context, r sayso.Request, yes bool, name string) error {
	if f.panics {
		panic("on purpose")
	}
	a := sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: name, Yes: yes, By: "kim", Channel: "terminal"}
	for _, c := range r.Decision.Choices {
		if c.Key == name {
			a.ContractHash = c.Contract(r.Contract).Hash()
		}
	}
	if err := f.Approvals.Answer(ctx, a); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers = append(f.answers, fmt.Sprintf("%s %v %s", r.ID, yes, name))
	return nil
}

func (f *fake) Outcome(context.Context, sayso.Request) (sayso.Answer, bool) {
	if f.outcome == nil {
		return sayso.Answer{}, false
	}
	return *f.outcome, true
}

type fakeKept fake

func (f *fakeKept) Grants(ctx context.Context) ([]sayso.GivenGrant, error) {
	return f.mem.AllGrants(ctx)
}

func (f *fakeKept) Revoke(ctx context.Context, g sayso.GivenGrant) error {
	return f.mem.RevokeGrant(ctx, g.ID)
}

func (f *fakeKept) Rules(context.Context) ([]Rule, error) { return f.rules, nil }

type fakeHistory fake

func (f *fakeHistory) Latest(_ context.Context, text string, most int) ([]Entry, error) {
	if f.reads != nil {
		<-f.reads
	}
	list := []Entry{
		{3, opened.Add(2 * time.Second), "call-1", "answer", "yes, once by kim through terminal"},
		{2, opened.Add(time.Second), "call-1", "decision", "ask: others will see it: Push commits to the remote repository (mode.publish)"},
		{1, opened, "call-1", "request", `claude bash {"command":"git push origin main"}`},
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return !strings.Contains(e.Kind+e.Text, text) }), nil
}

func (f *fakeHistory) Percent() int { return f.percent }

func (f *fakeHistory) Trace(_ context.Context, call string) ([]string, error) {
	if call != "call-1" {
		return nil, fmt.Errorf("the journal has no call %q", call)
	}
	return []string{"2026-03-04 05:06:07.000  REQUEST  record 1", "  claude bash in /home/dev/app", "  {\"command\":\"git push\"}", "", "2026-03-04 05:06:08.000  DECISION  record 2", "  ask: others will see it"}, nil
}

type fakeModes fake

func (f *fakeModes) Mode(context.Context, string, string) (Mode, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mode, f.broken
}

func (f *fakeModes) Switch(_ context.Context, _, _, name string) (Mode, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mode.Name = name
	f.switched = append(f.switched, name)
	return f.mode, nil
}

type fakeTrusts fake

var servers = []preset.MCPServer{
	{Name: "github", Type: "stdio", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-github"}, Env: map[string]string{"GITHUB_TOKEN": "secret"}},
	{Name: "docs", Type: "http", Command: "https://docs.example.com/mcp"},
}

func (f *fakeTrusts) Offer(ctx context.Context) (Offer, error) {
	o := Offer{Root: "/home/dev/app", Files: []sayso.Trust{{Root: "/home/dev/app", Name: "file:.sayso.yaml", Fingerprint: "0123456789abcdef"}}, Needed: f.needed, First: f.first}
	var err error
	o.Prompt, _, err = preset.AskTrust(ctx, f.mem, o.Root, servers)
	return o, err
}

func (f *fakeTrusts) Trust(ctx context.Context, o Offer, a preset.TrustAnswer) error {
	if a.Workspace {
		f.trusted = append(f.trusted, "workspace")
	}
	for _, s := range a.Servers {
		f.trusted = append(f.trusted, s.Name)
	}
	return a.Keep(ctx, f.mem)
}

func (f *fakeTrusts) Manager(ctx context.Context) (preset.TrustManager, []string, error) {
	m, err := preset.OpenTrustManager(ctx, f.mem, "/home/dev/app")
	return m, []string{"", "(it has changed since, and does not count)"}, err
}

func (f *fakeTrusts) Revoke(ctx context.Context, list []sayso.Trust) error {
	return preset.TrustAction{Revoke: list}.Apply(ctx, f.mem)
}

// fill adds what a person has said before.
func (f *fake) fill() {
	ctx := context.Background()
	grants := []sayso.Grant{
		{ID: "g1", Rule: "bash(git push *)", Scope: sayso.ForSession, By: "kim", Call: "call-1", Given: opened},
		{ID: "g2", Rule: "bash(go test *)", Scope: sayso.ForWorkspace, By: "kim", Call: "call-2", Given: opened},
	}
	for _, g := range grants {
		if err := f.mem.AddGrant(ctx, "s1", "/home/dev/app", g); err != nil {
			panic(err)
		}
	}
	f.rules = []Rule{
		{"allow", "bash(git status *)", "/home/dev/.config/sayso/policy.yaml:3", ""},
		{"ask", "bash(git push *)", "/home/dev/app/.sayso.yaml:7", ""},
		{"deny", "read(**/.env)", "/home/dev/app/.sayso.yaml:9", ""},
		{"", "allow bash(make *)", "/home/dev/app/.sayso.yaml:12", "the workspace is not trusted"},
	}
	for _, t := range []sayso.Trust{{Root: "/home/dev/app"}, {Root: "/home/dev/app", Name: "github", Fingerprint: servers[0].Fingerprint()}, {Root: "/home/dev/other"}} {
		if err := f.mem.Trust(ctx, t.Root, t.Name, t.Fingerprint); err != nil {
			panic(err)
		}
	}
}

var plainView = view.Options{Home: "/home/dev"}
