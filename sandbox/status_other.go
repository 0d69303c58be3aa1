//go:build !unix

package sandbox

import (
	"os"
	"time"
)

// politely is how a process is asked to end.
var politely = os.Kill

// shortly is how long is waited for what should be over.
const shortly = 500 * time.Millisecond

// status is how a process ended.
func status(p *os.ProcessState) (exit, signal int) {
	if p == nil {
		return -1, 0
	}
	return p.ExitCode(), 0
}
