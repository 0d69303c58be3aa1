package profile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
	"github.com/sayso-dev/sayso/store/storetest"
)

var ctx = context.Background()

// both are a store with a profile.
type both struct {
	*sqlite.DB
	grants *profile.Grants
	rules  *profile.Rules
}

func (b both) Grants(ctx context.Context, session, root string) ([]sayso.Grant, error) {
	return b.grants.Grants(ctx, session, root)
}

func (b both) AddGrant(ctx context.Context, session, root string, g sayso.Grant) error {
	return b.grants.AddGrant(ctx, session, root, g)
}

func (b both) RevokeGrant(ctx context.Context, id string) error { return b.grants.RevokeGrant(ctx, id) }

func (b both) AllGrants(ctx context.Context) ([]sayso.GivenGrant, error) {
	return b.grants.AllGrants(ctx)
}

func (b both) Rules(ctx context.Context, root string) ([]sayso.Rule, error) {
	return b.rules.Rules(ctx, root)
}

func (b both) AddRule(ctx context.Context, root string, r sayso.Rule) error {
	return b.rules.AddRule(ctx, root, r)
}

func (b both) RemoveRule(ctx context.Context, root, text string) error {
	return b.rules.RemoveRule(ctx, root, text)
}

func newStore(dir string) *profile.Store {
	return &profile.Store{Dir: filepath.Join(dir, "state"), Key: profile.Key{File: filepath.Join(dir, "config", "profile.key")}}
}

func phrase(text string) func() (string, error) { return func() (string, error) { return text, nil } }

// TestStore: with a profile, a store is a store like any other.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Stores {
		dir := t.TempDir()
		db, err := sqlite.Open(ctx, filepath.Join(dir, "state"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		p := newStore(dir)
		return both{db, &profile.Grants{GrantStore: db, Profile: p}, &profile.Rules{RuleStore: db, Profile: p}}
	})
}

const secret = "bash(deploy to hidden-place *)"

// kept is a profile in which something is kept.
func kept(t *testing.T, p *profile.Store) *profile.Grants {
	t.Helper()
	g := &profile.Grants{GrantStore: &store.Memory{}, Profile: p}
	if err := g.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "g", Rule: secret, Scope: sayso.ForProfile}); err != nil {
		t.Fatal(err)
	}
	if err := (&profile.Rules{Profile: p}).AddRule(ctx, "", sayso.Rule{Effect: sayso.Deny, Text: secret}); err != nil {
		t.Fatal(err)
	}
	return g
}

// found are the files below a folder with the text in them.
func found(t *testing.T, dir, text string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if bytes.Contains(content, []byte(text)) {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestHidden: nothing of the profile is in the clear on the disk, in no file, nor
// in the journal or the database of an engine that keeps and uses it.
func TestHidden(t *testing.T) {
	dir := t.TempDir()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test
	p := newStore(dir)
	g := kept(t, p)
	g.GrantStore = db
	rule := "bash(git push hidden-place *)"
	said := sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, Scope: sayso.ForProfile, Rule: rule, By: "kim"}, nil
	})
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: said, Sessions: db, Grants: g, Journal: journal.Folder{Dir: p.Dir}}
	for _, want := range []sayso.Code{sayso.CodePersonYes, sayso.CodeGrant} {
		input, _ := json.Marshal(map[string]string{"command": "git push 'hidden'-place main"})
		_, d, err := e.Authorize(ctx, sayso.Call{Tool: "bash", Input: input, Root: "/r", Home: "/home/dev", Session: "s"})
		if err != nil || d.Effect != sayso.Allow || d.Code != want {
			t.Errorf("%+v %v", d, err)
		}
	}
	j := journal.Folder{Dir: p.Dir}
	of := &sayso.Rule{Effect: sayso.Allow, Text: "command_prefix <hidden-place> a", Source: sayso.Source{Layer: preset.FromProfile}}
	d := sayso.Decision{Rule: of, Reason: "the rule " + of.Text + " (profile) allows it", Trace: []sayso.Step{{Steps: []sayso.Step{{Rule: of, Reason: of.Text}}}}}
	if err := j.Record(ctx, sayso.Record{Kind: sayso.RecordDecision, Decision: &d, Decider: &sayso.Decider{Kind: "rule", Name: of.Text}},
		sayso.Record{Kind: sayso.RecordRevoke, Grant: &sayso.Grant{ID: "g", Rule: rule, Scope: sayso.ForProfile}}); err != nil {
		t.Fatal(err)
	}
	if files := found(t, dir, "deploy to"); len(files) > 0 {
		t.Errorf("in the clear in %v", files)
	}
	// The call itself is recorded, what was kept because of it is not.
	for _, text := range []string{"git push hidden-place *", "hidden-place> a", "hidden-place\\u003e a"} {
		for _, file := range found(t, dir, text) {
			t.Errorf("%q is in the clear in %s", text, file)
		}
	}
	if report, err := j.Verify(nil); err != nil || !report.OK() {
		t.Errorf("%+v %v", report, err)
	}
	for name, mode := range map[string]os.FileMode{p.File(): 0o600, p.Key.File: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refused fails the test unless a profile can be neither read nor changed, and
// the error names a file and says the text.
func refused(t *testing.T, p *profile.Store, text string) {
	t.Helper()
	g := &profile.Grants{GrantStore: &store.Memory{}, Profile: p}
	list, err := g.Grants(ctx, "s", "/r")
	var file *private.Error
	if err == nil || len(list) > 0 || !strings.Contains(err.Error(), text) || !errors.As(err, &file) {
		t.Errorf("%v, %v\nwant an error with %q", list, err, text)
	}
	before, _ := os.ReadFile(p.File())
	if err := g.AddGrant(ctx, "s", "/r", sayso.Grant{ID: "new", Scope: sayso.ForProfile}); err == nil {
		t.Error("a profile that cannot be read was written")
	}
	if after, _ := os.ReadFile(p.File()); !bytes.Equal(before, after) {
		t.Error("a profile that cannot be read was changed")
	}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Grants: g}
	if _, d, err := e.Authorize(ctx, sayso.Call{Tool: "bash", Input: []byte(`{"command":"ls"}`), Root: "/r"}); err == nil || d.Effect != sayso.Deny {
		t.Errorf("an engine decides to %s, %v", d.Effect, err)
	}
	if strings.Contains(err.Error(), "AGE-SECRET-KEY") || strings.Contains(err.Error(), "hidden-place") {
		t.Errorf("the error tells the secret: %v", err)
	}
}

// TestWrongKey: without the right key nothing is told, changed or allowed, and a
// key that is lost is not made anew.
func TestWrongKey(t *testing.T) {
	dir := t.TempDir()
	p := newStore(dir)
	kept(t, p)
	again := func() *profile.Store { return newStore(dir) }
	key, err := os.ReadFile(p.Key.File)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := age.GenerateX25519Identity()
	for text, want := range map[string]string{
		other.String(): "it is not encrypted to the key in ", "AGE-SECRET-KEY-1NONSENSE": "it holds no key", "": "it holds no key", "# only a comment\n": "it holds no key",
	} {
		if err := os.WriteFile(p.Key.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, again(), want)
	}
	if err := os.Remove(p.Key.File); err != nil {
		t.Fatal(err)
	}
	refused(t, again(), "the key of the profile is missing")
	if _, err := os.Stat(p.Key.File); err == nil {
		t.Error("a key was made for a profile that has another")
	}
	if err := errors.Join(os.WriteFile(p.Key.File, key, 0o644), os.Chmod(p.Key.File, 0o644)); err != nil {
		t.Fatal(err)
	}
	refused(t, again(), "others can reach it")
	if err := os.Chmod(p.Key.File, 0o600); err != nil {
		t.Fatal(err)
	}
	phrased := again()
	phrased.Key.Passphrase = phrase("x")
	refused(t, phrased, "")
	if list, err := (&profile.Grants{GrantStore: &store.Memory{}, Profile: again()}).Grants(ctx, "", ""); err != nil || len(list) != 1 || list[0].Rule != secret {
		t.Errorf("with the right key: %v %v", list, err)
	}
}

// TestPassphrase: a profile under a passphrase opens with that one.
func TestPassphrase(t *testing.T) {
	dir := t.TempDir()
	p := &profile.Store{Dir: filepath.Join(dir, "state"), Key: profile.Key{Passphrase: phrase("correct horse"), Work: 10}}
	kept(t, p)
	for text, ok := range map[string]bool{"correct horse": true, "wrong horse": false, "": false} {
		again := &profile.Store{Dir: p.Dir, Key: profile.Key{Passphrase: phrase(text), Work: 10}}
		list, err := (&profile.Grants{GrantStore: &store.Memory{}, Profile: again}).Grants(ctx, "", "")
		if (err == nil) != ok || (len(list) == 1) != ok {
			t.Errorf("%q: %v %v", text, list, err)
		}
	}
	refused(t, &profile.Store{Dir: p.Dir, Key: profile.Key{Passphrase: phrase("wrong"), Work: 10}}, "it is not encrypted to this passphrase")
	if files := found(t, dir, "hidden-place"); len(files) > 0 {
		t.Errorf("in the clear in %v", files)
	}
}

// TestTampered: whatever is changed in the file, cut off or put behind it, it is
// noticed.
func TestTampered(t *testing.T) {
	dir := t.TempDir()
	p := newStore(dir)
	kept(t, p)
	whole, err := os.ReadFile(p.File())
	if err != nil {
		t.Fatal(err)
	}
	change := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(p.File(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		again := newStore(dir)
		if list, err := (&profile.Grants{GrantStore: &store.Memory{}, Profile: again}).Grants(ctx, "", ""); err == nil || len(list) > 0 {
			t.Errorf("not noticed: %v", list)
		}
	}
	for range 200 {
		text := bytes.Clone(whole)
		text[rand.IntN(len(text))] ^= byte(1 + rand.IntN(255))
		change(text)
		change(whole[:rand.IntN(len(whole))])
	}
	change(append(bytes.Clone(whole), 'x'))
	refused(t, newStore(dir), "it is damaged, or was tampered with")
	newer := encrypt(t, p, `{"v":2,"rules":[],"more":1}`)
	change(newer)
	refused(t, newStore(dir), "it has version 2: a newer sayso wrote it")
	change(encrypt(t, p, `{"v":1,"more":"hidden-place"}`))
	refused(t, newStore(dir), "it is damaged")
	change(encrypt(t, p, `hidden-place`))
}

// encrypt encrypts a text to the key of a profile.
func encrypt(t *testing.T, p *profile.Store, text string) []byte {
	t.Helper()
	file, err := os.ReadFile(p.Key.File)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := age.ParseIdentities(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, ids[0].(*age.X25519Identity).Recipient())
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestAtOnce: several that keep something at once, each as another process, lose
// nothing, and what one of them keeps the others see.
func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 4 {
		g := &profile.Grants{GrantStore: &store.Memory{}, Profile: newStore(dir)}
		wg.Go(func() {
			for n := range 5 {
				if err := g.AddGrant(ctx, "s", "/r", sayso.Grant{ID: fmt.Sprint(i, n), Scope: sayso.ForProfile}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if all, err := (&profile.Grants{GrantStore: &store.Memory{}, Profile: newStore(dir)}).AllGrants(ctx); err != nil || len(all) != 20 {
		t.Errorf("%d of 20, %v", len(all), err)
	}
}

// TestTidy: what a killed process has left is removed, and nothing else.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	p := newStore(dir)
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left, other := filepath.Join(p.Dir, ".profile.age.123"), filepath.Join(p.Dir, ".profile.other")
	for _, name := range []string{left, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept(t, p)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it was left")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
