package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// TestRulesAtOnce: of rules that are added at the same time none is lost, wherever
// they are kept.
func TestRulesAtOnce(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range append([]string{"XDG_STATE_HOME", "XDG_CONFIG_HOME"}, agentSigns...) {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	const each = 8
	var all sync.WaitGroup
	for _, where := range []string{"", "--shared", "--kept", "--profile"} {
		for i := range each {
			all.Go(func() {
				args := []string{"add", "allow", fmt.Sprintf("bash(tool%s%d *)", where, i)}
				if where != "" {
					args = append([]string{where}, args...)
				}
				if err := rule(args, IO{Out: io.Discard, Err: io.Discard}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	var out strings.Builder
	if err := rule([]string{"list"}, IO{Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"", "--shared", "--kept", "--profile"} {
		for i := range each {
			if rule := fmt.Sprintf("bash(tool%s%d *)", where, i); !strings.Contains(out.String(), rule) {
				t.Errorf("%s is lost", rule)
			}
		}
	}
}
