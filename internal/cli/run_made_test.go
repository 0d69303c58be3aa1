package cli

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/sandbox"
)

// TestUnseenNote: folders that nobody has looked into are told also without --explain.
func TestUnseenNote(t *testing.T) {
	unseen := sandbox.Line{Promise: sandbox.Unseen, State: sandbox.NotEnforced, Why: "100000 were looked into, 3 were not, such as /w/a\x1b"}
	for _, one := range []struct {
		explain bool
		report  sandbox.Report
		told    int
	}{{false, sandbox.Report{unseen}, 1}, {true, sandbox.Report{unseen}, 2}, {false, sandbox.Report{{Promise: sandbox.Barred, State: sandbox.Enforced}}, 0}, {false, nil, 0}} {
		var errs strings.Builder
		o := &runOptions{explain: one.explain}
		_ = o.ended(sandbox.Result{Ran: true}, one.report, nil, IO{Err: &errs}) // its exit status
		if n := strings.Count(errs.String(), sandbox.Unseen); n != one.told || strings.Contains(errs.String(), "\x1b") {
			t.Errorf("%+v: %q", one, errs.String())
		}
	}
}
