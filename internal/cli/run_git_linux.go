package cli

import (
	"os"
	"syscall"
	"time"
)

// touchedSince reports whether a file may have been changed since then, by the one time
// that nobody can set.
func touchedSince(name string, then time.Time) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false // it is not there
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || !time.Unix(stat.Ctim.Unix()).Before(then.Add(-clockStep))
}

// clockStep is how far the times of files may be behind the clock.
const clockStep = 20 * time.Millisecond
