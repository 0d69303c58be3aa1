package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// guard writes the steps for protected paths, for the files as they are now, in the
// place of those that it has written before.
func (p *plan) guard() error {
	rest := slices.Clone(p.steps[p.guards[1]:])
	p.steps, p.links, p.places = p.steps[:p.guards[0]], nil, nil
	p.looked++
	switch {
	case p.seen == nil:
		p.seen = look(p.c)
	case p.stale:
		*p.seen = *look(p.c)
	}
	var err error
	if known := p.seen.guarded(); p.layers == nil && known != nil {
		p.steps, p.places, p.held = append(p.steps, known.steps...), slices.Clone(known.places), known.held
	} else if err = p.protected(); err == nil && p.layers == nil {
		p.seen.guard(p)
	}
	p.guards[1] = len(p.steps)
	p.steps = append(p.steps, rest...)
	p.tell()
	return err
}

// holds are paths on which something is mounted, and folders above them, with what is
// there: what is mounted is on that, and not on the name.
type holds struct{ held, unseen map[string]identity }

// tell tells what is held.
func (p *plan) tell() {
	if p.holds != nil && p.layers == nil {
		p.holds.Store(&holds{p.held, p.unseen})
	}
}

// moved is one of the paths under which there is something else now; empty: none is.
func (h *holds) moved() string {
	if h == nil {
		return ""
	}
	for _, paths := range []map[string]identity{h.held, h.unseen} {
		for path, was := range paths {
			var stat unix.Stat_t
			switch err := unix.Lstat(path, &stat); {
			case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
			case err != nil: // the command may have taken the right to look from this user, and itself
				continue
			}
			if identityOf(&stat) != was {
				return path
			}
		}
	}
	return ""
}

// A guarded is what guard has written for the files of a survey, without layers and links.
type guarded struct {
	steps  []box.Step
	places []string
	held   map[string]identity
}

// protected are the steps for what cannot be changed in folders that can.
func (p *plan) protected() error {
	p.held, p.visited = map[string]identity{}, map[string]bool{}
	g := guards{p: p, found: map[string]bool{}, pinned: map[string]bool{}}
	for _, name := range p.seen.held() {
		g.found[name] = !slices.Contains(p.c.Protected, name)
	}
	p.links = slices.Clone(p.seen.loose)
	g.above(p.c.Hidden)
	for _, name := range slices.Sorted(slices.Values(slices.Concat(p.c.Protected, p.seen.held()))) {
		root := rootOf(name, p.c.Write)
		if root == "" || inside(name, g.done) {
			continue // it cannot be written anyway
		}
		if name == root {
			return fmt.Errorf("%s is both to be written and protected", name)
		}
		if err := g.hold(strings.TrimSuffix(root, "/"), name); err != nil {
			return err
		}
	}
	return nil
}

// guards are the steps for protected paths, while they are written.
type guards struct {
	p      *plan
	found  map[string]bool // what is there, and may go, but is not to be made
	done   []string
	pinned map[string]bool
}

// above holds the folders above what is hidden: whoever moves one takes along what hides it.
func (g *guards) above(names []string) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		root := rootOf(name, g.p.c.Write)
		if root == "" || name == root || isLink(name) {
			continue
		}
		at := strings.TrimSuffix(root, "/")
		parts := strings.Split(strings.TrimPrefix(name, at+"/"), "/")
		for _, part := range parts[:len(parts)-1] {
			at += "/" + part
			var stat unix.Stat_t
			if unix.Lstat(at, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
				break // it is not there, or reached through a link
			}
			g.pin(at, &stat)
		}
	}
}

// pin holds a folder, so that it cannot be moved.
func (g *guards) pin(at string, stat *unix.Stat_t) {
	if !g.pinned[at] {
		g.p.add(g.p.pin(), at)
	}
	g.pinned[at], g.p.held[at] = true, identityOf(stat)
}

// hold writes the steps for one path in a folder that can be written.
func (g *guards) hold(at, name string) error {
	p := g.p
	found := g.found[name]
	for part := range strings.SplitSeq(strings.TrimPrefix(name, at+"/"), "/") {
		at += "/" + part
		var stat unix.Stat_t
		err := unix.Lstat(at, &stat)
		kind := stat.Mode & unix.S_IFMT
		p.visited[at] = err == nil
		switch {
		case errors.Is(err, fs.ErrNotExist) && found:
			return nil // it has gone since
		case errors.Is(err, fs.ErrNotExist):
			p.places = append(p.places, at)
		case err != nil:
			return fmt.Errorf("look at %s: %w", at, err)
		case kind == unix.S_IFLNK:
			if _, known := p.seen.links[at]; !known { // else it is put back
				p.links = append(p.links, at) // it cannot be held
			}
			g.done = append(g.done, at)
			return nil
		case kind != unix.S_IFREG && !found && isPlace(at):
			p.places, p.visited[at] = append(p.places, at), false
		case kind == unix.S_IFDIR && at != name:
			g.pin(at, &stat)
			continue
		default:
			p.held[at] = identityOf(&stat)
		}
		p.add(box.Protect, at)
		g.done = append(g.done, at)
		return nil
	}
	return nil
}

// hide are the steps for what nobody inside sees.
func (p *plan) hide() error {
	p.unseen = map[string]identity{}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(p.c.Hidden))) {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // there is nothing to be seen
			p.unseen[name] = identity{}
			continue
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s, which is to be hidden, is a link: name what it leads to", name)
		case inside(p.c.Dir, []string{name}):
			return fmt.Errorf("%s is to be hidden, and the command is to run in it", name)
		case inside(name, p.covered) && !inside(name, slices.Concat(p.shown(), p.c.Write)):
			continue // it is not shown
		}
		p.unseen[name] = identify(name)
		p.add(box.Hide, name)
	}
	return nil
}
