package e2e

import (
	"slices"
	"strings"
	"testing"
)

// each runs a test with each client.
func each(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	for _, c := range chosen(t) {
		t.Run(c.name, func(t *testing.T) { test(t, newScene(t, c)) })
	}
}

// toldOf fails unless what the model was told of a call has these words.
func toldOf(s *scene, call int, words ...string) {
	s.t.Helper()
	told := s.told()
	if call >= len(told) {
		s.t.Fatalf("the model was told of %d calls: %q", len(told), told)
	}
	for _, w := range words {
		if !strings.Contains(told[call], w) {
			s.t.Errorf("the model was told %q, want %q in it", told[call], w)
		}
	}
}

// TestObeys: what is denied does not run, and the model is told why; what is allowed
// runs, also after that.
func TestObeys(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		c := s.client
		s.run(c.shell("touch denied"), c.create(s, "denied.txt", "x\n"), c.shell("touch allowed"))
		if s.has("denied") || s.has("denied.txt") {
			t.Error("what was denied has happened")
		}
		toldOf(s, 0, "this file is not wanted here")
		toldOf(s, 1, "this text is not wanted here")
		if !s.has("allowed") {
			t.Errorf("what is allowed did not run; the model was told %q", s.told())
		}
		log := s.sayso("sayso", "log", "--json")
		for _, word := range []string{"touch denied", "touch allowed", "denied.txt"} {
			if !strings.Contains(log, word) {
				t.Errorf("%s is not in the journal:\n%s", word, log)
			}
		}
	})
}

// TestWaits: a call that asks waits, and runs or not by the answer that is given in
// another process.
func TestWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		for _, verb := range []string{"approve", "deny"} {
			s := newScene(t, s.client)
			wait := s.start(s.client.shell("touch asked"), s.client.shell("touch after"))
			id := s.waiting()
			if s.has("asked") {
				t.Error("it ran before anybody has answered")
			}
			s.sayso("sayso", verb, id)
			wait()
			if s.has("asked") != (verb == "approve") {
				t.Errorf("%s: it ran: %v; the model was told %q", verb, s.has("asked"), s.told())
			}
			if !s.has("after") && !slices.ContainsFunc(s.told(), func(text string) bool { return strings.Contains(text, "denied") }) {
				t.Errorf("%s: it did not go on after that: %q", verb, s.told())
			}
		}
	})
}
