package sandbox

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
)

// A Lookout lets runs of one contract after the other start and end sooner where there
// are many folders. Before and after each run it has to be looked into all of them for
// names that the contract bars or watches. A Lookout lets the kernel tell what changes
// there, and looks again only if that could make a difference. Where it cannot be sure to
// be told of everything, it looks each time.
//
// The zero value can be used, by several at once; it must be closed, and then looks each
// time.
type Lookout struct {
	far *Far // that is asked instead

	mu      sync.Mutex
	c       sayso.Contract // whose patterns it looks for
	s       *survey        // nil: it has to look
	changes uint64         // goes on whenever something changes that could make a difference
	rest    time.Time      // it was in vain, and is not tried again before that
	closed  bool

	kernel *inotify // tells what happens; nil: it does not yet
	mounts int      // tells that something was mounted, or is no more

	watched map[int32]string  // the folders, by the kernel's numbers
	wanted  map[string]*wants // names in folders that patterns without ** go through
	places  map[string]*spot  // paths that are held while a command runs, if they are not there
	touched map[*spot]bool    // those of which something was told; and whether they have gone
	came    *spot             // the one of which it was told last, if it was moved there
	path    []byte            // of what was told last
	roots   map[string]identity
	blind   error // why it cannot be sure
}

// An identity tells a folder from one that has taken its place.
type identity struct{ dev, ino uint64 }

// blindRest is how long it is just looked where watching was in vain.
const blindRest = time.Minute

// look is what is there now under the names of a contract. Without a lookout it is
// looked each time.
func (l *Lookout) look(c *sayso.Contract) *survey {
	if l == nil || len(c.Barred)+len(c.Watched) == 0 {
		return look(c)
	}
	if l.far != nil {
		if s := l.far.look(c); s != nil {
			s.out = l
			return s
		}
		return look(c)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return look(c)
	}
	if !l.isFor(c) { // it is only watched if the next one is the same
		l.forget()
		l.c, l.rest = surveyed(c), time.Time{}
		for _, list := range []*[]string{&l.c.Barred, &l.c.Watched, &l.c.Protected, &l.c.Hidden, &l.c.Write, &l.c.Skipped} {
			*list = slices.Clone(*list) // whoever has the contract may change it
		}
		return look(c)
	}
	if l.s != nil {
		if l.listen(); l.s.changes == l.changes {
			s := *l.s
			return &s
		}
	}
	if time.Now().Before(l.rest) {
		return look(c)
	}
	return l.again()
}

// isFor reports whether a survey of the contract has the same in it.
func (l *Lookout) isFor(c *sayso.Contract) bool {
	return slices.Equal(c.Barred, l.c.Barred) && slices.Equal(c.Watched, l.c.Watched) && slices.Equal(c.Protected, l.c.Protected) && slices.Equal(c.Hidden, l.c.Hidden) && slices.Equal(c.Write, l.c.Write) && slices.Equal(c.Skipped, l.c.Skipped)
}

// unchanged reports whether nothing has happened since a survey of it that could make a
// difference.
func (l *Lookout) unchanged(changes uint64) bool {
	switch {
	case l == nil:
		return false
	case l.far != nil:
		return l.far.Unchanged(changes)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.s == nil || l.changes != changes {
		return false
	}
	l.listen()
	return l.changes == changes
}

// guarded is what was written for the protected paths as they are in a survey; nil: nothing
// was yet, or they may not be so any more.
func (s *survey) guarded() *guarded {
	if s.guards == nil {
		return nil
	}
	return s.guards.Load()
}

// guard keeps that for the next command, as long as nothing changes. What was planned while
// something was there for a moment is not kept.
func (s *survey) guard(p *plan) {
	if s.guards == nil || len(p.links) > 0 {
		return
	}
	for path, there := range p.visited {
		if spot := s.spots[path]; spot != nil && spot.there != there {
			return
		}
	}
	s.guards.Store(&guarded{slices.Clone(p.steps[p.guards[0]:]), slices.Clone(p.places), p.held})
}

// again looks into all folders, and lets them be watched. What changes in one from the
// moment on when it is about to be looked into is told.
func (l *Lookout) again() *survey {
	if err := l.open(); err != nil {
		return look(&l.c)
	}
	before := l.watched
	l.watched, l.wanted, l.places, l.roots, l.blind = map[int32]string{}, map[string]*wants{}, map[string]*spot{}, map[string]identity{}, nil
	l.changes++
	c := l.c     // which stays as it is as long as somebody has the survey
	l.identify() // before it looks: if somebody moves it meanwhile, it is another one when it is asked next
	l.shallow()
	l.protected()
	s := lookAt(&c, mostFolders, l.watch)
	switch {
	case s.blind != nil:
		l.blind = s.blind
	case len(s.links)+len(s.sealed)+s.unseen > 0:
		l.blind = errors.New("it depends on what links lead to, or on what nobody can see")
	}
	free := l.holds(s)
	if l.blind != nil {
		l.forget()
		l.rest = time.Now().Add(blindRest)
		return s
	}
	for number := range before {
		if _, still := l.watched[number]; !still {
			l.kernel.remove(number)
		}
	}
	s.out, s.changes, s.spots = l, l.changes, l.places
	if free { // else it is not told when somebody puts something there
		s.guards = new(atomic.Pointer[guarded])
	}
	l.s = s
	out := *s
	return &out
}

// open asks the kernel to tell.
func (l *Lookout) open() error {
	if l.kernel != nil {
		return nil
	}
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	kernel, err := newInotify()
	if err != nil {
		return errors.Join(err, unix.Close(mounts))
	}
	l.kernel, l.mounts, l.touched = kernel, mounts, map[*spot]bool{}
	l.changes += rand.Uint64() // nobody must take it for the number of another one, in a process that has gone
	return nil
}

// forget lets it have seen nothing.
func (l *Lookout) forget() {
	if l.kernel != nil {
		_ = unix.Close(l.mounts) // it was only read
		go l.kernel.close()      // nobody has to wait for it
	}
	l.kernel, l.s, l.watched = nil, nil, nil
	l.changes++
}

// Close ends it. Runs that have begun go on.
func (l *Lookout) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	l.closed = true
	return nil
}
