package catalog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
)

// TestFind: a preset is found by its name, the default without one.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{"": "native", "native": "native"} {
		s, err := catalog.Find(name)
		if err != nil || s.Name != want {
			t.Errorf("Find(%q) = %q, %v", name, s.Name, err)
		}
	}
	if _, err := catalog.Find("nativ"); !errors.Is(err, catalog.ErrUnknown) || !strings.Contains(err.Error(), "nativ") {
		t.Errorf("unknown: %v", err)
	}
}

// TestSystems: every preset can be made without configuration, is called by its
// name, has a plan for every mode, and says what each is for.
func TestSystems(t *testing.T) {
	for _, s := range catalog.Systems() {
		setup, err := s.FromJSON(nil, catalog.Place{Root: "/w", Home: "/home/me"})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		p := setup.Preset
		if p.Name != s.Name || p.Doc == "" || len(p.Modes) == 0 {
			t.Errorf("%s: %+v", s.Name, p)
		}
		for _, m := range p.Modes {
			if plan, err := p.For(m.Name); err != nil || len(plan) == 0 || m.Doc == "" {
				t.Errorf("%s: mode %+v: %v", s.Name, m, err)
			}
		}
		if _, err := s.ReadGrant(json.RawMessage(`3`)); err == nil {
			t.Errorf("%s: 3 is a grant", s.Name)
		}
		if s.Load == nil {
			t.Errorf("%s cannot be loaded", s.Name)
		}
	}
}

// TestGrants: a grant that is not understood is an error.
func TestGrants(t *testing.T) {
	s, _ := catalog.Find("native")
	setup, err := s.FromJSON(nil, catalog.Place{Root: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if g, err := setup.Grants([]sayso.Grant{{Rule: "bash(make *)"}}); err != nil || len(g.List()) != 1 {
		t.Errorf("%v %v", g, err)
	}
	if _, err := setup.Grants([]sayso.Grant{{Rule: "("}}); err == nil {
		t.Error("( is a grant")
	}
	setup.Preset.CheckRule = func(text string) error {
		if text == "(" {
			return errors.New("no")
		}
		return nil
	}
	if g, err := setup.Grants([]sayso.Grant{{Rule: "own"}}); err != nil || len(g.List()) != 1 {
		t.Errorf("%v %v", g, err)
	}
	if _, err := setup.Grants([]sayso.Grant{{Rule: "("}}); err == nil {
		t.Error("( is a grant in another language")
	}
}

// TestCompare: 60 different calls, each decided under every preset.
func TestCompare(t *testing.T) {
	calls, err := catalog.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range calls {
		seen[string(c.Kind)+" "+c.Text] = true
		if len(c.Decisions) != len(catalog.Systems()) || c.Topic == "" {
			t.Errorf("%+v", c)
		}
		for i, d := range c.Decisions {
			if d.Code == sayso.CodeInput {
				t.Errorf("%s cannot read %s %s: %s", catalog.Systems()[i].Name, c.Kind, c.Text, d.Reason)
			}
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d calls", len(seen))
	}
}
