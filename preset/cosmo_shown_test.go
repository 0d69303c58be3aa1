package preset_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// TestCosmoConfirmation: what is shown to the person who confirms, for each of the
// levels that ask.
func TestCosmoConfirmation(t *testing.T) {
	for _, test := range []struct {
		command           string
		args              []string
		risk, color, says string
	}{
		{"ls", []string{"-la"}, "safe", "green", "List files in the current folder"},
		{"npm", []string{"install", "lodash"}, "moderate", "yellow", "Install package: lodash"},
		{"git", []string{"push", "--force"}, "dangerous", "red", "Force-push changes to the remote (overwrites remote history)"},
	} {
		turn := newCosmoTurn(t, "y")
		turn.call(test.command, test.args...)
		if len(turn.asked) != 1 {
			t.Fatalf("%s: asked %d times", test.command, len(turn.asked))
		}
		shown := preset.CosmoConfirmation(turn.asked[0])
		text, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil || len(fields) != 3 || string(fields["risk"]) != `"`+test.risk+`"` {
			t.Errorf("%s: %s", test.command, text)
		}
		if shown.Explanation != test.says || shown.Call.Tool != "run_command" || preset.CosmoColor(shown.Risk) != test.color {
			t.Errorf("%s: %+v in %q", test.command, shown, preset.CosmoColor(shown.Risk))
		}
	}
	if color := preset.CosmoColor(shell.Blocked); color != "" {
		t.Errorf("what is blocked is shown in %s", color)
	}
}

// TestCosmoBlockReason: a reason is there where something is blocked and nowhere
// else, and the agent is told.
func TestCosmoBlockReason(t *testing.T) {
	e := preset.CosmoEvaluator{Home: cosmoHome}
	count, seen := map[bool]int{}, 0
	cosmoCommands(func(argv []string) {
		if seen++; seen%7 != 0 { // the table looks at all of them
			return
		}
		v := e.EvaluateCommand(argv[0], argv[1:], cosmoRoot)
		count[v.Blocked]++
		if v.Blocked != (v.Risk == shell.Blocked) || v.Blocked != (v.BlockReason != "") {
			t.Errorf("%q: %+v", argv, v)
		}
	})
	if count[true] == 0 || count[false] == 0 {
		t.Errorf("%v", count)
	}
	for command, want := range map[string]string{"mkfs": "destructive system command", "halt": "destructive system command"} {
		if _, d := newCosmoTurn(t, "y").call(command); d.Effect != sayso.Deny || !strings.Contains(d.Reason, want) {
			t.Errorf("%s: %+v", command, d)
		}
	}
}

// TestCosmoExplains: every command has an explanation, which no word of it can make
// into something else.
func TestCosmoExplains(t *testing.T) {
	engine := sayso.Engine{Preset: preset.Cosmo()}
	e := preset.CosmoEvaluator{Home: cosmoHome}
	seen := 0
	cosmoCommands(func(argv []string) {
		if seen++; seen%7 != 0 {
			return
		}
		v := e.EvaluateCommand(argv[0], argv[1:], cosmoRoot)
		if strings.TrimSpace(v.Explanation) == "" || strings.ContainsAny(v.Explanation, "\n\r\x1b") {
			t.Errorf("%q: %q", argv, v.Explanation)
		}
		d := engine.Check(context.Background(), cosmoCall(argv), sayso.Session{})
		if d.Explanation != v.Explanation || d.Risk != v.Risk {
			t.Errorf("%q: the preset says %s %q, the function %s %q", argv, d.Risk, d.Explanation, v.Risk, v.Explanation)
		}
	})
}
