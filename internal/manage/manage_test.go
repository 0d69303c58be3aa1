package manage_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

var ctx = context.Background()

// A noJournal records nothing.
type noJournal struct{}

var errDisk = errors.New("the disk is full")

func (noJournal) Record(context.Context, ...sayso.Record) error { return errDisk }

func desk(m *store.Memory, j sayso.Journal) *manage.Desk {
	return &manage.Desk{Grants: m, Approvals: m, Trusts: m, Rules: m, Journal: j, By: "kim", Channel: "terminal"}
}

// TestRecorded: every change is recorded, with who made it.
func TestRecorded(t *testing.T) {
	m := &store.Memory{}
	d := desk(m, m)
	g := sayso.GivenGrant{Grant: sayso.Grant{ID: "g", Rule: "bash", Call: "call"}, Session: "s", Root: "/r"}
	r, err := m.Open(ctx, sayso.Request{ID: "r", Call: sayso.Call{ID: "asked"}})
	_, answered := d.Answer(ctx, r, true, "")
	for _, err := range []error{
		err, answered, m.AddGrant(ctx, "s", "/r", g.Grant), d.RevokeGrant(ctx, g),
		d.Trust(ctx, sayso.Trust{Root: "/r", Name: "x", Fingerprint: "1"}), d.RevokeTrust(ctx, sayso.Trust{Root: "/r", Name: "x"}),
		d.AddRule(ctx, "/r", sayso.Rule{Text: "bash"}), d.RemoveRule(ctx, "/r", sayso.Rule{Text: "bash"}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	var kinds []string
	for _, r := range m.Records() {
		kinds = append(kinds, string(r.Kind))
		if r.Decider == nil || r.Decider.Name != "kim" || r.Decider.Channel != "terminal" {
			t.Errorf("%s: who? %+v", r.Kind, r.Decider)
		}
	}
	if got := strings.Join(kinds, " "); got != "answer revoke trust revoke rule revoke" {
		t.Error(got)
	}
	if a, err := m.Take(ctx, "r"); err != nil || !a.Yes || a.By != "kim" || a.Scope != sayso.Once {
		t.Errorf("%+v %v", a, err)
	}
}

// TestNotRecorded: what loosens does not count if it cannot be recorded; what
// tightens does, and says so.
func TestNotRecorded(t *testing.T) {
	m := &store.Memory{}
	d := desk(m, noJournal{})
	if err := d.Trust(ctx, sayso.Trust{Root: "/r"}); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
	if ok, _ := m.Trusted(ctx, "/r", "", ""); ok {
		t.Error("trusted without a record")
	}
	_ = m.Trust(ctx, "/r", "", "")
	_ = m.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "g"})
	for what, err := range map[string]error{
		"trust": d.RevokeTrust(ctx, sayso.Trust{Root: "/r"}), "grant": d.RevokeGrant(ctx, sayso.GivenGrant{Grant: sayso.Grant{ID: "g"}}),
	} {
		if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "it was revoked, but it is not in the journal") {
			t.Errorf("%s: %v", what, err)
		}
	}
	grants, _ := m.AllGrants(ctx)
	if ok, _ := m.Trusted(ctx, "/r", "", ""); ok || len(grants) > 0 {
		t.Error("not revoked because it could not be recorded")
	}
}

// TestRules: a rule that loosens, and the removal of one that tightens, does not
// count if it cannot be recorded; the others do, and say so. One of the profile is
// recorded as such.
func TestRules(t *testing.T) {
	allow, deny := sayso.Rule{Effect: sayso.Allow, Text: "task"}, sayso.Rule{Effect: sayso.Deny, Text: "bash"}
	kept := func(m *store.Memory, root string) int {
		list, _ := m.Rules(ctx, root)
		return len(list)
	}
	m := &store.Memory{}
	d := desk(m, noJournal{})
	if err := d.AddRule(ctx, "/r", allow); !errors.Is(err, errDisk) || kept(m, "/r") != 0 {
		t.Errorf("%v, and %d are kept", err, kept(m, "/r"))
	}
	if err := d.AddRule(ctx, "/r", deny); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "it is kept, but it is not in the journal") || kept(m, "/r") != 1 {
		t.Errorf("%v, and %d are kept", err, kept(m, "/r"))
	}
	if err := d.RemoveRule(ctx, "/r", deny); !errors.Is(err, errDisk) || kept(m, "/r") != 1 {
		t.Errorf("%v, and %d are kept", err, kept(m, "/r"))
	}
	_ = m.AddRule(ctx, "/r", allow)
	if err := d.RemoveRule(ctx, "/r", allow); !errors.Is(err, errDisk) || kept(m, "/r") != 1 {
		t.Errorf("%v, and %d are kept", err, kept(m, "/r"))
	}
	if err := d.RemoveRule(ctx, "/r", allow); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	d = desk(m, m)
	if err := d.AddRule(ctx, "", deny); err != nil || kept(m, "") != 1 {
		t.Errorf("%v, and %d are kept", err, kept(m, ""))
	}
	if list := m.Records(); len(list) != 1 || list[0].Rule == nil || list[0].Rule.Source.Layer != sayso.OfProfile {
		t.Errorf("%+v", list)
	}
}

// TestChoices: without a key the plain choice is taken, never one that keeps or
// opens more; a key must be offered and say what the person says.
func TestChoices(t *testing.T) {
	choices := []sayso.Choice{
		{Key: "s", Yes: true, Scope: sayso.ForSession, Rule: "bash"},
		{Key: "net", Yes: true, Network: sayso.NetworkAll},
		{Key: "1", Yes: true, Scope: sayso.Once},
		{Key: "3"},
	}
	for _, one := range []struct {
		yes       bool
		key, want string
		fails     bool
	}{
		{true, "", "1", false},
		{false, "", "3", false},
		{true, "s", "s", false},
		{true, "net", "net", false},
		{true, "3", "", true},
		{false, "s", "", true},
		{true, "x", "", true},
	} {
		m := &store.Memory{}
		r, err := m.Open(ctx, sayso.Request{ID: "r", Decision: sayso.Decision{Choices: choices}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := desk(m, m).Answer(ctx, r, one.yes, one.key)
		if (err != nil) != one.fails || a.Choice != one.want || err == nil && a.Yes != one.yes {
			t.Errorf("%+v: %+v %v", one, a, err)
		}
	}
}

// TestTrustsFile: a policy file counts as it was when the workspace was trusted,
// and only while it is.
func TestTrustsFile(t *testing.T) {
	m := &store.Memory{}
	d := desk(m, m)
	trusts := func(text string) bool { return manage.TrustsFile(ctx, m, "/r", "/r/.sayso.yaml", []byte(text)) }
	if err := d.Trust(ctx, manage.FileTrust("/r", ".sayso.yaml", []byte("a"))); err != nil || trusts("a") {
		t.Errorf("a file without its workspace: %v", err)
	}
	if err := d.Trust(ctx, sayso.Trust{Root: "/r"}); err != nil || !trusts("a") || trusts("b") || trusts("") {
		t.Errorf("not exactly what was seen is trusted: %v", err)
	}
	if manage.TrustsFile(ctx, m, "/r", "/r/sub/.sayso.yaml", []byte("a")) || manage.TrustsFile(ctx, m, "/q", "/q/.sayso.yaml", []byte("a")) {
		t.Error("another file is trusted")
	}
}

// TestServers: what is fingerprinted, and names that are not those of servers.
func TestServers(t *testing.T) {
	list, err := manage.Servers([]byte(`{"mcpServers":{"b":{"url":"https://x","type":"http"},"a":{"command":"c","args":["d"],"env":{"K":"v"}}}}`))
	want := []preset.MCPServer{{Name: "a", Type: "stdio", Command: "c", Args: []string{"d"}, Env: map[string]string{"K": "v"}}, {Name: "b", Type: "http", Command: "https://x"}}
	if err != nil || len(list) != 2 || list[0].Fingerprint() != want[0].Fingerprint() || list[1].Fingerprint() != want[1].Fingerprint() {
		t.Errorf("%+v %v", list, err)
	}
	for _, bad := range []string{``, `[]`, `{"mcpServers":{"":{}}}`, `{"mcpServers":{"file:.sayso.yaml":{}}}`} {
		if list, err := manage.Servers([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, list)
		}
	}
}

// TestServersAsStarted: what is fingerprinted is what an agent reads, which tells
// small letters from large ones and takes the last of two.
func TestServersAsStarted(t *testing.T) {
	trusted := preset.MCPServer{Type: "stdio", Command: "good"}.Fingerprint()
	for text, same := range map[string]bool{
		`{"mcpServers":{"a":{"command":"good"}}}`:                                       true,
		`{"mcpServers":{"a":{"command":"good","Command":"evil"}}}`:                      true,
		`{"mcpServers":{"a":{"command":"good"}},"MCPSERVERS":{"a":{"command":"evil"}}}`: true,
		`{"mcpServers":{"a":{"command":"evil","Command":"good"}}}`:                      false,
		`{"mcpServers":{"a":{"command":"evil"}},"MCPSERVERS":{"a":{"command":"good"}}}`: false,
		`{"mcpServers":{"a":{"command":"good","command":"evil"}}}`:                      false,
		`{"mcpServers":{"a":{"command":"good"},"a":{"command":"evil"}}}`:                false,
		`{"mcpServers":{"a":{"command":"good","url":"https://evil"}}}`:                  false,
		`{"mcpServers":{"a":{"command":"good","type":"sse"}}}`:                          false,
	} {
		list, err := manage.Servers([]byte(text))
		if err != nil || len(list) != 1 || (list[0].Fingerprint() == trusted) != same {
			t.Errorf("%s: %+v %v, want the same: %v", text, list, err, same)
		}
	}
}

// TestUserServers: those for every workspace and for this one, and no others.
func TestUserServers(t *testing.T) {
	text := `{"mcpServers":{"all":{"command":"a"}},"projects":{"/r":{"mcpServers":{"here":{"command":"b"}}},"/q":{"mcpServers":{"there":{"command":"c"}}},"r":{"mcpServers":{"odd":{}}}}}`
	list, err := manage.UserServers([]byte(text), func(dir string) bool { return strings.TrimPrefix(dir, "/") == "r" })
	if err != nil || len(list) != 2 || list[0].Name != "all" || list[1].Name != "here" || list[1].Command != "b" {
		t.Errorf("%+v %v", list, err)
	}
	for _, bad := range []string{``, `{"projects":[]}`, `{"mcpServers":3}`, `{"projects":{"/r":{"mcpServers":{"":{}}}}}`} {
		if list, err := manage.UserServers([]byte(bad), func(string) bool { return true }); err == nil {
			t.Errorf("%s: %+v", bad, list)
		}
	}
}
