//go:build unix

package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
)

// A fakeDisk has texts of files, and what is special about some of them.
type fakeDisk struct {
	texts map[string]string
	infos map[string]Info
	errs  map[string]error
	links map[string]string // folders that are links
}

func (d fakeDisk) Read(name string, limit int64) ([]byte, Info, error) {
	text, ok := d.texts[name]
	if err := d.errs[name]; err != nil {
		return nil, Info{}, err
	}
	if !ok {
		return nil, Info{}, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
	info, ok := d.infos[name]
	if !ok {
		info = Info{Mode: 0o644, Owner: 1000, Group: 1000, Self: 1000}
	}
	info.Size = int64(len(text))
	return []byte(text[:min(len(text), int(limit))]), info, nil
}

func (d fakeDisk) Real(name string) (string, error) {
	if to, ok := d.links[name]; ok {
		if to == "" {
			return "", errors.New("too many links")
		}
		return to, nil
	}
	return name, nil
}

const (
	userFile      = "/home/ann/.config/sayso/policy.yaml"
	committedFile = "/home/ann/src/app/.sayso.yaml"
)

var (
	workspaceFile = "/home/ann/.config/sayso/workspaces/" + local.WorkspaceFile("/home/ann/src/app")
	ann           = Places{Home: "/home/ann", Root: "/home/ann/src/app"}
)

func TestLoad(t *testing.T) {
	all := map[string]string{
		ManagedFile: "allow: [read(m)]", userFile: "allow: [read(u)]", workspaceFile: "allow: [read(w)]", committedFile: "allow: [read(c)]; deny: [read(d)]",
	}
	const untrusted = "the workspace is not trusted, and its file may only tighten"
	link := Info{Mode: fs.ModeSymlink | 0o777}
	ours := Info{Mode: 0o600, Owner: 1000, Group: 1000, Self: 1000}
	with := func(i Info, change func(*Info)) Info { change(&i); return i }
	for _, c := range []struct {
		name string
		at   Places
		disk fakeDisk
		want string
	}{
		{"nothing", ann, fakeDisk{}, ""},
		{"all", ann, fakeDisk{texts: all}, "managed allow read(m); user allow read(u); workspace allow read(w); committed deny read(d); dropped allow read(c) at " + committedFile + ":1:9 because " + untrusted},
		{
			"trusted",
			Places{Home: ann.Home, Root: ann.Root, Trusted: func(file string, text []byte) bool {
				return file == committedFile && string(text) == "allow: [read(c)]\ndeny: [read(d)]"
			}},
			fakeDisk{texts: all},
			"managed allow read(m); user allow read(u); workspace allow read(w); committed allow read(c); committed deny read(d)",
		},
		{"no home", Places{Root: ann.Root}, fakeDisk{texts: map[string]string{userFile: "allow: [read(u)]"}}, ""},
		{"no root", Places{Home: ann.Home}, fakeDisk{texts: map[string]string{userFile: "allow: [read(u)]"}}, "user allow read(u)"},
		{"another place", Places{Home: ann.Home, ConfigHome: "/cfg"}, fakeDisk{texts: map[string]string{"/cfg/sayso/policy.yaml": "allow: [read(u)]", userFile: "allow: [read(x)]"}}, "user allow read(u)"},
		{"a relative place does not count", Places{Home: ann.Home, ConfigHome: "cfg"}, fakeDisk{texts: map[string]string{userFile: "allow: [read(x)]"}}, "user allow read(x)"},
		{
			"the place is in the workspace",
			Places{Home: ann.Home, Root: ann.Root, ConfigHome: ann.Root + "/.CFG"},
			fakeDisk{texts: map[string]string{ann.Root + "/.CFG/sayso/policy.yaml": "allow: [read(u)]; mode: bypass"}},
			"dropped allow read(u) at " + ann.Root + "/.CFG/sayso/policy.yaml:1:9 because " + untrusted + "; dropped mode bypass at " + ann.Root + "/.CFG/sayso/policy.yaml:2:7 because " + untrusted,
		},
		{
			"a link in the workspace leads out of it",
			Places{Home: ann.Home, Root: ann.Root, ConfigHome: ann.Root + "/cfg"},
			fakeDisk{texts: map[string]string{ann.Root + "/cfg/sayso/policy.yaml": "allow: [read(u)]"}, links: map[string]string{ann.Root + "/cfg/sayso": "/elsewhere"}},
			"dropped allow read(u) at " + ann.Root + "/cfg/sayso/policy.yaml:1:9 because " + untrusted,
		},
		{
			"a link leads into the workspace", ann,
			fakeDisk{texts: map[string]string{userFile: "allow: [read(u)]"}, links: map[string]string{"/home/ann/.config/sayso": ann.Root + "/x"}},
			"dropped allow read(u) at " + userFile + ":1:9 because " + untrusted,
		},
		{
			"nobody knows where a link leads", ann,
			fakeDisk{texts: map[string]string{userFile: "allow: [read(u)]"}, links: map[string]string{"/home/ann/.config/sayso": ""}},
			"dropped allow read(u) at " + userFile + ":1:9 because " + untrusted,
		},
		{"home is no folder", ann, fakeDisk{errs: map[string]error{userFile: &fs.PathError{Err: syscall.ENOTDIR}}}, ""},
		{"not readable", ann, fakeDisk{errs: map[string]error{userFile: &fs.PathError{Err: fs.ErrPermission}}}, "error " + userFile + ": it cannot be read: permission denied"},
		{"broken disk", ann, fakeDisk{errs: map[string]error{userFile: errors.New("oops")}}, "error " + userFile + ": it cannot be read: oops"},
		{"link", ann, fakeDisk{texts: all, infos: map[string]Info{committedFile: link, userFile: link}}, "managed allow read(m); workspace allow read(w); error " + userFile + ": it is a link (put the file itself there)\n" + committedFile + ": it is a link (put the file itself there)"},
		{"folder", ann, fakeDisk{texts: map[string]string{userFile: ""}, infos: map[string]Info{userFile: {Mode: fs.ModeDir}}}, "error " + userFile + ": it is not a file (move it away)"},
		{"too large", ann, fakeDisk{texts: map[string]string{userFile: strings.Repeat("#", maxSize+2)}}, "error " + userFile + ": the file is larger than 256 KiB"},
		{
			"open to others", ann,
			fakeDisk{texts: all, infos: map[string]Info{
				ManagedFile: {Mode: 0o646}, userFile: with(ours, func(i *Info) { i.Group = 100; i.Mode = 0o660 }),
				workspaceFile: with(ours, func(i *Info) { i.Owner = 1001 }), committedFile: with(ours, func(i *Info) { i.Owner, i.Mode = 1001, 0o666 }),
			}},
			"committed deny read(d); dropped allow read(c) at " + committedFile + ":1:9 because " + untrusted + "; error " + ManagedFile + ": everybody can write it (chmod go-w)\n" +
				userFile + ": its group can write it (chmod go-w)\n" + workspaceFile + ": it belongs to another user (change its owner with chown)",
		},
		{
			"root, with the files of a user",
			Places{Home: ann.Home},
			fakeDisk{texts: all, infos: map[string]Info{userFile: with(ours, func(i *Info) { i.Self = 0 }), ManagedFile: with(ours, func(i *Info) { i.Self = 0 })}},
			"user allow read(u); error " + ManagedFile + ": it belongs to another user (change its owner with chown)",
		},
		{"a group of one's own, and no owners at all", Places{Home: ann.Home}, fakeDisk{texts: all, infos: map[string]Info{userFile: with(ours, func(i *Info) { i.Mode = 0o664 }), ManagedFile: {Mode: 0o666, Owner: -1, Self: -1}}}, "managed allow read(m); user allow read(u)"},
	} {
		for name, text := range c.disk.texts {
			c.disk.texts[name] = strings.ReplaceAll(text, "; ", "\n")
		}
		c.at.Disk = c.disk
		p, err := Load(c.at)
		if got := showPolicy(p); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
		if fmt.Sprint(err) != fmt.Sprint(p.Err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLoadExamples: an example that fails is a mistake in its file.
func TestLoadExamples(t *testing.T) {
	at := ann
	at.Disk = fakeDisk{texts: map[string]string{userFile: "allow: [read(a)]\ndeny: [{rule: read(b), match: [c]}]"}}
	at.Matches = func(sayso.Rule, string) (bool, error) { return false, nil }
	p, _ := Load(at)
	want := "user deny read(b); error " + userFile + `:2:32: the rule read(b) does not match its example "c"`
	if got := showPolicy(p); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestLoadScripts: scripts stand beside the policies and in .sayso; one that
// somebody else could have written has an error in the place of its text.
func TestLoadScripts(t *testing.T) {
	const user, shared = "/home/ann/.config/sayso/policy.star", "/home/ann/src/app/.sayso/policy.star"
	at := ann
	at.Disk = fakeDisk{
		texts: map[string]string{user: "u", shared: "s", "/etc/sayso/policy.star": "m"},
		infos: map[string]Info{user: {Mode: 0o666, Owner: 1000, Group: 1000, Self: 1000}, "/etc/sayso/policy.star": {Mode: 0o644}},
	}
	p, err := Load(at)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Scripts {
		got = append(got, fmt.Sprintf("%s %q %v", s.Name, s.Text, s.Err))
	}
	want := `/etc/sayso/policy.star "m" <nil>; ` + user + ` "" ` + user + `: everybody can write it (chmod go-w); ` + shared + ` "s" <nil>`
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, "; "), want)
	}
	if p.Sources[len(p.Sources)-1].File != shared || p.Sources[len(p.Sources)-1].Sum != sha256.Sum256([]byte("s")) {
		t.Errorf("%+v", p.Sources)
	}
}

// TestOS reads files of this machine.
func TestOS(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := Places{Managed: filepath.Join(dir, "etc.yaml"), Home: filepath.Join(dir, "home"), Root: filepath.Join(dir, "app"), Disk: OS()}
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(at.File(sayso.User), "allow: [read(u)]")
	write(at.File(sayso.Committed), "deny: [read(c)]")
	p, err := Load(at)
	if err != nil || showPolicy(p) != "user allow read(u); committed deny read(c)" {
		t.Fatalf("%s, %v", showPolicy(p), err)
	}
	if len(p.Sources) != 7 || !p.Sources[0].Missing || p.Sources[1].Missing {
		t.Fatalf("%+v", p.Sources)
	}
	s, info := p.Sources[1], must(os.Stat(at.File(sayso.User)))
	if s.Layer != sayso.User || s.File != at.File(sayso.User) || s.Size != 16 || !s.ModTime.Equal(info.ModTime()) || s.Inode == 0 || s.Sum != sha256.Sum256([]byte("allow: [read(u)]")) {
		t.Errorf("%+v", s)
	}

	if err := os.Rename(at.File(sayso.User), at.Managed); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at.Managed, at.File(sayso.User)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(at); err == nil || err.Error() != at.File(sayso.User)+": it is a link (put the file itself there)" {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(at.File(sayso.User)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at.File(sayso.User), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(at); err == nil || err.Error() != at.File(sayso.User)+": it is not a file (move it away)" {
		t.Errorf("a pipe: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestWorkspaceFile(t *testing.T) {
	seen := map[string]string{}
	for _, root := range []string{
		"/home/ann/src/app", "/home/bob/src/app", "/home/ann/src/app-", "/", "/home/ann/src/äpp", "/home/ann/src/a pp", "/home/ann/src/.app",
		"/x/" + strings.Repeat("long", 60),
	} {
		name := local.WorkspaceFile(root)
		if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}-[0-9a-f]{32}\.yaml$`).MatchString(name) {
			t.Errorf("%s: %s", root, name)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%s and %s: %s", root, other, name)
		}
		seen[name] = root
	}
	if got, want := local.WorkspaceFile("/home/ann/src/app/"), "app-2e6fdb5bf6c92f7b4afb4ec01107e9c9.yaml"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
