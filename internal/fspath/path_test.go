package fspath_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// tree is a file system of links (by target) and folders (empty).
type tree map[string]string

func (t tree) look(abs string) (link string, dir, ok bool) {
	link, ok = t[abs]
	return link, ok && link == "", ok
}

var seen = tree{
	"/w": "", "/w/src": "", "/w/src/a": "", "/etc": "", "/etc/ssl": "", "/home": "", "/home/u": "", "/home/u/.ssh": "/data/ssh", "/data": "", "/data/ssh": "",
	"/w/out": "/etc", "/w/ssl": "/etc/ssl", "/w/rel": "src/a", "/w/up": "../etc", "/w/gone": "/nowhere/x", "/w/gone2": "new", "/w/keys": "/home/u/.ssh",
	"/w/l1": "l2", "/w/l2": "l1", "/w/me": "me/x", "/w/cwd": "/proc/self/cwd", "/w/top": "/", "/proc": "", "/proc/77": "", "/proc/77/cwd": "/data", "/proc/77/fd": "", "/proc/77/fd/3": "/etc",
	"/proc/self": "77", "/dev": "", "/dev/fd": "/proc/self/fd",
}

func TestResolve(t *testing.T) {
	at := fspath.At{Dir: "/w", Home: "/home/u", Look: seen.look}
	for _, tt := range []struct {
		raw, abs, real string
		others         string // separated by blanks
	}{
		{"", "/w", "/w", ""},
		{".", "/w", "/w", ""},
		{"src/a", "/w/src/a", "/w/src/a", ""},
		{"./src//a/", "/w/src/a", "/w/src/a", ""},
		{"/", "/", "/", ""},
		{"/../..", "/", "/", ""},
		{"../..", "/", "/", ""},
		{"new/file", "/w/new/file", "/w/new/file", ""},
		{"~", "/home/u", "/home/u", ""},
		{"~/x", "/home/u/x", "/home/u/x", ""},
		{"~u/x", "/home/u/x", "/home/u/x", ""},
		{"~+/x", "/w/x", "/w/x", ""},
		{"a~b", "/w/a~b", "/w/a~b", ""},
		// links
		{"out/passwd", "/w/out/passwd", "/etc/passwd", ""},
		{"rel/f", "/w/rel/f", "/w/src/a/f", ""},
		{"up", "/w/up", "/etc", ""},
		{"top/etc", "/w/top/etc", "/etc", ""},
		{"gone", "/w/gone", "/nowhere/x", ""},
		{"gone2", "/w/gone2", "/w/new", ""},
		{"ssl/../passwd", "/w/passwd", "/etc/passwd", "/etc/passwd"},
		{"ssl/../keys/id", "/w/keys/id", "/etc/keys/id", "/data/ssh/id /home/u/.ssh/id"}, // cleaned before it is followed
		{"new/../out/x", "/w/out/x", "/etc/x", ""},
		{"rel/../x", "/w/x", "/w/src/x", ""},
		{"keys/id", "/w/keys/id", "/data/ssh/id", "/home/u/.ssh/id"}, // a rule for ~/.ssh must see it
		{"rel/../../out/y", "/out/y", "/etc/y", ""},
		// the links of processes
		{"/proc/self/cwd/x", "/proc/self/cwd/x", "/w/x", ""},
		{"/proc/thread-self/cwd/x", "/proc/thread-self/cwd/x", "/w/x", ""},
		{"/proc/self/task/9/cwd/x", "/proc/self/task/9/cwd/x", "/w/x", ""},
		{"/proc/self/root/etc", "/proc/self/root/etc", "/etc", ""},
		{"/proc//self/./root/../etc", "/proc/self/etc", "/etc", "/proc/self/etc"},
		{"/proc/77/cwd/x", "/proc/77/cwd/x", "/data/x", ""},
		{"/proc/77/root/etc", "/proc/77/root/etc", "/etc", ""},
		{"/proc/78/cwd/x", "/proc/78/cwd/x", "/w/x", ""},
		{"/proc/77/fd/3/passwd", "/proc/77/fd/3/passwd", "/etc/passwd", ""},
		{"/proc/self/status", "/proc/self/status", "/proc/self/status", ""},
		{"/dev/stdin", "/dev/stdin", "/proc/self/fd/0", ""},
		{"/dev/fd/5", "/dev/fd/5", "/proc/self/fd/5", ""},
		{"cwd/x", "/w/cwd/x", "/w/x", "/proc/self/cwd/x"},
		// Windows
		{`src\x`, `/w/src\x`, `/w/src\x`, "/w/src/x"},
		{`out\x`, `/w/out\x`, `/w/out\x`, "/w/out/x /etc/x"},
		{`..\etc\x`, `/w/..\etc\x`, `/w/..\etc\x`, "/etc/x"},
		{`\etc\x`, `/w/\etc\x`, `/w/\etc\x`, "/etc/x"},
		{`c:\a\..\b`, `/w/c:\a\..\b`, `/w/c:\a\..\b`, "C:/b"},
		{`C:/b`, `/w/C:/b`, `/w/C:/b`, "C:/b"},
		{`\\?\C:\b`, `/w/\\?\C:\b`, `/w/\\?\C:\b`, "C:/b"},
		{`\\?\UNC\h\s\x`, `/w/\\?\UNC\h\s\x`, `/w/\\?\UNC\h\s\x`, "//h/s/x /h/s/x"},
		{`~\x`, `/w/~\x`, `/w/~\x`, "/home/u/x"},
		{"~$x.docx", "/w/~$x.docx", "/w/~$x.docx", ""},
		// any bytes
		{"a\xff\nb", "/w/a\xff\nb", "/w/a\xff\nb", ""},
		{"~bob/x", "/home/bob/x", "/home/bob/x", "/w/~bob/x"},
	} {
		p := fspath.Resolve(tt.raw, at)
		if p.Err != nil || p.Raw != tt.raw || p.Abs != tt.abs || p.Real != tt.real {
			t.Errorf("Resolve(%q) = Abs %q, Real %q, Err %v; want %q, %q", tt.raw, p.Abs, p.Real, p.Err, tt.abs, tt.real)
		}
		all := p.All()
		for s := range strings.SplitSeq(tt.others, " ") {
			if s != "" && !slices.Contains(all, s) {
				t.Errorf("Resolve(%q).All() = %q, without %q", tt.raw, all, s)
			}
		}
		if tt.others == "" && len(p.Others) > 0 && !strings.Contains(tt.raw, "/proc") && p.Real == p.Abs {
			t.Errorf("Resolve(%q).Others = %q", tt.raw, p.Others)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		at   fspath.At
		want error
	}{
		{"a\x00b", fspath.At{Dir: "/w"}, fspath.ErrNUL},
		{"/a\x00", fspath.At{}, fspath.ErrNUL},
		{"//a\x00/b", fspath.At{Dir: `C:\w`}, fspath.ErrNUL},
		{"//\x00/..", fspath.At{Dir: `C:\w`}, fspath.ErrNUL},
		{"a", fspath.At{}, fspath.ErrNoDir},
		{"a", fspath.At{Dir: "w"}, fspath.ErrNoDir},
		{"~/a", fspath.At{Dir: "/w"}, fspath.ErrNoHome},
		{"l1", fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrLoop},
		{"l1/x", fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrLoop},
		{"me", fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrLoop},
		{"x/../l1", fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrLoop},
		{`x\..\l1`, fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrLoop},
		{"/dev/fd/3/../../etc", fspath.At{Dir: "/w"}, fspath.ErrUnknown},
		{"/proc/self/fd/9/x", fspath.At{Dir: "/w", Look: seen.look}, fspath.ErrUnknown},
		{"/proc/self/cwd/x", fspath.At{}, fspath.ErrNoDir},
		{strings.Repeat("/a", 1<<15), fspath.At{}, fspath.ErrLong},
		{"D:x", fspath.At{Dir: `C:\w`}, fspath.ErrNoDir},
	} {
		p := fspath.Resolve(tt.raw, tt.at)
		if !errors.Is(p.Err, tt.want) || p.Real != "" || p.Exists {
			t.Errorf("Resolve(%.40q): %v, Real %q; want %v", tt.raw, p.Err, p.Real, tt.want)
		}
	}
}

func TestResolveFields(t *testing.T) {
	at := fspath.At{Dir: "/w", Home: "/home/u", Look: seen.look}
	for _, tt := range []struct {
		raw                    string
		exists, folder, unsure bool
	}{
		{"src", true, true, false},
		{"src/..", true, true, false},
		{"new", false, false, false},
		{"new/..", true, true, false},
		{"new/x/..", false, false, false},
		{"out", true, true, false},
		{"gone", false, false, false},
		{"~bob", false, false, true},
		{"/proc/1/root", true, true, true},
		{"/proc/77/cwd", true, true, true},
		{"/dev/fd/9", true, true, true},
		{"/dev/stdin", true, true, false},
		{"/proc/self/exe", true, true, true},
	} {
		p := fspath.Resolve(tt.raw, at)
		if p.Exists != tt.exists || p.Folder != tt.folder || p.Unsure != tt.unsure {
			t.Errorf("Resolve(%q): exists %v, folder %v, unsure %v", tt.raw, p.Exists, p.Folder, p.Unsure)
		}
	}
	blind := fspath.Resolve("a/../b", fspath.At{Dir: "/w"})
	if blind.Real != "/w/b" || blind.Exists {
		t.Errorf("without Look: %+v", blind)
	}
}

// On Windows itself the working folder has a drive.
func TestResolveWindows(t *testing.T) {
	links := tree{"C:/w": "", "C:/w/l": `D:\data`, "C:/w/r": `..\x`, "C:/w/s": `\etc`}
	at := fspath.At{Dir: `c:\w`, Home: `C:\Users\u`, Look: links.look}
	for _, tt := range []struct{ raw, abs, real string }{
		{`src\x`, "C:/w/src/x", "C:/w/src/x"},
		{"src/x", "C:/w/src/x", "C:/w/src/x"},
		{`..\..\x`, "C:/x", "C:/x"},
		{`\x`, "C:/x", "C:/x"},
		{`D:\x`, "D:/x", "D:/x"},
		{`d:/x/../y`, "D:/y", "D:/y"},
		{`C:x`, "C:/w/x", "C:/w/x"},
		{`~\x`, "C:/Users/u/x", "C:/Users/u/x"},
		{`l\x`, "C:/w/l/x", "D:/data/x"},
		{`r\x`, "C:/w/r/x", "C:/x/x"},
		{`s\x`, "C:/w/s/x", "C:/etc/x"},
		{`\\?\C:\w\x`, "C:/w/x", "C:/w/x"},
		{`\\host\share\x`, "//host/share/x", "//host/share/x"},
	} {
		p := fspath.Resolve(tt.raw, at)
		if p.Err != nil || p.Abs != tt.abs || p.Real != tt.real {
			t.Errorf("Resolve(%q) = %q, %q, %v; want %q, %q", tt.raw, p.Abs, p.Real, p.Err, tt.abs, tt.real)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		path, root string
		want       bool
	}{
		{"/a/b", "/a/b", true},
		{"/a/b/c", "/a/b", true},
		{"/a/bc", "/a/b", false},
		{"/a", "/a/b", false},
		{"/a/b", "/a/b/", true},
		{"/a/b/../c", "/a/b", false},
		{"/a/b/../../etc", "/a/b", false},
		{"/a/x/../b/c", "/a/b", true},
		{"/anything", "/", true},
		{"/", "/", true},
		{"rel", "/", false},
		{"", "/", false},
		{"/a", "", false},
		{"a/b", "a", true},
		{"a/b", ".", true},
		{"../a", ".", false},
		{"../a", "..", true},
		{"../..", "..", false},
		{"../../a", "..", false},
		{"../..a", "..", true},
		{"/a", ".", false},
		{"C:/a/b", "C:/a", true},
		{"C:/ab", "C:/a", false},
		{"C:/a", "C:/", true},
		{"D:/a", "C:/", false},
		{"//a//b", "/a", true},
		{"/a/b.txt", "/a/b", false},
	} {
		if got := fspath.Within(tt.path, tt.root); got != tt.want {
			t.Errorf("Within(%q, %q) = %v", tt.path, tt.root, got)
		}
	}
}
