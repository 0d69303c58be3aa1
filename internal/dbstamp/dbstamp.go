// Package dbstamp tells whether an SQLite database has changed, without opening
// it as one: a process that lives for milliseconds cannot afford that.
//
// SQLite counts the changes of a file in its header, if its journal is not a
// write-ahead log. The count alone would not do: a transaction that was cut off
// is rolled back, and the next one has the same number. So size, time and inode
// count, too.
package dbstamp

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// A Stamp is what a database looks like from outside. Two that are equal are of
// the same content. The zero value is that of a database that is not there.
type Stamp struct {
	Size    int64  `json:"size,omitempty"`
	Time    int64  `json:"time,omitempty"`    // of its last change, in nanoseconds since 1970
	Inode   uint64 `json:"inode,omitempty"`   // 0 where there are none
	Changes uint32 `json:"changes,omitempty"` // as SQLite counts them
}

const (
	magic     = "SQLite format 3\x00"
	versions  = 18 // of the format for writing, then for reading: 1 rollback journal, 2 write-ahead log
	countFrom = 24
	headerLen = 100
)

// Of returns the stamp of a database. A process must not ask while it has the
// database open: that would end the locks that SQLite holds. Whoever reads the
// database to keep what it says must ask before they open it, so that a change in
// between shows as one.
func Of(name string) (Stamp, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if os.IsNotExist(err) {
		return Stamp{}, nil
	}
	if err != nil {
		return Stamp{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return Stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return Stamp{}, fmt.Errorf("%s: it is not a file", name)
	}
	s := Stamp{Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info)}
	if s.Size == 0 { // made, and never written to
		return s, nil
	}
	var header [headerLen]byte
	if _, err := io.ReadFull(file, header[:]); err != nil || string(header[:len(magic)]) != magic {
		return Stamp{}, fmt.Errorf("%s: it is no database: sayso doctor tells what to do about it", name)
	}
	if header[versions] != 1 || header[versions+1] != 1 {
		return Stamp{}, fmt.Errorf("%s: it has a write-ahead log, so that changes do not show in it: open it with sayso grant list, which ends that", name)
	}
	s.Changes = binary.BigEndian.Uint32(header[countFrom:])
	return s, nil
}
