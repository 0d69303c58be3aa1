package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/termtest"
)

// read is how long a person looks before a key counts.
const read = 450 * time.Millisecond

// asks starts a script that asks without a terminal; what it prints comes when it
// has ended.
func (d desk) asks(script string) (printed func() string) {
	d.t.Helper()
	cmd := d.command(script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so it has no terminal
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // what it prints tells
	}()
	d.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-ended
	})
	return func() string {
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			d.t.Fatal("it still waits for an answer")
		}
		return out.String()
	}
}

func (d desk) write(name, text string) {
	d.t.Helper()
	name = filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// open opens the first request that waits.
func open(term *termtest.Terminal) {
	seen(term, "left")
	term.Press("\r", "Esc back")
	time.Sleep(read)
}

// seen waits until the text is on the screen.
func seen(term *termtest.Terminal, text string) {
	term.Until("want "+text, func(s *termtest.Screen) bool { return strings.Contains(s.Text(), text) })
}

const pushes = `sayso ask --timeout 1m bash "git push origin main" && echo went || echo "stopped $?"`

// TestScreenAnswers: an answer on the full screen lets whoever waits go on, and is
// recorded with who gave it.
func TestScreenAnswers(t *testing.T) {
	for key, want := range map[string]string{"y": "went", "n": "stopped 4", "\x1b[Z\r": "stopped 4"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			term := d.start("sayso approve")
			seen(term, "nothing waits")
			printed := d.asks(pushes)
			open(term)
			if to, last, ok := strings.Cut(key, "Z"); ok {
				term.Type(to + "Z")
				time.Sleep(100 * time.Millisecond) // each is pressed by itself
				key = last
			}
			term.Press(key, "said ")
			if out := printed(); !strings.Contains(out, want) {
				t.Errorf("%s", out)
			}
			if code := term.Leave("q"); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if out := d.run("sayso log --kind answer; sayso log verify"); !strings.Contains(out, "through terminal") || !strings.Contains(out, "the chain is whole") {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestScreenRace: of two terminals that answer at once one wins, and the other is
// told who was first.
func TestScreenRace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	printed := d.asks(pushes)
	terms := map[string]*termtest.Terminal{"y": d.start("sayso approve"), "n": d.start("sayso deny")}
	for _, term := range terms {
		open(term)
	}
	var both sync.WaitGroup
	for key, term := range terms {
		both.Go(func() { term.Type(key) })
	}
	both.Wait()
	won, told := 0, 0
	for _, term := range terms {
		term.Until("want an end", func(s *termtest.Screen) bool {
			return strings.Contains(s.Text(), "said ") && !strings.Contains(s.Text(), "Esc back")
		})
		if strings.Contains(term.Text(), "was first and said") {
			told++
		} else if strings.Contains(term.Text(), " said yes (once)") || strings.Contains(term.Text(), " said no (no)") {
			won++
		}
	}
	if won != 1 || told != 1 {
		t.Errorf("%d won, %d were told\n%s\n%s", won, told, terms["y"].Text(), terms["n"].Text())
	}
	if out := printed(); strings.Contains(out, "went") != strings.Contains(terms["y"].Text(), " said yes (once)") {
		t.Errorf("%s\n%s", out, terms["y"].Text())
	}
}

// TestScreenLive: calls appear while a request is open, which stays; one that was
// answered elsewhere closes, and says by whom.
func TestScreenLive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	printed := d.asks(pushes)
	id := d.waiting()
	term := d.start("sayso approve")
	open(term)
	d.asks(`sayso ask bash "git push origin next"`)
	seen(term, "waiting 2")
	seen(term, "request "+id)
	d.run("sayso deny " + id)
	seen(term, "git push origin main: ")
	seen(term, "through terminal was first and said no")
	seen(term, "waiting 1")
	if out := printed(); !strings.Contains(out, "stopped 4") {
		t.Errorf("%s", out)
	}
	term.Type("\x03")
	if code := term.Exit(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}

// TestScreenWithout: where there is no screen, or somebody wants to read on, it is
// a list; an agent gets none.
func TestScreenWithout(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.asks(pushes)
	id := d.waiting()
	for _, script := range []string{"TERM=dumb sayso approve", "TERM= sayso deny", "sayso approve --json", "sayso approve </dev/null", "sayso approve | cat"} {
		term := d.start(script)
		if code := term.Exit(); code != 0 || !strings.Contains(term.Text(), id) || strings.Contains(term.Text(), "2 grants") {
			t.Errorf("%s: exit code %d\n%s", script, code, term.Text())
		}
	}
	for _, script := range []string{"sayso approve", "sayso deny", "sayso trust"} {
		term := d.start(script, "CLAUDECODE=1")
		if code := term.Exit(); code != 1 || !strings.Contains(term.Text(), "this screen is for a person") {
			t.Errorf("%s: exit code %d\n%s", script, code, term.Text())
		}
	}
	term := d.start("TERM=dumb sayso trust")
	if code := term.Exit(); code != 0 || !strings.Contains(term.Text(), "nothing is trusted") {
		t.Errorf("exit code %d\n%s", code, term.Text())
	}
}

// TestScreenAlone: what asks in the terminal of the screen waits in the queue, and
// draws nothing over it.
func TestScreenAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	term := d.start(`(sleep 0.7; ` + pushes + ` >out) & sayso approve; wait; cat out`)
	open(term)
	term.Press("y", "said yes (once)")
	if strings.Contains(term.Text(), "your answer") {
		t.Errorf("%s", term.Text())
	}
	term.Type("q")
	seen(term, "went")
}

// TestScreenTrust: what is trusted is what was shown, with all that the screen
// offers, and can be taken back there.
func TestScreenTrust(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(".sayso.yaml", "allow: [bash(make *)]\n")
	d.write(".mcp.json", `{"mcpServers": {"docs": {"command": "serve-docs", "args": ["--all"], "env": {"DOCS_KEY": "hidden"}}}}`)
	term := d.start("sayso trust")
	for _, text := range []string{"MCP server docs (stdio): serve-docs --all, environment: DOCS_KEY", "policy files are trusted", ".sayso.yaml", "1. Trust workspace and all listed MCP servers", "5. Cancel"} {
		seen(term, text)
	}
	time.Sleep(read)
	d.write(".sayso.yaml", "allow: [bash(rm *)]\n") // somebody is quick
	term.Press("1", "trusted: the workspace, the MCP server docs")
	seen(term, "it has changed since, and does not count")
	if out := d.run("sayso trust list; sayso check bash 'rm -rf x' || true"); strings.Count(out, "it has changed since") != 1 || strings.Contains(out, "allow  rule") || strings.Contains(term.Text(), "hidden") {
		t.Errorf("%s\n%s", out, term.Text())
	}
	time.Sleep(read)
	term.Press("a", "Revoke 3 trust entries?")
	time.Sleep(read)
	term.Press("y", "nothing is trusted")
	time.Sleep(read)
	if code := term.Leave("\x1b"); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out := d.run("sayso log --kind trust; sayso log --kind revoke"); strings.Count(out, "trust ") < 3 || strings.Count(out, "revoke ") < 3 {
		t.Errorf("%s", out)
	}
}

// TestScreenStart: KodaCode asks about trust before anything else; cancelling
// leaves.
func TestScreenStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, cancel := range []string{"5", "\x1b"} {
		term := d.start("sayso approve --preset kodacode")
		seen(term, "4. Continue without trusting listed MCP servers")
		time.Sleep(read)
		if code := term.Leave(cancel); code != 0 {
			t.Errorf("%q: exit code %d", cancel, code)
		}
	}
	term := d.start("sayso approve --preset kodacode")
	seen(term, "2. Trust workspace only")
	time.Sleep(read)
	term.Press("2", "nothing waits")
	term.Type("q")
	term.Exit()
	term = d.start("sayso approve --preset kodacode")
	seen(term, "nothing waits")
}

// TestScreenStarts: so does every preset where trust would change something, unless
// somebody waits for an answer; then it is only told.
func TestScreenStarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(".sayso.yaml", "allow: [bash(make *)]\n")
	term := d.start("sayso approve")
	seen(term, "policy files are trusted")
	term.Type("\x03")
	term.Exit()
	d.write(".sayso.yaml", "deny: [bash(make *)]\n") // trust changes nothing about it
	term = d.start("sayso approve")
	seen(term, "nothing waits")
	term.Type("q")
	term.Exit()
	d.write(".sayso.yaml", "allow: [bash(make *)]\n")
	d.write(".mcp.json", `{"mcpServers": {"docs": {"command": "serve-docs"}}}`)
	term = d.start("sayso approve")
	seen(term, "MCP server docs (stdio): serve-docs")
	time.Sleep(read)
	term.Press("4", "nothing waits")
	term.Type("q")
	term.Exit()
	d.asks("sayso ask bash 'git push'")
	d.run("for i in $(seq 600); do sayso approve --json | grep -q . && exit; sleep 0.1; done")
	term = d.start("sayso approve")
	seen(term, "not trusted here: .sayso.yaml, MCP server docs · /trust")
	if strings.Contains(term.Text(), "Continue without") || !strings.Contains(term.Text(), "git push") {
		t.Errorf("%s", term.Text())
	}
	term.Type("q")
	term.Exit()
	d.run("sayso trust add; sayso trust add --server docs")
	term = d.start("sayso approve")
	seen(term, "git push")
	if strings.Contains(term.Text(), "not trusted") {
		t.Errorf("%s", term.Text())
	}
}

// TestScreenMode: the mode of the session is shown with its symbol, and changed
// with the commands that the preset has.
func TestScreenMode(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := filepath.Join(d.home, ".config", "sayso")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "policy.yaml"), []byte("preset: kosmokrator\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run(`echo '{"session_id":"s1","cwd":"'$PWD'","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a"},"tool_use_id":"t"}' | CLAUDE_PROJECT_DIR=$PWD sayso hook claude`)
	term := d.start("sayso approve")
	seen(term, "◈ guardian")
	term.Press("/", "> /_")
	for i, name := 0, "argus"; i < len(name); i++ {
		term.Type(name[i : i+1])
		seen(term, "> /"+name[:i+1]+"_") // a person types, and sees it
	}
	time.Sleep(read)
	term.Press("\r", "the mode of session s1 is argus now")
	seen(term, "◉ argus")
	if out := d.run("sayso mode"); !strings.Contains(out, "argus") {
		t.Errorf("%s", out)
	}
	term.Press("4", "request")
	term.Press("\r", "REQUEST  record")
}
