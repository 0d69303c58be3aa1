package journal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/private"
)

// files are the numbers of the first records of the files, in order.
func (f Folder) files() ([]uint64, error) {
	entries, err := os.ReadDir(f.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, private.Fail(f.dir(), "it cannot be read", "", err)
	}
	var out []uint64
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if first, err := strconv.ParseUint(name, 10, 64); ok && err == nil && filepath.Base(f.file(first)) == e.Name() {
			out = append(out, first)
		}
	}
	slices.Sort(out)
	return out, nil
}

// A Line is one line of the journal as it was found.
type Line struct {
	File string
	Line int // from 1
	Text []byte
	Size int64 // of the line with its end
	Entry
	Err error // what is wrong with the line by itself
	At  Place // where it begins
}

// A Place is where a line of the journal begins, or may begin.
type Place struct {
	First  uint64 // the number of the first record of the file
	Offset int64  // in the file
	Lines  int    // of the file, before it
}

// All yields the lines of the journal, the oldest first. A line that is damaged
// has its error in it; an error of its own ends the sequence.
func (f Folder) All() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var at Place
		f.from(&at, yield)
	}
}

// Follow is All, and then waits for what is written until ctx ends.
func (f Folder) Follow(ctx context.Context) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var at Place
		for f.from(&at, yield) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// from yields the whole lines behind a place, and moves it. It reports whether
// more is wanted.
func (f Folder) from(at *Place, yield func(Line, error) bool) bool {
	if err := private.Check(f.Dir, f.dir()); err != nil {
		yield(Line{}, err)
		return false
	}
	files, err := f.files()
	if err != nil {
		yield(Line{}, err)
		return false
	}
	for _, first := range files {
		if first < at.First {
			continue
		}
		if first > at.First {
			*at = Place{First: first}
		}
		if !f.lines(at, yield) {
			return false
		}
	}
	return true
}

func (f Folder) lines(at *Place, yield func(Line, error) bool) bool {
	file, err := private.Open(f.file(at.First), os.O_RDONLY)
	if err != nil {
		yield(Line{}, notThere(f.file(at.First), err))
		return false
	}
	defer file.Close() //nolint:errcheck // it was only read
	if _, err := file.Seek(at.Offset, io.SeekStart); err != nil {
		yield(Line{}, private.Fail(file.Name(), "it cannot be read", "", err))
		return false
	}
	in := bufio.NewReader(file)
	for {
		l, err := lineOf(in, file.Name(), *at)
		if errors.Is(err, io.EOF) { // half a line is not there yet
			return true
		}
		if err != nil {
			yield(Line{}, private.Fail(file.Name(), "it cannot be read", "", err))
			return false
		}
		at.Offset += l.Size
		at.Lines++
		if !yield(l, nil) {
			return false
		}
	}
}
