package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/breakout"
	"github.com/sayso-dev/sayso/internal/cli"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sayso": func() {
			std := cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Script: script.Stage, Keyring: testRing()}
			testNetwork(&std)
			os.Exit(cli.Main(os.Args[1:], std))
		},
		"asker":      asker,
		"collector":  collector,
		"mcpserver":  mcpServer,
		"sayso-box":  sandboxed,
		"sayso-hook": func() { os.Exit(quick.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// sandboxed is what the program sayso-box does. It ends at once: the race detector
// otherwise waits a second at each end, and a sandbox starts many.
func sandboxed() {
	if len(os.Args) > 1 && os.Args[1] == "try" {
		syscall.Exit(breakout.Try(os.Args[2:]))
	}
	syscall.Exit(box.Main())
}

// TestScript runs the scenarios of testdata/script.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", os.Getenv("GORACE")) // how long the race detector waits at each end
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"built": built},
	})
}

// built gives a script the sayso-hook and the sayso-box that people have beside sayso,
// and not this program by those names. It is for scripts about what surrounds them, in
// which doctor tries both again and again: that starts dozens of processes each time,
// and each of them takes ten times as long with the race detector. Other scripts and
// tests start the ones that have it.
func built(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: built")
	}
	dir, err := builtPrograms()
	ts.Check(err)
	ts.Setenv("PATH", dir+string(filepath.ListSeparator)+ts.Getenv("PATH"))
}

// builtPrograms makes a folder with the programs, once. It goes with the one that
// testscript made for them.
var builtPrograms = sync.OnceValues(func() (string, error) {
	sayso, err := exec.LookPath("sayso")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Dir(sayso)), "built")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "../../cmd/sayso-hook", "../../cmd/sayso-box")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return dir, os.Link(sayso, filepath.Join(dir, "sayso"))
})

var session = regexp.MustCompile("(?m)^\\$ (sayso .*|echo .*)\n((?:[^$`\n].*\n)+)")

// TestReadme: the commands in the README print what it says they print, and
// exit as the answer says.
func TestReadme(t *testing.T) {
	if n := runSessions(t, "../../README.md"); n < 5 {
		t.Errorf("only %d commands in the README", n)
	}
}

// runSessions runs the commands in a text, and returns how many there are.
func runSessions(t *testing.T, file string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range session.FindAllStringSubmatch(string(text), -1) {
		command, want := m[1], strings.TrimSpace(m[2])
		var in, args string
		if feed, rest, ok := strings.Cut(command, " | sayso "); ok {
			in = strings.Trim(strings.TrimPrefix(feed, "echo "), "'")
			args = rest
		} else {
			args = strings.TrimPrefix(command, "sayso ")
		}
		n++
		var out, errs strings.Builder
		code := cli.Main(words(args), cli.IO{In: strings.NewReader(in), Out: &out, Err: &errs, Script: script.Stage})
		answer, _, _ := strings.Cut(want, " ")
		if got := strings.TrimSpace(out.String()); got != want || code != exitCodes[answer] {
			t.Errorf("%s\n got %s (exit %d) %s\nwant %s", command, got, code, errs.String(), want)
		}
	}
	return n
}

var exitCodes = map[string]int{"allow": 0, "ask": 3, "deny": 4}

// words splits a command of the README, in which single quotes hold a word.
func words(s string) []string {
	var out []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}
