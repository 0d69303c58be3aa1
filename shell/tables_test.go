package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestNoStartUp: the tables cost nothing at start-up. The runtime reports what
// each package does before main; the tables must not be among it.
func TestNoStartUp(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "sayso")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/sayso").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "init runtime @") {
		t.Fatalf("the runtime reported nothing:\n%s", out)
	}
	m := regexp.MustCompile(`init github\.com/sayso-dev/sayso/shell @.*, (\d+) bytes, (\d+) allocs`).FindStringSubmatch(string(out))
	if m != nil && len(m[1]) > 3 { // the errors and the pool of parsers: a few hundred bytes
		t.Errorf("package shell allocates %s bytes at start-up", m[1])
	}
}

var commandLine = regexp.MustCompile(`(?m)^command (.*)$`)

// TestEverySentence: no program that the tables know gets the sentence of an
// unknown one, whatever it is given.
func TestEverySentence(t *testing.T) {
	files, err := filepath.Glob("tables/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandLine.FindAllStringSubmatch(string(text), -1) {
			for _, name := range strings.Split(m[1], ",") {
				name = strings.TrimSpace(name)
				n++
				for _, tail := range []string{"", " x", " --some-option x y"} {
					checkSentence(t, name+tail)
				}
			}
		}
	}
	if n < 2000 {
		t.Errorf("only %d commands in the tables", n)
	}
}

func checkSentence(t *testing.T, src string) {
	t.Helper()
	a, err := shell.Analyze(src, corpusPlace)
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return
	}
	if len(a.Commands) == 0 {
		return // a reserved word of the shell
	}
	name, _, _ := strings.Cut(src, " ")
	if s := a.Commands[0].Sentence; s == "" || strings.HasPrefix(s, "Run command: "+name) {
		t.Errorf("%s: %q", src, s)
	}
}
