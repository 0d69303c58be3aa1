package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sayso-dev/sayso/internal/dbstamp"
	"github.com/sayso-dev/sayso/internal/local"
)

// A Source is a file that a snapshot was made from, as it was then.
type Source struct {
	File    string    `json:"file"`
	Missing bool      `json:"missing,omitempty"`
	Size    int64     `json:"size,omitempty"`
	ModTime time.Time `json:"mtime,omitzero"`
	Inode   uint64    `json:"inode,omitempty"`
	Changed int64     `json:"ctime,omitempty"`   // when anything about it was, where a system tells
	Sum     string    `json:"sum,omitempty"`     // SHA-256 of what was read
	Changes uint32    `json:"changes,omitempty"` // of a database: how many it had
}

// PolicyHash identifies what a policy was made from: the preset, and the text of
// the files.
func PolicyHash(preset string, sources []Source) string {
	text := fmt.Appendf(nil, "%q\n", preset)
	for _, s := range sources {
		if !s.Missing {
			text = fmt.Appendf(text, "%q %s\n", s.File, s.Sum)
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// settled is how old a change must be at the making of a snapshot for its time to
// tell it from a later one: file systems count time in steps.
const settled = 3 * time.Second

// Sources returns the files that the policy of a workspace is made from, as they
// are now, and whether one of them is there: the policy files, the scripts, the
// profile, and the database of what people have granted and trust.
func Sources(at local.Files, database string) (list []Source, any bool) {
	list = make([]Source, 0, usual)
	add := func(name string) {
		if name == "" {
			return
		}
		s := look(name)
		list = append(list, s)
		any = any || !s.Missing
	}
	for _, layer := range local.Layers {
		add(at.File(layer))
	}
	for _, layer := range local.Layers {
		add(at.Script(layer))
	}
	add(local.Profile(filepath.Dir(database)))
	db := lookInto(database)
	return append(list, db), any || !db.Missing
}

// lookInto is what a database looks like from outside.
func lookInto(name string) Source {
	stamp, err := dbstamp.Of(name)
	switch {
	case err != nil:
		return Source{File: name} // it is there, and will not be the same
	case stamp == dbstamp.Stamp{}:
		return Source{File: name, Missing: true}
	}
	return Source{File: name, Size: stamp.Size, ModTime: time.Unix(0, stamp.Time), Inode: stamp.Inode, Changes: stamp.Changes}
}

// Look is what a file looks like now, without its text.
func Look(name string) Source { return look(name) }

// Program identifies the program that reads policies: another version may read
// them in another way. It is empty if there is none beside this one.
func Program() string {
	name, info, err := local.LookBeside("sayso")
	if err != nil {
		return ""
	}
	s := Source{Size: info.Size(), ModTime: info.ModTime()}
	s.Inode, s.Changed = stat(info)
	b := append([]byte(name), ' ')
	for _, n := range [...]uint64{uint64(s.Size), uint64(s.ModTime.UnixNano()), s.Inode, uint64(s.Changed)} {
		b = strconv.AppendUint(append(b, ' '), n, 36)
	}
	return string(b)
}

// same reports whether a snapshot was made from these files, as they are. One that was
// made too soon after a change to tell it from the next one counts by the text of the
// file, and only until that is over: then it is made once more, and for good.
func same(s *Snapshot, list []Source, now time.Time) bool {
	if len(list) != len(s.Sources) {
		return false
	}
	for i, n := range list {
		was := s.Sources[i]
		if n.File != was.File || n.Missing != was.Missing {
			return false
		}
		if n.Missing {
			continue
		}
		if n.Size != was.Size || !n.ModTime.Equal(was.ModTime) || n.Inode != was.Inode || n.Changed != was.Changed || n.Changes != was.Changes || was.ModTime.IsZero() {
			return false
		}
		if until := was.ModTime.Add(settled); was.Changes == 0 && until.After(s.Made) && (now.After(until) || !sameText(was)) {
			return false
		}
	}
	return true
}

// sameText compares the text itself.
func sameText(was Source) bool {
	sum := Sum(was.File)
	return sum != "" && sum == was.Sum
}

// Sum is the SHA-256 of a file; empty: it cannot be read.
func Sum(file string) string {
	text, err := local.Machine{}.ReadFile(file, 1<<20)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
