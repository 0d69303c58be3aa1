package table

import (
	_ "embed"
	"sync/atomic"
)

// data holds the tools and keys, one after the other, as numbers and strings in
// the order in which the functions below read them.
//
//go:embed tools.bin
var data string

// kept returns the tool at a place of the data, read once.
func kept(at *atomic.Pointer[Tool], place int) *Tool {
	if t := at.Load(); t != nil {
		return t
	}
	r := reader{data: data, at: place}
	at.CompareAndSwap(nil, r.tool())
	return at.Load()
}

// tools are those that were read, in the order of the index.
var tools [toolCount]atomic.Pointer[Tool]

// Find returns the description of a program, or nil.
func Find(name string) *Tool {
	for slot := Hash(name); ; slot++ {
		i := slots[slot%slotCount]
		if i == 0 {
			return nil
		}
		if at := int(names[i-1].text); data[at:at+int(names[i-1].length)] == name {
			n := names[i-1].tool
			return kept(&tools[n], int(places[n]))
		}
	}
}

// A toolName is the name of a tool, in the data, and the number of the tool.
type toolName struct {
	text   uint32
	length uint16
	tool   uint16
}

// Hash spreads names over the slots of the index.
func Hash(name string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// Bit is one of 64 bits, by which most strings can be told from those of a set.
func Bit(s string) uint64 {
	if s == "" {
		return 1
	}
	return 1 << ((uint(s[len(s)-1]) ^ uint(len(s))<<2 ^ uint(s[len(s)/2])<<1) & 63)
}

// ReadTool reads the tool at a place of data other than that of this package.
func ReadTool(data string, at int) *Tool {
	r := reader{data: data, at: at}
	t := r.tool()
	t.flags.data = data
	return t
}

// A reader reads values from the data.
type reader struct {
	data string
	at   int
	room []string // for lists of texts, of which a tool has many short ones
}

// number reads a number of seven bits a byte, the last byte without the eighth.
func (r *reader) number() int {
	n := 0
	for shift := 0; ; shift += 7 {
		b := r.data[r.at]
		r.at++
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (r *reader) bool() bool { return r.number() != 0 }

// text reads a string, which stands once in the data and is named by its place.
func (r *reader) text() string {
	n := r.number()
	if n == 0 {
		return ""
	}
	at := r.number()
	return r.data[at : at+n]
}

func list[T any](r *reader, one func(*reader) T) []T {
	n := r.number()
	if n == 0 {
		return nil
	}
	out := make([]T, n-1) // one more than there are: an empty list is not none
	for i := range out {
		out[i] = one(r)
	}
	return out
}

func (r *reader) texts() []string {
	n := r.number() - 1
	if n < 0 {
		return nil
	}
	if len(r.room) < n {
		r.room = make([]string, max(n, 64))
	}
	out := r.room[:n:n]
	r.room = r.room[n:]
	for i := range out {
		out[i] = r.text()
	}
	return out
}

func (r *reader) flags() []Flag { return list(r, (*reader).flag) }

func (r *reader) tool() *Tool {
	t := &Tool{Names: r.texts(), Do: r.action(), Says: r.texts()}
	t.flags.at = r.number()
	t.Whens, t.Use = list(r, (*reader).when), Handler(r.number())
	t.subs.count, t.subs.at, t.subs.data = r.number(), r.at, r.data
	return t
}

// action reads an action; most have few parts, and a number says which.
func (r *reader) action() Action {
	var a Action
	has := r.number()
	if has == 0 {
		return a
	}
	part := func(bit int) bool { return has&(1<<bit) != 0 }
	if part(0) {
		a.Does = Effects(r.number())
	}
	if part(1) {
		a.Risk = Level(r.number())
	}
	if part(2) {
		a.Say = r.text()
	}
	if part(3) {
		a.Args = list(r, (*reader).slot)
	}
	if part(4) {
		a.Is = Trait(r.number())
	}
	if part(5) {
		a.Hosts = r.texts()
	}
	if part(6) {
		a.Opaque = r.text()
	}
	if part(7) {
		a.Prefix = int8(r.number())
	}
	if part(8) {
		a.Prints = Output(r.number())
	}
	if part(9) {
		s := r.slot()
		a.Stdin = &s
	}
	a.Instead = part(10)
	return a
}

func (r *reader) slot() Slot {
	return Slot{Kind: Kind(r.number()), Keys: r.keys(), Repeat: r.bool(), Optional: r.bool(), Def: r.text()}
}

func (r *reader) keys() *KeyTable {
	if n := r.number(); n > 0 {
		return keyTables[n-1]
	}
	return nil
}

func (r *reader) flag() Flag {
	f := Flag{Names: r.texts(), Kind: Kind(r.number()), Keys: r.keys(), Attached: r.bool(), Skip: int8(r.number())}
	if r.bool() {
		do := r.action()
		f.Do = &do
	}
	return f
}

func (r *reader) when() When {
	return When{Any: list(r, func(r *reader) []Term { return list(r, (*reader).term) }), Flagged: r.bool(), Do: r.action()}
}

func (r *reader) term() Term {
	return Term{Op: TermOp(r.number()), Not: r.bool(), N: r.number(), Flag: r.text(), Globs: r.texts()}
}
