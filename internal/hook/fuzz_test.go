package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
)

// FuzzAnswer: where everything is denied, no event before a tool runs is answered with
// anything but a denial, and no other with something that is not whole.
func FuzzAnswer(f *testing.F) {
	for i, agent := range hook.Agents() {
		samples, err := filepath.Glob(filepath.Join("testdata", agent.Name, "*.json"))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range samples {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, string(text))
		}
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		agents := hook.Agents()
		agent := agents[((n%len(agents))+len(agents))%len(agents)]
		g, _ := guard(nil)
		var call sayso.Call
		g.Engine = fixed(func(*sayso.Case) sayso.Verdict { return sayso.Decide(sayso.Deny, "rule.deny", "no") }, &call)
		var out strings.Builder
		err := g.Answer(agent, "", strings.NewReader(text), &out)
		if out.Len() > 0 && (!json.Valid([]byte(out.String())) || !strings.HasSuffix(out.String(), "}\n")) {
			t.Errorf("%s: it is not whole: %q", agent.Name, out.String())
		}
		var event struct {
			Name     string `json:"hook_event_name"`
			Windsurf string `json:"agent_action_name"`
			Crush    string `json:"event"`
		}
		failed := json.Unmarshal([]byte(text), &event)
		name := event.Name
		switch agent.Name {
		case "windsurf":
			name = event.Windsurf
		case "crush":
			name = event.Crush
		}
		decides := failed != nil || slices.Contains(agent.Decisive(), name)
		if decides && agent.Name != "copilot" && !denies(agent, out.String(), err) {
			t.Errorf("%s: %q %v", agent.Name, out.String(), err)
		}
	})
}
