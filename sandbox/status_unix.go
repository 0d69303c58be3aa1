//go:build unix

package sandbox

import (
	"os"
	"syscall"
	"time"
)

// politely is how a process is asked to end.
const politely = syscall.SIGTERM

// shortly is how long is waited for what should be over.
const shortly = 500 * time.Millisecond

// status is how a process ended.
func status(p *os.ProcessState) (exit, signal int) {
	if p == nil {
		return -1, 0
	}
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal()), int(w.Signal())
	}
	return p.ExitCode(), 0
}
