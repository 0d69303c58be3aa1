package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/box"
)

// guard writes the steps for protected paths, for the files as they are now, in the
// place of those that it has written before.
func (p *plan) guard() error {
	rest := slices.Clone(p.steps[p.guards[1]:])
	p.steps, p.links, p.missing, p.places = p.steps[:p.guards[0]], nil, nil, nil
	p.looked++
	err := p.protected()
	p.guards[1] = len(p.steps)
	p.steps = append(p.steps, rest...)
	return err
}

// protected are the steps for what cannot be changed in folders that can.
func (p *plan) protected() error {
	var done []string
	pinned := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(slices.Concat(p.c.Protected, barred(p.c)))) {
		root := rootOf(name, p.c.Write)
		if root == "" || inside(name, done) {
			continue // it cannot be written anyway
		}
		if name == root {
			return fmt.Errorf("%s is both to be written and protected", name)
		}
		at := strings.TrimSuffix(root, "/")
	parts:
		for part := range strings.SplitSeq(strings.TrimPrefix(name, at+"/"), "/") {
			at += "/" + part
			info, err := os.Lstat(at)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				p.missing, p.places = append(p.missing, at), append(p.places, at)
			case err != nil:
				return err
			case info.Mode()&fs.ModeSymlink != 0:
				p.links = append(p.links, at) // it cannot be held
				done = append(done, at)
				break parts
			case !info.Mode().IsRegular() && isPlace(at):
				p.places = append(p.places, at)
			case info.IsDir() && at != name:
				if !pinned[at] {
					p.add(p.pin(), at)
				}
				pinned[at] = true
				continue
			}
			p.add(box.Protect, at)
			done = append(done, at)
			break
		}
	}
	return nil
}

// hide are the steps for what nobody inside sees.
func (p *plan) hide() error {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(p.c.Hidden))) {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // there is nothing to be seen
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
		p.add(box.Hide, name)
	}
	return nil
}
