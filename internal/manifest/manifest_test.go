package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

var ctx = context.Background()

// workspace is one with a manifest of that text; empty: without one.
func workspace(t *testing.T, text string) (manifest.Files, string, string) {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "repo")
	file := filepath.Join(root, filepath.FromSlash(manifest.Name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return manifest.Files{State: filepath.Join(dir, "state")}, root, file
}

func cowork(text string) sayso.Rule {
	r, err := preset.ParseCoWorkRule(text)
	if err != nil {
		panic(err)
	}
	return sayso.Rule{Effect: r.Effect, Text: r.String()}
}

func list(t *testing.T, s sayso.RuleStore, root string) string {
	t.Helper()
	rules, err := s.Rules(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rules {
		out = append(out, r.Text)
	}
	return strings.Join(out, "; ")
}

const kept = `{
  "version": 1,
  "rules": [
    {"id": "1", "effect": "deny", "scope": {"kind": "tool", "toolName": "open_url"}, "metadata": {"why": "ours"}},
    {"effect": "allow", "scope": {"kind": "path", "path": "/srv", "toolName": "edit_file"}}
  ]
}
`

// TestEdit: rules of every kind are added and removed, once, and nothing else in
// the file changes.
func TestEdit(t *testing.T) {
	for _, text := range []string{"", kept} {
		f, root, file := workspace(t, text)
		before := list(t, f, root)
		var want []string
		if before != "" {
			want = append(want, before)
		}
		all := []string{"allow tool run", "ask path /a b", "deny path write_file /a", "allow command_prefix npm run build", "allow mcp_server github"}
		for _, r := range append(all, all...) {
			if err := f.AddRule(ctx, root, cowork(r)); err != nil {
				t.Fatalf("%s: %v", r, err)
			}
		}
		if got := list(t, f, root); got != strings.Join(append(want, all...), "; ") {
			t.Errorf("%s", got)
		}
		for _, r := range all {
			if err := f.RemoveRule(ctx, root, r); err != nil {
				t.Fatalf("%s: %v", r, err)
			}
			if err := f.RemoveRule(ctx, root, r); !errors.Is(err, sayso.ErrNotFound) {
				t.Errorf("%s again: %v", r, err)
			}
		}
		if after, err := os.ReadFile(file); err != nil || text != "" && string(after) != text {
			t.Errorf("changed: %s %v", after, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestNotUnderstood: a manifest with a mistake in it, or one that leads out of
// the workspace, is left as it is.
func TestNotUnderstood(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"version":2,"rules":[]}`, `{"version":1,"rules":[{"effect":"alow"}]}`, `{"version":1,"rules":[],"more":1}`} {
		f, root, file := workspace(t, text)
		if err := f.AddRule(ctx, root, cowork("allow tool x")); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", text, err)
		}
		if after, _ := os.ReadFile(file); string(after) != text {
			t.Errorf("%s became %s", text, after)
		}
	}
	f, root, file := workspace(t, "")
	outside := filepath.Join(filepath.Dir(root), "outside.json")
	if err := errors.Join(os.WriteFile(outside, []byte(kept), 0o644), os.Symlink(outside, file)); err != nil {
		t.Fatal(err)
	}
	if err := f.AddRule(ctx, root, cowork("allow tool x")); err == nil {
		t.Error("a link out of the workspace is followed")
	}
	if err := errors.Join(os.Remove(file), os.Remove(filepath.Dir(file)), os.Symlink(filepath.Dir(root), filepath.Dir(file))); err != nil {
		t.Fatal(err)
	}
	if err := f.AddRule(ctx, root, cowork("allow tool x")); err == nil {
		t.Error("a folder out of the workspace is written")
	}
	if text, _ := os.ReadFile(outside); string(text) != kept {
		t.Errorf("outside was changed: %s", text)
	}
}

// TestLeft: what a killed process, or somebody else, has put in the way is not
// followed, and gone afterwards.
func TestLeft(t *testing.T) {
	f, root, file := workspace(t, kept)
	victim, left := filepath.Join(root, "victim"), filepath.Join(filepath.Dir(file), ".permissions.json.new")
	if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o644), os.Symlink("../../victim", left)); err != nil {
		t.Fatal(err)
	}
	if err := f.AddRule(ctx, root, cowork("allow tool x")); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(victim); string(text) != "precious" {
		t.Errorf("a link was followed: %s", text)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("it is still there")
	}
}

// TestAtOnce: no rule is lost when several are added at once.
func TestAtOnce(t *testing.T) {
	f, root, _ := workspace(t, kept)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if err := f.AddRule(ctx, root, cowork(fmt.Sprintf("allow tool t%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if rules, err := f.Rules(ctx, root); err != nil || len(rules) != 14 {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}

// inTheWay makes the manifest one that cannot be written.
func inTheWay(t *testing.T, file string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(filepath.Dir(file)), os.WriteFile(filepath.Dir(file), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestMirror: a rule that is kept for a workspace is in both places, and gone
// from both when it is revoked; others are in the database alone.
func TestMirror(t *testing.T) {
	f, root, file := workspace(t, kept)
	before := list(t, f, root)
	db := &store.Memory{}
	m := &manifest.Mirror{GrantStore: db, Manifest: f}
	for id, g := range map[string]sayso.Grant{
		"w1": {Rule: "allow tool run", Scope: sayso.ForWorkspace}, "w2": {Rule: "allow tool run", Scope: sayso.ForWorkspace},
		"s": {Rule: "allow tool other", Scope: sayso.ForSession}, "n": {Rule: "bash(ls)", Scope: sayso.ForWorkspace},
	} {
		g.ID = id
		if err := m.AddGrant(ctx, "s", root, g); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, f, root); got != before+"; allow tool run" {
		t.Error(got)
	}
	for _, step := range []struct{ id, want string }{{"s", "; allow tool run"}, {"w1", "; allow tool run"}, {"n", "; allow tool run"}, {"w2", ""}} {
		if err := m.RevokeGrant(ctx, step.id); err != nil {
			t.Errorf("%s: %v", step.id, err)
		}
		if got := list(t, f, root); got != before+step.want {
			t.Errorf("after %s: %s", step.id, got)
		}
	}
	if err := m.RevokeGrant(ctx, "w2"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}

	// The manifest cannot be written: what was done stands, and is told.
	g := sayso.Grant{ID: "p", Rule: "allow tool run", Scope: sayso.ForWorkspace}
	if err := m.AddGrant(ctx, "s", root, g); err != nil {
		t.Fatal(err)
	}
	inTheWay(t, file)
	err := m.RevokeGrant(ctx, "p")
	var partial *manage.PartialError
	if !errors.As(err, &partial) || !strings.Contains(err.Error(), "it is revoked in the database, but it still stands in "+file) {
		t.Errorf("%v", err)
	}
	if all, _ := db.AllGrants(ctx); len(all) != 0 {
		t.Errorf("the database keeps it: %v", all)
	}
	g.ID = "q"
	if err := m.AddGrant(ctx, "s", root, g); !errors.As(err, &partial) || !strings.Contains(err.Error(), "it is kept in the database, but it is not in "+file) {
		t.Errorf("%v", err)
	}
	var told error
	m.Partial = func(err error) { told = err }
	g.ID = "r"
	if err := m.AddGrant(ctx, "s", root, g); err != nil || !errors.As(told, &partial) {
		t.Errorf("%v, told %v", err, told)
	}
	if all, _ := db.AllGrants(ctx); len(all) != 2 {
		t.Errorf("%v", all)
	}
}

// TestRules: rules are kept in and removed from both places.
func TestRules(t *testing.T) {
	f, root, file := workspace(t, kept)
	before := list(t, f, root)
	r := &manifest.Rules{RuleStore: &store.Memory{}, Manifest: f}
	if err := r.AddRule(ctx, root, cowork("allow tool run")); err != nil || list(t, r, root) != "allow tool run" || list(t, f, root) != before+"; allow tool run" {
		t.Errorf("%v: %s; %s", err, list(t, r, root), list(t, f, root))
	}
	if err := r.RemoveRule(ctx, root, "allow tool run"); err != nil || list(t, r, root) != "" || list(t, f, root) != before {
		t.Errorf("%v: %s; %s", err, list(t, r, root), list(t, f, root))
	}
	if err := r.RemoveRule(ctx, root, "allow tool run"); !errors.Is(err, sayso.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := r.RemoveRule(ctx, root, "deny tool open_url"); err != nil || strings.Contains(list(t, f, root), "open_url") {
		t.Errorf("in the manifest alone: %v", err)
	}
	if err := r.AddRule(ctx, root, cowork("allow tool run")); err != nil {
		t.Fatal(err)
	}
	inTheWay(t, file)
	var partial *manage.PartialError
	if err := r.RemoveRule(ctx, root, "allow tool run"); !errors.As(err, &partial) || list(t, r, root) != "" {
		t.Errorf("%v: %s", err, list(t, r, root))
	}
	if err := r.AddRule(ctx, root, cowork("allow tool run")); !errors.As(err, &partial) || list(t, r, root) != "allow tool run" {
		t.Errorf("%v: %s", err, list(t, r, root))
	}
}

// TestOwnRules: rules of sayso are in .sayso.yaml if they are shared, and leave it
// as they came; what others have written there stays, and so do rules of the
// profile out of it.
func TestOwnRules(t *testing.T) {
	f, root, _ := workspace(t, kept)
	file := filepath.Join(root, ".sayso.yaml")
	const others = "# of all\ndeny: [task]\nallow: [read]\n"
	if err := os.WriteFile(file, []byte(others), 0o644); err != nil {
		t.Fatal(err)
	}
	c := manifest.Committed{State: f.State}
	r := &manifest.Rules{RuleStore: &store.Memory{}, Manifest: f, Committed: c}
	has := func(want string) bool {
		t.Helper()
		text, err := os.ReadFile(file)
		return err == nil && string(text) == want
	}
	own := sayso.Rule{Effect: sayso.Allow, Text: "task"}
	for _, root := range []string{root, ""} {
		if err := r.AddRule(ctx, root, own); err != nil || !has(others) || list(t, r, root) != "task" {
			t.Errorf("%q: not shared: %v", root, err)
		}
		if err := r.RemoveRule(ctx, root, "task"); err != nil || !has(others) || list(t, r, root) != "" {
			t.Errorf("%q: removed: %v", root, err)
		}
		if err := r.RemoveRule(ctx, root, "task"); !errors.Is(err, sayso.ErrNotFound) || !has(others) {
			t.Errorf("%q: removed twice: %v", root, err)
		}
	}
	r.Shared = true
	if err := r.AddRule(ctx, root, own); err != nil || list(t, c, root) != "task; read; task" {
		t.Errorf("%v: %s", err, list(t, c, root))
	}
	if err := r.RemoveRule(ctx, root, "task"); err != nil || !has(others) {
		t.Errorf("%v: %s", err, list(t, c, root))
	}
	if err := c.RemoveRule(ctx, root, "read"); err != nil || list(t, c, root) != "task" {
		t.Errorf("%v: %s", err, list(t, c, root))
	}
	var partial *manage.PartialError
	if err := errors.Join(os.Remove(file), os.Symlink("/etc/passwd", file)); err != nil {
		t.Fatal(err)
	}
	if err := r.AddRule(ctx, root, own); !errors.As(err, &partial) || list(t, r, root) != "task" {
		t.Errorf("through a link: %v", err)
	}
	if err := r.RemoveRule(ctx, root, "task"); !errors.As(err, &partial) || list(t, r, root) != "" {
		t.Errorf("through a link: %v", err)
	}
	if _, err := c.Rules(ctx, root); err == nil {
		t.Error("read through a link")
	}
}

// TestKeepTrust: a manifest that was trusted is after the user's own change; one
// that was not, or that somebody else has changed, is not.
func TestKeepTrust(t *testing.T) {
	for _, trusted := range []string{kept, "something else", ""} {
		f, root, file := workspace(t, kept)
		m := &store.Memory{}
		d := &manage.Desk{Trusts: m, Journal: m}
		if trusted != "" {
			if err := errors.Join(d.Trust(ctx, sayso.Trust{Root: root}), d.Trust(ctx, manage.FileTrust(root, manifest.Name, []byte(trusted)))); err != nil {
				t.Fatal(err)
			}
		}
		f.Changed = manifest.KeepTrust(d, manifest.Name)
		if err := f.AddRule(ctx, root, cowork("allow tool x")); err != nil {
			t.Fatal(err)
		}
		after, _ := os.ReadFile(file)
		if got := manage.TrustsFile(ctx, m, root, file, after); got != (trusted == kept) {
			t.Errorf("trusted %q before: trusted after is %v", trusted, got)
		}
	}
}
