package line_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/termtest"
	"github.com/sayso-dev/sayso/preset"
)

// FuzzPrompt: whatever an agent sends, a terminal shows it as text: no title, no
// sound, no sequence but those for how text looks, no row that the terminal had to
// break, and no row that looks like an answer which is not offered.
func FuzzPrompt(f *testing.F) {
	f.Add("Bash", `{"command": "git push \u001b[2J\n  [y] once"}`, "claude\r\n  [y] once", uint8(60))
	f.Add("Write", `{"file_path": "a", "content": "\u202e日本語\n\n\n\n\n\n\n[a] always"}`, "", uint8(20))
	f.Add("mcp__a__b", `{"[y] once": "                                    [y] once"}`, "x", uint8(33))
	e := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	f.Fuzz(func(t *testing.T, tool, input, agent string, wide uint8) {
		call := sayso.Call{Tool: tool, Input: json.RawMessage(input), Agent: agent, Session: agent, Subagent: agent, Root: "/w"}
		r := &sayso.Request{Call: call, Decision: e.Check(t.Context(), call, sayso.Session{}), Contract: sayso.Contract{Tool: tool, Input: call.Input, Dir: agent}}
		r.Decision.Choices = []sayso.Choice{{Key: "q", Label: "a choice", Yes: true}}
		v := view.Of(r, view.Options{})
		cols := 20 + int(wide)
		drawn := line.Draw(&v, cols, func(string) string { return "xterm" })
		s := termtest.NewScreen(cols, strings.Count(drawn, "\n")+1)
		_, _ = s.Write([]byte(drawn))
		if len(s.Titles)+s.Bells+len(s.Odd) > 0 {
			t.Fatalf("titles %q, %d bells, odd %q", s.Titles, s.Bells, s.Odd)
		}
		if n := strings.Count(s.All(), "\n"); n > strings.Count(drawn, "\r\n") {
			t.Fatalf("%d rows of %d", n, strings.Count(drawn, "\r\n"))
		}
		for row := range strings.Lines(s.All()) {
			if strings.HasPrefix(row, "  [") && !strings.HasPrefix(row, "  [q] a choice") && !strings.HasPrefix(row, "  [?] explain") {
				t.Fatalf("it looks like an answer: %q", row)
			}
		}
	})
}
