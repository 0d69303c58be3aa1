package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/preset"
)

// full is a journal for which there is no room.
type full struct{}

func (full) Record(context.Context, ...sayso.Record) error { return errors.New("no room") }

// brokenStage is a stage that fails.
type brokenStage struct{}

func (brokenStage) Name() string { return "broken" }

func (brokenStage) Check(context.Context, *sayso.Case) (sayso.Verdict, error) {
	return sayso.Verdict{}, errors.New("it fails")
}

// TestResident: what goes wrong in a resident process is for the hook to tell: nothing is
// answered, recorded or kept of it, so that there is one record of each call.
func TestResident(t *testing.T) {
	broken := preset.Native(preset.Policy{})
	broken.Plan = func(string) (sayso.Plan, error) { return sayso.Plan{brokenStage{}}, nil }
	for name, test := range map[string]struct {
		change func(g *hook.Guard)
		event  string
		fails  bool
	}{
		"all is well": {func(*hook.Guard) {}, event("default", "Bash", `{"command":"ls"}`), false},
		"a denial":    {func(*hook.Guard) {}, event("default", "Bash", `{"command":"rm -rf /"}`), false},
		"a question":  {func(*hook.Guard) {}, event("default", "Bash", `{"command":"git push"}`), false},
		"nothing can be decided": {func(g *hook.Guard) {
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
				return sayso.Engine{Preset: broken}, sayso.Surface{}, nil
			}
		}, event("default", "Bash", `{"command":"ls"}`), true},
		"no policy": {func(g *hook.Guard) {
			g.Engine = func(string, string) (sayso.Engine, sayso.Surface, error) {
				return sayso.Engine{}, sayso.Surface{}, errors.New("none")
			}
		}, event("default", "Bash", `{"command":"ls"}`), true},
		"nothing can be recorded": {func(g *hook.Guard) { g.Journal = full{} }, event("default", "Bash", `{"command":"ls"}`), true},
		"a session starts":        {func(*hook.Guard) {}, `{"session_id":"s","cwd":"/repo","hook_event_name":"SessionStart","source":"startup"}`, true},
	} {
		g, m := guard(nil)
		g.Journal, g.Resident = m, true
		test.change(g)
		var out strings.Builder
		err := g.Answer(claude(), "", strings.NewReader(test.event), &out)
		_, kept := m.Get(context.Background(), "s")
		switch records := len(m.Records()); {
		case !test.fails && (err != nil || g.Failed || out.Len() == 0 || records < 2 || kept != nil):
			t.Errorf("%s: %v, %q, %d records, %v", name, err, out.String(), records, kept)
		case test.fails && (!g.Failed || out.Len() > 0 || records > 0 || kept == nil):
			t.Errorf("%s: %v, %q, %d records, %v", name, err, out.String(), records, kept)
		}
	}
}
