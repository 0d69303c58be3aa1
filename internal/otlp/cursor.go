package otlp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Cursor is how far an export has come: a file of the state folder, one for each
// place that is exported to and choice of records.
type Cursor struct {
	file string
	lock *os.File
	at   position
}

// A position is what a cursor says.
type position struct {
	Version int           `json:"v"`
	To      string        `json:"to"`   // for people: where it is sent to, and what
	Next    journal.Place `json:"next"` // what was not looked at yet
	Logs    journal.Place `json:"logs"` // up to where log records were sent: further, if spans were not
	Last    journal.Place `json:"last"` // the last record that was looked at, and
	Hash    string        `json:"hash"` // its hash; empty: none was
	Seq     uint64        `json:"seq"`  // its number
	Calls   []knownCall   `json:"calls,omitempty"`
}

// A knownCall is a call of which more may come.
type knownCall struct {
	key
	Trace  string        `json:"trace"`
	Span   string        `json:"span"`
	Parent string        `json:"parent,omitempty"`
	First  journal.Place `json:"first"`
	Ended  bool          `json:"ended,omitempty"`
	Last   time.Time     `json:"last"`
}

const (
	cursorVersion = 1
	mostCursor    = 16 << 20
	waitForOther  = time.Second
	againHint     = "--again sends all of it once more, with the same ids"
)

// OpenCursor opens the cursor of what is sent to a place, and keeps others from it
// until it is closed. With anew it starts over.
func OpenCursor(ctx context.Context, state, to string, anew bool) (*Cursor, error) {
	c := &Cursor{file: cursorFile(state, to)}
	if err := private.Make(state, filepath.Dir(c.file)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, waitForOther)
	defer cancel()
	var err error
	if c.lock, err = private.Lock(ctx, strings.TrimSuffix(c.file, ".json")+".lock"); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, private.Fail(c.file, "another sayso exports to "+to, "end that one, or let it go on", nil)
		}
		return nil, err
	}
	c.tidy()
	if !anew {
		err = c.read()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.at.Version, c.at.To = cursorVersion, to
	return c, nil
}

// tidy removes what processes left that were killed while they wrote it.
func (c *Cursor) tidy() {
	half, err := filepath.Glob(filepath.Join(filepath.Dir(c.file), "."+filepath.Base(c.file)+".*"))
	if err != nil {
		return // nothing is found by a folder of such a name
	}
	for _, name := range half {
		_ = os.Remove(name) // it only takes room
	}
}

// LookAt is the cursor of what is sent to a place, only to look at: it does not move.
func LookAt(state, to string, anew bool) (*Cursor, error) {
	c := &Cursor{file: cursorFile(state, to)}
	if anew {
		return c, nil
	}
	return c, c.read()
}

// cursorFile is where the cursor of a place is.
func cursorFile(state, to string) string {
	return filepath.Join(state, "export", idOf(spanBytes, to)+".json")
}

// Close lets others go on.
func (c *Cursor) Close() error {
	if c.lock == nil {
		return nil
	}
	return c.lock.Close()
}

func (c *Cursor) read() error {
	file, err := private.Open(c.file, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := private.Read(file, mostCursor)
	if err == nil {
		err = json.Unmarshal(text, &c.at)
	}
	if err != nil {
		return private.Fail(c.file, "it does not say how far the export came", againHint, err)
	}
	if c.at.Version > cursorVersion {
		return private.Fail(c.file, "a newer sayso wrote it", "use that one, or: "+againHint, nil)
	}
	return nil
}

// save keeps a position.
func (c *Cursor) save(p position) error {
	if c.lock == nil { // it is only looked at
		c.at = p
		return nil
	}
	p.Version, p.To = cursorVersion, c.at.To
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := private.ReplaceSafely(c.file, append(text, '\n')); err != nil {
		return err
	}
	c.at = p
	return nil
}
