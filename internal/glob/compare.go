package glob

import (
	"strings"
)

// maxWork bounds a comparison of two patterns, in pairs of states or the like:
// some milliseconds. What takes longer is answered with the careful answer.
const maxWork = 1 << 20

// Overlaps reports whether some path may match both the glob and pattern, a
// pattern of the shell as a command has it. It errs on the side of yes: it
// takes a pattern as wide as any shell and locale may, and says yes to what it
// does not understand, such as @(a|b).
//
// The pattern is as clean and as absolute as the paths that are matched, but
// for . components and doubled slashes, which do no harm.
func (g Glob) Overlaps(pattern string) bool {
	if g.apart(pattern) {
		return false
	}
	s := readShell(pattern, g.fold)
	if s.unknown || g.Match(s.text) {
		return true
	}
	if !s.meta {
		return false
	}
	work := 0
	for i := range g.alts {
		a := &g.alts[i]
		if !a.mayBegin(s.prefix) {
			continue
		}
		steps := a.automaton(nil, true)
		if work += (len(steps) + 1) * (len(s.steps) + 1); work > maxWork || meet(steps, s.steps) {
			return true
		}
	}
	return false
}

// apart is the quick answer for most rules: a plain pattern, of which the
// beginning already differs from that of every alternative.
func (g Glob) apart(pattern string) bool {
	if g.fold || len(pattern) > MaxLength || strings.ContainsAny(pattern, `[({\`) || strings.HasPrefix(pattern, ".") ||
		strings.Contains(pattern, "/.") || strings.Contains(pattern, "//") {
		return len(g.alts) == 0
	}
	prefix := pattern
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		prefix = pattern[:i]
	}
	for i := range g.alts {
		if g.alts[i].mayBegin(prefix) {
			return false
		}
	}
	return true
}

// mayBegin reports whether a match may begin with prefix, or be shorter and
// prefix begin with it.
func (a *alternative) mayBegin(prefix string) bool {
	begin := a.lit
	if a.kind == named {
		begin = ""
	}
	return strings.HasPrefix(begin, prefix) || strings.HasPrefix(prefix, begin)
}

// Covers reports whether every path that pattern, a pattern of the shell, may
// match also matches the glob. It errs on the side of no, in the same way as
// Overlaps. If nothing matches, a shell passes the pattern on as it is; so the
// glob must match that too.
func (g Glob) Covers(pattern string) bool {
	if g.apart(pattern) {
		return false
	}
	s := readShell(pattern, g.fold)
	if s.unknown || !g.Match(s.text) {
		return false
	}
	if !s.meta {
		return true
	}
	var all automaton
	var starts []int
	for i := range g.alts {
		a := &g.alts[i]
		if a.kind == every || a.kind == below && strings.HasPrefix(s.prefix, a.lit+"/") {
			return true
		}
		starts = append(starts, len(all))
		all = a.automaton(all, false)
		all.add(end, byteSet{})
	}
	if len(all)*len(s.steps) > maxWork {
		return false
	}
	return newCover(all, s.steps).holds(starts)
}

// A cover walks through a shell pattern and keeps, for the text read so far,
// the set of states that the glob may be in. The pattern is covered if the
// glob accepts wherever the pattern does.
type cover struct {
	glob, shell automaton
	kinds       []byteSet // bytes between which the glob makes no difference
	seen        map[string]bool
	todo        []coverState
	work        int
}

type coverState struct {
	at   int    // in the shell pattern
	glob states // in the glob
}

func newCover(glob, shell automaton) *cover {
	c := &cover{glob: glob, shell: shell, kinds: []byteSet{anyByte}, seen: map[string]bool{}}
	known := map[byteSet]bool{anyByte: true}
	for _, s := range glob {
		if s.op >= skip || known[s.bytes] {
			continue
		}
		known[s.bytes] = true
		for i := range c.kinds {
			in, out := c.kinds[i].and(s.bytes), c.kinds[i].without(s.bytes)
			if !in.empty() && !out.empty() {
				c.kinds[i] = in
				c.kinds = append(c.kinds, out)
			}
		}
	}
	return c
}

func (c *cover) holds(starts []int) bool {
	first := c.none()
	for _, s := range starts {
		c.enter(first, s)
	}
	c.visit(0, first)
	for len(c.todo) > 0 {
		now := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if now.at == len(c.shell) {
			if !c.accepts(now.glob) {
				return false
			}
			continue
		}
		c.shell.free(now.at, func(next int) { c.visit(next, now.glob) })
		if c.shell.reads(now.at) {
			for _, kind := range c.kinds {
				if both := kind.and(c.shell[now.at].bytes); !both.empty() {
					c.visit(c.shell.after(now.at), c.move(now.glob, both.first()))
				}
			}
		}
		if c.work > maxWork {
			return false
		}
	}
	return true
}

// visit queues a pair that was not seen before.
func (c *cover) visit(at int, glob states) {
	c.work += len(glob)
	key := string(append(glob.key(), byte(at), byte(at>>8), byte(at>>16)))
	if !c.seen[key] {
		c.seen[key] = true
		c.todo = append(c.todo, coverState{at, glob})
	}
}

// states is a set of states.
type states []uint64

func (c *cover) none() states { return make(states, (len(c.glob)+64)/64) }

func (s states) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s states) key() []byte {
	out := make([]byte, 0, len(s)*8+3)
	for _, w := range s {
		out = append(out, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	return out
}

// enter adds a state of the glob, and all that are reached from it for free.
func (c *cover) enter(s states, i int) {
	if s.has(i) {
		return
	}
	s[i/64] |= 1 << (i % 64)
	c.glob.free(i, func(next int) { c.enter(s, next) })
}

// move returns where the glob is after one more byte.
func (c *cover) move(s states, b byte) states {
	out := c.none()
	c.work += len(c.glob)
	for i := range c.glob {
		if s.has(i) && c.glob.reads(i) && c.glob[i].bytes.has(b) {
			c.enter(out, c.glob.after(i))
		}
	}
	return out
}

func (c *cover) accepts(s states) bool {
	for i := range c.glob {
		if s.has(i) && c.glob[i].op == end {
			return true
		}
	}
	return false
}
