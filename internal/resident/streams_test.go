//go:build linux && (amd64 || arm64)

package resident_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/early/form"
)

// TestStreams: however an agent gives the event and takes the answer, the hook ends the
// same with the process and without it.
func TestStreams(t *testing.T) {
	w := newWorld(t)
	w.ask(t, w.event("t0", "git status"), []string{alone}, "claude")
	file := filepath.Join(w.dir, "event")
	run := func(line string, env ...string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line, w.hook, file)
		cmd.Env = append(slices.Clone(w.env), env...)
		out, err := cmd.Output()
		return fmt.Sprintf("%s%v", out, err)
	}
	tests := []struct {
		name, line string
		size       int
		want       string
	}{
		{"a file", `"$0" claude <"$1"`, 0, `"deny"`},
		{"a pipe", `cat "$1" | "$0" claude`, 0, `"deny"`},
		{"in pieces", `{ head -c 9 "$1"; sleep 0.05; tail -c +10 "$1"; } | "$0" claude`, 0, `"deny"`},
		{"nothing", `"$0" claude </dev/null`, 0, "exit status 2"},
		{"closed", `"$0" claude <&-`, 0, "exit status 2"},
		{"only for writing", `"$0" claude 0>/dev/null`, 0, "exit status 2"},
		{"a folder", `"$0" claude </`, 0, "exit status 2"},
		{"nobody takes the answer", `"$0" claude <"$1" >&-`, 0, ""},
		{"no room for the answer", `"$0" claude <"$1" >/dev/full`, 0, "exit status 2"},
		{"the answer cannot be written", `"$0" claude <"$1" 1</dev/null`, 0, "exit status 2"},
		{"all are closed", `"$0" claude <&- >&- 2>&-`, 0, "exit status 2"},
		{"small files only", `ulimit -n 16; "$0" claude <"$1"`, 0, `"deny"`},
		{"other rights for new files", `umask 777; "$0" claude <"$1"`, 0, `"deny"`},
		{"from another folder", `cd /; "$0" claude <"$1"`, 0, `"deny"`},
		{"nearly too long", `"$0" claude <"$1"`, form.MaxEvent - 1, `"deny"`},
		{"as long as may be", `"$0" claude <"$1"`, form.MaxEvent, `"deny"`},
		{"too long", `"$0" claude <"$1"`, form.MaxEvent + 1, `"deny"`},
		{"much too long", `cat "$1" | "$0" claude`, 5 * form.MaxEvent, `"deny"`},
	}
	write := func(id string, size int) {
		text := w.event(id, "rm -rf build")
		text = strings.Replace(text, "{", "{"+strings.Repeat(" ", max(0, size-len(text))), 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for i, test := range tests {
		write(fmt.Sprint("a", i), test.size)
		want = append(want, run(test.line, alone))
		if !strings.Contains(want[i], test.want) {
			t.Errorf("%s: alone it is %s", test.name, want[i])
		}
	}
	w.serve(t)
	for i, test := range tests {
		write(fmt.Sprint("b", i), test.size)
		if got := run(test.line); got != want[i] {
			t.Errorf("%s: %s, want %s", test.name, got, want[i])
		}
	}
}
