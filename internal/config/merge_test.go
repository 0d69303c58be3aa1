package config

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/preset"
)

// layered parses "layer: text"; untrusted has a ? before it.
func layered(t testing.TB, texts ...string) []Layered {
	t.Helper()
	var out []Layered
	for _, s := range texts {
		name, text, _ := strings.Cut(s, ": ")
		layer, untrusted := strings.CutPrefix(name, "?")
		f, _ := Parse(layer, []byte(strings.ReplaceAll(text, "; ", "\n")))
		out = append(out, Layered{File: f, Layer: sayso.Layer(layer), Trusted: !untrusted})
	}
	return out
}

// showPolicy writes a policy on one line, without what is not set.
func showPolicy(p Policy) string {
	var b strings.Builder
	add := func(name string, v any, is bool) {
		if is {
			fmt.Fprintf(&b, "; %s %v", name, v)
		}
	}
	add("preset", p.Preset+" from "+p.PresetFrom.String(), p.Preset != "")
	add("mode", p.Mode+" from "+p.ModeFrom.String(), p.Mode != "")
	for _, r := range p.Rules {
		add(string(r.Source.Layer)+" "+r.Effect.String(), r.Text, true)
	}
	add("also", p.Also, p.Also != nil)
	add("off", p.Off, len(p.Off) > 0)
	add("asks", p.Ask, len(p.Ask) > 0)
	add("files", p.Sandbox.Files, p.Sandbox.Files != "")
	add("hosts", p.Sandbox.Hosts, p.Sandbox.Hosts != nil)
	if p.Sandbox.Required != nil {
		add("required", *p.Sandbox.Required, true)
	}
	if p.Sandbox.Keep != nil {
		add("keep", *p.Sandbox.Keep, true)
	}
	add("programs", p.Sandbox.Programs, p.Sandbox.Programs != "")
	add("via", p.Approve.Via, p.Approve.Via != nil)
	add("offer", p.Approve.Offer, p.Approve.Offer != nil)
	add("timeout", p.Approve.Timeout, p.Approve.Timeout != 0)
	for _, d := range p.Dropped {
		add("dropped", fmt.Sprintf("%s at %s because %s", d.What, d.Source, d.Why), true)
	}
	add("error", p.Err, p.Err != nil)
	return strings.TrimPrefix(b.String(), "; ")
}

func TestMerge(t *testing.T) {
	const untrusted = " because the workspace is not trusted, and its file may only tighten"
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, ""},
		// Rules of all files count, the strongest file first, in whatever order they are given.
		{
			[]string{"committed: deny: [read(c)]", "managed: allow: [read(a)]", "user: allow: [read(b)]; ask: [read(b)]"},
			"managed allow read(a); user allow read(b); user ask read(b); committed deny read(c)",
		},
		// The preset of the strongest file that sets it.
		{[]string{"user: mode: default", "workspace: preset: cosmo", "committed: preset: cowork"}, "preset cosmo from workspace:1:9; mode default from user:1:7"},
		// The strictest mode.
		{[]string{"managed: mode: default", "committed: mode: careful"}, "mode careful from committed:1:7"},
		{[]string{"managed: mode: careful", "user: mode: dont-ask"}, "mode dont-ask+careful from user:1:7"},
		{[]string{"managed: mode: plan", "user: mode: dont-ask"}, "mode plan+dont-ask from managed:1:7"},
		{[]string{"managed: mode: careful", "user: mode: plan", "workspace: mode: dont-ask"}, "mode plan+dont-ask+careful from user:1:7"},
		{[]string{"managed: mode: careful", "user: mode: bypass", "workspace: mode: default"}, "mode careful from managed:1:7"},
		{[]string{"user: mode: bypass"}, "mode bypass from user:1:7"},
		{[]string{"workspace: mode: bypass"}, "mode bypass from workspace:1:7"},
		{[]string{"user: mode: bypass", "managed: mode: default"}, "mode default from managed:1:7"},
		{
			[]string{"committed: mode: bypass; allow: [read(a)]; deny: [read(b)]"},
			"committed deny read(b); dropped allow read(a) at committed:2:9 because the file has a mistake; dropped mode bypass at committed:1:7 because the file has a mistake; " +
				"error committed:1:7: mode: only a file of your own can set bypass (put it into ~/.config/sayso/policy.yaml)",
		},
		// What a file that is not trusted may not.
		{
			[]string{"?committed: allow: [read(a)]; ask: [read(b)]; deny: [read(c)]"},
			"committed ask read(b); committed deny read(c); dropped allow read(a) at committed:1:9" + untrusted,
		},
		{[]string{"?committed: mcp: {a: {allow: [b], ask: ['*']}}"}, "committed ask mcp(a/*); dropped allow mcp(a/b) at committed:1:19" + untrusted},
		{[]string{"?committed: mode: bypass"}, "dropped mode bypass at committed:1:7" + untrusted},
		{[]string{"?committed: mode: plan"}, "mode plan from committed:1:7"},
		{[]string{"user: mode: bypass", "?committed: mode: default"}, "mode default from committed:1:7"},
		{[]string{"user: mode: careful", "?committed: mode: default"}, "mode careful from user:1:7"},
		{[]string{"user: mode: careful", "?committed: mode: dont-ask"}, "mode dont-ask+careful from committed:1:7"},
		{[]string{"user: mode: dont-ask", "?committed: mode: plan"}, "mode plan+dont-ask from committed:1:7"},
		{[]string{"?committed: preset: cosmo"}, "dropped preset cosmo at committed:1:9" + untrusted},
		{[]string{"?committed: preset: native"}, ""},
		{[]string{"user: preset: cowork", "?committed: preset: cosmo"}, "preset cowork from user:1:9"},
		{[]string{"?committed: workspace: {also: [/a, /b], shell: off}", "user: workspace: {also: [/a]}"}, "also [/a]; off [shell]; dropped workspace.also /b at committed:1:24" + untrusted},
		{
			[]string{"?committed: sandbox: {files: unconfined, hosts: [a.com], required: false}; approve: {timeout: 6m}"},
			"dropped sandbox.files unconfined at committed:1:18" + untrusted + "; dropped sandbox.hosts a.com at committed:1:37" + untrusted +
				"; dropped sandbox.required false at committed:1:56" + untrusted + "; dropped approve.timeout 6m0s at committed:2:20" + untrusted,
		},
		{
			[]string{"?committed: sandbox: {files: read-only, hosts: [], required: true}; approve: {via: [tty], offer: [once], timeout: 2m}"},
			"files read-only; hosts []; required true; via [tty]; offer [once]; timeout 2m0s",
		},
		// A layer that nobody knows is the weakest, and bypass is not for it.
		{[]string{"other: mode: bypass"}, "dropped mode bypass at other:1:7 because the file has a mistake; error other:1:7: mode: only a file of your own can set bypass (put it into ~/.config/sayso/policy.yaml)"},
		// Off is stronger than ask, ask than on.
		{[]string{"user: workspace: {network: on, shell: on}", "committed: workspace: {network: ask, shell: off}"}, "off [shell]; asks [network]"},
		{[]string{"user: workspace: {network: off}", "committed: workspace: {network: ask}"}, "off [network]"},
		// Sandbox and approve.
		{[]string{"user: sandbox: {files: unconfined, hosts: ['*.a.com', b.com], required: false}", "managed: sandbox: {files: read-only, hosts: [x.a.com, c.com, b.com], required: true}"}, "files read-only; hosts [x.a.com b.com]; required true"},
		{[]string{"user: sandbox: {keep: true, programs: decided}", "?committed: sandbox: {keep: true, programs: strict}"}, "keep true; programs strict"},
		{[]string{"user: sandbox: {keep: true, programs: strict}", "managed: sandbox: {keep: false, programs: open}"}, "keep false; programs strict"},
		{[]string{"?committed: sandbox: {keep: true, programs: decided}"}, "programs decided; dropped sandbox.keep true at committed:1:17" + untrusted},
		{[]string{"user: sandbox: {keep: true}", "?committed: sandbox: {keep: false, programs: open}"}, "keep false; programs open"},
		{[]string{"user: sandbox: {required: false, hosts: ['*']}", "?committed: sandbox: {required: false, hosts: ['*.a.com']}"}, "hosts [*.a.com]; required false"},
		{[]string{"user: approve: {via: [agent, tty], timeout: 1m}", "committed: approve: {via: [tty, web], timeout: 1h}"}, "via [tty]; timeout 1m0s"},
		{[]string{"user: approve: {via: [agent], offer: []}", "committed: approve: {via: [tty], offer: [once]}"}, "via []; offer []"},
		{[]string{"user: approve: {timeout: 1h}", "?committed: approve: {timeout: 10m}"}, "timeout 10m0s"},
		// A file with a mistake tightens, and nothing of it allows.
		{
			[]string{"user: mode: bypass; allow: [read(a)]; deny: [read(b)]; oops: 1; workspace: {shell: off, also: [/x]}"},
			"user deny read(b); off [shell]; dropped mode bypass at user:1:7 because the file has a mistake; dropped workspace.also /x at user:5:32 because the file has a mistake; " +
				`error user:4:1: unknown key "oops" (want preset, mode, allow, ask, deny, workspace, mcp, sandbox or approve)`,
		},
	} {
		files := layered(t, c.files...)
		if got := showPolicy(Merge(files)); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.files, got, c.want)
		}
		slices.Reverse(files)
		if got := showPolicy(Merge(files)); got != c.want {
			t.Errorf("%q, turned round\n got %s\nwant %s", c.files, got, c.want)
		}
	}
	if got := showPolicy(Merge([]Layered{{}})); got != "" {
		t.Errorf("no file: %s", got)
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a.com", "a.com", "a.com"},
		{"a.com", "b.com", ""},
		{"*", "a.com *.b.com", "a.com *.b.com"},
		{"*.a.com", "a.com", ""},
		{"*.a.com", "*.b.a.com c.a.com", "*.b.a.com c.a.com"},
		{"*a.com", "a.com ba.com *.a.com", "ba.com *.a.com"},
		{"*.a.com a.com", "*", "*.a.com a.com"},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got := bothHosts(strings.Fields(pair[0]), strings.Fields(pair[1]))
			slices.Sort(got)
			want := strings.Fields(c.want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s and %s: got %q, want %q", pair[0], pair[1], got, want)
			}
		}
	}
}

// generated makes a policy file of what a generator comes up with.
func generated(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	for _, key := range []string{"allow", "ask", "deny"} {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "%s: [read(%s), {rule: bash(%s *), except: [bash(%s %s)]}]\n", key, pick("a", "b"), pick("x", "y"), pick("x", "y"), pick("1", "2"))
		}
	}
	for _, line := range []string{
		"mode: " + pick("plan", "careful", "default", "dont-ask", "bypass"),
		"preset: " + pick("native", "cosmo"),
		"workspace: {also: [/" + pick("a", "b") + "], network: " + pick("on", "off", "ask") + ", shell: " + pick("on", "off") + "}",
		"mcp: {s: {allow: [" + pick("a", "b", "'*'") + "], ask: [" + pick("a", "'*'") + "], deny: [" + pick("c", "'*'") + "]}}",
		"sandbox: {files: " + pick("read-only", "workspace-write", "unconfined") + ", hosts: [" + pick("a.com", "'*.a.com'", "'*'", "") + "], required: " + pick("true", "false") + ", keep: " + pick("true", "false") + ", programs: " + pick("open", "decided", "strict") + "}",
		"approve: {via: [" + pick("", "tty", "web, tty") + "], offer: [" + pick("once", "once, always") + "], timeout: " + pick("1m", "10m") + "}",
		"oops: 1",
		"oops: [",
	} {
		if r.IntN(3) == 0 {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestMergeOnlyTightens: whatever a file says that is not trusted or has a
// mistake in it, with it the policy has no fewer rules that deny or ask, none
// more that allows, and no setting is looser. The same for any file as far as
// rules that deny and ask go.
func TestMergeOnlyTightens(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var files []Layered
		for _, layer := range local.Layers {
			if r.IntN(2) == 0 {
				f, _ := Parse(string(layer), []byte(generated(r)))
				files = append(files, Layered{f, layer, r.IntN(4) > 0})
			}
		}
		text := generated(r)
		f, err := Parse("more", []byte(text))
		more := Layered{f, local.Layers[r.IntN(len(local.Layers))], r.IntN(2) == 0}
		before, after := Merge(files), Merge(append(slices.Clone(files), more))
		for _, rule := range before.Rules {
			if rule.Effect != sayso.Allow && !hasRule(after.Rules, rule) {
				t.Fatalf("%s is lost with\n%s", rule.Text, text)
			}
		}
		if before.Err != nil && after.Err == nil || err != nil && after.Err == nil {
			t.Fatalf("an error is lost with\n%s", text)
		}
		if more.Trusted && err == nil {
			continue
		}
		for _, rule := range after.Rules {
			if rule.Effect == sayso.Allow && !hasRule(before.Rules, rule) {
				t.Fatalf("%s is allowed by\n%s", rule.Text, text)
			}
		}
		if why := looser(after, before); why != "" {
			t.Fatalf("%s with\n%s\nbefore %s\nafter %s", why, text, showPolicy(before), showPolicy(after))
		}
	}
}

func hasRule(list []sayso.Rule, r sayso.Rule) bool {
	return slices.ContainsFunc(list, func(o sayso.Rule) bool {
		return o.Effect == r.Effect && o.Text == r.Text && o.Source == r.Source && slices.Equal(o.Except, r.Except)
	})
}

// looser says which setting of a is looser than that of b, with the defaults
// that hold where nothing is set.
func looser(a, b Policy) string {
	mode := func(p Policy) string {
		if p.Mode == "" {
			return preset.Default
		}
		return p.Mode
	}
	timeout := func(p Policy) time.Duration {
		if p.Approve.Timeout == 0 {
			return DefaultTimeout
		}
		return p.Approve.Timeout
	}
	off := func(p Policy, c preset.Capability) int {
		switch {
		case slices.Contains(p.Off, c):
			return 0
		case slices.Contains(p.Ask, c):
			return 1
		}
		return 2
	}
	subset := func(x, y []string) bool {
		return y == nil || x != nil && !slices.ContainsFunc(x, func(s string) bool { return !slices.Contains(y, s) })
	}
	required := func(p Policy) bool { return p.Sandbox.Required == nil || *p.Sandbox.Required }
	switch {
	case together(mode(a), mode(b)) != mode(a):
		return "mode"
	case a.Preset != b.Preset:
		return "preset"
	case len(a.Also) > len(b.Also):
		return "also"
	case off(a, preset.CanNetwork) > off(b, preset.CanNetwork) || off(a, preset.CanShell) > off(b, preset.CanShell):
		return "capability"
	case stricter(or(b.Sandbox.Files, "workspace-write"), or(a.Sandbox.Files, "workspace-write")):
		return "files"
	case b.Sandbox.Hosts == nil && len(a.Sandbox.Hosts) > 0 || slices.ContainsFunc(a.Sandbox.Hosts, func(h string) bool {
		return !slices.ContainsFunc(b.Sandbox.Hosts, func(o string) bool { return covers(o, h) })
	}):
		return "hosts"
	case required(b) && !required(a):
		return "required"
	case a.Sandbox.Keep != nil && *a.Sandbox.Keep && (b.Sandbox.Keep == nil || !*b.Sandbox.Keep):
		return "keep"
	case StricterPrograms(a.Sandbox.Programs, b.Sandbox.Programs) != a.Sandbox.Programs:
		return "programs"
	case !subset(a.Approve.Via, b.Approve.Via) || !subset(a.Approve.Offer, b.Approve.Offer):
		return "approve"
	case timeout(a) > timeout(b):
		return "timeout"
	}
	return ""
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// TestModeFor: the mode that a person chose counts, together with that of the
// administrator.
func TestModeFor(t *testing.T) {
	for _, test := range []struct {
		files        []string
		chosen, want string
	}{
		{nil, "", ""},
		{nil, "bypass", "bypass"},
		{[]string{"user: mode: plan"}, "", "plan"},
		{[]string{"user: mode: plan"}, "bypass", "bypass"},
		{[]string{"user: mode: plan", "managed: mode: careful"}, "", "plan+careful"},
		{[]string{"user: mode: plan", "managed: mode: careful"}, "bypass", "careful"},
		{[]string{"managed: mode: careful"}, "plan", "plan+careful"},
		{[]string{"managed: mode: careful"}, "dont-ask", "dont-ask+careful"},
		{[]string{"managed: mode: dont-ask"}, "bypass", "dont-ask"},
		{[]string{"managed: mode: careful"}, "no such mode", "careful+no such mode"}, // which no preset has either
		{[]string{"managed: mode: plan"}, "default+bypass", "plan"},
		{[]string{"managed: {preset: kosmokrator, mode: argus}"}, "prometheus", "prometheus+argus"},
		{[]string{"user: {preset: kosmokrator, mode: argus}"}, "prometheus", "prometheus"},
	} {
		p := Merge(layered(t, test.files...))
		if got := p.ModeFor(test.chosen); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.files, test.chosen, got, test.want)
		}
	}
}

// TestPresetModes: a file may set the modes of its preset, by name, and none of
// another. What comes with a repository counts beside the default, and cannot
// give up being asked.
func TestPresetModes(t *testing.T) {
	for _, test := range []struct {
		files              []string
		mode, err, dropped string
		beside             bool
	}{
		{files: []string{"user: {preset: kosmokrator, mode: argus}"}, mode: "argus"},
		{files: []string{"user: preset: kosmokrator", "workspace: mode: argus"}, mode: "argus"},
		{files: []string{"user: {mode: argus, preset: kosmokrator}", "workspace: mode: guardian"}, mode: "argus+guardian"},
		{files: []string{"user: {preset: kodacode, mode: read_only}"}, mode: "read_only"},
		{files: []string{"user: {preset: cowork, mode: plan}"}, mode: "plan"},
		{files: []string{"user: {preset: agentscope, mode: explore}"}, mode: "explore"},
		{files: []string{"user: {preset: agentscope, mode: plan}"}, mode: "plan"}, // it knows what that is
		{files: []string{"user: {preset: cosmo, mode: default}"}, mode: "default"},

		{files: []string{"user: {preset: kosmokrator, mode: argis}"}, err: `user:1:29: mode: want guardian, argus or prometheus, not "argis", in preset kosmokrator (did you mean "argus"?)`},
		{files: []string{"user: {preset: kosmokrator, mode: careful}"}, err: `not "careful", in preset kosmokrator`},
		{files: []string{"user: {preset: native, mode: argus}"}, err: `want plan, careful, default, dont-ask or bypass, not "argus", in preset native`},
		{files: []string{"user: mode: argus"}, err: `user:1:7: mode: preset native has no mode "argus": want plan, careful, default, dont-ask or bypass`},
		{files: []string{"user: mode: carefull"}, err: `(did you mean "careful"?)`},
		{files: []string{"user: {preset: kodacode}", "workspace: mode: argus"}, err: `preset kodacode has no mode "argus": want auto, read_only or full_access`},

		{files: []string{"user: preset: kosmokrator", "workspace: mode: careful"}, dropped: "mode careful: preset kosmokrator has no such mode"},
		{files: []string{"user: preset: kosmokrator", "?committed: mode: argus"}, mode: "argus", beside: true},
		{files: []string{"user: preset: kosmokrator", "?committed: mode: prometheus"}, dropped: "mode prometheus: the workspace is not trusted"},
		{files: []string{"user: preset: kodacode", "?committed: mode: full_access"}, dropped: "mode full_access: the workspace is not trusted"},
		{files: []string{"user: {preset: kosmokrator, mode: guardian}", "?committed: mode: argus"}, mode: "guardian+argus"},
	} {
		p := Merge(layered(t, test.files...))
		dropped := ""
		if len(p.Dropped) > 0 {
			dropped = p.Dropped[0].What + ": " + p.Dropped[0].Why
		}
		problem := ""
		if p.Err != nil {
			problem = p.Err.Error()
		}
		if p.Mode != test.mode || p.ModeBeside != test.beside || !strings.Contains(problem, test.err) || (problem == "") != (test.err == "") || !strings.HasPrefix(dropped, test.dropped) {
			t.Errorf("%q: %q %v, %s, %s", test.files, p.Mode, p.ModeBeside, problem, dropped)
		}
	}
}

// TestPresetModeNames: the modes are those that the presets have.
func TestPresetModeNames(t *testing.T) {
	for name, p := range map[string]sayso.Preset{
		"native": preset.Native(preset.Policy{}), "cosmo": preset.Cosmo(), "kosmokrator": preset.KosmoKrator(preset.KosmoKratorDefaults()),
		"agentscope": preset.AgentScope(preset.AgentScopeConfig{}), "kodacode": preset.KodaCode(preset.KodaCodeConfig{}), "cowork": preset.CoWork(preset.CoWorkConfig{}),
	} {
		var have []string
		for _, m := range p.Modes {
			have = append(have, m.Name)
		}
		want := slices.Clone(presetModes[name].own)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s: %q, and the preset has %q", name, want, have)
		}
	}
	if len(presetModes) != len(presetName("").words()) {
		t.Error("a preset is missing")
	}
}
