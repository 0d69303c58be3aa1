package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixed is an engine that decides all calls alike, and shows what they are.
func fixed(verdict func(*sayso.Case) sayso.Verdict, seen *sayso.Call) func(string, string) (sayso.Engine, sayso.Surface, error) {
	return func(string, string) (sayso.Engine, sayso.Surface, error) {
		return sayso.Engine{Preset: sayso.Preset{
			Name: "x", Modes: []sayso.Mode{{Name: "x"}},
			Plan: func(string) (sayso.Plan, error) {
				return sayso.Plan{sayso.Func("x", func(c *sayso.Case) sayso.Verdict {
					*seen = c.Call
					return verdict(c)
				})}, nil
			},
		}}, sayso.Surface{}, nil
	}
}

// TestGolden: what each agent was seen to send is read as the call that it is, and
// answered in the agent's own form, to the byte.
func TestGolden(t *testing.T) {
	for _, agent := range hook.Agents() {
		t.Run(agent.Name, func(t *testing.T) {
			var got bytes.Buffer
			samples, err := filepath.Glob(filepath.Join("testdata", agent.Name, "*.json"))
			if err != nil || len(samples) < 8 {
				t.Fatalf("%d samples: %v", len(samples), err)
			}
			for _, name := range samples {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, agent, strings.TrimSuffix(filepath.Base(name), ".json"), text, &got)
			}
			file := filepath.Join("testdata", agent.Name+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%v: got\n%swant\n%s", err, got.String(), want)
			}
		})
	}
}

// golden writes what is answered to a sample, whatever is decided.
func golden(t *testing.T, agent *hook.Agent, name string, text []byte, out *bytes.Buffer) {
	t.Helper()
	stop := sayso.Decide(sayso.Deny, sayso.CodeStopped, "a person said no, which ends the turn")
	for i, verdict := range []sayso.Verdict{
		sayso.Decide(sayso.Allow, "mode.work", "it can be undone"),
		sayso.Decide(sayso.Ask, "rule.ask", "a rule asks"),
		sayso.Decide(sayso.Deny, "rule.deny", `a rule denies it: "no"`),
		stop,
	} {
		g, m := guard(nil)
		var call sayso.Call
		g.Engine = fixed(func(*sayso.Case) sayso.Verdict { return verdict }, &call)
		var answer strings.Builder
		var denied *hook.DeniedError
		switch err := g.Answer(agent, "", bytes.NewReader(text), &answer); {
		case errors.As(err, &denied):
			fmt.Fprintf(&answer, "status 2: %s", denied.Reason)
		case err != nil:
			t.Errorf("%s: %v", name, err)
		}
		if i == 0 {
			server := ""
			if call.Server != nil {
				server = " of " + call.Server.Name
			}
			fmt.Fprintf(out, "%s\n", name)
			if call.Tool != "" {
				st, _ := m.Get(t.Context(), call.Session)
				var input bytes.Buffer
				if err := json.Compact(&input, call.Input); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				facts := (&sayso.Analyzer{}).Analyze(call)
				fmt.Fprintf(out, "  call   %s%s (%s) %s in %s, %s\n", call.Tool, server, facts.Class, input.String(), call.Dir, st.Root)
			}
		}
		if call.Tool == "" && answer.Len() == 0 {
			return
		}
		fmt.Fprintf(out, "  %-6s %s\n", []string{"allow", "ask", "deny", "stop"}[i], strings.TrimSuffix(answer.String(), "\n"))
	}
}
