package shell_test

import (
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestTyped: it is known which programs run what is typed into their terminal.
func TestTyped(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "bash -i": true, "zsh -l": true, "env bash": true, "exec sh": true, "ls; dash": true, "bash -s": true,
		"python3": true, "python3 -i x.py": true, "node": true, "irb": true, "ssh host": true, "su": true, "script -q /dev/null": true,
		"psql": true, "sqlite3 x.db": true, "mysql": true, "docker exec -it c bash": true, "vim a": true, "less a": true, "tmux": true, "gdb x": true,
		"sudo -i": true, "sh -c bash": true, "nohup python3": true, "ed a": true,

		"bash build.sh": false, "bash -c 'ls -l'": false, "echo ls | bash": false, "bash < x.sh": false, "bash --version": false,
		"python3 x.py": false, "python3 -c 'print(1)'": false, "python3 -m pytest": false, "node x.js": false, "ssh host uptime": false,
		"psql -c 'select 1'": false, "docker exec c ls": false, "tmux ls": false, "gdb -batch -ex bt x": false, "cat a": false, "git status": false,
		"sudo ls": false, "npm test": false, "make": false, "su -c ls": false, "sqlite3 x.db 'select 1'": false, "mysql -e 'select 1'": false, "tclsh x.tcl": false, "psql -f x.sql": false, "crontab -l": false, "at now <job": false, "osascript x.scpt": false, "sftp -b x host": false, "nix-shell --run make": false, "dc -e '1 p'": false, "gdb -ex run x": true, "tclsh": true, "patch -p1 <x.diff": false, "xargs rm <list": false, "cat <<E | python3\nprint(1)\nE": false,
	} {
		a, err := shell.Analyze(line, shell.Place{Dir: "/repo", Home: "/home/me", Workspace: []string{"/repo"}})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got := false
		for i := range a.Commands {
			got = got || a.Commands[i].Typed
		}
		if got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
