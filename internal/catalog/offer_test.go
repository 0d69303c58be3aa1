package catalog_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
)

// TestOffer: under every preset, where a rule of the policy asks, nothing is
// offered that would be kept, because that rule would ask again; and nothing that
// the policy does not let people answer.
func TestOffer(t *testing.T) {
	asks := config.Policy{Rules: []sayso.Rule{{Effect: sayso.Ask, Text: "bash(git push *)", Source: sayso.Source{File: "p.yaml", Line: 3}}}}
	for _, one := range []struct {
		preset, tool string
		policy       config.Policy
		want         string
	}{
		{"native", "bash", config.Policy{}, "y s a n"},
		{"native", "bash", asks, "y n"},
		{"native", "bash", config.Policy{Approve: config.Approve{Offer: []string{"once", "session"}}}, "y s n"},
		{"native", "bash", config.Policy{Approve: config.Approve{Offer: []string{"session", "always"}}}, "s a n"},
		{"native", "bash", config.Policy{Approve: config.Approve{Offer: []string{}}}, "n"},
		{"kosmokrator", "bash", config.Policy{}, "y s n"},
		{"kosmokrator", "bash", asks, "y n"},
		{"kosmokrator", "bash", config.Policy{Approve: config.Approve{Offer: []string{"once"}}}, "y n"},
		{"agentscope", "Bash", config.Policy{}, "y 1 2 n"},
		{"agentscope", "Bash", asks, "y n"},
		{"cosmo", "bash", asks, "y n"},
		{"kodacode", "bash", config.Policy{}, "1 2 3 4 5"},
		{"kodacode", "bash", asks, "1 3 4"},
		{"kodacode", "bash", config.Policy{Approve: config.Approve{Offer: []string{"once"}}}, "1 3 4"},
		{"cowork", "run_command", config.Policy{}, "y s w p n"},
		{"cowork", "run_command", asks, "y n"},
		{"cowork", "run_command", config.Policy{Approve: config.Approve{Offer: []string{"once", "always"}}}, "y w p n"},
	} {
		s, err := catalog.Find(one.preset)
		if err != nil {
			t.Fatal(err)
		}
		setup, err := s.In(config.Places{Root: "/w", Disk: kosmoDisk{}}, one.policy, nil, catalog.Place{Root: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		e := setup.Engine(nil)
		d := e.Check(context.Background(), sayso.Call{Tool: one.tool, Input: []byte(`{"command": "git push origin main"}`), Root: "/w"}, sayso.Session{Mode: setup.Mode})
		var keys []string
		for _, c := range d.Choices {
			keys = append(keys, c.Key)
		}
		if got := strings.Join(keys, " "); got != one.want {
			t.Errorf("%s %v %v: %q, want %q (%s)", one.preset, len(one.policy.Rules) > 0, one.policy.Approve.Offer, got, one.want, d.Reason)
		}
	}
}

// TestContract: KodaCode's commands run as it shows them, also where files
// configure it.
func TestContract(t *testing.T) {
	s, err := catalog.Find("kodacode")
	if err != nil {
		t.Fatal(err)
	}
	given := &config.Other{Name: "config.yaml", Text: []byte("execution: {network: enabled}"), Trusted: true}
	for file, want := range map[*config.Other]sayso.Network{nil: sayso.NetworkHosts, given: sayso.NetworkAll} {
		setup, err := s.In(config.Places{Root: "/w", Disk: kosmoDisk{}}, config.Policy{}, file, catalog.Place{Root: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		e := setup.Engine(nil)
		call := sayso.Call{Tool: "bash", Input: []byte(`{"command": "git push"}`), Root: "/w"}
		if c := e.Contract(call, e.Analyzer.Analyze(call)); c.Script != "git push" || c.Network != want {
			t.Errorf("%+v, want the network %q", c, want)
		}
	}
}
