package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A mount is a folder of this machine that a command sees under another name:
// docker run -v HOST:AT, chroot HOST.
type mount struct {
	host, at string
	readOnly bool
}

// mountOf reads HOST:CONTAINER[:OPTIONS], or type=bind,source=HOST,target=…
func mountOf(text string) (m mount) {
	if !strings.Contains(text, "=") || !strings.Contains(text, ",") {
		var rest string
		m.host, rest, _ = strings.Cut(text, ":")
		m.at, rest, _ = strings.Cut(rest, ":")
		for _, option := range strings.Split(rest, ",") {
			m.readOnly = m.readOnly || option == "ro" || option == "readonly"
		}
		return m
	}
	for _, field := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "source", "src":
			m.host = value
		case "target", "dst", "destination":
			m.at = value
		case "readonly", "ro":
			m.readOnly = !isFalse(value)
		}
	}
	return m
}

// named reports whether it is a volume with a name, not a folder.
func (m *mount) named() bool { return !strings.ContainsAny(m.host, "/.~$") }

// mount is a folder that a container gets. It may write to it, unless it is
// read-only.
func (v *visit) mount(a Arg) {
	m := mountOf(a.Text)
	if m.named() {
		return
	}
	a.Text = m.host
	a.Unknown = a.Unknown && strings.Contains(m.host, "$")
	if m.readOnly {
		v.touch(a, Read, true)
	} else {
		v.touch(a, Write, true)
	}
}

// leave makes st the state of a command that runs somewhere else: of this
// machine it sees what is mounted there.
func (v *visit) leave(st *state) {
	if v.traits()&table.IsElsewhere == 0 {
		return
	}
	outer := st.mounts
	st.dir, st.alt, st.far, st.mounts = "", "", "", nil
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.hasValue {
			v.sees(st, outer, g.flag.Kind, g.value)
		}
	}
	shape := v.r.shape()
	for i := range v.r.args {
		if s := slotFor(shape, i, len(v.r.args)); s != nil {
			v.sees(st, outer, s.Kind, v.r.args[i])
		}
	}
}

// sees applies an option or operand that says what a command sees elsewhere.
func (v *visit) sees(st *state, outer []mount, k table.Kind, a Arg) {
	m := mount{host: a.Text, at: "/"}
	switch k {
	case table.KindInnerCd:
		if path.IsAbs(a.Text) && !a.Unknown {
			st.dir = path.Clean(a.Text)
		}
		return
	case table.KindRoot:
		st.dir = "/"
	case table.KindMount:
		if m = mountOf(a.Text); m.named() || !path.IsAbs(m.at) {
			return
		}
	default:
		return
	}
	if m.host = resolve(m.host, v.st.dir); m.host == "" || a.Unknown && strings.Contains(m.host, "$") {
		return
	}
	if to, ok := through(outer, m.host); ok {
		m.host = to.host
	}
	m.at = path.Clean(m.at)
	st.mounts = append(st.mounts[:len(st.mounts):len(st.mounts)], m)
}

// through returns where a path leads that goes through a mount; the deepest one
// counts.
func through(mounts []mount, abs string) (to mount, ok bool) {
	for _, m := range mounts {
		if within(abs, m.at) && (!ok || len(m.at) >= len(to.at)) {
			to, ok = m, true
		}
	}
	if ok {
		to.host = path.Join(to.host, strings.TrimPrefix(abs, strings.TrimSuffix(to.at, "/")))
	}
	return to, ok
}

// mounted maps a path that a command touches elsewhere back to this machine, and
// reports whether it is touched at all: nothing writes to what is read-only.
func (st *state) mounted(p *Path) bool {
	to, ok := through(st.mounts, p.Abs)
	if !ok {
		return true
	}
	p.Abs, p.Here = to.host, true
	return !to.readOnly || p.Access == List || p.Access == Read
}

// below touches the folders of this machine that are mounted below one that a
// command empties or changes as a whole.
func (w *walker) below(st *state, c *Command, p Path) {
	if !p.Recursive || p.Here || p.Access == List {
		return
	}
	for _, m := range st.mounts {
		if m.at != p.Abs && within(m.at, p.Abs) && (!m.readOnly || p.Access == Read) {
			p.Abs, p.Here = m.host, true
			w.addPath(c, p)
			c.Risk = min(c.Risk, w.judge(&p))
		}
	}
}

// anyHere reports whether a command that runs elsewhere touches this machine.
func anyHere(paths []Path) bool {
	for i := range paths {
		if paths[i].Here {
			return true
		}
	}
	return false
}
