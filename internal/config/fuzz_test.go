package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sayso-dev/sayso"
)

// FuzzParse: no text makes it panic; one with a mistake allows nothing; a rule
// that is added is there, and when it is removed the file says what it said.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"good", "bad"} {
		for _, file := range files(f, folder) {
			f.Add(read(f, file), "bash(git push *)")
		}
	}
	for _, s := range []string{"{}", "allow: [a, 'b''c', \"d\\\"\", e f] # g", "allow:\n- a\n\n# x\nask: [b]", "{\"deny\": [\"a\"]}", "allow: [{rule: a, match: [b, c]}, ]", "? allow\n: - a", "allow: null"} {
		f.Add([]byte(s), "read(a: b, 'c' #d)")
	}
	f.Fuzz(func(t *testing.T, text []byte, rule string) {
		before, err := Parse("p", text)
		_, _ = FromJSON(text)
		if err != nil {
			if before.Err == nil {
				t.Fatal("the error is not in the file")
			}
			for _, r := range before.Rules {
				if r.Effect == sayso.Allow {
					t.Fatalf("%s is allowed in spite of %v", r.Text, err)
				}
			}
			return
		}
		lines := strings.Split(string(text), "\n")
		for _, r := range before.Rules {
			if r.Source.Line < 1 || r.Source.Line > len(lines) || r.Source.Column < 1 || r.Source.Column > utf8.RuneCountInString(lines[r.Source.Line-1]) {
				t.Fatalf("%s is not at %s", r.Text, r.Source)
			}
		}
		for _, effect := range []sayso.Effect{sayso.Allow, sayso.Deny} {
			roundTrip(t, before, text, effect, rule)
		}
	})
}

// roundTrip adds a rule and removes it again.
func roundTrip(t *testing.T, before *File, text []byte, effect sayso.Effect, rule string) {
	added, err := AddRule(text, effect, rule)
	if err != nil {
		return
	}
	with, err := Parse("p", added)
	if err != nil || !has(with, effect, rule) {
		t.Fatalf("%s is not in %q: %v", rule, added, err)
	}
	if again, err := AddRule(added, effect, rule); err != nil || string(again) != string(added) {
		t.Fatalf("added twice: %q, %v", again, err)
	}
	removed, err := RemoveRule(added, effect, rule)
	if errors.Is(err, errByHand) {
		return
	}
	without, err2 := Parse("p", removed)
	if err != nil || err2 != nil || has(without, effect, rule) {
		t.Fatalf("%s is not removed from %q: %v, %v", rule, added, err, err2)
	}
	if !has(before, effect, rule) && !reflect.DeepEqual(without.content(), before.content()) {
		t.Fatalf("%q became %q", text, removed)
	}
}

func has(f *File, effect sayso.Effect, rule string) bool {
	for _, r := range f.Rules {
		if r.Effect == effect && r.Text == rule {
			return true
		}
	}
	return false
}
