package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sayso-dev/sayso/internal/private"
)

// A head says where the chain ends: so much of the journal was written, whatever
// the files have now. It is kept beside them, so that an end that was cut off is
// noticed, and the next record need not read what is there.
type head struct {
	first uint64 // the number of the first record of the last file
	seq   uint64 // the number of the last record; 0: there is none
	size  int64  // of the last file, up to there
	hash  string // of that record
	time  time.Time
}

// The head is one line of fixed length, so that a new one is one small write.
const (
	headForm = "%020d %020d %020d %020d %64s\n"
	headLen  = 4*21 + 64 + 1
)

func (h head) text() []byte {
	return fmt.Appendf(nil, headForm, h.first, h.seq, h.size, max(0, h.time.UnixNano()), h.hash)
}

// readHead reads the head; none is fine if there is no journal yet.
func readHead(file *os.File) (h head, found bool, err error) {
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return h, false, private.Fail(file.Name(), "it cannot be read", "", err)
	}
	if len(text) == 0 {
		return head{first: 1, hash: Genesis}, false, nil
	}
	var nanos int64
	n, err := fmt.Sscanf(string(text), "%d %d %d %d %64s\n", &h.first, &h.seq, &h.size, &nanos, &h.hash)
	h.time = time.Unix(0, nanos)
	if err != nil || n != 5 || len(text) != headLen || string(h.text()) != string(text) {
		return h, false, private.Fail(file.Name(), "it is damaged", repairHint, nil)
	}
	return h, true, nil
}

func (h head) write(file *os.File) error {
	if _, err := file.WriteAt(h.text(), 0); err != nil {
		return private.Fail(file.Name(), "it cannot be written", "is the disk full?", err)
	}
	return nil
}

// missing reports whether a file is not there.
func missing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}
