package snapshot_test

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/snapshot"
)

// TestSeal: what is in the profile is read with its key alone, and only in the
// snapshot that it was sealed for.
func TestSeal(t *testing.T) {
	key := filepath.Join(t.TempDir(), "profile.key")
	other := filepath.Join(t.TempDir(), "profile.key")
	short := filepath.Join(t.TempDir(), "profile.key")
	for name, text := range map[string]string{key: strings.Repeat("k", 74), other: strings.Repeat("o", 74), short: "k"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own := snapshot.Own{
		Rules:  []sayso.Rule{{Effect: sayso.Deny, Text: "bash(hidden *)", Source: sayso.Source{Layer: sayso.OfProfile}}},
		Grants: []sayso.GivenGrant{{Grant: sayso.Grant{ID: "g", Rule: "bash(secret *)", Scope: sayso.ForProfile}}},
	}
	s := snapshot.Snapshot{Root: "/w", Hash: "h", Rules: []sayso.Rule{{Text: "task"}}}
	if err := s.Seal(own, key, rand.Reader); err != nil || s.Sealed == "" {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil || strings.Contains(string(text), "hidden") || strings.Contains(string(text), "secret") {
		t.Errorf("%s %v", text, err)
	}
	if first := s.Sealed; s.Seal(own, key, rand.Reader) != nil || s.Sealed == first {
		t.Error("the same text twice")
	}
	for name, change := range map[string]func(*snapshot.Snapshot, *string){
		"another key":       func(_ *snapshot.Snapshot, key *string) { *key = other },
		"no key":            func(_ *snapshot.Snapshot, key *string) { *key += ".gone" },
		"no place for one":  func(_ *snapshot.Snapshot, key *string) { *key = "" },
		"half a key":        func(_ *snapshot.Snapshot, key *string) { *key = short },
		"another workspace": func(s *snapshot.Snapshot, _ *string) { s.Root = "/x" },
		"another policy":    func(s *snapshot.Snapshot, _ *string) { s.Hash = "i" },
		"a changed byte":    func(s *snapshot.Snapshot, _ *string) { s.Sealed = strings.Repeat("A", len(s.Sealed)) },
		"no text":           func(s *snapshot.Snapshot, _ *string) { s.Sealed = "!" },
		"a short text":      func(s *snapshot.Snapshot, _ *string) { s.Sealed = "AAAA" },
	} {
		broken, file := s, key
		change(&broken, &file)
		if err := broken.Unseal(file); err == nil || len(broken.Rules) != 1 || len(broken.Grants) != 0 {
			t.Errorf("%s: %+v %v", name, broken, err)
		}
	}
	if err := os.Chmod(other, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(own, other, rand.Reader); err == nil {
		t.Error("a key that others can read")
	}
	if err := s.Unseal(key); err != nil || len(s.Rules) != 2 || s.Rules[1].Text != "bash(hidden *)" || s.Rules[1].Source.Layer != sayso.OfProfile || len(s.Grants) != 1 {
		t.Errorf("%+v %v", s, err)
	}
	none := snapshot.Snapshot{}
	if none.Seal(snapshot.Own{}, "", rand.Reader) != nil || none.Unseal("") != nil || none.Sealed != "" {
		t.Error("nothing needs no key")
	}
}
