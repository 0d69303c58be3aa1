package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/scripted"
)

// patience is how long a client may take. It costs nothing where all is well.
const patience = 3 * time.Minute

// secret stands in a file that must not be read.
const secret = "CANARY-5b1e"

// policy is what the clients have to obey. Where the agent would ask its user itself,
// nobody is there: so the queue asks.
const policy = `approve: {via: [tty], timeout: 2m}
deny:
  - rule: bash(touch denied)
    because: this file is not wanted here
  - rule: edit(**/denied.txt)
    because: this text is not wanted here
ask:
  - bash(touch asked)
allow:
  - bash(touch allowed)
  - bash(touch after)
`

// A scene is a client in a workspace, with a home of its own.
type scene struct {
	t                    *testing.T
	client               client
	dir, home, repo, bin string
	model                *scripted.Model
	wired                func()              // what happens after sayso init
	options              []string            // of sayso init
	scope                string              // of it; empty: --user
	more                 []string            // variables that the client has besides
	mcp                  map[string][]string // the MCP servers that it has: what is started
	unwired              bool                // without hooks
}

// newScene makes one, wired as sayso init does.
func newScene(t *testing.T, c client) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, client: c, dir: dir, home: dir + "/home", repo: dir + "/repo", bin: dir + "/bin"}
	s.write("home/.config/sayso/policy.yaml", policy)
	s.write("repo/README.md", "hello\n")
	s.write("repo/secret.txt", secret+"\n")
	if err := errors.Join(os.MkdirAll(s.dir+"/tmp", 0o700), os.CopyFS(s.bin, os.DirFS(os.Getenv(programs)))); err != nil {
		t.Fatal(err)
	}
	s.sayso("git", "init", "-q", ".")
	return s
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

// writeJSON writes settings.
func (s *scene) writeJSON(name string, value any) {
	s.t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(name, string(text)+"\n")
}

// env is the environment of everything here, with what a client needs besides.
func (s *scene) env(more ...string) []string {
	return append([]string{
		"PATH=" + s.bin + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + s.home, "TMPDIR=" + s.dir + "/tmp",
		"TERM=dumb", "LANG=C.UTF-8", "USER=tester", "SHELL=/bin/bash",
	}, more...)
}

// sayso runs a command of a person in the workspace, and returns what it prints.
func (s *scene) sayso(name string, args ...string) string {
	s.t.Helper()
	if name == "sayso" {
		name = s.bin + "/sayso"
	}
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir, cmd.Env = s.repo, s.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// run lets the model want these calls, one after the other, and waits until the client
// has ended.
func (s *scene) run(calls ...scripted.Call) {
	s.t.Helper()
	s.start(calls...)()
}

// start is run without the waiting, which is what is returned.
func (s *scene) start(calls ...scripted.Call) (wait func()) {
	s.t.Helper()
	var steps [][]scripted.Call
	for _, c := range calls {
		steps = append(steps, []scripted.Call{c})
	}
	model, err := scripted.Start(steps...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.model = model
	s.t.Cleanup(func() { _ = model.Close() }) // the client has ended
	s.client.prepare(s)
	if !s.unwired {
		s.sayso("sayso", append([]string{"init", cmp.Or(s.scope, "--user"), "--yes", s.client.name}, s.options...)...)
	}
	if s.wired != nil {
		s.wired()
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	args := s.client.argv(s)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.repo, s.env(append(s.client.env(s), s.more...)...), &out, &out, 5*time.Second
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s.t.Cleanup(cancel)
	return func() {
		s.t.Helper()
		err := <-ended
		s.t.Cleanup(func() {
			if s.t.Failed() {
				s.t.Logf("%s: %v\n%s\nthe model was asked %v", strings.Join(args, " "), err, tail(out.String()), model.Requests())
			}
		})
		if ctx.Err() != nil {
			s.t.Fatal("the client does not end")
		}
	}
}

// servers are the MCP servers as settings have them.
func (s *scene) servers(entry func(argv []string) any) object {
	out := object{}
	for name, argv := range s.mcp {
		out[name] = entry(argv)
	}
	return out
}

func tail(text string) string { return text[max(0, len(text)-6000):] }

// has reports whether a file is in the workspace.
func (s *scene) has(name string) bool {
	_, err := os.Lstat(filepath.Join(s.repo, name))
	return err == nil
}

// told is what the model was told, one text a call.
func (s *scene) told() []string {
	var out []string
	for _, r := range s.model.Results() {
		out = append(out, r.Text)
	}
	return out
}

// waiting is the id of the request that waits for an answer.
func (s *scene) waiting() string {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var request struct{ ID string }
		if line, _, _ := strings.Cut(s.sayso("sayso", "approve", "--json"), "\n"); json.Unmarshal([]byte(line), &request) == nil {
			return request.ID
		}
	}
	s.t.Fatal("nobody is asked")
	return ""
}
