// Package journal keeps the record of what was asked, decided, answered and run.
//
// It is a folder of files that are only ever appended to, one record a line. Each
// record has a number and the hash of the record before it, so that one that was
// changed, removed or moved shows; and the file head says where the chain ends,
// so that an end that was cut off shows, too. What it cannot show is a chain that
// somebody with the user's own rights wrote anew from some record on: for that,
// keep the hash of the last record elsewhere ([Head]) and compare.
//
// A record is whole or not there. A process that is killed while it writes leaves
// half a line, which the next one writes over: nobody was answered yet.
package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Folder is a journal. It is a [sayso.Journal], for any number of processes at
// once.
type Folder struct {
	// Dir is the state folder of sayso; the journal is in a folder of it.
	Dir string

	// MaxSize is how large a file may become before the next one is begun;
	// 0: 16 MiB.
	MaxSize int64

	// Sync makes each record wait for the disk, for what must survive that the
	// power fails.
	Sync bool

	// Clock is the time; nil: time.Now.
	Clock func() time.Time
}

const (
	defaultSize = 16 << 20

	// backwards is how far the clock may go back without being noticed; the
	// records then keep the later time, so that they stay in order.
	backwards = time.Minute

	repairHint = "sayso log verify says what is wrong, sayso log repair goes on with what is left and keeps all of it"
)

func (f Folder) dir() string  { return filepath.Join(f.Dir, "journal") }
func (f Folder) head() string { return filepath.Join(f.dir(), "head") }

// file is where the records from that number on are.
func (f Folder) file(first uint64) string {
	number := strconv.FormatUint(first, 10)
	const width = 12
	return filepath.Join(f.dir(), zeros[:max(0, width-len(number))]+number+".jsonl")
}

// Record appends records to the journal. When it returns, all of them are there, or
// an error says that none is; a process that is killed meanwhile may leave the first
// of them.
func (f Folder) Record(ctx context.Context, records ...sayso.Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := private.Make(f.Dir, f.dir()); err != nil {
		return err
	}
	lock, err := private.Lock(ctx, f.head())
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // what was written was written, and the lock ends with it
	end, last, err := f.end(lock)
	if last != nil {
		defer last.Close() //nolint:errcheck // a failure to write was seen
	}
	if err != nil {
		return err
	}
	return f.append(lock, end, last, records)
}

// end is where the chain ends: where the head says, or, if a process was killed
// before it could write that, behind what it has written. The last file is open,
// if there is one.
func (f Folder) end(lock *os.File) (head, *os.File, error) {
	h, found, err := readHead(lock)
	if err != nil {
		return h, nil, err
	}
	if !found { // the head is written before the first record
		if names, err := f.files(); err != nil || len(names) > 0 {
			return h, nil, errors.Join(err, private.Fail(f.head(), "it is missing, but there are records", repairHint, nil))
		}
		return h, nil, h.write(lock)
	}
	return f.forward(h)
}

// forward moves the head over whole lines that stand behind it, and returns the
// file in which they end.
func (f Folder) forward(h head) (head, *os.File, error) {
	for {
		file, info, err := private.OpenAndLook(f.file(h.first), os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) && h.seq == 0 {
			return h, nil, nil
		}
		if err != nil {
			return h, nil, notThere(f.file(h.first), err)
		}
		h, err = h.over(file, info.Size())
		if err != nil || h.first == h.seq+1 || h.size < f.most() || missing(f.file(h.seq+1)) {
			return h, file, err
		}
		_ = file.Close()             // it was only read
		h.first, h.size = h.seq+1, 0 // a file was begun, and the process killed
	}
}

// most is how large a file is at least when the next one is begun.
func (f Folder) most() int64 {
	if f.MaxSize > 0 {
		return f.MaxSize
	}
	return defaultSize
}

// notThere explains that a file of the journal is missing.
func notThere(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return private.Fail(name, "it is missing", repairHint, nil)
	}
	return err
}

// over moves the head over the whole lines of its file that stand behind it.
func (h head) over(file *os.File, size int64) (head, error) {
	switch {
	case size < h.size:
		return h, private.Fail(file.Name(), fmt.Sprintf("it was cut: it has %d bytes, and had %d", size, h.size), repairHint, nil)
	case size == h.size:
		return h, nil
	case size-h.size > maxBehind: // no process leaves as much
		return h, private.Fail(file.Name(), fmt.Sprintf("%d bytes stand behind record %d that are none of the journal", size-h.size, h.seq), repairHint, nil)
	}
	text, err := io.ReadAll(io.NewSectionReader(file, h.size, size-h.size))
	if err != nil {
		return h, private.Fail(file.Name(), "it cannot be read", "", err)
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return h, nil
		}
		e, err := open(line)
		if err == nil {
			err = e.follows(h.seq, h.hash)
		}
		if err != nil {
			return h, private.Fail(file.Name(), fmt.Sprintf("the record behind number %d: %v", h.seq, err), repairHint, nil)
		}
		h.seq, h.hash, h.time, h.size = e.Seq, e.Hash, e.Time, h.size+int64(len(line))+1
		text = rest
	}
}

// append writes records behind the end, and moves the head.
func (f Folder) append(lock *os.File, end head, last *os.File, records []sayso.Record) error {
	if end.size >= f.most() {
		end.first, end.size, last = end.seq+1, 0, nil
	}
	next := end
	text := make([]byte, 0, 8<<10) // enough for nearly every call
	for _, r := range records {
		var err error
		if r.Time, err = f.when(r.Time, next.time); err != nil {
			return err
		}
		if text, next.hash, err = seal(text, next.seq+1, next.hash, r); err != nil {
			return err
		}
		next.seq++
		next.time = r.Time
		text = append(text, '\n')
	}
	next.size = end.size + int64(len(text))
	if last == nil { // a file begins
		var err error
		if last, err = private.Open(f.file(end.first), os.O_WRONLY|os.O_CREATE); err != nil {
			return err
		}
		defer last.Close() //nolint:errcheck // a failure to write was seen
	}
	if err := private.Append(last, end.size, text); err != nil {
		return err
	}
	if f.Sync {
		if err := last.Sync(); err != nil {
			return private.Fail(last.Name(), "it cannot be written", "", err)
		}
	}
	return next.write(lock)
}

// when is the time of a record: now, but never before that of the last one. A
// clock that was set back is an error: what happened when could no longer be
// told, and what was granted for an hour would count for longer.
func (f Folder) when(given, last time.Time) (time.Time, error) {
	if given.IsZero() {
		given = time.Now()
		if f.Clock != nil {
			given = f.Clock()
		}
	}
	switch behind := last.Sub(given); {
	case behind > backwards:
		return given, private.Fail(f.head(), fmt.Sprintf("the clock is %s behind the last record, of %s", behind.Round(time.Second), last.UTC().Format(time.RFC3339)),
			"set the clock, or, if it is right now, run sayso log repair", nil)
	case behind > 0:
		return last, nil
	}
	return given, nil
}

var _ sayso.Journal = Folder{}
