package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestWrongAnswers: an answer counts only for what was shown, as it was offered.
func TestWrongAnswers(t *testing.T) {
	s := serve(t)
	s.logIn()
	r := s.waits("c", "git push")
	other := s.waits("d", "git push --force")
	s.send(sent{}) // it was looked at
	right := choice(&r, "y")
	for name, change := range map[string][2]string{
		"no contract":            {"contract", ""},
		"another contract":       {"contract", other.Contract.Hash()},
		"no request":             {"id", ""},
		"another request":        {"id", other.ID},
		"the opposite":           {"yes", "no"},
		"a choice not offered":   {"choice", "p"},
		"a choice without a key": {"choice", ""},
	} {
		if reply, text := s.post("answer", append(append([]string{}, right...), change[0], change[1])...); reply.StatusCode != http.StatusConflict {
			t.Errorf("%s: %s %s", name, reply.Status, text)
		}
	}
	if list, _ := s.store.Waiting(t.Context()); len(list) != 2 {
		t.Errorf("%d wait", len(list))
	}
	if reply, text := s.post("answer", right...); reply.StatusCode != http.StatusOK || !strings.Contains(text, "Allowed by kim through the page") {
		t.Errorf("the right one: %s %s", reply.Status, text)
	}
	if a, err := s.store.Take(t.Context(), r.ID); err != nil || !a.Yes || a.Channel != "page" || a.By != "kim" || a.ContractHash != r.Contract.Hash() || a.Scope != sayso.Once {
		t.Errorf("%+v %v", a, err)
	}
	if reply, text := s.post("answer", choice(&r, "n")...); reply.StatusCode != http.StatusConflict || !strings.Contains(text, "somebody was quicker") || !strings.Contains(text, "Allowed by kim") {
		t.Errorf("a late one: %s %s", reply.Status, text)
	}
}

// TestNotHere: what the policy lets people approve in a terminal alone is not
// approved here, whatever is sent; a no counts.
func TestNotHere(t *testing.T) {
	s := serve(t)
	s.logIn()
	asked := asks(t, "c", "git push", preset.Policy{})
	asked.Via = []string{"terminal"}
	r, err := s.store.Open(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	_, page := s.send(sent{})
	if strings.Contains(page, `data-key="y"`) || !strings.Contains(page, `data-key="n"`) || !strings.Contains(page, "lets nobody say yes here, but: terminal") {
		t.Errorf("the card: %s", page)
	}
	for _, key := range []string{"y", "s", "a"} {
		if reply, text := s.post("answer", choice(&r, key)...); reply.StatusCode != http.StatusConflict {
			t.Errorf("%s: %s %s", key, reply.Status, text)
		}
	}
	if reply, text := s.post("answer", choice(&r, "n")...); reply.StatusCode != http.StatusOK {
		t.Errorf("no: %s %s", reply.Status, text)
	}
}
