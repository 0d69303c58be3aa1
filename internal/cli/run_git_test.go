package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitSettings: settings are read as git reads them.
func TestGitSettings(t *testing.T) {
	t.Parallel()
	text := "[core] hooksPath = a ; why\n\tbare\n# [x]\n[Include]\r\n\tPath = \"b c\"#d\n[includeIf \"gitdir:]~/x\\\"\"]\n\tpath = e\\\n  f\n[core.old]\n\tk = \"g;h\\\\\" \n[other \"core\"]\nhookspath=no\n[broken\nkey = i\n"
	file := filepath.Join(t.TempDir(), "config")
	want := []gitSetting{
		{"core", "hookspath", "a"},
		{"core", "bare", ""},
		{"include", "path", "b c"},
		{"includeif", "path", "e  f"},
		{"core", "k", `g;h\`},
		{"other", "hookspath", "no"},
		{"", "key", "i"},
	}
	if got := readGitSettings(text); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if err := os.WriteFile(file, []byte(text[:strings.Index(text, "[broken")]), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"core.hooksPath": "a", "include.path": "b c", `includeIf.gitdir:]~/x".path`: "e  f", "core.old.k": `g;h\`} {
		out, err := exec.Command("git", "config", "--file", file, "--get", key).Output()
		if err != nil || strings.TrimSuffix(string(out), "\n") != value {
			t.Errorf("git reads %s as %q, want %q: %v", key, out, value, err)
		}
	}
}

// TestGitLinks: the parts of a repository are found in an index of each version and
// kind, and a broken one is read as far as it goes.
func TestGitLinks(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for version := 2; version <= 4; version++ {
			dir := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("git %s: %v\n%s", args, err, out)
				}
			}
			git("init", "-q", "--object-format="+format)
			id := strings.Repeat("1", map[string]int{"sha1": 40, "sha256": 64}[format])
			blob := strings.TrimSpace(string(output(t, dir, "hash-object", "-w", "/dev/null")))
			var entries strings.Builder
			for i := range 20 {
				fmt.Fprintf(&entries, "100644 %s\tlib/file%s\n", blob, strings.Repeat("x", i))
			}
			for _, link := range []string{"lib/part", "lib/part-2", "z"} {
				fmt.Fprintf(&entries, "160000 %s\t%s\n", id, link)
			}
			add := exec.Command("git", "-C", dir, "update-index", "--index-info")
			add.Stdin = strings.NewReader(entries.String())
			if out, err := add.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if err := os.WriteFile(dir+"/later", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			git("add", "-N", "later") // which needs more flags
			git("update-index", "--index-version", fmt.Sprint(version))
			if got, want := gitLinks(dir+"/.git"), []string{"lib/part", "lib/part-2", "z"}; !slices.Equal(got, want) {
				t.Errorf("%s, version %d: got %q, want %q", format, version, got, want)
			}
			text, err := os.ReadFile(dir + "/.git/index")
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; n < len(text); n += 3 {
				if err := os.WriteFile(dir+"/.git/index", text[:n], 0o600); err != nil {
					t.Fatal(err)
				}
				gitLinks(dir + "/.git")
			}
		}
	}
}

func output(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %s: %v", args, err)
	}
	return out
}
