package session

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/private"
)

// How long sessions are kept. A session that was pruned starts afresh when it is
// taken up again: what was denied in it is forgotten. So whatever was changed
// lately stays, however many sessions somebody starts to push it out.
const (
	keepAge   = 90 * 24 * time.Hour // since the last change
	keepCount = 1000                // of more than that the oldest go, but for those that
	keepFresh = 7 * 24 * time.Hour  // were changed since
	pruneMost = 100                 // at once: somebody waits for an answer
)

// prune removes sessions that nobody has used for long, but never that of id. It
// is done when a session starts, and does what it can: a file that another
// process has locked, or that cannot be removed, stays.
func (f Folder) prune(id string, now time.Time) {
	entries, err := os.ReadDir(f.sessions())
	if err != nil {
		return // whoever needs them says so
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), extension) {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	live, many, removed := filepath.Base(f.File(id)), len(all)-keepCount, 0
	for i, info := range all {
		limit := keepAge
		if i < many {
			limit = keepFresh
		}
		if now.Sub(info.ModTime()) < limit || removed == pruneMost {
			break // the others are younger
		}
		if info.Name() != live && f.pruneOne(info) {
			removed++
		}
	}
}

// pruneOne removes a file under its lock, if nobody has it and it is still as it
// was.
func (f Folder) pruneOne(old fs.FileInfo) bool {
	name := filepath.Join(f.sessions(), old.Name())
	tryOnce, cancel := context.WithCancel(context.Background())
	cancel()
	file, err := private.Lock(tryOnce, name)
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // it is gone, or was not changed
	now, err := file.Stat()
	if err != nil || !now.ModTime().Equal(old.ModTime()) || now.Size() != old.Size() {
		return false
	}
	return os.Remove(name) == nil
}
