package hook_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/hook"
)

// TestWindsurf: the workspace is where Windsurf runs the hook, whatever a call says; a
// call and what came of it have one id; and a denial is an error with the reason alone.
func TestWindsurf(t *testing.T) {
	windsurf, _ := hook.Find("windsurf")
	const form = `{"agent_action_name":"%","trajectory_id":"s","execution_id":"1","tool_info":{"mcp_server_name":"fs","mcp_tool_name":"list","mcp_tool_arguments":{"path":"/repo"}+}}`
	g, m := guard(nil)
	g.Journal = m
	before, after := strings.NewReplacer("%", "pre_mcp_tool_use", "+", ""), strings.NewReplacer("%", "post_mcp_tool_use", "+", `,"mcp_result":"x"`)
	_ = g.Answer(windsurf, "", strings.NewReader(before.Replace(form)), io.Discard) // whatever is decided
	if err := g.Answer(windsurf, "", strings.NewReader(after.Replace(form)), io.Discard); err != nil {
		t.Error(err)
	}
	records := m.Records()
	if len(records) < 3 || records[0].Call == "" || records[len(records)-1].Result == nil || records[len(records)-1].Call != records[0].Call {
		t.Errorf("%+v", records)
	}
	const away = `{"agent_action_name":"pre_run_command","trajectory_id":"t","execution_id":"1","tool_info":{"command_line":"rm -rf build","cwd":"/other"}}`
	var denied *hook.DeniedError
	err := g.Answer(windsurf, "", strings.NewReader(away), io.Discard)
	if st, _ := m.Get(t.Context(), "t"); st.Root != "/repo" || !errors.As(err, &denied) || !strings.HasPrefix(denied.Reason, "sayso: ") {
		t.Errorf("%q, %v", st.Root, err)
	}
	for _, folder := range []string{"", "repo"} {
		g, _ := guard(map[string]string{"PWD": folder})
		if err := g.Answer(windsurf, "", strings.NewReader(before.Replace(form)), io.Discard); err == nil {
			t.Errorf("in %q: allowed", folder)
		}
	}
}
