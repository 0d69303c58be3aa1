package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// bar ends the run as soon as something appears under a barred name, until the function
// that it returns is called. Where it cannot look, what was made is put aside at the end
// all the same.
func (j *job) bar() (stop func()) {
	var dirs []string
	for _, pattern := range j.c.Barred {
		found, _ := filepath.Glob(filepath.Dir(pattern)) // the patterns were checked
		dirs = append(dirs, found...)
	}
	if len(dirs) == 0 {
		return func() {}
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return func() {}
	}
	slices.Sort(dirs)
	watched := map[int32]string{}
	for _, dir := range slices.Compact(dirs) {
		if n, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW); err == nil {
			watched[int32(n)] = dir //nolint:gosec // the kernel's numbers are small
		}
	}
	f := os.NewFile(uintptr(fd), "inotify")
	over := make(chan struct{})
	go func() {
		defer close(over)
		j.notice(f, watched)
	}()
	return func() {
		_ = f.Close() // it was only read
		<-over
	}
}

// notice reads what has appeared.
func (j *job) notice(f *os.File, watched map[int32]string) {
	events := make([]byte, 64<<10)
	for {
		n, err := f.Read(events)
		if err != nil {
			return // it was closed
		}
		for rest := events[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			number := int32(binary.NativeEndian.Uint32(rest)) //nolint:gosec // as the kernel writes it
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			if end > len(rest) {
				return // the kernel writes whole ones
			}
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			path := filepath.Join(watched[number], string(name))
			if len(name) > 0 && j.c.Bars(path) && !slices.Contains(j.c.Protected, path) {
				j.stop(&barredError{path})
				return
			}
			rest = rest[end:]
		}
	}
}
