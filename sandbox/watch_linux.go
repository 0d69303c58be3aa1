package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mostWatched is how many folders are watched while a command runs, those nearer to the
// top first: each takes memory of the kernel, and some microseconds.
const mostWatched = 512

// barAfter is how long a command runs before it is watched. Most end sooner, and what
// they have made is found at their end; to stop watching takes the kernel ten
// milliseconds.
const barAfter = 20 * time.Millisecond

// bar ends the run as soon as something appears under a barred name, until the function
// that it returns is called. Where it cannot look, what was made is put aside at the end
// all the same.
func (j *job) bar(before survey) (stop func()) {
	before.folders = before.folders[:min(len(before.folders), mostWatched)]
	if len(j.c.Barred) == 0 {
		return func() {}
	}
	quit, over := make(chan struct{}), make(chan struct{})
	timer := time.AfterFunc(barAfter, func() {
		defer close(over)
		j.watch(&before, quit)
	})
	return func() {
		close(quit)
		if !timer.Stop() {
			<-over
		}
	}
}

// watch waits for something to appear under a barred name.
func (j *job) watch(before *survey, quit <-chan struct{}) {
	kernel, err := newInotify()
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(kernel.fd), "inotify")
	defer func() { go f.Close() }() //nolint:errcheck // it was only read, and nobody has to wait for it
	dirs := slices.Clone(before.folders)
	for _, pattern := range j.c.Barred {
		if !strings.Contains(pattern, below) {
			found, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
			dirs = append(dirs, found...)
		}
	}
	watched := map[int32]string{}
	for _, dir := range dirs {
		if n, err := kernel.add(dir, unix.IN_CREATE|unix.IN_MOVED_TO); err == nil {
			watched[n] = dir
		}
	}
	if made, _ := before.since(&j.c, func(string) {}); len(made) > 0 {
		j.stop(&barredError{path: made[0]})
		return
	}
	go func() {
		<-quit
		_ = f.SetReadDeadline(time.Now()) // what was read so far counts
	}()
	j.notice(f, kernel.buffer, watched)
}

// notice reads what has appeared.
func (j *job) notice(f *os.File, buffer []byte, watched map[int32]string) {
	for {
		n, err := f.Read(buffer)
		if err != nil {
			return // it is over
		}
		for e := range events(buffer[:n]) {
			path := filepath.Join(watched[e.number], string(e.name))
			if len(e.name) > 0 && j.c.Bars(path) && !slices.Contains(j.c.Protected, path) && j.appeared(path) {
				j.stop(&barredError{path: path})
				return
			}
		}
	}
}

// appeared reports whether something that was seen to be made is to end the run. A folder
// below the top may have got another name since, and then it is the command's own.
func (j *job) appeared(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) || slices.Contains(j.c.Write, filepath.Dir(path))
}
