package sayso_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
)

// TestConsider: a script is denied as a whole, or left to its steps; nobody is asked.
func TestConsider(t *testing.T) {
	for command, want := range map[string]sayso.Effect{"ls": sayso.Allow, "git push": sayso.Ask, "x=ls; $x": sayso.Allow, `eval "$X"`: sayso.Ask, "ls; rm -rf /": sayso.Deny} {
		m := &store.Memory{}
		call := bash(command)
		call.ID = "script"
		d, err := engine(m, chooses("y", nil)).Consider(context.Background(), call)
		if err != nil || d.Effect != want || kinds(m) != "request decision" {
			t.Errorf("%s: %+v %v, recorded %s", command, d, err, kinds(m))
		}
	}
}

// TestConsiderUnattended: where nobody may be asked, the steps decide.
func TestConsiderUnattended(t *testing.T) {
	e := engine(&store.Memory{}, nil)
	e.Mode = func(string) string { return "dont-ask" }
	if d, err := e.Consider(context.Background(), bash(`eval "$X"`)); err != nil || d.Effect != sayso.Ask {
		t.Errorf("%+v %v", d, err)
	}
	if d, err := e.Consider(context.Background(), bash(`rm -rf /`)); err != nil || d.Effect != sayso.Deny {
		t.Errorf("%+v %v", d, err)
	}
}

// TestConsiderFailures: whatever fails, nothing is allowed.
func TestConsiderFailures(t *testing.T) {
	oops := errors.New("oops")
	for name, b := range map[string]*broken{"session": {update: oops}, "grants": {grants: oops}, "journal": {record: oops}} {
		e := engine(&b.Memory, nil)
		e.Sessions, e.Grants, e.Journal = b, b, b
		if d, err := e.Consider(context.Background(), bash("ls")); err == nil || d.Effect != sayso.Deny {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
}
