package shell_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

func tarOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBrought: what guards an agent and comes in an archive is among the paths of
// the command that unpacks it, whatever the archive is packed with.
func TestBrought(t *testing.T) {
	const settings = "/home/dev/app/.claude/settings.json"
	evil := tarOf(t, "a.txt", ".claude/settings.json")
	for _, c := range []struct {
		command, file, text string
		brings              bool
	}{
		{"tar xf x.tar", "x.tar", evil, true},
		{"tar -x -f x.tar", "x.tar", evil, true},
		{"tar xzf x.tgz", "x.tgz", gzipOf(t, evil), true},
		{"bsdtar -xf x.tgz", "x.tgz", gzipOf(t, evil), true},
		{"tar xf x.tar --directory=.", "x.tar", evil, true},
		{"tar xf x.tar", "x.tar", tarOf(t, "x/../.claude/settings.json"), true},
		{"tar xf x.tar './.claude*'", "x.tar", evil, true},
		{"unzip -o x.zip", "x.zip", zipOf(t, "a.txt", ".CLAUDE/settings.json"), true},
		{"python3 -m zipfile -e x.zip .", "x.zip", zipOf(t, ".claude/settings.json"), true},
		{"tar xf x.tar src", "x.tar", evil, false},
		{"tar xf x.tar -C sub", "x.tar", evil, false},
		{"tar tf x.tar", "x.tar", evil, false},
		{"unzip -l x.zip", "x.zip", zipOf(t, ".claude/settings.json"), false},
		{"unzip x.zip", "x.zip", zipOf(t, "a/.claude/settings.json"), false},
		{"tar xf x.tar", "x.tar", tarOf(t, "a.txt", "b/c.txt"), false},
		{"tar xf x.tar", "x.tar", evil[:700], false}, // it ends before the second file
		{"tar xf x.tar", "x.tar", evil[:1024] + "x", true},
		{"unzip x.exe", "x.exe", "MZ" + zipOf(t, ".claude/settings.json"), true},
		{"tar xf x.txt", "x.txt", "no archive", false},
	} {
		a, _ := onMachine(t, map[string]string{"/home/dev/app/" + c.file: c.text}, c.command)
		brings := false
		for i := range a.Commands {
			for _, p := range a.Commands[i].Paths {
				brings = brings || p.Access == shell.Write && corpusPlace.Class(p.Abs)&shell.Guard != 0
			}
		}
		if brings != c.brings {
			t.Errorf("%s: it brings %s: %v, want %v: %+v", c.command, settings, brings, c.brings, a.Commands[0].Paths)
		}
	}
}
