package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// layer shows a folder so that what is written goes to its layer.
func (p *plan) layer(root string) error {
	l := p.layers.of(root)
	if l == nil {
		return nil // it is in a folder that has one
	}
	if real, err := filepath.EvalSymlinks(root); err != nil || real != root {
		return fmt.Errorf("%s, which is to be written, leads elsewhere: name that", root)
	}
	if inside(root, p.covered) {
		p.add(box.Folder, root)
	}
	if l.Copy {
		p.add(box.Bind, l.Upper, root, "rw")
		return nil
	}
	p.add(box.Layer, root, l.Upper, l.Work)
	below, err := mountedBelow(root)
	if err != nil {
		return err
	}
	for _, name := range below { // a layer does not show it
		p.add(box.Bind, name, name, "ro")
	}
	return nil
}

// marks reports whether overlayfs can mark folders: without that, one that is made in
// the place of another would show what was in that.
func marks(dir string) error {
	const name = "user.sayso.layer"
	if err := unix.Lsetxattr(dir, name, []byte("1"), 0); err != nil {
		return err
	}
	return unix.Lremovexattr(dir, name)
}

// pin is how folders above protected paths are held: in a preview with what is written
// in them.
func (p *plan) pin() string {
	if p.layers != nil {
		return box.PinHere
	}
	return box.Pin
}

// holdsWrites is what keeps files from being written.
func (p *plan) holdsWrites() []string {
	if p.layers == nil {
		return []string{"mount namespace"}
	}
	return []string{"layers: nothing that it writes stays", "mount namespace"}
}

// saw keeps what somebody inside has tried to reach.
func (j *job) saw(s box.Step) {
	if len(s) == 4 {
		j.tried = append(j.tried, Attempt{s[1], s[2], s[3]})
	}
}

// mountedBelow are the paths in a folder that something is mounted on.
func mountedBelow(root string) ([]string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		name, err := strconv.Unquote(`"` + strings.ReplaceAll(fields[4], `"`, `\"`) + `"`) // blanks are written as \040
		if err == nil && strings.HasPrefix(name, root+"/") {
			out = append(out, name)
		}
	}
	return out, nil
}
