package sandbox

import (
	"errors"

	"github.com/sayso-dev/sayso"
)

// A Sight is what a [Lookout] has seen, for another process.
type Sight struct {
	Number  uint64   // under which it can be asked whether it is still so
	Barred  []string // what is there under barred names
	Watched []string // and under watched ones
	Folders []string // that were looked into
}

// A Far is a [Lookout] of another process: one that keeps places, say, and so has looked
// before. Where it fails, it is looked here.
type Far struct {
	See       func(c sayso.Contract) (Sight, error)
	Unchanged func(number uint64) bool
}

// Lookout is one that asks the other.
func (f *Far) Lookout() *Lookout { return &Lookout{far: f} }

// Sight looks, for another process. It fails where it cannot be sure to be told of every
// change.
func (l *Lookout) Sight(c sayso.Contract) (Sight, error) {
	s := l.look(&c)
	if s.out == nil {
		return Sight{}, errors.New("it is not told of every change")
	}
	return Sight{s.changes, s.barred, s.watched, s.folders}, nil
}

// Unchanged reports whether what is there is as it was in a sight.
func (l *Lookout) Unchanged(number uint64) bool { return l.unchanged(number) }

// There is what is there now that [Run] holds because of names that a contract bars.
func (l *Lookout) There(c sayso.Contract) []string {
	return sorted(l.look(&c).held())
}

// look is what the other has seen; nil: it is not known.
func (f *Far) look(c *sayso.Contract) *survey {
	seen, err := f.See(surveyed(c))
	if err != nil {
		return nil
	}
	s := &survey{barred: seen.Barred, watched: seen.Watched, folders: seen.Folders, links: map[string]string{}, changes: seen.Number}
	s.walk = newWalk(c, s)
	return s
}

// surveyed is what of a contract a survey depends on.
func surveyed(c *sayso.Contract) sayso.Contract {
	return sayso.Contract{Barred: c.Barred, Watched: c.Watched, Protected: c.Protected, Hidden: c.Hidden, Write: c.Write, Skipped: c.Skipped}
}
