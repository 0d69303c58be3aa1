package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

// gitFiles makes files with a text, links (-> and where to) and folders (no text) in a
// workspace, and guards it.
func gitFiles(t *testing.T, files map[string]string) (string, *gitGuard) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, name)
		} else if text == "" {
			err = os.MkdirAll(name, 0o755)
		} else {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	roots := []string{dir}
	c := &sayso.Contract{Write: roots, Barred: patternsIn(roots, below(barredBelow)), Watched: patternsIn(roots, slices.Concat(guardedThere, below(toldBelow))), Skipped: skippedBelow}
	return dir, gitGuards(c, filepath.Join(dir, "home"), nil)
}

// TestGitNested: what leads git to programs is guarded also for repositories in folders,
// and what cannot be is told.
func TestGitNested(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name                        string
		files                       map[string]string
		held, barred, watched, open []string
	}{
		{"no repository", map[string]string{"a/.git/config": "[core]\nhooksPath=h\n", "a/h/x": "x"}, nil, nil, nil, nil},
		{"folder for hooks", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=h\n", "a/h/x": "x"}, []string{"a/h"}, nil, nil, nil},
		{"no folder for hooks yet", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=h\n"}, nil, nil, []string{"a/h"}, nil},
		{"that is all", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=.\n"}, nil, nil, nil, []string{"a is a folder for hooks"}},
		{"that is the workspace", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=..\n"}, nil, nil, nil, []string{". is a folder for hooks"}},
		{"that is above it", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=../..\n"}, nil, nil, nil, nil},
		{"a link as that", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=h\n", "a/h": "-> ../b", "b/x": "x"}, nil, []string{"a/h"}, nil, nil},
		{"a link above that", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=l/h\n", "a/l": "-> ../b", "b/h/x": "x"}, []string{"b/h"}, nil, nil, []string{"a/l/h is reached through a link"}},
		{"a link to everything", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "[core]\nhooksPath=l\n", "a/l": "-> .."}, nil, nil, nil, []string{"a/l is reached through a link"}},
		{"included through a link", map[string]string{"a/.git/HEAD": "x", "a/.git/config": "-> ../c", "a/c": "[include]\npath=../i\n", "a/i": "x"}, []string{"a/i"}, nil, nil, nil},
		{"too long", map[string]string{"a/.git/HEAD": "x", "a/.git/config": strings.Repeat("#", mostSettings+1)}, nil, nil, nil, []string{"a/.git/config cannot be read, or is too long"}},
		{"attributes and settings", map[string]string{"a/.git/HEAD": "x", "a/.git/info/attributes": "x", "a/.git/config.worktree": "x"}, []string{"a/.git/config.worktree", "a/.git/info/attributes"}, nil, nil, nil},
		{"attributes by a link", map[string]string{"a/.git/HEAD": "x", "a/.git/info/attributes": "-> ../../y", "a/y": "x"}, []string{"a/y"}, nil, nil, []string{"a/.git/info/attributes is reached through a link"}},
		{"a file that names one", map[string]string{"a/.git": "gitdir: ../r\n", "r/HEAD": "x"}, []string{"a/.git", "r/config", "r/hooks"}, []string{"r/commondir"}, nil, nil},
		{"modules", map[string]string{"a/.git/HEAD": "x", "a/.git/modules/s/HEAD": "x"}, []string{"a/.git/modules/s/config", "a/.git/modules/s/hooks"}, []string{"a/.git/modules/s/commondir"}, nil, nil},
		{"a link", map[string]string{"a/.git": "-> ../r", "r/HEAD": "x"}, nil, nil, nil, []string{"a/.git is a link"}},
		{"in a folder of dependencies", map[string]string{"vendor/a/.git/HEAD": "x", "vendor/a/.git/info/attributes": "x"}, nil, nil, nil, nil},
	} {
		dir, g := gitFiles(t, one.files)
		for what, lists := range map[string][2][]string{"held": {g.held, one.held}, "barred": {g.barred, one.barred}, "watched": {g.watched, one.watched}, "open": {g.open, one.open}} {
			got := strings.NewReplacer(dir+"/", "", dir, ".").Replace(strings.Join(slices.Sorted(slices.Values(lists[0])), "\n"))
			if want := strings.Join(lists[1], "\n"); got != want {
				t.Errorf("%s: %s: %q, want %q", one.name, what, got, want)
			}
		}
	}
}

// TestGitMost: where there are too many repositories, it is told, in one line.
func TestGitMost(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range mostRepositories + 3 {
		files[fmt.Sprintf("r%04d/.git/HEAD", i)] = "x"
		files[fmt.Sprintf("r%04d/.git/info/attributes", i)] = "x"
	}
	dir, g := gitFiles(t, files)
	if len(g.held) != mostRepositories || len(g.open) != 3 {
		t.Fatalf("%d held, %q", len(g.held), g.open)
	}
	var errs strings.Builder
	tellOpen(g.report(), IO{Err: &errs})
	want := fmt.Sprintf("sayso: note: not everything is guarded of settings of git: what they name can be changed: %s/r0500/.git comes after the first 500, and 2 more\n", dir)
	if errs.String() != want {
		t.Errorf("%q, want %q", errs.String(), want)
	}
	if r := (*gitGuard)(nil).report(); len(r) > 0 {
		t.Errorf("nothing is guarded, and told: %v", r)
	}
}
