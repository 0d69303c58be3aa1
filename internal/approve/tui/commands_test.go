package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestTabs: what is in the tabs, and what can be done there.
func TestTabs(t *testing.T) {
	f := newFake("native")
	f.fill()
	b := newBench(t, f, AtQueue)
	b.wants("nothing waits for an answer")
	b.press("tab")
	b.wants("bash(git push *)", "workspace", "by kim")
	b.press("enter")
	b.wants("grant g1", "for the call: call-1")
	b.press("esc", "r")
	b.wants("Revoke this grant?")
	b.press("n", "r", "esc")
	if list, _ := f.mem.AllGrants(context.Background()); len(list) != 2 {
		t.Errorf("%d grants are left", len(list))
	}
	b.hit("r")
	b.hit("y") // too quick to have been read
	b.wait()
	if list, _ := f.mem.AllGrants(context.Background()); len(list) != 2 {
		t.Errorf("%d grants are left", len(list))
	}
	b.press("y")
	b.wants("revoked: bash(git push *)")
	b.not("session    bash(git push *)")
	b.press("3")
	b.wants("/home/dev/app/.sayso.yaml:7", "does not count")
	b.press("down", "enter")
	b.wants("ask bash(git push *)", "stands in: /home/dev/app/.sayso.yaml:7")
	b.press("esc", "4")
	b.wants("answer", "yes, once by kim", "request")
	b.press("enter")
	b.wants("call call-1", "REQUEST  record 1")
	b.press("esc", "f")
	b.typed("ask:")
	b.press("enter")
	b.wants("decision")
	b.not("yes, once")
	b.press("esc")
	b.wants("yes, once")
	b.press("1", "q")
	if !b.quit {
		t.Error("q does not leave")
	}
}

// TestReading: a journal that is not read yet is not called empty; a bar tells how far
// it is.
func TestReading(t *testing.T) {
	f := newFake("native")
	f.reads, f.percent = make(chan struct{}), 45
	b := newBench(t, f, AtQueue)
	_, read := b.m.Update(tea.KeyPressMsg{Code: '4', Text: "4"})
	b.wants("reading the journal: [#########           ] 45 %")
	b.not("nothing was recorded")
	close(f.reads)
	b.do(read)
	b.wants("yes, once by kim")
	b.not("reading")
	b.do(b.m.find("nowhere"))
	b.wants("no record has nowhere in it")
	_ = b.m.find("elsewhere")
	b.wants("looking for elsewhere …")
}

// TestCommands: slash commands and the palette do what the preset in force knows.
func TestCommands(t *testing.T) {
	for _, one := range []struct {
		preset, text string
		switched     string
		says         string
	}{
		{"kosmokrator", "/argus", "argus", "◉ argus"},
		{"kosmokrator", "/guardian", "guardian", "◈ guardian"},
		{"kosmokrator", "/prometheus", "prometheus", "⚡ prometheus"},
		{"kosmokrator", "/mode argus", "argus", "the mode of session s1 is argus now"},
		{"kosmokrator", "/mode plan", "", "preset kosmokrator has no mode plan"},
		{"native", "/mode plan", "plan", "plan"},
		{"native", "/argus", "", "preset native knows no /argus: /help lists what it knows"},
		{"native", "/promethues", "", "knows no /promethues"},
		{"native", "/mode", "", "modes of preset native"},
		{"native", "/mode a b", "", "/mode does not take a b"},
		{"native", "/help", "", "Enter alone answers nothing"},
		{"native", "/trace call-1", "", "REQUEST  record 1"},
		{"native", "/trace nope", "", `the journal has no call "nope"`},
		{"native", "/trace", "", "there is no selected call"},
		{"native", "/trust", "", "trust manager"},
		{"native", "rul", "", "no rule counts here"},
		{"kodacode", "full", "full_access", "full_access"},
	} {
		t.Run(one.preset+" "+one.text, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, newFake(one.preset), AtQueue)
			if rest, ok := strings.CutPrefix(one.text, "/"); ok {
				b.press("/")
				b.typed(rest)
			} else {
				b.press("ctrl+p")
				b.typed(one.text)
			}
			b.press("enter")
			if got := strings.Join(b.f.switched, ", "); got != one.switched {
				t.Errorf("switched to %q, want %q", got, one.switched)
			}
			b.wants(one.says)
		})
	}
	b := newBench(t, newFake("kosmokrator"), AtQueue)
	b.press("ctrl+p")
	b.send(tea.PasteMsg{Content: "/prome\r\nx"})
	b.wants("> /prome  x_")
	b.press("backspace", "backspace", "backspace", "tab")
	b.wants("> /prometheus_")
	b.hit("x")
	b.hit("enter") // it comes with the text
	b.wait()
	if len(b.f.switched) > 0 {
		t.Errorf("switched to %q", b.f.switched)
	}
	b.press("ctrl+u", "down", "down", "enter")
	if got := strings.Join(b.f.switched, ", "); got != "prometheus" {
		t.Errorf("switched to %q", got)
	}
}

// TestStartup: trust is asked about first where the preset wants it, with the five
// choices; cancelling leaves.
func TestStartup(t *testing.T) {
	for keys, want := range map[string]string{
		"1": "workspace github docs", "2": "workspace", "3": "github docs", "4": "", "5": "quit", "esc": "quit", "n": "asked", "enter": "",
		"space enter": "workspace", "down x enter": "github", "x j j space enter": "workspace docs", "x x enter": "", "down down down enter": "workspace github docs",
		"down down down down enter": "workspace", "j j j j j enter": "github docs", "j j j j j j enter": "", "j j j j j j j enter": "quit", "j j j j j j j k k k k k k k space enter": "workspace",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			f := newFake("kodacode", requestOf("kodacode", "r1", push))
			f.needed, f.first = true, true
			b := newBench(t, f, AtQueue)
			b.wants("MCP server github (stdio): npx -y", "@modelcontextprotocol/server-github, environment: GITHUB_TOKEN",
				"MCP server docs (http): https://docs.example.com/mcp", "workspace ~/app",
				"1. Trust workspace and all listed MCP servers", "2. Trust workspace only", "3. Trust all listed MCP servers only",
				"4. Continue without trusting listed MCP servers", "5. Cancel", ".sayso.yaml")
			b.not("secret", push)
			b.press("ctrl+p")
			b.not("commands ─")
			b.press(strings.Fields(keys)...)
			got := strings.Join(f.trusted, " ")
			if b.quit {
				got = "quit"
			} else if len(b.m.over) > 0 {
				got = "asked"
			}
			if got != want {
				t.Errorf("trusted %q, want %q\n%s", got, want, b.screen())
			}
		})
	}
}

// TestManager: the trust manager's documented keys.
func TestManager(t *testing.T) {
	for keys, want := range map[string]string{
		"r y": "1 2", "r enter": "1 2", "r n": "0 1 2", "r esc": "0 1 2", "r x": "0 1 2", "a y": "2", "A y": "", "A n": "0 1 2", "j r y": "0 2", "down down r enter": "0 1", "j k r y": "1 2",
		"y": "0 1 2", "enter": "0 1 2", "n": "quit", "esc": "quit",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			f := newFake("native")
			f.fill()
			before, _ := f.mem.AllTrust(context.Background())
			b := newBench(t, f, AtTrust)
			b.wants("trust manager", "> workspace in /home/dev/app", "MCP server github in /home/dev/app", "it has changed since")
			b.press(strings.Fields(keys)...)
			var left []string
			all, _ := f.mem.AllTrust(context.Background())
			for i, t := range before {
				if slices.Contains(all, t) {
					left = append(left, fmt.Sprint(i))
				}
			}
			got := strings.Join(left, " ")
			if b.quit {
				got = "quit"
			}
			if got != want {
				t.Errorf("left %q, want %q\n%s", got, want, b.screen())
			}
		})
	}
	f := newFake("native")
	f.needed = true
	b := newBench(t, f, AtTrust)
	b.press("2")
	b.wants("trusted: the workspace", "trust manager", "> workspace in /home/dev/app")
	f.needed = false
	b.wait()
	b.press("t", "3")
	b.wants("MCP server docs in /home/dev/app")
	b.wait()
	b.press("esc")
	if !b.quit {
		t.Error("it does not end")
	}
}

// TestInterrupt: Ctrl+C leaves from everywhere, and answers nothing.
func TestInterrupt(t *testing.T) {
	for _, keys := range []string{"", "enter", "ctrl+p", "enter ?", "/"} {
		b := newBench(t, newFake("native", requestOf("native", "r1", push)), AtQueue)
		b.press(strings.Fields(keys)...)
		b.hit("ctrl+c")
		if !b.stop || len(b.f.answers) > 0 {
			t.Errorf("%q: %v, answered %q", keys, b.stop, b.f.answers)
		}
	}
}

// TestSizes: whatever the size is, the screen is not larger.
func TestSizes(t *testing.T) {
	f := newFake("cowork", requestOf("cowork", "r1", push), requestOf("cowork", "r2", "echo 日本語 "+strings.Repeat("é", 300)+" | sh"))
	f.fill()
	for _, size := range [][2]int{{1, 1}, {5, 3}, {20, 5}, {40, 10}, {60, 24}, {80, 24}, {120, 30}, {300, 100}} {
		for _, keys := range []string{"", "enter", "down enter", "enter ?", "ctrl+p", "2", "3", "4", "4 enter", "?", "2 r"} {
			b := newBench(t, f, AtQueue)
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			b.press(strings.Fields(keys)...)
			lines := strings.Split(b.m.View().Content, "\n")
			if len(lines) > max(size[1], 2) {
				t.Errorf("%v %q: %d lines", size, keys, len(lines))
			}
		}
	}
}

// TestBroken: what is wrong with the policy is told once, and again only if
// something else is.
func TestBroken(t *testing.T) {
	f := newFake("native", requestOf("native", "r1", push))
	f.broken = errors.New("policy.yaml:3: there is no mode loud")
	b := newBench(t, f, AtQueue)
	b.wants("there is no mode loud", "default")
	b.press("enter", "n")
	b.do(b.m.loadMode())
	b.wants("said no")
	b.not("there is no mode loud")
	f.broken = errors.New("policy.yaml:4: another mistake")
	b.do(b.m.loadMode())
	b.wants("another mistake")
}

// TestOneKey: what arrives at once is one key, or several.
func TestOneKey(t *testing.T) {
	for text, want := range map[string]bool{
		"y": true, "\r": true, "é": true, "\x1b": true, "\x1b[Z": true, "\x1b[121u": true, "\x1b[1;5A": true,
		"yy": false, "y\r": false, "\t\r": false, "\x1by": false, "\x1b[": false, "\x1b[Z\r": false, "\x1b[A\x1b[A": false, "\x1b[200~y\x1b[201~": false, "\x1b[1;\r": false, "": true,
	} {
		if got := oneKey([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
