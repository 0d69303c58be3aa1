package preset_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestGuarded: under whatever preset, an agent does not switch the judge off, and
// a script may deny.
func TestGuarded(t *testing.T) {
	open := sayso.Preset{
		Name: "open", Modes: []sayso.Mode{{Name: "any"}},
		Plan: func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Otherwise(sayso.Allow, "open", "everything is allowed")}, nil
		},
	}
	script := sayso.Func("script", func(c *sayso.Case) sayso.Verdict {
		switch c.Call.Tool {
		case "denied":
			return sayso.Decide(sayso.Deny, "script", "no")
		case "loose":
			return sayso.Decide(sayso.Allow, "script", "a script allows nothing")
		}
		return sayso.Pass()
	})
	e := sayso.Engine{Preset: preset.Guarded(open, []string{"/srv/judge/**"}, script)}
	tests := []struct {
		call sayso.Call
		want sayso.Code
	}{
		{bashIn("/w", "ls"), "open"},
		{bashIn("/w", "echo > .sayso.yaml"), "guard.own"},
		{bashIn("/w", "ls; rm -rf /srv/judge"), "guard.own"},
		{bashIn("/w", "sayso mode bypass"), "guard.self"},
		{bashIn("/w", `python3 -c 'import sqlite3; sqlite3.connect("/srv/judge/sayso.db").execute("update answers")'`), "guard.own"},
		{bashIn("/w", "python3 - <<E\nimport sqlite3\nsqlite3.connect('/srv/judge/sayso.db')\nE"), "guard.own"},
		{bashIn("/w", `ruby -e 'SQLite3::Database.new("/srv/Judge/sayso.db")'`), "guard.own"},
		{bashIn("/w", "timeout 5 bash -c 'ls /srv/judge'"), "open"},
		{bashIn("/w", "make && ls /srv/judge"), "open"},
		{bashIn("/w", "git commit -m 'look at /srv/judge (there)'"), "open"},
		{bashIn("/w", "sayso log repair"), "guard.self"},
		{bashIn("/w", "sayso log export --otlp https://collector.example"), "guard.self"},
		{sayso.Call{Tool: "denied", Root: "/w"}, "script"},
		{sayso.Call{Tool: "loose", Root: "/w"}, "open"},
		{sayso.Call{Tool: "Bash", Input: []byte(`[]`), Root: "/w"}, sayso.CodeInput},
	}
	for _, test := range tests {
		if d := e.Check(context.Background(), test.call, sayso.Session{}); d.Code != test.want {
			t.Errorf("%s %s: %+v", test.call.Tool, test.call.Input, d)
		}
	}
	open.Plan = func(string) (sayso.Plan, error) { return nil, errors.New("no plan") }
	if _, err := preset.Guarded(open, nil).For(""); err == nil {
		t.Error("a preset without a plan has one")
	}
}
