package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/sayso-dev/sayso"
)

// version is the form of the lines. A line of a newer form is not understood.
const version = 1

// An Entry is a record with its place in the chain.
type Entry struct {
	Version int    `json:"v"`
	Seq     uint64 `json:"seq"`  // from 1, without gaps
	Prev    string `json:"prev"` // the hash of the entry before it
	sayso.Record
	Hash string `json:"hash"` // of all that stands before it in the line
}

// Genesis is what the first entry names as the one before it.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

const (
	hashKey = `,"hash":"`
	hashEnd = `"}`
	tailLen = len(hashKey) + 2*sha256.Size + len(hashEnd)
)

// seal appends a record as a line, masked and without its end, and returns the hash.
// The hash stands last, so that it can be of the bytes before it, whatever they
// are.
func seal(text []byte, seq uint64, prev string, r sayso.Record) (line []byte, hash string, err error) {
	from := len(text)
	text = strconv.AppendInt(append(text, `{"v":`...), version, 10)
	text = strconv.AppendUint(append(text, `,"seq":`...), seq, 10)
	text = append(append(append(text, `,"prev":"`...), prev...), '"')
	if text, err = appendMasked(text, r); err != nil {
		return nil, "", err
	}
	hash = sum(text[from:])
	text = append(append(text, hashKey...), hash...)
	return append(text, hashEnd...), hash, nil
}

func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// Ways in which a line can be wrong by itself.
var (
	errForm    = errors.New("it is no record")
	errChanged = errors.New("it was changed: its hash is another one")
)

// open reads a line and checks its own hash.
func open(line []byte) (Entry, error) {
	var e Entry
	if len(line) < tailLen || !bytes.HasPrefix(line[len(line)-tailLen:], []byte(hashKey)) || !bytes.HasSuffix(line, []byte(hashEnd)) {
		return e, errForm
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, errors.Join(errForm, err)
	}
	if e.Version > version {
		return e, fmt.Errorf("it has version %d: a newer sayso wrote it", e.Version)
	}
	if sum(line[:len(line)-tailLen]) != e.Hash {
		return e, errChanged
	}
	return e, nil
}

// follows says what is wrong if e does not come right behind the entry with that
// number and hash.
func (e *Entry) follows(seq uint64, hash string) error {
	switch {
	case e.Seq > seq+1:
		return fmt.Errorf("records %d to %d are missing before it", seq+1, e.Seq-1)
	case e.Seq <= seq:
		return fmt.Errorf("record %d stands behind record %d: they were reordered or doubled", e.Seq, seq)
	case e.Prev != hash:
		return fmt.Errorf("it does not follow record %d as that reads now: one of the two was changed", seq)
	}
	return nil
}
