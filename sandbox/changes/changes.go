// Package changes reads what a command has changed in a layer above a folder, shows
// it, and makes exactly these changes in the folder, if they are wanted.
//
// [Read] makes a [Set] of a folder and the layer above it. [Set.Diff] shows a change of
// a text, [Set.Hash] identifies all of them together with what was there before, and
// [Set.Apply] makes them. It refuses if something is not as it was when the set was
// read, follows no link, touches nothing that is protected, and replaces each file at
// once: whoever reads it meanwhile sees the old or the new one.
//
// A layer is what overlayfs keeps what is written in, with user.overlay attributes; or
// a copy of the folder that was changed. Owners, attributes and access lists are not
// looked at: what is made belongs to who makes it.
//
// It works on Linux only.
package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// A Layer is a folder and where what is changed in it is kept.
type Layer struct {
	Root  string // the folder, absolute and without links
	Upper string // what was written
	Work  string // what overlayfs needs beside it

	// Copy says that Upper is a copy of Root that was changed, and no layer: what is
	// not there was removed.
	Copy bool

	// Began is when the command was started: what is changed in Root later is changed
	// by somebody else, and nothing is applied then. Zero: nobody looks.
	Began time.Time
}

// Limits say how much can be in a set. 0 stands for those of [DefaultLimits].
type Limits struct {
	Files int   // how many changes
	Bytes int64 // of all new files together
}

// DefaultLimits are those that count if none are set.
var DefaultLimits = Limits{Files: 50_000, Bytes: 1 << 30}

// Or are the limits with those of others where they are not set.
func (l Limits) Or(other Limits) Limits {
	if l.Files <= 0 {
		l.Files = other.Files
	}
	if l.Bytes <= 0 {
		l.Bytes = other.Bytes
	}
	return l
}

// ErrTooMuch says that a limit was reached.
var ErrTooMuch = errors.New("it changes more than a preview holds")

// A StaleError says that something is not as it was when the changes were read.
type StaleError struct{ Paths []string }

func (e *StaleError) Error() string {
	return "nothing was changed, because somebody has changed meanwhile: " + strings.Join(e.Paths, ", ")
}

// A PartError says that only some of the changes were made.
type PartError struct {
	Done int // how many
	Path string
	Err  error
}

func (e *PartError) Error() string {
	return fmt.Sprintf("only %d of the changes were made: %s: %v", e.Done, e.Path, e.Err)
}

func (e *PartError) Unwrap() error { return e.Err }

// A Kind is how something was changed.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Removed Kind = "removed"
)

// A Type is what is at a path.
type Type string

// The types of what can be changed.
const (
	File   Type = "file"
	Folder Type = "folder"
	Link   Type = "link"
	Pipe   Type = "pipe"
)

// A State is what is at a path, before or after.
type State struct {
	Type Type        `json:"type"`
	Mode fs.FileMode `json:"mode"`           // permissions, and setuid, setgid and sticky
	Size int64       `json:"size,omitempty"` // of a file
	Hash string      `json:"hash,omitempty"` // of a file that is compared: SHA-256
	To   string      `json:"to,omitempty"`   // of a link
	Time time.Time   `json:"time"`           // when it was written

	id identity
}

// An identity tells whether what is at a path is what was there.
type identity struct {
	dev, ino uint64
	names    uint64 // how many names it has
	changed  int64  // the time that nobody can set
}

// A Change is one path that is not what it was.
type Change struct {
	Path   string `json:"path"` // absolute
	Kind   Kind   `json:"kind"`
	Before *State `json:"before,omitempty"`
	After  *State `json:"after,omitempty"`

	// Same is another path of the set of which this one is only a further name.
	Same string `json:"same,omitempty"`

	// Names is how many names the file has that was there, if there are more than
	// this one: those keep what it was.
	Names int `json:"names,omitempty"`

	layer int // of the set
}

// Mode reports whether the change is of permissions and of nothing else.
func (c *Change) Mode() bool {
	return c.Kind == Changed && c.Before.Type == c.After.Type && c.Before.Mode != c.After.Mode && c.Before.Hash == c.After.Hash && c.Before.To == c.After.To
}

// Touched reports whether only the time of a file is another one.
func (c *Change) Touched() bool {
	return c.Kind == Changed && c.Before.Type == c.After.Type && c.Before.Mode == c.After.Mode && c.Before.Hash == c.After.Hash && c.Before.To == c.After.To
}

// A Set is all that was changed, in the order of the paths.
type Set struct {
	List  []Change `json:"list"`
	Notes []string `json:"notes,omitempty"` // what is not in it, and why

	layers    []Layer
	protected []string
	stale     []string // what somebody else has changed meanwhile
}

// Count is how many changes of a kind there are.
func (s *Set) Count(k Kind) (n int) {
	for i := range s.List {
		if s.List[i].Kind == k {
			n++
		}
	}
	return n
}

// String is how many changes there are.
func (s *Set) String() string {
	if len(s.List) == 0 {
		return "no changes"
	}
	var parts []string
	for _, k := range []Kind{Added, Changed, Removed} {
		if n := s.Count(k); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}

// Hash identifies the changes, and what they are changes of.
func (s *Set) Hash() string {
	var h strings.Builder
	state := func(st *State) {
		if st == nil {
			fmt.Fprint(&h, "-;")
			return
		}
		fmt.Fprintf(&h, "%s %o %d %s %q %d %v;", st.Type, st.Mode, st.Size, st.Hash, st.To, st.Time.UnixNano(), st.id)
	}
	for i := range s.List {
		c := &s.List[i]
		fmt.Fprintf(&h, "%q %s %q;", c.Path, c.Kind, c.Same)
		state(c.Before)
		state(c.After)
	}
	sum := sha256.Sum256([]byte(h.String()))
	return hex.EncodeToString(sum[:])
}

// inside reports whether a path is one of the others, or below one.
func inside(path string, others []string) bool {
	for _, o := range others {
		if path == o || strings.HasPrefix(path, strings.TrimSuffix(o, "/")+"/") {
			return true
		}
	}
	return false
}

// holds reports whether one of the others is below a path.
func holds(path string, others []string) bool {
	for _, o := range others {
		if strings.HasPrefix(o, path+"/") {
			return true
		}
	}
	return false
}
