package preset_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/preset"
)

// coworkStageNames are the stages of the document, in its order.
var coworkStageNames = []string{"task_restriction", "guardrail", "workspace_capability", "policy_script", "rule", "mode", "denial_fallback"}

// TestCoWorkReason: each decision has the code of its stage, the rule or the mode
// that matched, the scope that it is about, and where a rule could be kept; and
// where a vector says in a word why, that is the stage.
func TestCoWorkReason(t *testing.T) {
	files, err := filepath.Glob("../testdata/decisions/cowork/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !bytes.HasPrefix(lines.Bytes(), []byte("{")) {
				continue
			}
			l, err := vector.Parse(lines.Bytes())
			if err != nil || !l.Decision() {
				continue
			}
			d, err := l.Decide(context.Background(), vector.Defaults{})
			if err != nil || d.Stage == "input" { // what cannot be read has no scope
				continue
			}
			seen[d.Stage]++
			if wrong := coworkIncomplete(d); wrong != "" {
				t.Errorf("%s: %s: %+v", l.ID, wrong, d)
			}
			if l.Reason != "" && !strings.Contains(l.Reason, " ") && d.Stage != l.Reason {
				t.Errorf("%s: the stage is %s, want %s", l.ID, d.Stage, l.Reason)
			}
			if strings.Contains(l.Reason, " ") && !strings.Contains(d.Reason, l.Reason) {
				t.Errorf("%s: %q does not say %q", l.ID, d.Reason, l.Reason)
			}
		}
	}
	for _, stage := range coworkStageNames {
		if seen[stage] < 5 {
			t.Errorf("only %d decisions of the stage %s", seen[stage], stage)
		}
	}
}

// coworkIncomplete says what a decision does not tell; empty: nothing.
func coworkIncomplete(d sayso.Decision) string {
	switch kept := []sayso.Scope{sayso.ForSession, sayso.ForWorkspace, sayso.ForProfile}; {
	case !slices.Contains(coworkStageNames, d.Stage):
		return "the stage is none of the document"
	case d.Code != sayso.Code("cowork."+d.Stage) && !strings.HasPrefix(string(d.Code), "cowork."+d.Stage+"."):
		return "the code does not name the stage"
	case d.Reason == "":
		return "there is no reason"
	case d.Subject == "" && d.Stage != "policy_script": // a script speaks about the whole call
		return "there is no scope"
	case (d.Rule != nil) != (d.Stage == "rule"):
		return "there is a rule where none matched, or none where one did"
	case d.Rule != nil && (!slices.Contains(preset.CoWorkSources(), d.Rule.Source.Layer) || d.Rule.Text != d.Subject || !strings.Contains(d.Reason, string(d.Rule.Source.Layer))):
		return "the rule, its scope or its source is not told"
	case d.Stage == "mode" && !strings.Contains(d.Reason, "the mode "+string(d.Code[len("cowork.mode."):])):
		return "the mode is not told"
	case slices.Contains(coworkStageNames[:4], d.Stage) && d.Keep != nil:
		return "a rule could be kept that would not help"
	case slices.Contains(coworkStageNames[4:], d.Stage) && !slices.Equal(d.Keep, kept):
		return "it is not told where a rule can be kept"
	}
	return ""
}
