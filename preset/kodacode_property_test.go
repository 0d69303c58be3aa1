package preset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// decidedCalls are the calls of all decisions that are kept as data.
func decidedCalls(t *testing.T) []sayso.Call {
	t.Helper()
	files, err := filepath.Glob("../testdata/decisions/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	var out []sayso.Call
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			var l struct {
				Tool    string
				Args    json.RawMessage
				Command string
			}
			if len(line) == 0 || line[0] == '#' || json.Unmarshal(line, &l) != nil {
				continue
			}
			if l.Tool == "" {
				l.Tool = "bash"
				l.Args, _ = json.Marshal(map[string]string{"command": l.Command})
			}
			out = append(out, sayso.Call{Session: "s", Tool: l.Tool, Input: l.Args, Root: "/home/dev/app", Home: "/home/dev"})
		}
	}
	return out
}

// TestKodaCodeProperties: on every call that is kept as data, no step fails;
// read_only is never more lenient than auto, nor auto than full_access; each
// choice has its number; and what is approved for the session is enough.
func TestKodaCodeProperties(t *testing.T) {
	ctx := context.Background()
	engine := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{})}
	for i, call := range decidedCalls(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		var effects []sayso.Effect
		for _, mode := range []string{preset.ReadOnly, preset.Auto, preset.FullAccess} {
			d := engine.Check(ctx, call, sayso.Session{Mode: mode})
			effects = append(effects, d.Effect)
			if d.Code == sayso.CodeError || d.Code == sayso.CodeNobody {
				t.Errorf("%s %s in %s: %+v", call.Tool, call.Input, mode, d)
			}
			for n, c := range d.Choices {
				if c.Key != strconv.Itoa(n+1) || c.Rule != "" && engine.Preset.CheckRule(c.Rule) != nil {
					t.Errorf("%s %s in %s: choice %+v", call.Tool, call.Input, mode, c)
				}
			}
			if d.Effect != sayso.Ask {
				continue
			}
			for _, c := range d.Choices { // what is kept lets the same call pass
				if c.Rule == "" {
					continue
				}
				s := sayso.Session{Mode: mode, Grants: sayso.PlainGrants([]sayso.Grant{{Rule: c.Rule, Scope: c.Scope}})}
				if again := engine.Check(ctx, call, s); again.Effect != sayso.Allow {
					t.Errorf("%s %s in %s: %s is not enough: %s", call.Tool, call.Input, mode, c.Rule, again.Reason)
				}
			}
		}
		if effects[0] > effects[1] || effects[1] > effects[2] {
			t.Errorf("%s %s: read_only %s, auto %s, full_access %s", call.Tool, call.Input, effects[0], effects[1], effects[2])
		}
	}
}
