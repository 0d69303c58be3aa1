package shell

import "sync"

// A run is what one analysis needs, kept for the next one. Nothing of it is
// part of the result: [run.result] copies what is.
type run struct {
	w  walker
	st state
	f  frame

	root [1]string // the workspace, where the place names none
}

var runs = sync.Pool{New: func() any { return new(run) }}

// begin prepares the run for a command line of so many bytes.
func (r *run) begin(at Place, length int) {
	r.w.at, r.w.room = at, maxCommands
	if r.w.trail == nil {
		r.w.trail = new(trail)
	}
	if len(at.Workspace) == 0 {
		r.root[0] = at.Dir
		r.w.at.Workspace = r.root[:]
	}
	r.st = state{dir: at.Dir}
	r.f = frame{via: -1, pipeLen: 1, span: Span{0, length}}
}

// result is the analysis in memory of its own.
func (r *run) result() *Analysis {
	var args, paths, words int
	for _, c := range r.w.commands {
		args += len(c.Args)
		paths += len(c.Paths)
		words += len(c.Prefix) + len(c.Hosts)
	}
	p := roomFor(len(r.w.commands), args, paths, words)
	out := p.analysis
	out.Risk, out.Opaque, out.Commands = Safe, r.w.opaque, p.commands
	if out.Opaque != "" {
		out.Risk = Dangerous
	}
	for i, from := range r.w.commands {
		c := &out.Commands[i]
		*c = *from
		out.Risk = min(out.Risk, c.Risk)
		out.Effects |= c.Effects
		c.Suggest = c.Suggest && out.Opaque == ""
		c.Args = moved(&p.args, c.Args)
		c.Paths = moved(&p.paths, c.Paths)
		c.Prefix = moved(&p.words, c.Prefix)
		c.Hosts = moved(&p.words, c.Hosts)
	}
	return out
}

// A pieces is the memory of a result.
type pieces struct {
	analysis *Analysis
	commands []Command
	args     []Arg
	paths    []Path
	words    []string
}

// A fewPieces is the memory of a result with few values: most are such.
type fewPieces struct {
	Analysis
	commands [3]Command
	args     [8]Arg
	paths    [3]Path
	words    [6]string
}

// roomFor makes room for a result of so many values: all in one piece if they
// are few, else one piece for all values of a kind.
func roomFor(commands, args, paths, words int) pieces {
	var few *fewPieces
	if commands > len(few.commands) || args > len(few.args) || paths > len(few.paths) || words > len(few.words) {
		return pieces{new(Analysis), make([]Command, commands), make([]Arg, 0, args), make([]Path, 0, paths), make([]string, 0, words)}
	}
	few = new(fewPieces)
	return pieces{&few.Analysis, few.commands[:commands], few.args[:0], few.paths[:0], few.words[:0]}
}

// moved copies values into the room that was made for them.
func moved[T any](room *[]T, values []T) []T {
	if len(values) == 0 {
		return nil
	}
	start := len(*room)
	*room = append(*room, values...)
	return (*room)[start:len(*room):len(*room)]
}

// maxKept is how many commands a run keeps room for.
const maxKept = 64

// release empties what the next run will use, and drops the rest.
func (r *run) release() {
	w := &r.w
	w.trail.clean()
	kept := walker{
		args: w.args.emptied(), paths: w.paths.emptied(), words: w.words.emptied(), stages: w.stages.emptied(),
		visits: w.visits, blank: w.blank, text: w.text, parser: w.parser, trail: w.trail,
	}
	if len(w.commands) <= maxKept {
		for _, c := range w.commands {
			*c = Command{}
			kept.blank.put(c)
		}
		clear(w.commands)
		kept.commands = w.commands[:0]
	}
	*w = kept
	r.st = state{}
	runs.Put(r)
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

// emptied is the slab for the next run. What it holds is written over, not
// cleared: the pool itself lets go of it soon.
func (s *slab[T]) emptied() slab[T] {
	if len(s.free) > 4*maxKept {
		return slab[T]{}
	}
	return slab[T]{free: s.free}
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
	imported    map[string]bool   // modules that were followed
	sockets     map[string]string // connections that are open, by their number: to which host
	defined     []definition
	traps       []trapped
	leaves      [][]state // of each function or loop around: where it may be left
	exits       []state   // where the script may end
	secrets     []string  // by their number, from 2 on
	last        secretID  // the secret that was printed last
	shown       int       // how many commands have printed one
	listed      int       // how often the Machine was asked about the names in a folder
}

// clean empties the trail, if there is something in it.
func (t *trail) clean() {
	if cap(t.written)+cap(t.links)+cap(t.unpacked)+cap(t.hookFolders)+cap(t.defined)+cap(t.traps)+cap(t.leaves)+cap(t.exits)+cap(t.secrets)+t.shown+t.listed > 0 {
		*t = trail{}
	}
}
