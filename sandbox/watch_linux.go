package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mostWatched is how many folders are watched while a command runs, those nearer to the
// top first: each takes memory of the kernel, and some microseconds.
const mostWatched = 512

// barAfter is how long a command runs before it is watched, in a place of its own: one that
// is kept tells after the same time. Most end sooner, and what they have made is found at
// their end; to stop watching takes the kernel ten milliseconds.
const barAfter = 20 * time.Millisecond

// bar ends the run as soon as something appears under a barred name, or somebody outside
// moves what is protected or hidden, until the function that it returns is called. Where it
// cannot look, what was made is put aside at the end all the same.
func (j *job) bar(before survey) (stop func()) {
	before.folders = before.folders[:min(len(before.folders), mostWatched)]
	if len(j.c.Barred)+len(j.c.Protected)+len(j.c.Hidden) == 0 {
		return func() {}
	}
	j.vigil = &vigil{j: j, before: before, quit: make(chan struct{}), over: make(chan struct{})}
	return j.vigil.end
}

// A vigil watches while a command runs, if it runs for long enough.
type vigil struct {
	j          *job
	before     survey
	timer      *time.Timer
	once       sync.Once
	quit, over chan struct{}
}

// later begins when the command has run for a while; nil: nothing has to be watched.
func (v *vigil) later() {
	if v != nil && v.timer == nil {
		v.timer = time.AfterFunc(barAfter, v.begin)
	}
}

// begin begins now, unless it is over. A kept place tells when the time has come.
func (v *vigil) begin() {
	if v == nil {
		return
	}
	v.once.Do(func() {
		go func() {
			defer close(v.over)
			v.j.watch(&v.before, v.quit)
		}()
	})
}

// end ends it.
func (v *vigil) end() {
	close(v.quit)
	if v.timer != nil {
		v.timer.Stop()
	}
	v.once.Do(func() { close(v.over) }) // it has never begun
	<-v.over
}

// How often it is looked whether what is held was moved: by somebody who was not watched,
// or where nothing can be watched, because all that a user may have is taken.
const (
	lookEvery  = time.Second
	blindEvery = 20 * time.Millisecond
)

// watch waits for something to happen that ends the run.
func (j *job) watch(before *survey, quit <-chan struct{}) {
	n := notice{j: j, watched: map[int32]string{}, every: lookEvery}
	kernel, err := newInotify()
	if err == nil {
		n.file, n.buffer = os.NewFile(uintptr(kernel.fd), "inotify"), kernel.buffer
		defer func() { go n.file.Close() }() //nolint:errcheck // it was only read, and nobody has to wait for it
		for _, dir := range j.watchedFolders(before) {
			number, err := kernel.add(dir, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM)
			switch {
			case err == nil:
				n.watched[number] = dir
			case errors.Is(err, unix.ENOSPC): // all that this user may have is taken
				n.every = blindEvery
			}
		}
	}
	if barred, _ := before.since(&j.c, func(string) {}); len(barred) > 0 {
		n.made(barred[0])
	}
	if err != nil {
		n.poll(quit)
		return
	}
	go func() {
		<-quit
		_ = n.file.SetReadDeadline(time.Now()) // what was read so far counts
	}()
	n.listen(quit)
}

// watchedFolders are those in which something may happen that ends the run.
func (j *job) watchedFolders(before *survey) []string {
	dirs := slices.Clone(before.folders)
	for _, pattern := range j.c.Barred {
		if !strings.Contains(pattern, below) {
			found, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
			dirs = append(dirs, found...)
		}
	}
	for _, name := range slices.Concat(j.c.Protected, j.c.Hidden, before.barred[:min(len(before.barred), mostWatched)]) {
		for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
			if !inside(dir, j.c.Write) || slices.Contains(j.c.Write, dir) {
				break
			}
		}
	}
	return dirs
}

// A notice notices what happens in folders while a command runs.
type notice struct {
	j       *job
	file    *os.File
	buffer  []byte
	watched map[int32]string // the folders, by the kernel's numbers
	every   time.Duration    // it is looked at least so often
}

// made ends the run because of something that was made.
func (n *notice) made(path string) { n.j.stop(&endedError{path, made}) }

// isMoved looks whether what is held was moved, and then ends the run at once.
func (n *notice) isMoved() bool {
	path := n.j.holds.Load().moved()
	if path != "" {
		close(n.j.cut) // first: whoever ends it looks whether it has time
		n.j.stop(&endedError{path, replaced})
	}
	return path != ""
}

// poll looks again and again.
func (n *notice) poll(quit <-chan struct{}) {
	for !n.isMoved() {
		select {
		case <-quit:
			return
		case <-time.After(blindEvery):
		}
	}
}

// listen waits until what is held was moved, or nobody waits any more.
func (n *notice) listen(quit <-chan struct{}) {
	for !n.isMoved() {
		if n.file.SetReadDeadline(time.Now().Add(n.every)) != nil {
			return
		}
		select {
		case <-quit:
			return
		default:
		}
		length, err := n.file.Read(n.buffer)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			n.poll(quit)
			return
		}
		for e := range events(n.buffer[:max(length, 0)]) {
			path, c := filepath.Join(n.watched[e.number], string(e.name)), &n.j.c
			if e.mask&unix.IN_MOVED_FROM == 0 && len(e.name) > 0 && c.Bars(path) && !isProtected(c, path) && n.j.appeared(path) {
				n.made(path) // and it goes on: it may be given time to end
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
