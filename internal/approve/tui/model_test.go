package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
)

const push = "git push origin main"

// TestAnswers: the documented keys of each preset answer, and nothing else does.
func TestAnswers(t *testing.T) {
	for _, one := range []struct {
		preset string
		keys   string // after the dialog was opened
		want   string // the answer; empty: none
		says   string
	}{
		{"native", "y", "r1 true y", "said yes (once): git push"},
		{"native", "s", "r1 true s", ""},
		{"native", "a", "r1 true a", ""},
		{"native", "n", "r1 false n", "said no (no)"},
		{"ask-rule", "y", "r1 true y", ""},
		{"ask-rule", "n", "r1 false n", ""},
		{"ask-rule", "s", "", "[s] is no answer"},
		{"kosmokrator", "y", "r1 true y", ""},
		{"kosmokrator", "s", "r1 true s", ""},
		{"kosmokrator", "n", "r1 false n", ""},
		{"agentscope", "y", "r1 true y", ""},
		{"agentscope", "1", "r1 true 1", ""},
		{"agentscope", "2", "r1 true 2", ""},
		{"agentscope", "n", "r1 false n", ""},
		{"cosmo", "y", "r1 true y", ""},
		{"cosmo", "n", "r1 false n", ""},
		{"cosmo", "s", "", "[s] is no answer"},
		{"kodacode", "1", "r1 true 1", ""},
		{"kodacode", "2", "r1 true 2", ""},
		{"kodacode", "3", "r1 false 3", ""},
		{"kodacode", "4", "r1 true 4", ""},
		{"kodacode", "5", "r1 true 5", ""},
		{"kodacode", "y", "", "[y] is no answer"},
		{"cowork", "y", "r1 true y", ""},
		{"cowork", "s", "r1 true s", ""},
		{"cowork", "w", "r1 true w", ""},
		{"cowork", "p", "r1 true p", ""},
		{"cowork", "n", "r1 false n", ""},
		{"native", "Y", "", "[Y] is no answer"},
		{"native", "enter", "", "Enter is no answer"},
		{"native", "space", "", ""},
		{"native", "enter enter enter", "", "Enter is no answer"},
		{"native", "tab enter", "r1 true y", ""},
		{"native", "tab tab enter", "r1 true s", ""},
		{"native", "shift+tab enter", "r1 false n", ""},
		{"native", "tab shift+tab enter", "r1 false n", ""},
		{"native", "right left left enter", "r1 true a", ""},
		{"native", "? y", "r1 true y", ""},
		{"native", "? ? tab enter", "r1 true y", ""},
		{"native", "esc y", "", ""},
		{"native", "esc enter", "", ""},
	} {
		t.Run(one.preset+" "+one.keys, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, newFake(one.preset, requestOf(one.preset, "r1", push)), AtQueue)
			b.press("enter")
			b.wants("request r1", "│ "+push)
			b.press(strings.Fields(one.keys)...)
			got := strings.Join(b.f.answers, ", ")
			if got != one.want {
				t.Errorf("answered %q, want %q\n%s", got, one.want, b.screen())
			}
			b.wants(one.says)
			if one.want != "" {
				b.wants("nothing waits for an answer")
			}
		})
	}
}

// TestNotMeant: keys that were not pressed for what is on the screen answer
// nothing.
func TestNotMeant(t *testing.T) {
	open := func(t *testing.T) *bench {
		b := newBench(t, newFake("native", requestOf("native", "r1", push)), AtQueue)
		b.press("enter")
		return b
	}
	for name, do := range map[string]func(b *bench){
		"before it could be read": func(b *bench) {
			b.press("esc")
			b.hit("enter")
			b.at = b.at.Add(200 * time.Millisecond)
			b.hit("y")
			b.wait()
		},
		"while the page changes": func(b *bench) {
			b.hit("?")
			b.at = b.at.Add(200 * time.Millisecond)
			b.hit("y")
			b.wait()
		},
		"several keys, the answer first": func(b *bench) {
			b.hit("y")
			b.hit("x")
			b.wait()
		},
		"several keys, the answer last": func(b *bench) {
			b.hit("x")
			b.hit("y")
			b.wait()
		},
		"the same key twice": func(b *bench) {
			b.hit("y")
			b.hit("y")
			b.wait()
		},
		"yes and Enter": func(b *bench) {
			b.hit("tab")
			b.hit("enter")
			b.wait()
		},
		"pasted": func(b *bench) {
			b.send(tea.PasteMsg{Content: "y"})
			b.wait()
		},
		"pasted right after a key": func(b *bench) {
			b.hit("y")
			b.send(tea.PasteMsg{Content: "x"})
			b.wait()
		},
		"the request goes while the key is weighed": func(b *bench) {
			b.hit("y")
			b.send(waitingMsg{})
			b.wait()
		},
		"behind what is no key": func(b *bench) {
			b.send(tea.MouseClickMsg{X: 5, Y: 5})
			b.hit("y")
			b.wait()
		},
		"before what is no key": func(b *bench) {
			b.hit("y")
			b.send(tea.MouseClickMsg{X: 5, Y: 5})
			b.wait()
		},
		"released": func(b *bench) {
			b.send(tea.KeyReleaseMsg{Code: 'y', Text: "y"})
			b.wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			do(b)
			if len(b.f.answers) > 0 {
				t.Errorf("answered %q\n%s", b.f.answers, b.screen())
			}
		})
	}
	b := open(t) // it is not that nothing answers
	b.press("y")
	if len(b.f.answers) != 1 {
		t.Errorf("answered %q", b.f.answers)
	}
}

// TestUnseen: of what was not shown only no counts, and of the choices those that
// were.
func TestUnseen(t *testing.T) {
	long := "echo " + strings.Repeat("word ", 500) + "&& " + push
	for keys, want := range map[string]string{
		"y": "", "s": "", "tab enter": "", "tab s": "", "tab down down down enter": "", "tab tab tab s": "", "end s": "r1 true s", "tab tab tab tab enter": "r1 false n", "n": "r1 false n", "end y": "r1 true y", "down y": "", "end home y": "r1 true y", "pgdown pgdown pgdown pgdown y": "r1 true y",
	} {
		b := newBench(t, newFake("native", requestOf("native", "r1", long)), AtQueue)
		b.send(tea.WindowSizeMsg{Width: 60, Height: 24})
		b.press("enter")
		b.wants("more: Space")
		b.press(strings.Fields(keys)...)
		if got := strings.Join(b.f.answers, ", "); got != want {
			t.Errorf("%s: answered %q, want %q\n%s", keys, got, want, b.screen())
		}
		if want == "" {
			b.wants("not all of it was shown")
		}
	}
}

// TestArrivals: requests that come and go do not move the cursor to another one,
// and do not touch a dialog.
func TestArrivals(t *testing.T) {
	f := newFake("native", requestOf("native", "r1", push), requestOf("native", "r2", "git push origin a"))
	b := newBench(t, f, AtQueue)
	b.press("down")
	open := func(id, command string) {
		if _, err := f.mem.Open(context.Background(), requestOf("native", id, command)); err != nil {
			t.Fatal(err)
		}
		b.look()
	}
	open("r3", "git push origin b")
	b.wants("waiting 3", "> moderate  coder", "push origin b")
	if b.m.lists[tabWaiting].at != 1 {
		t.Errorf("the cursor is on %d", b.m.lists[tabWaiting].at)
	}
	answer(t, f, "r1")
	b.look()
	if b.m.lists[tabWaiting].at != 0 || b.m.requests[0].ID != "r2" {
		t.Errorf("the cursor is on %d of %d", b.m.lists[tabWaiting].at, len(b.m.requests))
	}
	b.press("enter")
	open("r4", "git push origin c")
	b.wants("request r2", "push origin a", "waiting 3")
	b.press("tab", "enter")
	if got := strings.Join(f.answers, ", "); got != "r2 true y" {
		t.Errorf("answered %q\n%s", got, b.screen())
	}
}

// answer answers elsewhere.
func answer(t *testing.T, f *fake, id string) {
	t.Helper()
	list, err := f.mem.Waiting(context.Background())
	i := slices.IndexFunc(list, func(r sayso.Request) bool { return r.ID == id })
	if err != nil || i < 0 {
		t.Fatalf("%s does not wait: %v", id, err)
	}
	f.outcome = &sayso.Answer{RequestID: id, ContractHash: list[i].Contract.Hash(), Yes: true, By: "sam", Channel: "page"}
	if err := f.mem.Answer(context.Background(), *f.outcome); err != nil {
		t.Fatal(err)
	}
}

// TestElsewhere: a dialog whose request was answered elsewhere closes, and says by
// whom; so does one whose answer comes second.
func TestElsewhere(t *testing.T) {
	f := newFake("native", requestOf("native", "r1", push), requestOf("native", "r2", "git push origin a"))
	b := newBench(t, f, AtQueue)
	b.press("enter", "ctrl+p")
	answer(t, f, "r1")
	b.look()
	b.wants("git push origin main: sam through page was first and said yes", "commands")
	b.press("esc")
	b.not("request r1")
	b.press("enter")
	b.wants("request r2")
	answer(t, f, "r2")
	b.press("n") // before it was looked
	b.wants("sam through page was first and said yes", "nothing waits")
	if len(f.answers) > 0 {
		t.Errorf("answered %q", f.answers)
	}
}

// TestAlike: only identical calls that wait are answered together, and only if a
// person wants it.
func TestAlike(t *testing.T) {
	other := requestOf("native", "r3", push)
	other.Contract.Timeout = time.Minute // the same call under other terms
	f := newFake("native", requestOf("native", "r1", push), requestOf("native", "r2", push), other, requestOf("native", "r4", "git push origin a"))
	b := newBench(t, f, AtQueue)
	b.press("enter")
	b.wants("[*] give the same answer to 1 identical call")
	b.press("*")
	b.wants("the answer is also for 1 identical call", "session s-r2, request r2")
	if _, err := f.mem.Open(context.Background(), requestOf("native", "r5", push)); err != nil {
		t.Fatal(err)
	}
	b.look() // one more arrives, which was not meant
	b.press("y")
	if got := strings.Join(f.answers, ", "); got != "r1 true y, r2 true y" {
		t.Errorf("answered %q\n%s", got, b.screen())
	}
	b.wants("(2 calls)", "waiting 3")
	b.press("end", "enter")
	b.wants("request r5")
	b.not("identical") // neither of the two that are left is
	b.press("*")
	b.wants("no other call that waits is identical")
	b.press("esc", "home", "enter", "*", "*", "n")
	if got := strings.Join(f.answers[2:], ", "); got != "r3 false n" {
		t.Errorf("answered %q\n%s", got, b.screen())
	}
}

// TestNotReady: nothing is shown that a key would not reach yet.
func TestNotReady(t *testing.T) {
	b := newBench(t, newFake("native", requestOf("native", "r1", push)), AtQueue)
	b.wants(push, "Enter open")
	b.m.ready = false
	if text := b.screen(); strings.Contains(text, push) || strings.Contains(text, "Enter open") {
		t.Errorf("a request is shown while keys do not count:\n%s", text)
	}
}
