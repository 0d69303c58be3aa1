package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/cli"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// role is the variable that says which program the test binary is to be.
const role = "SAYSO_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "sayso":
		os.Exit(cli.Main(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	case "asker":
		ask(os.Args[1], os.Args[2], os.Args[3])
		os.Exit(0)
	}
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// ask is a program that wants to run a command, waits for the answer as an agent
// does, and prints what it was.
func ask(session, id, command string) {
	ctx := context.Background()
	state, err := local.State()
	if err != nil {
		panic(err)
	}
	db, err := sqlite.Open(ctx, state.Dir)
	if err != nil {
		panic(err)
	}
	root, _ := os.Getwd()
	input, _ := json.Marshal(map[string]string{"command": command}) // a string can be written
	e := sayso.Engine{
		Preset: preset.Native(preset.Policy{}), Approver: &approve.Queue{Store: db, Timeout: 10 * time.Minute},
		Sessions: db, Grants: db, Journal: journal.Folder{Dir: state.Dir},
	}
	call := sayso.Call{ID: id, Session: session, Agent: "claude", Tool: "Bash", Input: input, Root: local.Real(root), Home: os.Getenv("HOME")}
	_, d, err := e.Authorize(ctx, call)
	fmt.Println(d.Effect, d.Code, err)
}

// A world is a home folder, a repository, and a page that is served for them.
type world struct {
	t          testing.TB
	home, repo string
	link       string // to log in
	url        string
}

// newWorld is a world in which nothing has happened yet.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "home", "src", "app")}
	for _, d := range []string{w.home, filepath.Join(w.repo, ".git")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// serve starts the page.
func (w *world) serve() {
	w.t.Helper()
	c := w.command("sayso", "serve", "--json", "--addr", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT)
		if err := c.Wait(); err != nil {
			w.t.Errorf("sayso serve: %v %s", err, errs.String())
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var told struct{ URL, Login string }
	if err != nil || json.Unmarshal(line, &told) != nil {
		w.t.Fatalf("sayso serve: %s %v %s", line, err, errs.String())
	}
	w.link, w.url = told.Login, told.URL
}

// command is one of our programs in the repository.
func (w *world) command(as string, args ...string) *exec.Cmd {
	own, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	c := exec.Command(own, args...)
	c.Dir = w.repo
	c.Env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), role + "=" + as, "GORACE=" + os.Getenv("GORACE")}
	return c
}

// sayso runs a verb in a terminal of the person.
func (w *world) sayso(args ...string) (string, error) {
	w.t.Helper()
	out, err := w.command("sayso", args...).CombinedOutput()
	return string(out), err
}

// must is sayso, which must work.
func (w *world) must(args ...string) string {
	w.t.Helper()
	out, err := w.sayso(args...)
	if err != nil {
		w.t.Fatalf("sayso %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// write writes a file of the repository.
func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.repo, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// An asking is a process that waits for an answer.
type asking struct {
	w    *world
	done chan string
}

// asks starts a process that wants to run a command.
func (w *world) asks(id, command string) *asking {
	w.t.Helper()
	return w.asksIn("s1", id, command)
}

// asksIn is asks in a session.
func (w *world) asksIn(session, id, command string) *asking {
	w.t.Helper()
	c := w.command("asker", session, id, command)
	a := &asking{w, make(chan string, 1)}
	ended := make(chan struct{})
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		_ = c.Wait() // what it prints tells how it went
		a.done <- strings.TrimSpace(out.String())
		close(ended)
	}()
	w.t.Cleanup(func() { _ = c.Process.Kill(); <-ended })
	return a
}

// got is what the process was told.
func (a *asking) got() string {
	a.w.t.Helper()
	select {
	case out := <-a.done:
		return out
	case <-time.After(patience):
		a.w.t.Fatal("the process still waits")
		return ""
	}
}

// waiting is how many processes wait for an answer.
func (w *world) waiting() int {
	w.t.Helper()
	return strings.Count(w.must("approve", "--json"), "\n")
}
