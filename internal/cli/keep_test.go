//go:build linux

package cli_test

import (
	"os"
	"strings"
	"testing"
)

// TestRunKeep: the place of one command is kept for the next, in a process of its own,
// and is made anew where that has gone.
func TestRunKeep(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	t.Cleanup(func() { d.run(`kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock) || true`) })
	out := d.run(`where='readlink /proc/self/ns/pid'
		sayso run --keep -- $where </dev/null >zero
		for i in $(seq 100); do
			sayso run --keep --json -- $where </dev/null >one; grep -q '"kept": *true' one && break; sleep 0.1
		done
		sayso run --keep -- $where </dev/null >two; sayso run --keep -- $where </dev/null >three; cmp two three && echo same place
		sayso run -- $where </dev/null >four; cmp -s three four || echo another place
		ls -l "$HOME"/.local/state/sayso/kept
		echo "input" | sayso run --keep -- cat; sayso run --keep -- sh -c 'exit 5' </dev/null || echo "status $?"
		sayso run --keep --wait 10ms -- git push </dev/null 2>&1 | grep -o 'not allowed'
		kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock); sayso run --keep -- echo still runs </dev/null`)
	for _, want := range []string{"same place", "another place", "srw-------", "input\n", "status 5", "not allowed", "still runs"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q:\n%s", want, out)
		}
	}
}

// TestShellKeeps: a policy keeps the place for the commands of an agent's shell, and what
// holds the places of protected paths comes and goes with each of them.
func TestShellKeeps(t *testing.T) {
	t.Parallel()
	d := build(t, "sandbox: {keep: true}", "")
	t.Cleanup(func() { d.run(`kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock) || true`) })
	out := d.run(`bash() { sayso sh --as=bash "$@"; } # as a link of that name is called
		for i in $(seq 100); do
			bash -c 'readlink /proc/self/ns/pid' </dev/null >one; bash -c 'readlink /proc/self/ns/pid' </dev/null >two; cmp -s one two && break; sleep 0.1
		done
		cmp one two && echo same place
		bash -c 'stat -c "%n %F" .env .claude; echo x >.env || echo held; mkdir .claude/x || echo held' </dev/null 2>/dev/null
		ls -A; ls "$HOME"/.local/state/sayso/spare | wc -l`)
	for _, want := range []string{"same place", ".env socket", ".claude directory", "held\nheld\n.git\nMakefile\none\ntwo\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q:\n%s", want, out)
		}
	}
	if strings.HasSuffix(out, "\n0\n") {
		t.Errorf("nothing was kept:\n%s", out)
	}
}

// TestRunKeepInside: from inside of a sandbox, nobody gets the place of another one.
func TestRunKeepInside(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	t.Cleanup(func() { d.run(`kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock) || true`) })
	if err := os.WriteFile(d.dir+"/ask.py", []byte(`import glob, socket, sys
for name in glob.glob(sys.argv[1] + "/.local/state/sayso/kept/*[!k]"):
    s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(name); s.sendall(b'{"key": "x", "contract": {}}'); s.shutdown(1)
    print("answer", len(s.recv(1)))
`), 0o644); err != nil {
		t.Fatal(err)
	}
	out := d.run(`sayso run --keep -- true </dev/null
		for i in $(seq 100); do ls "$HOME"/.local/state/sayso/kept/*[!k] >/dev/null 2>&1 && break; sleep 0.1; done
		echo "outside $(python3 ask.py "$HOME")"; echo "confined $(setpriv --no-new-privs python3 ask.py "$HOME" 2>&1 | tail -n 1)"; echo "inside $(sayso run --network all --write "$HOME/.local" -- python3 ask.py "$HOME" </dev/null 2>&1 | tail -n 1)"`)
	if !strings.Contains(out, "outside answer 1") || !strings.Contains(out, "confined answer 0") && !strings.Contains(out, "confined ConnectionResetError") && !strings.Contains(out, "confined BrokenPipeError") || !strings.Contains(out, "inside \n") {
		t.Errorf("%s", out)
	}
}

// TestRunKeepSees: whoever keeps a place has seen what is in the workspace, and is told of
// what a person and commands make there later.
func TestRunKeepSees(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	t.Cleanup(func() { d.run(`kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock) || true`) })
	if err := os.WriteFile(d.dir+"/make.py", []byte(`import os, sys
for name in sys.argv[1:]:
    os.makedirs(os.path.dirname(name), exist_ok=True)
    open(name, "a").write("x\n")
`), 0o644); err != nil {
		t.Fatal(err)
	}
	out := d.run(`run() { sayso run --keep -- python3 make.py "$@" </dev/null >said 2>&1; echo "$1: $?"; grep -o 'Read-only\|put aside' said; true; }
		mkdir old; run old/first
		for i in $(seq 100); do sayso run --keep --json -- true </dev/null >one; grep -q '"kept": *true' one && break; sleep 0.1; done
		echo warm; run old/file; run old/.env; ls -A old
		run old/file; run old/file; git init -q lib; run lib/.git/config; run lib/.git/hooks/x
		run new/file; run new/.env; run own/.env; ls -A new own
		run old/file; run old/file; echo y >new/.env.mine; run new/.env.mine; run own/.env
		kill -9 $(cat "$HOME"/.local/state/sayso/kept/*.lock); run new/.env.more; run new/.env.mine; ls -A new`)
	_, out, _ = strings.Cut(out, "warm\n")
	want := `old/file: 0
old/.env: 126
put aside
file
first
old/file: 0
old/file: 0
lib/.git/config: 1
Read-only
lib/.git/hooks/x: 1
Read-only
new/file: 0
new/.env: 126
put aside
own/.env: 0
new:
file

own:
.env
old/file: 0
old/file: 0
new/.env.mine: 1
Read-only
own/.env: 1
Read-only
new/.env.more: 126
put aside
new/.env.mine: 1
Read-only
.env.mine
file
`
	if out != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}
