package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// What the kernel looks at of a script, and how often one may be run by another.
const (
	scriptHead = 256
	mostBy     = 5
)

// runBy is the program that the kernel starts in the place of a script, with what it is
// told first: nobody starts that by a call of its own, so nothing else tells of it.
func runBy(root, fd int, dir string) (words []string) {
	for range mostBy {
		line := scriptLine(fd)
		if len(line) == 0 {
			break
		}
		words = append(line, words...)
		name := line[0]
		if !filepath.IsAbs(name) {
			name = dir + "/" + name
		}
		next, err := lookUp(root, name)
		if err != nil {
			break // it fails
		}
		defer unix.Close(next) //nolint:errcheck // it was only looked at
		fd = next
	}
	return words
}

// scriptLine reads the first line of a script: a program, and all that is behind it as
// one word. It is empty if the file is no script.
func scriptLine(fd int) []string {
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil // it could wait for ever
	}
	f, err := os.Open("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return nil // the process may be able to run it; what it is then is not known
	}
	defer f.Close() //nolint:errcheck // it was only read
	head := make([]byte, scriptHead)
	n, _ := f.Read(head) // what is empty is no script
	rest, ok := bytes.CutPrefix(head[:n], []byte("#!"))
	if !ok {
		return nil
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	line, _, _ = bytes.Cut(line, []byte{0})
	line = bytes.Trim(line, " \t")
	end := bytes.IndexAny(line, " \t")
	switch {
	case len(line) == 0:
		return nil
	case end < 0:
		return []string{string(line)}
	}
	return []string{string(line[:end]), string(bytes.Trim(line[end:], " \t"))}
}
