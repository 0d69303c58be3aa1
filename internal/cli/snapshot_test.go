package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// TestSnapshotDecides: by its snapshot a policy decides as it does itself, with the
// same reasons and rules.
func TestSnapshotDecides(t *testing.T) {
	user := []string{
		"", "mode: careful\n", "mode: plan\n", "mode: bypass\n", "mode: dont-ask\n",
		"allow: [bash(git push *), 'fetch(*.example.com)', mcp(github/*)]\nask: [read(**/*.pem)]\ndeny: [bash(rm *), edit(docs/**)]\n",
		"deny:\n  - rule: bash(git push --force *)\n    because: history is shared\n    except: [bash(git push --force * sandbox/*)]\n",
		"deny:\n  - rule: bash(ls *)\n    until: 2020-01-01\n",
		"workspace: {also: [~/shared], network: ask, delete: off}\n", "approve: {via: []}\n", "approve: {via: [web]}\n",
		"deny: [bash(\n", "unknown: key\n", "allow: [bash(make *)]\nmode: sideways\n",
	}
	committed := []string{"", "allow: [bash(git push *)]\nmode: bypass\ndeny: [bash(curl *)]\n", "deny: {\n"}
	commands := []string{
		"ls", "git push", "git push --force origin main", "git push --force origin sandbox/x", "rm -rf build", "rm -rf /", "make", "npm install x",
		"curl https://api.example.com", "curl https://other.test", "cat key.pem", "cat .env", "echo x > docs/a", "touch ~/shared/x", "touch ~/other", "git status && git push", "$X",
	}
	tools := []sayso.Call{
		{Tool: "Read", Input: json.RawMessage(`{"file_path":"a.pem"}`)},
		{Tool: "Edit", Input: json.RawMessage(`{"file_path":"docs/a","old_string":"a","new_string":"b"}`)},
		{Tool: "mcp__github__get_issue", Input: json.RawMessage(`{}`)},
		{Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://api.example.com"}`)},
		{Tool: "Nonsense", Input: json.RawMessage(`{}`)},
	}
	for _, command := range commands {
		input, _ := json.Marshal(map[string]string{"command": command})
		tools = append(tools, sayso.Call{Tool: "Bash", Input: input})
	}
	for _, own := range user {
		for _, shared := range committed {
			home, root := t.TempDir(), t.TempDir()
			write(t, filepath.Join(home, ".config/sayso/policy.yaml"), own)
			write(t, filepath.Join(root, ".sayso.yaml"), shared)
			l, err := load(root, home, IO{Err: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			(&hookAsker{policy: &l}).wire(&l.engine, false)
			kept, err := json.Marshal(snapshotOf(root, l, nil))
			if err != nil {
				t.Fatal(err)
			}
			var s snapshot.Snapshot
			if err := json.Unmarshal(kept, &s); err != nil {
				t.Fatal(err)
			}
			engine := quick.Engine(s, local.Files{Home: home, Root: root})
			for _, call := range tools {
				call.Root, call.Dir, call.Home = root, root, home
				for _, chosen := range []string{"", "careful"} {
					at := time.Now()
					want := l.engine.Check(context.Background(), call, sayso.Session{Now: at, Mode: l.engine.Mode(chosen), Surface: l.surface})
					got := engine.Check(context.Background(), call, sayso.Session{Now: at, Mode: engine.Mode(chosen), Surface: s.Surface})
					if !reflect.DeepEqual(text(t, got), text(t, want)) {
						t.Errorf("%s%s%s %s %s:\n%s\nwant\n%s", own, shared, chosen, call.Tool, call.Input, text(t, got), text(t, want))
					}
				}
			}
		}
	}
}

func text(t *testing.T, d sayso.Decision) string {
	t.Helper()
	out, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotRemembers: what people have granted counts until they revoke it, what
// they trust counts as long as it is the same, and a database that cannot be read
// denies.
func TestSnapshotRemembers(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	ctx := context.Background()
	input, _ := json.Marshal(map[string]string{"command": "git push"})
	call := sayso.Call{ID: "c", Session: "s", Tool: "Bash", Input: input, Root: root, Dir: root, Home: home}
	decide := func() sayso.Decision {
		t.Helper()
		s, err := takeSnapshot(root, home, "", IO{Err: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if s.Rich { // something is in the profile, which no snapshot holds
			l, err := load(root, home, IO{Err: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			return l.engine.Step(ctx, call, &sayso.SessionState{Root: root})
		}
		m := &store.Memory{}
		for _, g := range s.Grants {
			if g.Scope == sayso.ForProfile {
				t.Error("a snapshot holds what is in the profile")
			}
			if err := m.AddGrant(ctx, g.Session, g.Root, g.Grant); err != nil {
				t.Fatal(err)
			}
		}
		e := quick.Engine(s, local.Files{Home: home, Root: root})
		e.Grants = m
		return e.Step(ctx, call, &sayso.SessionState{Root: root})
	}
	if d := decide(); d.Effect != sayso.Ask {
		t.Fatalf("at first: %+v", d)
	}
	state, err := local.State()
	if err != nil {
		t.Fatal(err)
	}
	change := func(do func(*sqlite.DB) error) {
		t.Helper()
		before, _ := snapshot.Sources(local.Files{Home: home, Root: root}, local.Database(state.Dir))
		db, err := sqlite.Open(ctx, state.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(do(db), db.Close()); err != nil {
			t.Fatal(err)
		}
		if after, _ := snapshot.Sources(local.Files{Home: home, Root: root}, local.Database(state.Dir)); reflect.DeepEqual(before, after) {
			t.Error("a change of the database does not show")
		}
	}
	for _, g := range []sayso.GivenGrant{
		{Grant: sayso.Grant{ID: "w", Rule: "bash(git push *)", Scope: sayso.ForWorkspace}, Root: root},
		{Grant: sayso.Grant{ID: "p", Rule: "bash(git push *)", Scope: sayso.ForProfile}},
		{Grant: sayso.Grant{ID: "s", Rule: "bash(git push *)", Scope: sayso.ForSession}, Session: "s", Root: root},
	} {
		change(func(db *sqlite.DB) error { return db.AddGrant(ctx, g.Session, g.Root, g.Grant) })
		if d := decide(); d.Effect != sayso.Allow || d.Code != sayso.CodeGrant || d.Scope != g.Scope {
			t.Errorf("%s: %+v", g.Scope, d)
		}
		change(func(db *sqlite.DB) error { return db.RevokeGrant(ctx, g.ID) })
		if d := decide(); d.Effect != sayso.Ask {
			t.Errorf("%s, revoked: %+v", g.Scope, d)
		}
	}
	policy := []byte("allow: [bash(git push *)]\n")
	write(t, filepath.Join(root, ".sayso.yaml"), string(policy))
	if d := decide(); d.Effect != sayso.Ask {
		t.Errorf("a policy that nobody trusts: %+v", d)
	}
	file := manage.FileTrust(root, filepath.Join(root, ".sayso.yaml"), policy)
	change(func(db *sqlite.DB) error {
		return errors.Join(db.Trust(ctx, root, "", ""), db.Trust(ctx, file.Root, file.Name, file.Fingerprint))
	})
	if d := decide(); d.Effect != sayso.Allow || d.Rule == nil {
		t.Errorf("a policy that is trusted: %+v", d)
	}
	write(t, filepath.Join(root, ".sayso.yaml"), "# another\n"+string(policy))
	if d := decide(); d.Effect != sayso.Ask {
		t.Errorf("a policy that was changed: %+v", d)
	}
	if err := os.WriteFile(local.Database(state.Dir), []byte("no database at all, but long enough to be looked at by whoever opens it as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := decide(); d.Effect != sayso.Deny {
		t.Errorf("a database that is damaged: %+v", d)
	}
}
