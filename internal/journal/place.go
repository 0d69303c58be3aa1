package journal

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"iter"
	"math"
	"os"

	"github.com/sayso-dev/sayso/internal/private"
)

// A File is one of the files of a journal.
type File struct {
	First uint64 // the number of its first record
	Name  string
}

// Files lists the files of the journal, the oldest first.
func (f Folder) Files() ([]File, error) {
	if err := private.Check(f.Dir, f.dir()); err != nil {
		return nil, err
	}
	list, err := f.files()
	var out []File
	for _, first := range list {
		out = append(out, File{first, f.file(first)})
	}
	return out, err
}

// Scan yields the whole lines of one file from a place on.
func (f Folder) Scan(at Place) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { f.lines(&at, yield) }
}

// Read yields the lines at places, which are in order.
func (f Folder) Read(places iter.Seq2[Place, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var file *os.File
		var of uint64
		defer func() {
			if file != nil {
				_ = file.Close() // it was only read
			}
		}()
		for at, err := range places {
			if err == nil && (file == nil || of != at.First) {
				if file != nil {
					_ = file.Close() // it was only read
				}
				file, err = private.Open(f.file(at.First), os.O_RDONLY)
				of = at.First
			}
			var l Line
			if err == nil {
				l, err = lineAt(file, at)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// lineAt reads one line.
func lineAt(file *os.File, at Place) (Line, error) {
	in := bufio.NewReader(io.NewSectionReader(file, at.Offset, math.MaxInt64-at.Offset))
	l, err := lineOf(in, file.Name(), at)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Line{}, private.Fail(file.Name(), "it cannot be read", repairHint, err)
	}
	return l, nil
}

// Compare says which of two places is before the other one, as package cmp does.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.First, q.First), cmp.Compare(p.Offset, q.Offset))
}

// From yields the whole lines behind a place, in this file and those after it, and
// moves the place behind each of them: called again, it goes on with what was
// written meanwhile.
func (f Folder) From(at *Place) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { f.from(at, yield) }
}
