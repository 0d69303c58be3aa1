package journal

import (
	"io"
	"os"
	"strconv"
	"strings"
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

// The head is one line of fixed length, so that a new one is one small write: four
// numbers, each of so many digits and a blank, and the hash.
const (
	digits  = 20
	headLen = 4*(digits+1) + len(Genesis) + 1
)

func (h head) text() []byte {
	b := make([]byte, 0, headLen)
	for _, n := range [...]uint64{h.first, h.seq, uint64(h.size), uint64(max(0, h.time.UnixNano()))} {
		var short [digits]byte
		text := strconv.AppendUint(short[:0], n, 10)
		b = append(append(append(b, zeros[len(text):]...), text...), ' ')
	}
	return append(append(b, h.hash...), '\n')
}

const zeros = "00000000000000000000"

// number reads the next number of a head.
func number[T int64 | uint64](text *string, ok *bool) T {
	if len(*text) <= digits {
		*ok = false
		return 0
	}
	n, err := strconv.ParseUint((*text)[:digits], 10, 63)
	*ok = *ok && err == nil
	*text = (*text)[digits+1:]
	return T(n)
}

// readHead reads the head; none is fine if there is no journal yet.
func readHead(file *os.File) (h head, found bool, err error) {
	var room [headLen + 1]byte
	n, err := file.Read(room[:]) // of a file it is all that there is, up to the room
	if err != nil && err != io.EOF {
		return h, false, private.Fail(file.Name(), "it cannot be read", "", err)
	}
	text := room[:n]
	if len(text) == 0 {
		return head{first: 1, hash: Genesis}, false, nil
	}
	rest, ok := string(text), true
	h = head{first: number[uint64](&rest, &ok), seq: number[uint64](&rest, &ok), size: number[int64](&rest, &ok), time: time.Unix(0, number[int64](&rest, &ok))}
	h.hash = strings.TrimSuffix(rest, "\n")
	if !ok || len(text) != headLen || string(h.text()) != string(text) {
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
	return os.IsNotExist(err)
}
