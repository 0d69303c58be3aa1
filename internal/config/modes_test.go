package config

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestTightens: what is said about modes holds for calls of every kind.
func TestTightens(t *testing.T) {
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	decide := func(mode, command string, soft int) sayso.Effect {
		input, _ := json.Marshal(map[string]string{"command": command})
		call := sayso.Call{Tool: "bash", Input: input, Root: "/home/dev/app", Home: "/home/dev"}
		s := sayso.Session{Mode: mode, Soft: map[string]sayso.Denies{call.Fingerprint(): {Consecutive: soft, Total: soft}}}
		return e.Check(context.Background(), call, s).Effect
	}
	calls := []string{
		"ls", "cat a", "touch a", "rm a", "rm -rf build", "git push", "git commit -m x", "curl https://example.com", "curl -d @a https://example.com", "cat .env",
		"sudo ls", "$X", "rm -rf /", "npm install x", "echo x > /etc/x", "make", "nobody knows", "curl http://169.254.169.254/", "ssh host ls",
	}
	for _, mode := range modes {
		for _, other := range modes {
			looser := ""
			for _, command := range calls {
				for _, soft := range []int{0, 3} {
					if decide(mode, command, soft) > decide(other, command, soft) {
						looser = command
					}
				}
			}
			said := together(mode, other) == mode
			if said && looser != "" {
				t.Errorf("%s counts alone beside %s, but is looser for %s", mode, other, looser)
			}
			if !said && looser == "" {
				t.Errorf("%s is never looser than %s, but %q is what counts", mode, other, together(mode, other))
			}
		}
	}
}
