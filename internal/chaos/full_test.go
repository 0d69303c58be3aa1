//go:build unix

package chaos_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/session"
	"github.com/sayso-dev/sayso/preset"
)

// fullDisk is the largest that a file may become for a worker whose disk is full.
const fullDisk = 90 << 10

// fill decides calls until the disk is full, says each that may run, and then how
// the one was decided that could not be recorded or remembered.
func (w *worker) fill() {
	signal.Ignore(syscall.SIGXFSZ)
	w.check(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fullDisk, Max: fullDisk}))
	w.journal.MaxSize = 0
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: session.Folder{Dir: w.dir}, Journal: w.journal}
	for range 10000 {
		id := w.id()
		command := "touch " + id // so that the session has something to remember
		p, d, err := e.Authorize(ctx, call(id, "full", command))
		if _, used := p.Use(); used == nil {
			w.say("ran", id)
			continue
		}
		w.say("refused", id, d.Effect.String(), fmt.Sprint(err))
		os.Exit(0)
	}
	os.Exit(1)
}

// TestFullDisk: when the disk is full calls are denied with the reason, those
// that ran are recorded, and with room again everything goes on.
func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state")
	cmd := exec.Command(self, "full", dir, "1", "")
	cmd.Env = append(os.Environ(), envRole+"=fill")
	cmd.Stderr = os.Stderr
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := &story{said: map[string][][]string{}, last: map[string]string{}}
	s.listen("full", strings.NewReader(string(out)))
	for _, fail := range s.fails {
		t.Error(fail)
	}
	refused := s.said["refused"]
	if len(refused) != 1 || refused[0][1] != "deny" || !strings.Contains(refused[0][2], dir) || !strings.Contains(refused[0][2], "is the disk full?") {
		t.Fatalf("refused: %q", refused)
	}
	if len(s.said["ran"]) < 20 {
		t.Errorf("only %d calls ran before the disk was full", len(s.said["ran"]))
	}
	s.records(t, dir)
	folder := journal.Folder{Dir: dir}
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Sessions: session.Folder{Dir: dir}, Journal: folder}
	if _, d, err := e.Authorize(ctx, call("later", "full", "ls")); err != nil || d.Effect != sayso.Allow {
		t.Errorf("with room again: %+v %v", d, err)
	}
	if report, err := folder.Verify(nil); err != nil || !report.OK() {
		t.Errorf("with room again: %+v %v", report, err)
	}
}
