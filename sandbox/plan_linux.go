package sandbox

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
)

// hiddenText names what nobody inside sees.
const hiddenText = "/run, /tmp and devices"

// hidden are the folders in which daemons have their sockets: whoever can see one can
// talk to it, however it is mounted.
var hidden = []string{"/run", "/var/run"}

// kept are folders in hidden ones that hold programs and libraries.
var kept = []string{"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"}

// private are the folders for temporary files, of which each run has its own.
var private = []string{"/tmp", "/var/tmp"}

// devices are those that every program may use.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// keys has the names of the keys that this user has outside. What is in them nobody
// inside gets at.
const keys = "/proc/keys"

// A machine is what this one has of all that, when it is first looked: whoever runs one
// command after the other need not look each time.
type machine struct {
	devices []string
	kept    []string
	keys    bool
}

var thisMachine = sync.OnceValue(func() (m machine) {
	isThere := func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	}
	for _, name := range devices {
		if isThere("/dev/" + name) {
			m.devices = append(m.devices, "/dev/"+name)
		}
	}
	for _, name := range kept {
		if isThere(name) {
			m.kept = append(m.kept, name)
		}
	}
	m.keys = isThere(keys)
	return m
})

// A plan is how the view of a run is built.
type plan struct {
	c        *sayso.Contract
	env      []string
	abi      int // of Landlock
	terminal bool
	temp     string     // what is seen as /tmp and /var/tmp is in it; empty: in memory
	layers   *layers    // what takes what is written; nil: it is written
	flat     bool       // without namespaces
	asks     bool       // about hosts that are not listed
	watched  bool       // somebody decides about the programs that it starts
	streams  []box.Step // for the standard streams

	seen *survey // what is there under barred names; nil: nobody has looked yet

	spare string // has what holds places while nothing runs; empty: it is made each time

	steps   []box.Step
	visible []string // see shown
	reals   map[string]string
	guards  [2]int              // which of the steps are those for protected paths
	stale   bool                // some time has passed since those were written
	looked  int                 // how often they were written
	covered []string            // folders that are empty at first
	links   []string            // protected paths that are links
	places  []string            // protected paths that are not there, whose place is to be held
	held    map[string]identity // protected paths on which something is mounted, and folders above them; not to be changed
	unseen  map[string]identity // hidden paths
	visited map[string]bool     // paths that were looked at for those that are protected, and whether something was there

	holds    *atomic.Pointer[holds] // learns what is held; nil: nobody does
	writable []string               // beside those of the contract
}

func (p *plan) add(words ...string) { p.steps = append(p.steps, words) }

// make writes the steps, for the files as they are now. It changes nothing.
func (p *plan) make() error {
	p.steps, p.covered, p.writable, p.visible, p.reals, p.unseen = make([]box.Step, 0, 64), nil, nil, nil, nil, nil
	if p.steps = append(p.steps, p.streams...); p.abi == 0 {
		p.steps = slices.DeleteFunc(p.steps, func(s box.Step) bool { return s[1] == "0" }) // it comes through a pipe
	}
	if err := p.files(); err != nil {
		return err
	}
	p.guards = [2]int{len(p.steps), len(p.steps)}
	if err := p.guard(); err != nil {
		return err
	}
	if err := p.hide(); err != nil {
		return err
	}
	p.tell()
	p.add(append([]string{box.Reads}, p.readable()...)...)
	p.add(append([]string{box.Writes}, p.writable...)...)
	p.add(box.Devices, "/dev")
	if err := p.sockets(); err != nil {
		return err
	}
	p.limit(box.LimitCPU, int64(p.c.CPU.Seconds()+0.999))
	p.limit(box.LimitMemory, p.c.Memory)
	p.limit(box.LimitProcs, int64(p.c.Procs))
	if p.layers != nil {
		p.limit(box.LimitFile, p.layers.limits.Bytes)
	}
	if !p.terminal {
		p.add(box.Session)
	}
	switch {
	case p.watched && p.c.Network == sayso.NetworkAll:
		p.add(box.Supervise, "exec", "connect")
	case p.watched: // its network is its own, and its way out is decided by the proxy
		p.add(box.Supervise, "exec")
	}
	p.add(box.Dir, p.c.Dir)
	p.add(append([]string{box.Env}, p.env...)...)
	p.add(append([]string{box.Argv}, p.c.Argv...)...)
	return nil
}

// sockets are the steps for what can be reached.
func (p *plan) sockets() error {
	switch p.c.Network {
	case sayso.NetworkNone:
		if p.layers != nil {
			p.add(box.Sockets, "inet")
			p.add(box.Watch)
			break
		}
		p.add(box.Sockets)
		p.add(box.NoTCP)
	case sayso.NetworkLoopback:
		p.add(box.Sockets, "inet")
		p.add(box.Loopback)
	case sayso.NetworkHosts:
		p.hosts()
	case sayso.NetworkAll:
		if p.watched { // whoever connects to a path does it in a view of its own, and nobody could do it instead
			p.add(box.Sockets, "inet")
			break
		}
		p.add(box.Sockets, "inet", "unix")
	default:
		return fmt.Errorf("the network %q is none that is known", p.c.Network)
	}
	return nil
}

func (p *plan) limit(name string, n int64) {
	if n > 0 {
		p.add(box.Limit, name, strconv.FormatInt(n, 10))
	}
}

// readable is what Landlock lets be read.
func (p *plan) readable() []string {
	if len(p.c.Read) == 0 {
		return []string{"/"}
	}
	return append([]string{"/proc", "/dev"}, p.shown()...)
}

// shown are the folders of the contract that can be read, those above others first.
func (p *plan) shown() []string {
	if p.visible != nil {
		return p.visible
	}
	var list []string
	for _, name := range slices.Concat(p.c.Read, []string{p.c.Dir}) {
		if real, err := p.real(name); err == nil { // what is not there cannot be read
			list = append(list, real)
		}
	}
	slices.Sort(list)
	all := slices.Compact(list)
	p.visible = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name != "/" && inside(filepath.Dir(name), all) })
	return p.visible
}

// files are the steps for what can be read and written.
func (p *plan) files() error {
	switch {
	case slices.Contains(p.c.Write, "/"):
		p.add(box.Root, "open")
	case len(p.c.Read) == 0:
		p.add(box.Root, "all")
	default:
		p.add(box.Root, "empty")
		p.covered = append(p.covered, "/")
		p.topLinks()
	}
	for _, dir := range private {
		if inside(dir, p.c.Write) || !p.canCover(dir) {
			continue
		}
		if p.temp != "" && p.c.Memory == 0 {
			p.add(box.Bind, p.temp+dir, dir, "rw")
		} else {
			p.add(box.Tmpfs, dir, "1777", p.size())
		}
		p.covered, p.writable = append(p.covered, dir), append(p.writable, dir)
	}
	var sealed []string
	for _, dir := range hidden {
		if !isFolder(dir) || inside(dir, p.c.Write) || len(p.c.Read) > 0 {
			continue
		}
		p.add(box.Tmpfs, dir, "755", "256k")
		p.covered, sealed = append(p.covered, dir), append(sealed, dir)
	}
	p.device()
	p.folder("/proc")
	p.add(box.Proc, "/proc")
	if thisMachine().keys {
		p.add(box.Hide, keys)
	}
	for _, name := range p.shown() {
		if (len(p.c.Read) > 0 || inside(name, p.covered)) && !inside(name, p.c.Write) {
			if err := p.show(name, "ro"); err != nil {
				return err
			}
		}
	}
	p.keep()
	if p.c.Network == sayso.NetworkHosts {
		p.resolver()
	}
	if err := p.writes(); err != nil {
		return err
	}
	for _, dir := range sealed {
		p.add(box.Seal, dir)
	}
	if len(p.c.Read) > 0 {
		p.add(box.Seal, "/")
	}
	return nil
}

// size is how large a folder in memory may get.
func (p *plan) size() string {
	if p.c.Memory > 0 {
		return strconv.FormatInt(p.c.Memory, 10)
	}
	return "50%"
}

// topLinks are the links of the root folder, such as /bin, without which programs
// are not found.
func (p *plan) topLinks() {
	entries, err := os.ReadDir("/")
	if err != nil {
		return // then there are none
	}
	for _, e := range entries {
		if to, err := os.Readlink("/" + e.Name()); err == nil && inside(path.Join("/", to), p.shown()) {
			p.add(box.Link, to, "/"+e.Name())
		}
	}
}

// canCover reports whether a folder can be mounted on, and makes it in an empty view.
func (p *plan) canCover(dir string) bool {
	if len(p.c.Read) > 0 {
		p.add(box.Folder, dir)
		return true
	}
	return isFolder(dir)
}

// folder makes a folder where the view is empty.
func (p *plan) folder(name string) {
	if inside(name, p.covered) {
		p.add(box.Folder, name)
	}
}

// real is where a path leads to, as it was seen first.
func (p *plan) real(name string) (string, error) {
	if real, ok := p.reals[name]; ok {
		return real, nil
	}
	real, err := filepath.EvalSymlinks(name)
	if p.reals == nil {
		p.reals = map[string]string{}
	}
	if err == nil {
		p.reals[name] = real
	}
	return real, err
}

// show lets something be seen, and makes the place for it if need be.
func (p *plan) show(name, how string) error {
	real, err := p.real(name)
	switch {
	case err != nil:
		return err
	case real != name && how == "rw":
		return fmt.Errorf("%s, which is to be written, leads to %s: name that", name, real)
	}
	if inside(name, p.covered) {
		if isFolder(real) {
			p.add(box.Folder, name)
		} else {
			p.add(box.File, name)
		}
	}
	p.add(box.Bind, real, name, how)
	return nil
}

// keep shows again what is needed in folders that are hidden.
func (p *plan) keep() {
	if len(p.c.Read) > 0 {
		return // only what it may read
	}
	list := thisMachine().kept
	if p.c.Network == sayso.NetworkAll {
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
			list = append(slices.Clone(list), real) // names are looked up as it says
		}
	}
	for _, name := range list {
		if inside(name, p.covered) {
			_ = p.show(name, "ro") // it was there when it was looked
		}
	}
}

// device is a /dev with the devices that every program may use, and terminals and
// shared memory of its own.
func (p *plan) device() {
	p.folder("/dev")
	p.add(box.Tmpfs, "/dev", "755", "64k")
	for _, name := range thisMachine().devices {
		p.add(box.File, name)
		p.add(box.Bind, name, name, "dev")
	}
	p.add(box.Folder, "/dev/pts")
	p.add(box.Pts, "/dev/pts")
	p.add(box.Folder, "/dev/shm")
	for _, link := range [...][2]string{{"pts/ptmx", "ptmx"}, {"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"}} {
		p.add(box.Link, link[0], "/dev/"+link[1])
	}
	p.add(box.Seal, "/dev")
	p.add(box.Tmpfs, "/dev/shm", "1777", p.size())
	p.writable = append(p.writable, "/dev/shm")
}

// writes are the steps for what can be written.
func (p *plan) writes() error {
	roots := slices.Sorted(slices.Values(p.c.Write))
	for _, root := range slices.Compact(roots) {
		if inside(root, []string{"/proc", "/dev", "/sys"}) {
			return fmt.Errorf("%s cannot be a folder to write in", root)
		}
		switch {
		case p.layers != nil:
			if err := p.layer(root); err != nil {
				return err
			}
		case root != "/":
			if err := p.show(root, "rw"); err != nil {
				return err
			}
		}
		p.writable = append(p.writable, root)
	}
	for _, dir := range slices.Sorted(slices.Values(p.c.Scratch)) {
		if !isFolder(dir) || inside(dir, p.c.Write) || inside(dir, p.covered) && !inside(dir, p.shown()) {
			continue // it is not there, can be written, or cannot be seen
		}
		p.add(box.Scratch, dir)
		p.writable = append(p.writable, dir)
	}
	return nil
}

// inside reports whether a path is one of the folders, or below one.
func inside(name string, folders []string) bool { return rootOf(name, folders) != "" }

// rootOf is the innermost of the folders that holds a path; empty: none does.
func rootOf(name string, folders []string) (root string) {
	for _, f := range folders {
		if (name == f || f == "/" || strings.HasPrefix(name, f+"/")) && len(f) > len(root) {
			root = f
		}
	}
	return root
}

func isFolder(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}
