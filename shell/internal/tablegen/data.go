package main

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// data is what package table reads: every string once, then the blocks of keys and
// the tools. Its methods write in the order in which table.reader reads.
type data struct {
	texts     map[string]int // where each string is
	text      strings.Builder
	records   []byte
	keyNumber map[string]int
	keyPlace  map[string]int
	toolPlace map[*node]int
}

func newData(tools []*node, keys []*keyBlock) *data {
	d := &data{texts: map[string]int{}, keyNumber: map[string]int{}, keyPlace: map[string]int{}, toolPlace: map[*node]int{}}
	for i, k := range keys {
		d.keyNumber[k.name] = i + 1
	}
	d.collect(tools, keys)
	for _, k := range keys {
		d.keyPlace[k.name] = d.here()
		each(d, k.entries, d.flag)
	}
	for _, t := range tools {
		d.tool(t)
	}
	return d
}

func (d *data) bytes() []byte { return append([]byte(d.text.String()), d.records...) }

// here is the place of the next record in the whole.
func (d *data) here() int { return d.text.Len() + len(d.records) }

// collect puts all strings together before the records, which name their places:
// a first pass writes the records for the strings in them alone.
func (d *data) collect(tools []*node, keys []*keyBlock) {
	first := &data{texts: map[string]int{}, keyNumber: d.keyNumber, toolPlace: map[*node]int{}}
	for _, k := range keys {
		each(first, k.entries, first.flag)
	}
	for _, t := range tools {
		first.tool(t)
	}
	all := sortedKeys(first.texts)
	sort.SliceStable(all, func(i, j int) bool { return len(all[i]) > len(all[j]) })
	for _, s := range all {
		at := -1
		if len(s) < 40 { // it may stand in a longer one; those are few
			at = strings.Index(d.text.String()[max(0, d.text.Len()-4096):], s)
			if at >= 0 {
				at += max(0, d.text.Len()-4096)
			}
		}
		if at < 0 {
			at = d.text.Len()
			d.text.WriteString(s)
		}
		d.texts[s] = at
	}
}

func (d *data) number(n int) { d.records = binary.AppendUvarint(d.records, uint64(n)) }

func (d *data) bool(b bool) {
	n := 0
	if b {
		n = 1
	}
	d.number(n)
}

func (d *data) string(s string) {
	d.number(len(s))
	if s == "" {
		return
	}
	at, ok := d.texts[s]
	if !ok {
		d.texts[s] = 0
	}
	d.number(at)
}

// each writes a list: none is 0, otherwise one more than its length.
func each[T any](d *data, items []T, one func(T)) {
	if items == nil {
		d.number(0)
		return
	}
	d.number(len(items) + 1)
	for _, item := range items {
		one(item)
	}
}

func (d *data) strings(list []string) { each(d, list, d.string) }

// tool writes a tool, behind its options and sub-commands, whose places it names:
// most commands are given with few of either.
func (d *data) tool(n *node) {
	for _, s := range n.subs {
		d.tool(s)
	}
	flags := d.here()
	each(d, n.flags, d.flag)
	d.toolPlace[n] = d.here()
	d.strings(n.names)
	d.action(&n.do)
	d.strings(n.says)
	d.number(flags)
	each(d, n.whens, d.when)
	d.number(int(handlers[n.use]))
	d.number(len(n.subs))
	for _, s := range n.subs {
		d.strings(s.names)
		d.number(d.toolPlace[s])
	}
}

func (d *data) action(a *action) {
	parts := [...]bool{
		len(a.does) > 0, a.risk != "", a.say != "", a.hasArgs, len(a.is) > 0, len(a.hosts) > 0,
		a.opaque != "", a.prefix > 0, a.prints != "", a.stdin != "", a.instead,
	}
	has := 0
	for i, there := range parts {
		if there {
			has |= 1 << i
		}
	}
	d.number(has)
	if parts[0] {
		d.number(union(a.does, effects))
	}
	if parts[1] {
		d.number(int(risks[a.risk]))
	}
	if parts[2] {
		d.string(a.say)
	}
	if parts[3] {
		each(d, append([]slotSpec{}, a.args...), d.slot)
	}
	if parts[4] {
		d.number(union(a.is, traits))
	}
	if parts[5] {
		d.strings(dedupe(a.hosts))
	}
	if parts[6] {
		d.string(a.opaque)
	}
	if parts[7] {
		d.number(a.prefix)
	}
	if parts[8] {
		d.number(int(outputs[a.prints]))
	}
	if parts[9] {
		d.slot(slotSpec{kind: a.stdin})
	}
}

// union is the sum of the bits that words stand for.
func union[T ~uint16 | ~uint32](words []string, bits map[string]T) int {
	var sum T
	for _, w := range words {
		sum |= bits[w]
	}
	return int(sum)
}

// kind writes the kind of a value and the keys that belong to it.
func (d *data) kind(word string) {
	if k, block, ok := keyed(word); ok {
		d.number(int(k))
		d.number(d.keyNumber[block])
		return
	}
	d.number(int(kinds[word]))
	d.number(0)
}

func (d *data) slot(s slotSpec) {
	d.kind(s.kind)
	d.bool(s.repeat)
	d.bool(s.optional)
	d.string(s.def)
}

func (d *data) flag(f *flagSpec) {
	d.strings(f.names)
	d.kind(f.kind)
	d.bool(f.optional)
	d.number(f.skip)
	d.bool(!f.do.empty())
	if !f.do.empty() {
		d.action(&f.do)
	}
}

func (d *data) when(w *whenSpec) {
	each(d, w.any, func(alternative []term) { each(d, alternative, d.term) })
	d.bool(w.flagged())
	d.action(&w.do)
}

var termOps = map[string]table.TermOp{
	"=": table.TermCount, "<": table.TermFewer, ">": table.TermMore, "arg": table.TermArg, "item": table.TermItem,
	"any": table.TermAny, "inner": table.TermInner, "piped": table.TermPiped, "asks": table.TermAsks,
}

func (d *data) term(t term) {
	d.number(int(termOps[t.op])) // none is an option
	d.bool(t.not)
	d.number(t.n)
	d.string(t.flag)
	d.strings(t.globs)
}

// flagged reports whether the condition can only be true if an option was
// given.
func (w *whenSpec) flagged() bool {
	for _, alt := range w.any {
		if !slices.ContainsFunc(alt, func(t term) bool { return t.flag != "" && !t.not }) {
			return false
		}
	}
	return true
}
