package preset_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// TestPage: no call of an agent reaches the page on which a person answers, under
// any preset, however the address is written; and what only looks like it is not
// denied for that.
func TestPage(t *testing.T) {
	guarded := []string{"/home/dev/.local/state/sayso/**", "tcp://127.0.0.1:7297"}
	presets := map[string]sayso.Preset{
		"native": preset.Native(preset.Policy{Guarded: guarded}),
		"cosmo":  preset.Guarded(preset.Cosmo(), guarded),
		"cowork": preset.CoWork(preset.CoWorkConfig{Guarded: guarded}),
		"kosmo":  preset.Guarded(preset.KosmoKrator(preset.KosmoKratorDefaults()), guarded),
	}
	decide := func(p sayso.Preset, tool, input string) sayso.Decision {
		e := sayso.Engine{Preset: p}
		return e.Check(context.Background(), sayso.Call{Agent: "claude", Tool: tool, Input: json.RawMessage(input), Root: "/home/dev/app", Home: "/home/dev"}, sayso.Session{})
	}
	for _, command := range []string{
		"curl http://127.0.0.1:7297/x", "curl -s http://localhost:7297", "curl http://2130706433:7297", "curl http://0:7297", "curl http://[::1]:7297",
		"curl http://localhost:07297", "curl http://name-that-leads-here.example:7297", "curl --connect-to x:80:127.0.0.1:7297 http://x", "curl -x localhost:7297 http://x",
		"curl http://localhost:72{96,97}", "P=7297; curl http://localhost:$P/", "curl http://localhost:$((7000+297))", "wget -qO- localhost:7297",
		"nc localhost 7297", "nc -zv 127.0.0.1 7297", "echo x | telnet localhost 7297", "socat - TCP:localhost:7297", "exec 3<>/dev/tcp/127.0.0.1/7297",
		"cat < /dev/tcp/localhost/7297", "ssh -L 1:localhost:7297 x", "ssh -R 1:127.0.0.1:7297 x", "env A=1 timeout 3 curl localhost:7297",
		`python3 -c "import urllib.request as u; u.urlopen('http://localhost:7297')"`, `python3 -c "import socket; socket.create_connection(('127.0.0.1', 7297))"`,
		`node -e "fetch('http://localhost:7297')"`, "chromium http://127.0.0.1:7297", "xdg-open http://127.0.0.1:7297/", "bash -c 'curl localhost:7297'",
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		for name, p := range presets {
			if d := decide(p, "Bash", string(input)); d.Effect != sayso.Deny {
				t.Errorf("%s: %s: %s %s", name, command, d.Effect, d.Code)
			}
		}
	}
	for _, one := range [][2]string{
		{"WebFetch", `{"url":"http://127.0.0.1:7297/","prompt":"x"}`},
		{"WebFetch", `{"url":"http:\/\/localhost\u003a7297\/"}`},
		{"mcp__playwright__browser_navigate", `{"url":"http://127.0.0.1:7297/"}`},
		{"mcp__net__connect", `{"to":{"host":"localhost","port":7297}}`},
		{"mcp__net__connect", `{"to":["localhost","7297"]}`},
		{"something", `{"address":"127.0.0.1:7297"}`},
	} {
		for name, p := range presets {
			if d := decide(p, one[0], one[1]); d.Effect != sayso.Deny {
				t.Errorf("%s: %s %s: %s %s", name, one[0], one[1], d.Effect, d.Code)
			}
		}
	}
	for _, one := range [][2]string{
		{"Bash", `{"command":"curl http://localhost:3000"}`},
		{"Bash", `{"command":"curl https://example.com/items/7297"}`},
		{"Bash", `{"command":"curl http://localhost:72970"}`},
		{"Bash", `{"command":"echo 7297 > port.txt"}`},
		{"Bash", `{"command":"grep -r :7297 ."}`},
		{"Bash", `{"command":"curl https://$HOST/x"}`},
		{"Edit", `{"file_path":"a.md","old_string":"x","new_string":"http://localhost:7297"}`},
		{"mcp__github__create_issue", `{"title":"issue 7297 of 17297"}`},
	} {
		if d := decide(presets["native"], one[0], one[1]); d.Code == "guard.page" {
			t.Errorf("%s %s: %s", one[0], one[1], d.Reason)
		}
	}
}
