package glob

import "math/bits"

// An automaton is a pattern as steps over bytes, to compare it with another
// one. Its states are the places between steps; it accepts behind the last.
//
// It works on bytes because a shell does in the C locale, where one ? is one
// byte of a letter and elsewhere is the whole letter. Where the two languages
// cannot be told exactly, the automaton of a rule is built wider (to look for
// an overlap) or narrower (to be covered by).
type automaton []step

type step struct {
	op    op
	bytes byteSet
}

type op uint8

const (
	one   op = iota // one of the bytes
	maybe           // one of the bytes, or nothing
	many            // any number of the bytes
	skip            // nothing, or leave out the two steps behind
	end             // an alternative ends here
)

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s byteSet) and(t byteSet) byteSet {
	return byteSet{s[0] & t[0], s[1] & t[1], s[2] & t[2], s[3] & t[3]}
}

func (s byteSet) without(t byteSet) byteSet {
	return byteSet{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3]}
}

func (s byteSet) empty() bool { return s == byteSet{} }

// first returns the smallest byte of a set that has one.
func (s *byteSet) first() byte {
	for i, w := range s {
		if w != 0 {
			return byte(i*64 + bits.TrailingZeros64(w))
		}
	}
	return 0
}

func only(b byte) (s byteSet) {
	s.add(b)
	return s
}

var (
	anyByte  = byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	notSlash = anyByte.without(only('/'))
	ascii    = byteSet{^uint64(0), ^uint64(0), 0, 0}
	high     = anyByte.without(ascii) // bytes of characters that are not ASCII
)

func (a *automaton) add(o op, s byteSet) { *a = append(*a, step{o, s}) }

func (a *automaton) literal(text string) {
	for i := range len(text) {
		a.add(one, only(text[i]))
	}
}

// char adds one character: an ASCII one of low, or any other if wide.
func (a *automaton) char(low byteSet, wide bool) {
	if !wide {
		a.add(one, low.and(ascii))
		return
	}
	a.add(one, low.and(ascii).or(high))
	for range 3 {
		a.add(maybe, high)
	}
}

func (s byteSet) or(t byteSet) byteSet {
	return byteSet{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]}
}

// folders adds any number of whole components with the slash behind each.
func (a *automaton) folders() {
	a.add(skip, byteSet{})
	a.add(many, anyByte)
	a.add(one, only('/'))
}

// inside adds nothing, or a slash and anything: a folder and what is below it.
func (a *automaton) inside() {
	a.add(skip, byteSet{})
	a.add(one, only('/'))
	a.add(many, anyByte)
}

// automaton builds the steps of an alternative: all that it matches and
// perhaps more if wide, nothing that it does not match otherwise.
func (a *alternative) automaton(out automaton, wide bool) automaton {
	within := notSlash
	if a.loose {
		within = anyByte
	}
	if a.kind == below {
		out.literal(a.lit)
		out.inside()
		return out
	}
	for _, t := range a.tokens {
		switch t.kind {
		case literal:
			out.literal(t.text)
		case star:
			out.add(many, within)
		case deep:
			out.add(many, anyByte)
		case dirs:
			out.folders()
		case any1:
			out.char(within, wide)
		case class:
			low, more := t.set.bytes()
			out.char(low, wide && more)
		}
	}
	return out
}

// bytes returns the ASCII characters of the set, and whether there are others.
func (s *set) bytes() (low byteSet, more bool) {
	for b := range byte(0x80) {
		if s.has(rune(b)) {
			low.add(b)
		}
	}
	return low, s.negated || s.ranges[len(s.ranges)-1].hi >= 0x80
}

// free calls visit with the states that are reached from i without a byte.
func (a automaton) free(i int, visit func(int)) {
	if i == len(a) {
		return
	}
	switch a[i].op {
	case maybe, many:
		visit(i + 1)
	case skip:
		visit(i + 1)
		visit(i + 3)
	}
}

// after returns the state behind i when one of its bytes was read.
func (a automaton) after(i int) int {
	if a[i].op == many {
		return i
	}
	return i + 1
}

// reads reports whether the state reads bytes.
func (a automaton) reads(i int) bool {
	return i < len(a) && a[i].op < skip
}

// meet reports whether some text is accepted by both. It looks at each pair of
// states once.
func meet(a, b automaton) bool {
	width := len(b) + 1
	seen := make([]uint64, ((len(a)+1)*width+63)/64)
	var todo [][2]int
	visit := func(i, j int) {
		if n := i*width + j; seen[n/64]&(1<<(n%64)) == 0 {
			seen[n/64] |= 1 << (n % 64)
			todo = append(todo, [2]int{i, j})
		}
	}
	visit(0, 0)
	for len(todo) > 0 {
		i, j := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		if i == len(a) && j == len(b) {
			return true
		}
		a.free(i, func(next int) { visit(next, j) })
		b.free(j, func(next int) { visit(i, next) })
		if a.reads(i) && b.reads(j) && !a[i].bytes.and(b[j].bytes).empty() {
			visit(a.after(i), b.after(j))
		}
	}
	return false
}
