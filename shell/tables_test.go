package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
