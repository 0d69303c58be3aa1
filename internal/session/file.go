package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// maxSize is the largest file that is read: some hundred thousand changes.
const maxSize = 32 << 20

// known is what a file says.
type known struct {
	id    string
	state sayso.SessionState
	size  int64 // of the lines that are whole
	lines int
}

// read reads the lines of a session's file. The last one does not count if it
// has no end: whoever wrote it was killed before anybody was answered. With an error
// comes what the lines before it say.
func read(file *os.File, belongs func(id string) bool) (known, error) {
	var k known
	text, err := private.Read(file, maxSize)
	if errors.Is(err, private.ErrTooLarge) {
		return k, private.Fail(file.Name(), fmt.Sprintf("it is larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	if err != nil {
		return k, private.Fail(file.Name(), "it cannot be read", "", err)
	}
	var waiting waits
	err = k.take(text, &waiting, belongs)
	left, wrong := waiting.read()
	if k.state.Waiting = left; err == nil {
		err = wrong
	}
	if err != nil {
		err = &private.Error{File: file.Name(), Line: k.lines, Problem: err.Error(), Hint: startAfresh, Err: err}
	}
	return k, err
}

// take takes over what lines say, up to one that is damaged.
func (k *known) take(text []byte, waiting *waits, belongs func(id string) bool) error {
	for {
		one, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return nil
		}
		l, err := parse(one)
		if err == nil && k.lines == 0 && !belongs(l.ID) {
			err = fmt.Errorf("it is the file of another session, %q", l.ID)
		}
		if err == nil && l.waits != nil {
			err = waiting.note(l.waits)
		}
		k.lines++
		if err != nil {
			return err
		}
		if k.lines == 1 {
			k.id = l.ID
		}
		l.apply(&k.state)
		k.size += int64(len(one)) + 1
		text = rest
	}
}

const startAfresh = "remove the file to let the session start afresh: what was denied, read and written in it is then forgotten"

// appendLine adds a line behind those that are whole.
func appendLine(file *os.File, size int64, l line) error {
	l.Version, l.Time = version, time.Now().UTC().Truncate(time.Second)
	text := l.text()
	if size+int64(len(text)) >= maxSize {
		return private.Fail(file.Name(), fmt.Sprintf("it would be larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	return private.Append(file, size, append(text, '\n'))
}
