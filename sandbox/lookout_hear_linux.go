package sandbox

import (
	"iter"
	"strings"

	"golang.org/x/sys/unix"
)

// listen takes in what the kernel has told.
func (l *Lookout) listen() {
	if !l.isSame() || l.mounted() {
		l.changes++
		return
	}
	clear(l.touched)
	for more := true; more; {
		var happened iter.Seq[event]
		var err error
		if happened, more, err = l.kernel.read(); err != nil {
			l.changes++
			return
		}
		for e := range happened {
			l.hear(&e)
		}
	}
	l.settle()
}

// mounted reports whether something was mounted or is no more since it was asked last.
func (l *Lookout) mounted() bool {
	fds := []unix.PollFd{{Fd: int32(l.mounts), Events: unix.POLLPRI}} //nolint:gosec // a descriptor
	n, err := unix.Poll(fds, 0)
	return n != 0 || err != nil
}

// hear takes in one event.
func (l *Lookout) hear(e *event) {
	dir, known := l.watched[e.number]
	switch {
	case e.mask&unix.IN_Q_OVERFLOW != 0: // more has happened than it can tell
		l.changes++
		return
	case !known: // it is not watched any more
		return
	case len(e.name) == 0: // the folder itself
		l.changes++
		return
	}
	l.path = append(append(append(l.path[:0], strings.TrimSuffix(dir, "/")...), '/'), e.name...)
	place, before := l.places[string(l.path)], l.came
	l.came = nil
	switch {
	case place == nil:
		if l.matters(dir, e) {
			l.changes++
		}
	case e.mask&unix.IN_MOVED_TO != 0:
		l.came, l.touched[place] = place, false
	default:
		l.touched[place] = e.mask&(unix.IN_MOVED_FROM|unix.IN_DELETE) != 0 && before != place
	}
}

// matters reports whether a survey may be another one because something has changed in a
// folder.
func (l *Lookout) matters(dir string, e *event) bool {
	if e.mask&unix.IN_ISDIR != 0 {
		return true
	}
	if e.mask&unix.IN_ATTRIB != 0 {
		return false // only of folders
	}
	if w := l.wanted[dir]; w != nil && w.has(e.name) {
		return true
	}
	if !l.s.walk.lasts.has(e.name) {
		return false
	}
	barred, watched := l.s.walk.bars(string(l.path))
	return barred || watched
}

// settle looks at paths that are held while a command runs. What was not there, and is
// not there now, makes no difference. Where two things change places, it is told of each that
// it came, and at once that it went.
func (l *Lookout) settle() {
	for h, gone := range l.touched {
		if !gone {
			gone, _ = h.isAway()
		}
		if h.there || !gone {
			l.changes++
			return
		}
	}
}
