package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
)

// confine says what can be enforced, and how to run it.
func (j *job) confine() (Report, func(context.Context) (Result, error)) {
	j.shut()
	env := j.env
	if j.c.Network == sayso.NetworkHosts {
		env = proxied(env)
	}
	p := &plan{c: &j.c, seen: j.before, env: env, abi: box.LandlockABI(), terminal: j.o.Terminal, temp: j.o.Temp, layers: j.layers, asks: j.o.Connect != nil, watched: j.o.Exec != nil, streams: j.streamSteps(), holds: &j.holds}
	if j.o.Borrow != nil {
		p.spare = spareIn(j.o.State)
	}
	if err := p.make(); err != nil {
		j.holds.Store(nil)
		return nothing(&j.c, err.Error()), j.plain
	}
	return p.report(), func(ctx context.Context) (Result, error) { return j.confined(ctx, p) }
}

// report says what holds each promise if the plan is carried out; where a step of it
// fails, nothing is run.
func (p *plan) report() Report {
	r := make(Report, 0, 24)
	c := p.c
	version := "landlock ABI " + strconv.Itoa(p.abi)
	landlock := func(by []string, from int) []string {
		if p.abi >= from {
			by = append(by, version)
		}
		return by
	}
	if len(c.Read) == 0 {
		r.open(FilesRead, "everything can be read but "+hiddenText)
	} else {
		r.by(FilesRead, landlock([]string{"mount namespace"}, 1)...)
	}
	if len(c.Hidden) > 0 {
		r.by(Hidden, "mount namespace")
	}
	if slices.Contains(c.Write, "/") {
		r.open(FilesWrite, "everything can be written")
	} else {
		r.by(FilesWrite, landlock(p.holdsWrites(), 1)...)
	}
	switch {
	case len(c.Protected) == 0:
		r.open(Protected, "none")
	case len(p.links) > 0:
		r.not(Protected, "a link cannot be held: "+p.links[0])
	default:
		r.by(Protected, "mount namespace, and all is ended if somebody outside replaces one")
	}
	switch {
	case len(c.Barred) == 0:
	case p.layers != nil:
		r.by(Barred, "mount namespace", "what is made is shown")
	default:
		r.by(Barred, append([]string{"mount namespace, for what is there", undoes}, p.seen.alsoHeld()...)...)
	}
	p.network(&r, landlock)
	r.held(c)
	p.limits(&r)
	r.by(Escalation, "user namespace", "no capabilities", "no_new_privs", "seccomp")
	r.by(Outside, landlock([]string{"pid namespace", "ipc namespace", "seccomp", "mount namespace"}, 6)...)
	r.by(Descriptor, landlock([]string{"close_range", "mount namespace", "pipes in place of sockets"}, 1)...)
	if p.terminal {
		r.by(Terminal, "seccomp: nothing can be typed for you")
	} else {
		r.by(Terminal, "session of its own")
	}
	r.by(AllEnded, "pid namespace")
	if p.watched {
		r.open(Programs, "each is decided when it is started, which a hostile program can get around")
	}
	return r
}

func (p *plan) network(r *Report, landlock func([]string, int) []string) {
	switch p.c.Network {
	case sayso.NetworkNone:
		if p.layers != nil {
			r.by(Network, "network namespace in which every address leads to nowhere")
			r.by(Sockets, "seccomp")
			return
		}
		r.by(Network, landlock([]string{"network namespace", "seccomp"}, 4)...)
		r.by(Sockets, "seccomp")
	case sayso.NetworkLoopback:
		r.by(Network, "network namespace")
		r.by(Sockets, "seccomp")
	case sayso.NetworkAll:
		if p.watched {
			r.by(Network, "supervisor: each address is decided, and it makes the connections")
			r.by(Sockets, "seccomp")
			return
		}
		r.open(Network, "everything can be reached")
		r.open(Sockets, "everything can be reached but "+hiddenText)
	default:
		r.by(Network, "network namespace", fmt.Sprintf("proxy: hosts listed: %d, others are %s; names are looked up and checked by it", len(p.c.Hosts), map[bool]string{true: "asked about", false: "refused"}[p.asks]))
		r.by(Sockets, "seccomp")
	}
}

func (p *plan) limits(r *Report) {
	c := p.c
	if c.CPU > 0 {
		r.by(CPU, "rlimit for each process", "the first process adds them up")
	} else {
		r.open(CPU, "no limit")
	}
	if c.Memory > 0 {
		r.by(Memory, "rlimit for each process", "the first process adds them up", "size of /tmp", "seccomp")
	} else {
		r.open(Memory, "no limit")
	}
	switch {
	case c.Procs <= 0:
		r.open(Processes, "no limit")
	case os.Getuid() == 0: // the kernel lets root have more
		r.by(Processes, "pid namespace", "the first process counts them")
	default:
		r.by(Processes, "rlimit", "the first process counts them")
	}
}
