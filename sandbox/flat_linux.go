package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/local"
)

// without reports whether a sandbox could not be made because this system lets nobody
// have namespaces. Then a part of the contract can still be held.
func (e *setupError) without() bool { return e.step == "namespaces" || e.step == "mounts" }

// flat is how to run the command without namespaces, by Landlock and a filter of system
// calls alone, and what that holds.
func (j *job) flat(why *setupError) (Report, func(context.Context) (Result, error)) {
	if j.layers != nil || !why.without() {
		return nothing(&j.c, why.Error()), j.plain
	}
	p := &plan{c: &j.c, env: j.env, abi: box.LandlockABI(), terminal: j.o.Terminal, flat: true}
	return p.flatReport(), func(ctx context.Context) (Result, error) { return j.inFlat(ctx, p) }
}

// inFlat runs the command with a folder of its own for what is temporary.
func (j *job) inFlat(ctx context.Context, p *plan) (Result, error) {
	j.vigil.later()
	program := j.o.Box
	if program == "" {
		var err error
		if program, err = local.Beside("sayso-box"); err != nil {
			return Result{}, &setupError{"find sayso-box", err}
		}
	}
	own, err := os.MkdirTemp("", "sayso-run")
	if err != nil {
		return Result{}, &setupError{"temporary folder", err}
	}
	defer os.RemoveAll(own) //nolint:errcheck // it is in nobody's way
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return Result{}, &setupError{"temporary folder", err}
	}
	if err := p.makeFlat(own); err != nil {
		return Result{}, &setupError{"plan", err}
	}
	in, err := j.start(program, p)
	if err != nil {
		return Result{}, err
	}
	return in.wait(ctx)
}

// makeFlat writes the steps. What programs keep to be quicker goes to the folder for
// what is temporary: there are no layers.
func (p *plan) makeFlat(own string) error {
	p.add(append([]string{box.Reads}, p.flatReads()...)...)
	writable := []string{own}
	for _, root := range p.c.Write {
		if real, err := filepath.EvalSymlinks(root); err != nil || real != root {
			return errors.Join(err, fmt.Errorf("%s cannot be a folder to write in", root))
		}
		writable = append(writable, root)
	}
	p.add(append([]string{box.Writes}, writable...)...)
	step := box.Step{box.Devices}
	for _, name := range devices {
		if _, err := os.Stat("/dev/" + name); err == nil && (name != "tty" || p.terminal) {
			step = append(step, "/dev/"+name)
		}
	}
	p.steps = append(p.steps, step)
	switch p.c.Network {
	case sayso.NetworkAll:
		p.add(box.Sockets, "inet", "unix")
	default:
		p.add(box.Sockets)
		p.add(box.NoTCP)
	}
	if len(p.c.Write) == 0 {
		p.add(box.Frozen)
	}
	p.limit(box.LimitCPU, int64(p.c.CPU.Seconds()+0.999))
	p.limit(box.LimitMemory, p.c.Memory)
	if !p.terminal {
		p.add(box.Session)
	}
	env := slices.Clone(p.env)
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOTMPDIR", "npm_config_cache"} {
		env = slices.DeleteFunc(env, func(v string) bool { return len(v) > len(name) && v[:len(name)+1] == name+"=" })
		env = append(env, name+"="+own)
	}
	p.add(box.Dir, p.c.Dir)
	p.add(append([]string{box.Env}, env...)...)
	p.add(append([]string{box.Argv}, p.c.Argv...)...)
	return nil
}

func (p *plan) flatReads() []string {
	if len(p.c.Read) == 0 {
		return []string{"/"}
	}
	return append([]string{"/proc/self"}, p.shown()...)
}

// noView is why something is not held.
const noView = "there can be no mount namespace"

// flatReport says what holds each promise without namespaces.
func (p *plan) flatReport() Report {
	var r Report
	c := p.c
	land := fmt.Sprintf("landlock ABI %d", p.abi)
	p.flatFiles(&r, land)
	switch c.Network {
	case sayso.NetworkNone:
		r.by(Network, "seccomp: no sockets")
	case sayso.NetworkLoopback:
		r.by(Network, "seccomp: no sockets, not for the loopback either")
	case sayso.NetworkAll:
		r.open(Network, "everything can be reached")
	default:
		r.not(Network, "hosts cannot be told apart without a network namespace: none can be reached")
	}
	if c.Network == sayso.NetworkAll {
		r.open(Sockets, "everything can be reached")
	} else {
		r.by(Sockets, "seccomp")
	}
	r.held(c)
	p.flatLimits(&r)
	r.by(Escalation, "no capabilities", "no_new_privs", "seccomp")
	switch {
	case p.abi >= 6:
		r.partly(Outside, "their names and arguments can be seen", land, "seccomp")
	default:
		r.partly(Outside, "they can be sent signals, and their names and arguments be seen", "seccomp")
	}
	if p.abi > 0 {
		r.by(Descriptor, "close_range", "pipes in place of sockets", land)
	} else {
		r.partly(Descriptor, "without Landlock, what is behind one can be opened again", "close_range", "pipes in place of sockets")
	}
	if p.terminal {
		r.by(Terminal, "seccomp: nothing can be typed for you")
	} else {
		r.by(Terminal, "session of its own")
	}
	r.partly(AllEnded, "without a pid namespace, what ends the first process lets others go on", "the first process ends those that were left")
	return r
}

func (p *plan) flatFiles(r *Report, land string) {
	c := p.c
	switch {
	case len(c.Read) == 0:
		r.open(FilesRead, "everything can be read")
	case p.abi > 0:
		r.partly(FilesRead, "which files there are can be seen", land)
	default:
		r.not(FilesRead, "there is no Landlock, and "+noView)
	}
	if len(c.Hidden) > 0 {
		r.not(Hidden, "Landlock cannot deny a part of what it allows, and "+noView)
	}
	switch {
	case slices.Contains(c.Write, "/"):
		r.open(FilesWrite, "everything can be written")
	case p.abi < 3:
		r.not(FilesWrite, fmt.Sprintf("it takes Landlock ABI 3, not %d, and %s", p.abi, noView))
	case len(c.Write) == 0:
		r.by(FilesWrite, land, "seccomp: modes, owners, times and attributes stay as they are")
	default:
		r.partly(FilesWrite, "modes, times and attributes of your other files can be changed", land)
	}
	if len(c.Protected) == 0 || len(c.Write) == 0 {
		r.open(Protected, "none")
	} else {
		r.not(Protected, "Landlock cannot deny a part of what it allows, and "+noView)
	}
	if len(c.Barred) > 0 && len(c.Write) > 0 {
		r.partly(Barred, "what is there can be changed", undoes)
	}
}

func (p *plan) flatLimits(r *Report) {
	for _, limit := range []struct {
		promise string
		set     bool
		by      []string
	}{{CPU, p.c.CPU > 0, []string{"rlimit for each process"}}, {Memory, p.c.Memory > 0, []string{"rlimit for each process"}}, {Processes, p.c.Procs > 0, nil}} {
		switch {
		case !limit.set:
			r.open(limit.promise, "no limit")
		case limit.by != nil:
			r.partly(limit.promise, "nobody adds them up without a pid namespace", limit.by...)
		default:
			r.not(limit.promise, "nobody counts them without a pid namespace")
		}
	}
}
