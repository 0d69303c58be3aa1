package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

// grow makes files, and the folders above them.
func grow(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLook: what is there is found in every folder but those that are skipped, and behind
// no link.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	grow(t, dir, ".env", ".env.top", "a/.env", "a/b/c/d/e/f/g/h/.env.x", "a/.env.example", "a/.envs/.env", "node_modules/p/.env", "a/node_modules/p/q/.env",
		".git/config", ".git/.env", "lib/.git/config", "lib/.git/modules/m/config", "lib/.git/modules/m/n/config", "lib/.git/objects/config", "hooks", "a/config", "other/.env.other")
	if err := os.Symlink("../other", dir+"/a/way"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", dir+"/lib/.env"); err != nil {
		t.Fatal(err)
	}
	c := &sayso.Contract{
		Write: []string{dir}, Protected: []string{dir + "/.env"}, Skipped: []string{"node_modules", ".git"},
		Barred:  []string{dir + "/**/.env*", dir + "/**/.git/config", dir + "/**/.git/modules/*/config", dir + "/.env.top", dir + "/other/.e*"},
		Watched: []string{dir + "/**/.env*example"},
	}
	s := look(c)
	want := []string{".env.top", ".git/config", "a/.env", "a/.envs", "a/b/c/d/e/f/g/h/.env.x", "lib/.env", "lib/.git/config", "lib/.git/modules/m/config", "other/.env.other"}
	for i, name := range want {
		want[i] = filepath.Join(dir, name)
	}
	if !slices.Equal(s.barred, want) || !slices.Equal(s.watched, []string{dir + "/a/.env.example"}) || len(s.links) != 1 || s.links[dir+"/lib/.env"] != "nowhere" || s.unseen != 0 {
		t.Errorf("%+v\nwant %v", s, want)
	}
	for folder, looked := range map[string]bool{"": true, "a/b/c": true, "node_modules": false, "a/way": false, "a/.envs": false, "lib/.git": true, "lib/.git/modules/m": true, "lib/.git/objects": false} {
		if got := slices.Contains(s.folders, filepath.Join(dir, folder)); got != looked {
			t.Errorf("%s was looked into: %v", folder, got)
		}
	}
	if barred, watched := s.since(c, func(string) {}); len(barred)+len(watched) > 0 {
		t.Errorf("nothing was made: %v %v", barred, watched)
	}
	if !slices.Equal(There(*c), s.barred) {
		t.Errorf("%v", There(*c))
	}
}

// TestLookBounds: those nearer to the top are looked into first, and the report says what
// was not.
func TestLookBounds(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		grow(t, dir, fmt.Sprintf("a%d/.env", i), fmt.Sprintf("a%d/b/.env", i))
	}
	c := &sayso.Contract{Write: []string{dir}, Barred: []string{dir + "/**/.env"}}
	for _, one := range []struct {
		most, found, unseen int
		at                  string
	}{{30, 20, 0, ""}, {21, 20, 0, ""}, {20, 19, 1, "/b"}, {11, 10, 10, "/b"}, {5, 4, 10, "/a"}, {0, 0, 1, ""}} {
		s := lookAt(c, one.most, func(string) error { return nil })
		if len(s.barred) != one.found || s.unseen != one.unseen || len(s.folders) > one.most || !strings.Contains(strings.TrimPrefix(s.unseenAt, dir), one.at) {
			t.Errorf("%+v: %+v", one, s)
		}
		var r Report
		r.reach(s)
		if told := len(r) > 0 && r[0].Promise == Unseen && !r.Enforced(); told != (one.unseen > 0) {
			t.Errorf("%+v: %v", one, r)
		}
		if one.unseen > 0 && r[0].Why != fmt.Sprintf("%d were looked into for barred paths, %d were not, nor what is below them, such as %s", len(s.folders), one.unseen, s.unseenAt) {
			t.Errorf("%v", r)
		}
	}
}
