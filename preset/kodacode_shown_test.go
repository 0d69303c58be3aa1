package preset_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestKodaCodeContractShown: who approves a command sees its contract, and it can
// be told from the log afterwards.
func TestKodaCodeContractShown(t *testing.T) {
	for answer, network := range map[string]string{"1": "example.com", "4": "enabled"} {
		cfg := preset.KodaCodeConfig{}
		s := newKodaSession(t, cfg, answer)
		s.call("bash", `{"cmd":"curl example.com","workdir":"sub"}`)
		if len(s.asked) != 1 {
			t.Fatalf("asked %d times", len(s.asked))
		}
		want := []string{
			"Command: curl example.com", "Working directory: /work/ws/sub", "Workspace: read-write",
			"Protected paths: /work/ws/.git/hooks, /work/ws/.git/config, /work/ws/.sayso.yaml",
			"Environment overrides: none", "Timeout: none", "Output limit: none", "Network policy: example.com",
		}
		if got := preset.ShowContract(s.asked[0].Contract).Lines(); !slices.Equal(got, want) {
			t.Errorf("shown: %q", got)
		}
		records := s.memory.Records()
		if len(records) < 5 { // request, decision, prompt, answer, decision; and a grant, if it was kept for the turn
			t.Fatalf("%d records", len(records))
		}
		call, hash := *records[0].Request, records[4].Contract
		want[7] = "Network policy: " + network
		traced, err := preset.TraceKodaCode(cfg, sayso.Analyzer{}, call, hash)
		if err != nil || !slices.Equal(traced.Lines(), want) {
			t.Errorf("answered %s, traced: %q, %v", answer, traced.Lines(), err)
		}
		call.Input = []byte(`{"cmd":"curl example.org","workdir":"sub"}`)
		if traced, err := preset.TraceKodaCode(cfg, sayso.Analyzer{}, call, hash); !errors.Is(err, preset.ErrNotTraced) || traced.Command != "" {
			t.Errorf("a call that was changed: %+v, %v", traced, err)
		}
	}
}

// TestKodaCodeTargetsShown: a prompt names the network targets of a command.
func TestKodaCodeTargetsShown(t *testing.T) {
	e := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{})}
	for command, want := range map[string]string{
		"curl https://A.test/x https://b.test": "(network targets: a.test, b.test)",
		"npm install lodash":                   "(network targets: package registries)",
		"git push && npm publish":              "(network targets: git remotes, package registries)",
		"make":                                 "",
	} {
		d := e.Check(context.Background(), bashIn(kodaRoot, command), sayso.Session{})
		if want == "" && strings.Contains(d.Explanation, "network targets") || !strings.HasSuffix(d.Explanation, want) {
			t.Errorf("%s: %s", command, d.Explanation)
		}
	}
}
