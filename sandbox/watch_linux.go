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

// bar ends the run as soon as something appears under a barred name, or somebody outside
// moves what is protected or hidden, until the function that it returns is called. Where it
// cannot look, what was made is put aside at the end all the same.
func (j *job) bar(before survey) (stop func()) {
	before.folders = before.folders[:min(len(before.folders), mostWatched)]
	if len(j.c.Barred)+len(j.c.Protected)+len(j.c.Hidden) == 0 {
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

// watch waits for something to happen that ends the run.
func (j *job) watch(before *survey, quit <-chan struct{}) {
	kernel, err := newInotify()
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(kernel.fd), "inotify")
	defer func() { go f.Close() }() //nolint:errcheck // it was only read, and nobody has to wait for it
	n := notice{j: j, watched: map[int32]string{}, held: j.held(before)}
	dirs := slices.Clone(before.folders)
	for _, pattern := range j.c.Barred {
		if !strings.Contains(pattern, below) {
			found, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
			dirs = append(dirs, found...)
		}
	}
	for name := range n.held {
		dirs = append(dirs, filepath.Dir(name))
	}
	for _, dir := range dirs {
		if number, err := kernel.add(dir, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM); err == nil {
			n.watched[number] = dir
		}
	}
	if barred, _ := before.since(&j.c, func(string) {}); len(barred) > 0 {
		j.stop(&endedError{barred[0], made})
		return
	}
	go func() {
		<-quit
		_ = f.SetReadDeadline(time.Now()) // what was read so far counts
	}()
	n.read(f, kernel.buffer)
}

// held are the paths on which something is mounted inside, and the folders above them that
// can be written: what is mounted goes with them if somebody moves them. What only holds a
// place is ours to move.
func (j *job) held(before *survey) map[string]bool {
	out := map[string]bool{}
	for _, name := range slices.Concat(before.held(), j.c.Protected, j.c.Hidden) {
		if len(out) >= mostWatched {
			break
		}
		if _, err := os.Lstat(name); err != nil || isPlace(name) {
			continue
		}
		for out[name] = true; ; out[name] = true {
			if name = filepath.Dir(name); !inside(name, j.c.Write) || slices.Contains(j.c.Write, name) {
				break
			}
		}
	}
	return out
}

// A notice reads what happens in folders while a command runs.
type notice struct {
	j       *job
	watched map[int32]string // the folders, by the kernel's numbers
	held    map[string]bool
}

// read waits until something ends the run, or nobody waits any more.
func (n *notice) read(f *os.File, buffer []byte) {
	for {
		length, err := f.Read(buffer)
		if err != nil {
			return // it is over
		}
		for e := range events(buffer[:length]) {
			if why := n.ends(&e); why != nil {
				n.j.stop(why)
				return
			}
		}
	}
}

// ends is why something that has happened ends the run; nil: it does not.
func (n *notice) ends(e *event) error {
	path, c := filepath.Join(n.watched[e.number], string(e.name)), &n.j.c
	switch {
	case len(e.name) == 0:
	case e.mask&unix.IN_MOVED_FROM != 0:
		if n.held[path] && !n.j.loose.Load() {
			return &endedError{path, replaced}
		}
	case c.Bars(path) && !slices.Contains(c.Protected, path) && n.j.appeared(path):
		return &endedError{path, made}
	}
	return nil
}

// appeared reports whether something that was seen to be made is to end the run. A folder
// below the top may have got another name since, and then it is the command's own.
func (j *job) appeared(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) || slices.Contains(j.c.Write, filepath.Dir(path))
}
