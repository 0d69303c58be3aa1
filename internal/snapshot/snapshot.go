// Package snapshot keeps what the policy of a workspace comes to, so that a hook
// need not read it anew for each call: rules, mode, grants, in one file that can be
// read quickly and lost without harm.
//
// A snapshot names every file that it was made from, missing ones too, and counts
// only while all of them are as they were.
package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/preset"
)

// A Snapshot is the policy of one workspace.
type Snapshot struct {
	Root    string    `json:"root"`
	Home    string    `json:"home,omitempty"`    // what ~ is in the policy
	Program string    `json:"program,omitempty"` // what read it: see [Program]
	Made    time.Time `json:"made"`
	Sources []Source  `json:"sources"`

	// Rich says that this policy needs the rich program: it has a script in it,
	// or is that of another preset than native.
	Rich bool `json:"rich,omitempty"`

	Hash      string              `json:"hash"` // of the policy, for the journal
	Mode      string              `json:"mode,omitempty"`
	ModeFloor string              `json:"floor,omitempty"` // no session is looser
	Rules     []sayso.Rule        `json:"rules,omitempty"`
	Also      []string            `json:"also,omitempty"`
	Off       []preset.Capability `json:"off,omitempty"`
	Ask       []preset.Capability `json:"ask,omitempty"`
	Surface   sayso.Surface       `json:"surface,omitzero"`
	Grants    []sayso.GivenGrant  `json:"grants,omitempty"`
	Sealed    string              `json:"sealed,omitempty"` // what is in the profile: see [Snapshot.Seal]
	// Queued is how long the questions of hooks wait in the queue; 0: the agent
	// asks its user itself, [Nobody]: nobody is asked.
	Queued time.Duration `json:"queued,omitempty"`

	Err string `json:"err,omitempty"` // why a part of the policy did not load; then nothing is allowed
}

// Nobody is the time of a question where nobody may be asked.
const Nobody time.Duration = -1

// A Folder keeps snapshots.
type Folder struct {
	Dir string // the state folder of sayso
}

func (f Folder) dir() string { return filepath.Join(f.Dir, "snapshots") }

// File is where the snapshot of a workspace is.
func (f Folder) File(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(f.dir(), hex.EncodeToString(sum[:16])+".rows")
}

// Save keeps a snapshot.
func (f Folder) Save(s Snapshot) error {
	if err := private.Make(f.Dir, f.dir()); err != nil {
		return err
	}
	return private.Replace(f.File(s.Root), encode(s))
}

// ErrStale is the error for a snapshot that is missing, or older than what it was
// made from.
var ErrStale = errors.New("the snapshot is out of date")

// maxSize is the largest snapshot that is read.
const maxSize = 64 << 20

// Load returns the snapshot of a workspace if it was made from these sources, as
// they are now, for this user and by the program that is installed. It returns
// [ErrStale] if it was not, or if the policy did not load then, and another error if
// it cannot be trusted.
func (f Folder) Load(at local.Files, sources []Source) (Snapshot, error) {
	var s Snapshot
	if err := private.Check(f.Dir, f.dir()); err != nil {
		return s, err
	}
	file, err := private.Open(f.File(at.Root), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return s, ErrStale
	}
	if err != nil {
		return s, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := private.Read(file, maxSize)
	if err != nil {
		return s, private.Fail(file.Name(), "it cannot be read", "remove it: it is made anew", err)
	}
	s, err = decode(text)
	if err != nil || !s.Holds(at, sources) {
		return Snapshot{}, ErrStale
	}
	return s, nil
}

// Holds reports whether the snapshot was made from these sources, as they are now, for
// this user and by the program that is installed.
func (s *Snapshot) Holds(at local.Files, sources []Source) bool {
	return s.Root == at.Root && s.Home == at.Home && s.Program == Program() && same(s, sources, time.Now()) && !s.failed(time.Now())
}

// failed reports whether the policy did not load some time ago. It may do so now,
// although no source has changed: a key can be read again, or a lock has ended.
func (s *Snapshot) failed(now time.Time) bool { return s.Err != "" && now.Sub(s.Made).Abs() > settled }

// Policy returns what native needs.
func (s *Snapshot) Policy(guarded []string) preset.Policy {
	rules, err := sayso.NewRuleSet(s.Rules)
	if s.Err != "" {
		err = errors.Join(errors.New(s.Err), err)
	}
	return preset.Policy{Rules: rules, Err: err, Off: s.Off, Ask: s.Ask, Guarded: guarded}
}

// ModeFor is the mode of a session for which a person has chosen one, or none.
func (s *Snapshot) ModeFor(chosen string) string {
	switch {
	case chosen == "":
		return s.Mode
	case s.ModeFloor == "" || s.ModeFloor == chosen:
		return chosen
	}
	return fmt.Sprintf("%s+%s", chosen, s.ModeFloor)
}
