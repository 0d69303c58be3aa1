package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/cli"
	"github.com/sayso-dev/sayso/internal/script"
)

var block = regexp.MustCompile("(?ms)^```(?:yaml|python)\n# (\\S+)\n(.*?)^```$")

// TestPolicyDoc: the commands in docs/policy.md print what it says, and its
// policy, script and tests belong together.
func TestPolicyDoc(t *testing.T) {
	const doc = "../../docs/policy.md"
	if n := runSessions(t, doc); n < 2 {
		t.Errorf("only %d commands in %s", n, doc)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := block.FindAllStringSubmatch(string(text), -1)
	if len(files) != 3 {
		t.Fatalf("%d files in %s, want 3", len(files), doc)
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f[1]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("HOME", t.TempDir())
	for _, args := range [][]string{{"test"}, {"rule", "lint"}} {
		var out, errs strings.Builder
		code := cli.Main(args, cli.IO{Out: &out, Err: &errs, Script: script.Stage})
		if args[0] == "test" && (code != 0 || !strings.Contains(out.String(), "14 passed, 0 failed")) {
			t.Errorf("sayso test: exit %d\n%s%s", code, out.String(), errs.String())
		}
		if args[0] == "rule" && strings.Contains(out.String(), ".star") {
			t.Errorf("sayso rule lint: %s", out.String())
		}
	}
}
