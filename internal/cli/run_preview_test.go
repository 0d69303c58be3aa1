//go:build linux

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunPreview: a person sees what it would change, and gets what they choose.
func TestRunPreview(t *testing.T) {
	const script = `sayso run --preview -- sh -c 'echo two >>file; echo ran >>count; echo "written $((40+2))"'; echo "ended $?"`
	for _, one := range []struct{ key, want, file string }{
		{"y", "one\ntwo\n", "file"},
		{"r", "one\ntwo\n", "file"},
		{"n", "one\n", "file"},
	} {
		t.Run(one.key, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if err := os.WriteFile(filepath.Join(d.dir, "file"), []byte("one\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			term := d.start(script)
			term.Wait("your answer")
			for _, row := range []string{"| changed  file: 8 bytes, which were 4", "| +two", "| added    count: file, 4 bytes", "| > written 42", "make exactly these changes", "run it for real"} {
				if !strings.Contains(term.Text(), row) {
					t.Errorf("the prompt has no %q:\n%s", row, term.Text())
				}
			}
			if text, err := os.ReadFile(filepath.Join(d.dir, "file")); err != nil || string(text) != "one\n" {
				t.Errorf("it was changed before the answer: %q %v", text, err)
			}
			term.Type(one.key)
			term.Wait(map[string]string{"y": "ended 0", "r": "ended 0", "n": "ended 126"}[one.key])
			if text, err := os.ReadFile(filepath.Join(d.dir, one.file)); err != nil || string(text) != one.want {
				t.Errorf("%s has %q, want %q (%v)\n%s", one.file, text, one.want, err, term.Text())
			}
			left, err := os.ReadDir(d.dir)
			if want := map[string]int{"y": 3, "r": 3, "n": 2}[one.key]; err != nil || len(left) != want {
				t.Errorf("there are %v (%v)", left, err)
			}
		})
	}
}

// TestRunPreviewStale: what somebody changes while a person reads is not overwritten.
func TestRunPreviewStale(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file := filepath.Join(d.dir, "file")
	if err := os.WriteFile(file, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	term := d.start(`sayso run --preview -- sh -c 'echo two >file'; echo "ended $?"`)
	term.Wait("your answer")
	if err := os.WriteFile(file, []byte("of a person\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	term.Type("y")
	term.Wait("ended 125")
	if text := term.Text(); !strings.Contains(text, "somebody has changed meanwhile") || !strings.Contains(text, "/file") {
		t.Errorf("%s", text)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "of a person\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestRunPreviewQueue: where an agent runs it, the one who answers elsewhere sees what
// it would change, and the agent sees nothing of it before.
func TestRunPreviewQueue(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	agent := d.start(`CLAUDECODE=1 sayso run --preview --wait 10m -- sh -c 'git push origin main; echo "x = 1" >made' >out 2>&1; echo "ended $?"`)
	id := d.waiting()
	if text := d.run("cat out"); strings.Contains(text, "+x = 1") {
		t.Errorf("the agent sees it before the answer:\n%s", text)
	}
	person := d.start("sayso approve")
	person.Wait("waiting 1")
	person.Press("\r", "+x = 1")
	d.run("sayso approve " + id)
	agent.Wait("ended 0")
	if text, err := os.ReadFile(filepath.Join(d.dir, "made")); err != nil || string(text) != "x = 1\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestRunPreviewLeaves: nothing is left of a preview that nobody reads to its end, nor
// for long of one that was killed.
func TestRunPreviewLeaves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`export TMPDIR=$HOME/layers; mkdir -p $TMPDIR/sayso-preview-old/a $TMPDIR/sayso-preview-new $TMPDIR/other; touch -d '8 days ago' $TMPDIR/sayso-preview-old $TMPDIR/other
		sayso run --preview -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do seq 30000 >f$i; done' </dev/null | head -n 1; ls $TMPDIR`)
	if !strings.HasSuffix(out, "other\nsayso-preview-new\n") || !strings.HasPrefix(out, "exit status 0") {
		t.Errorf("%s", out)
	}
}

// TestRunPreviewHostile: nothing that a command makes or writes controls the terminal.
func TestRunPreviewHostile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.run(`printf 'i=$(printf "\\033[2Jx\\nadded    fake: file"); : >"$i"; printf "\\033]0;t\\007" >esc; printf "\\033[31mred\\n+fake\\n"' >s.sh; sayso run --preview -- sh s.sh </dev/null; echo "status $?"`)
	if strings.ContainsAny(out, "\x1b\x07") || strings.Contains(out, "\nadded    fake") || strings.Contains(out, "\n+fake") || !strings.Contains(out, `> \x1b[31mred`) || !strings.Contains(out, "status 123") {
		t.Errorf("%q", out)
	}
}
