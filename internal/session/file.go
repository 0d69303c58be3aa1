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
	lines int   // that were read

	sum   int // the length of the last line that sums up those before it
	since int // the length of what comes behind that one
}

// read reads the lines of a session's file, from the last one on that sums up those
// before it. The last line does not count if it has no end: whoever wrote it was killed
// before anybody was answered. With an error comes what the lines before it say.
func read(file *os.File, belongs func(id string) bool) (known, error) {
	if text, from := summedUp(file); from > 0 {
		k := known{size: from}
		if err := k.readLines(text, belongs); err == nil && k.lines > 0 {
			return k, nil
		}
	}
	var k known // from the start, with the numbers of the lines
	text, err := private.Read(file, maxSize)
	if errors.Is(err, private.ErrTooLarge) {
		return k, private.Fail(file.Name(), fmt.Sprintf("it is larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	if err != nil {
		return k, private.Fail(file.Name(), "it cannot be read", "", err)
	}
	if err := k.readLines(text, belongs); err != nil {
		return k, &private.Error{File: file.Name(), Line: k.lines, Problem: err.Error(), Hint: startAfresh, Err: err}
	}
	return k, nil
}

// tail is how much of the end of a file is read at first.
const tail = 8 << 10

// summedUp returns the end of a file that begins with a line which sums up those before
// it, and where that is; 0: there is none.
func summedUp(file *os.File) (text []byte, from int64) {
	info, err := file.Stat()
	if err != nil || info.Size() <= often || info.Size() > maxSize { // a short file has none
		return nil, 0
	}
	for n := int64(tail); ; n *= 8 {
		n = min(n, info.Size())
		text := make([]byte, n)
		if _, err := file.ReadAt(text, info.Size()-n); err != nil {
			return nil, 0
		}
		end := bytes.LastIndexByte(text, '\n') // a line that has no end does not count
		if i := bytes.LastIndex(text[:end+1], []byte(sumStart)); i >= 0 {
			return text[i+1:], info.Size() - n + int64(i) + 1
		}
		if n == info.Size() {
			return nil, 0
		}
	}
}

// readLines reads lines.
func (k *known) readLines(text []byte, belongs func(id string) bool) error {
	var waiting waits
	err := k.take(text, &waiting, belongs)
	left, wrong := waiting.read()
	if k.state.Waiting = left; err == nil {
		err = wrong
	}
	return err
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
		if err == nil && l.Sum {
			k.state, *waiting = sayso.SessionState{}, nil
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
		if k.since += len(one) + 1; l.Sum {
			k.sum, k.since = len(one)+1, 0
		}
		text = rest
	}
}

const startAfresh = "remove the file to let the session start afresh: what was denied, read and written in it is then forgotten"

// often is after how much a line sums up those before it.
const often = 4 << 10

// next is the line that comes next: what has changed, or where that is long enough, all
// that is known. So the next hook need not read what a session has left behind in a day.
func (k *known) next(id string, changed line, after sayso.SessionState) (line, error) {
	if k.lines == 0 {
		changed.ID = id
	}
	if k.since < max(often, k.sum) {
		return changed, nil
	}
	sum, _, err := difference(sayso.SessionState{}, after)
	sum.ID, sum.Sum = id, true
	return sum, err
}

// appendLine adds a line behind those that are whole.
func appendLine(file *os.File, size int64, l line) error {
	l.Version, l.Time = plainVersion, time.Now().UTC().Truncate(time.Second)
	if l.Sum {
		l.Version = version
	}
	text := l.text()
	if size+int64(len(text)) >= maxSize {
		return private.Fail(file.Name(), fmt.Sprintf("it would be larger than %d MiB", maxSize>>20), startAfresh, nil)
	}
	return private.Append(file, size, append(text, '\n'))
}
