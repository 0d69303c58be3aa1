package shell

import "sync"

// A run is what one analysis needs, kept for the next one, and the memory of its
// result, which is not.
type run struct {
	w  walker
	st state
	f  frame

	few  *fewPieces
	next []fewPieces // for the results to come
	root [1]string   // the workspace, where the place names none
}

var runs = sync.Pool{New: func() any { return new(run) }}

// A fewPieces is the memory of a result with few values, in one piece: most are
// such. What does not fit is beside it.
type fewPieces struct {
	Analysis
	commands [3]Command
	args     [8]Arg
	paths    [4]Path
	words    [6]string
}

// ahead is for how many results memory is taken at once. One that is kept keeps the
// others: a few thousand bytes.
const ahead = 8

// begin prepares the run for a command line of so many bytes.
func (r *run) begin(at Place, length int) {
	if len(r.next) == 0 {
		r.next = make([]fewPieces, ahead)
	}
	few := &r.next[0]
	r.few, r.next = few, r.next[1:]
	w := &r.w
	w.fresh, w.args.free, w.paths.free, w.words.free = few.commands[:], few.args[:], few.paths[:], few.words[:]
	w.at, w.room = at, maxCommands
	if w.trail == nil {
		w.trail = new(trail)
	}
	if len(at.Workspace) == 0 {
		r.root[0] = at.Dir
		w.at.Workspace = r.root[:]
	}
	r.st = state{dir: at.Dir}
	r.f = frame{via: -1, pipeLen: 1, span: Span{0, length}}
}

// result is the analysis. Commands that were not found in the order in which they
// are reported, or are many, are copied; all else is where it was written.
func (r *run) result() *Analysis {
	found := r.w.commands
	out := &r.few.Analysis
	out.Risk, out.Opaque = Safe, r.w.opaque
	if out.Opaque != "" {
		out.Risk = Dangerous
	}
	if r.inOrder(found) {
		out.Commands = r.few.commands[:len(found):len(found)]
	} else {
		out.Commands = make([]Command, len(found))
		for i, from := range found {
			out.Commands[i] = *from
		}
	}
	for i := range out.Commands {
		c := &out.Commands[i]
		out.Risk = min(out.Risk, c.Risk)
		out.Effects |= c.Effects
		c.Suggest = c.Suggest && out.Opaque == ""
	}
	return out
}

// inOrder reports whether the commands are the first ones that were begun.
func (r *run) inOrder(found []*Command) bool {
	if len(found) > len(r.few.commands) {
		return false
	}
	for i, c := range found {
		if c != &r.few.commands[i] {
			return false
		}
	}
	return true
}

// blank is a command of which nothing is known yet.
func (w *walker) blank() *Command {
	if len(w.fresh) == 0 {
		return w.spare.get()
	}
	c := &w.fresh[0]
	w.fresh = w.fresh[1:]
	return c
}

// maxKept is how many commands a run keeps room for.
const maxKept = 64

// release empties what the next run will use. What that writes over anyway stays
// until then, or until the pool lets go of the run: to write a pointer costs while
// memory is being collected.
func (r *run) release() {
	w := &r.w
	w.trail.clean()
	w.opaque, w.steps, w.looks, w.stopped, w.items = "", 0, 0, false, false
	w.args.used, w.paths.used, w.words.used = 0, 0, 0
	w.stages.emptied()
	if len(w.commands) > maxKept {
		w.commands = nil
	}
	for _, c := range w.commands {
		if !r.own(c) {
			*c = Command{}
			w.spare.put(c)
		}
	}
	w.commands = w.commands[:0]
	runs.Put(r)
}

// own reports whether a command is part of the result.
func (r *run) own(c *Command) bool {
	return c == &r.few.commands[0] || c == &r.few.commands[1] || c == &r.few.commands[2]
}

// A slab hands out slices of a known capacity, cut from a larger one that is
// used again by the next run.
type slab[T any] struct {
	free []T // cut from its front
	used int // how much of it was handed out
}

func (s *slab[T]) take(n int) []T {
	if len(s.free)-s.used < n { // what was handed out stays with those who have it
		s.free = make([]T, max(n, 16, 2*len(s.free)))
		s.used = 0
	}
	s.used += n
	return s.free[s.used-n : s.used-n : s.used]
}

// emptied lets the next run use the slab, if it is not too large to be kept. What
// it holds is written over, not cleared.
func (s *slab[T]) emptied() {
	s.used = 0
	if len(s.free) > 4*maxKept {
		s.free = nil
	}
}

// A freeList keeps values that are large and needed again and again: one for
// each command, and as many at once as commands are nested.
type freeList[T any] struct{ free []*T }

func (l *freeList[T]) get() *T {
	n := len(l.free)
	if n == 0 {
		return new(T)
	}
	v := l.free[n-1]
	l.free = l.free[:n-1]
	return v
}

func (l *freeList[T]) put(v *T) { l.free = append(l.free, v) }

// A trail is what a script leaves behind for its later commands. Most leave
// nothing, so it is apart from what every run empties.
type trail struct {
	written     []writtenFile
	links       []link
	unpacked    []unpackedFolder
	hookFolders []string          // where git looks for hooks
	built       []string          // programs that a compiler has made
	imported    map[string]bool   // modules that were followed
	sockets     map[string]string // connections that are open, by their number: to which host
	defined     []definition
	traps       []trapped
	leaves      [][]state // of each function or loop around: where it may be left
	exits       []state   // where the script may end
	secrets     []string  // by their number, from 2 on
	last        secretID  // the secret that was printed last
	inIndex     secretID  // the secret that was added to a repository
	shown       int       // how many commands have printed one
	listed      int       // how often the Machine was asked about the names in a folder
}

// clean empties the trail, if there is something in it.
func (t *trail) clean() {
	if cap(t.written)+cap(t.links)+cap(t.unpacked)+cap(t.hookFolders)+cap(t.built)+cap(t.defined)+cap(t.traps)+cap(t.leaves)+cap(t.exits)+cap(t.secrets)+t.shown+t.listed > 0 {
		*t = trail{}
	}
}
