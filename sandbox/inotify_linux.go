package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"golang.org/x/sys/unix"
)

// An inotify tells what happens in folders.
type inotify struct {
	fd     int
	buffer []byte
}

// newInotify is one that watches nothing yet.
func newInotify() (*inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	return &inotify{fd, make([]byte, 64<<10)}, err
}

// close ends it, which takes the kernel ten milliseconds.
func (n *inotify) close() { _ = unix.Close(n.fd) } // nothing was written to it

// add watches a folder, which must be no link, and returns the number that it has in
// events.
func (n *inotify) add(dir string, what uint32) (int32, error) {
	number, err := unix.InotifyAddWatch(n.fd, dir, what|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
	return int32(number), err //nolint:gosec // the kernel's numbers are small
}

// remove watches a folder no more; if it has gone, nobody does.
func (n *inotify) remove(number int32) {
	_, _ = unix.InotifyRmWatch(n.fd, uint32(number)) //nolint:gosec // as above
}

// An event is something that has happened.
type event struct {
	number int32 // of the folder
	mask   uint32
	name   []byte // in it, until the next is read; empty: the folder itself
}

// longestEvent is how many bytes the kernel writes for an event at most.
const longestEvent = unix.SizeofInotifyEvent + unix.NAME_MAX + 1

// read returns what has happened, and whether there may be more.
func (n *inotify) read() (happened iter.Seq[event], more bool, err error) {
	for {
		length, err := unix.Read(n.fd, n.buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return events(nil), false, nil
		case err != nil:
			return nil, false, err
		}
		return events(n.buffer[:length]), length > len(n.buffer)-longestEvent, nil
	}
}

// events reads those that the kernel has written.
func events(text []byte) iter.Seq[event] {
	return func(yield func(event) bool) {
		for len(text) >= unix.SizeofInotifyEvent {
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(text[12:]))
			if end > len(text) {
				return // the kernel writes whole ones
			}
			name, _, _ := bytes.Cut(text[unix.SizeofInotifyEvent:end], []byte{0})
			e := event{int32(binary.NativeEndian.Uint32(text)), binary.NativeEndian.Uint32(text[4:]), name} //nolint:gosec // as the kernel writes it
			if !yield(e) {
				return
			}
			text = text[end:]
		}
	}
}
