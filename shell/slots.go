package shell

import (
	"math/bits"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// shape returns the slots of the operands: those of the sub-command, unless an
// option or a condition that holds says otherwise.
func (r *reading) shape() []table.Slot {
	t := r.tool()
	for i := r.nextHeld(0); i >= 0; i = r.nextHeld(i + 1) {
		if args := t.Whens[i].Do.Args; args != nil {
			return args
		}
	}
	for i := range r.flags {
		if do := r.flags[i].flag.Do; do != nil && do.Args != nil {
			return do.Args
		}
	}
	return t.Do.Args
}

// beforeCommand returns how many operands must and may stand before a wrapped
// command, and whether there is one at all.
func (r *reading) beforeCommand() (need, most int, ok bool) {
	if !r.tool().Is(table.IsWrapping) {
		return 0, 0, false
	}
	for _, s := range r.shape() {
		switch {
		case s.Kind == table.KindCmd:
			return need, most, true
		case s.Repeat && s.Kind == table.KindEnv:
		case s.Repeat: // only -- starts the command
			most = maxWords
		case s.Optional:
			most++
		default:
			need++
			most++
		}
	}
	return 0, 0, false
}

// slotAt returns the kind of the n-th operand, as far as it can be told while
// the operands are still being read.
func (r *reading) slotAt(n int) table.Kind {
	shape := r.shape()
	for i, s := range shape {
		if s.Repeat || i == n {
			return s.Kind
		}
	}
	return table.KindNone
}

// slotFor returns the slot of operand i of n, or nil if there is none for it.
func slotFor(shape []table.Slot, i, n int) *table.Slot {
	if last := len(shape) - 1; last >= 0 && shape[last].Kind == table.KindCmd {
		shape = shape[:last] // no operand is for it: the command is apart
	}
	rep := -1
	for k := range shape {
		if shape[k].Repeat {
			rep = k
		}
	}
	if rep < 0 {
		if i < len(shape) {
			return &shape[i]
		}
		return nil
	}
	head := min(rep, n)
	tail := min(len(shape)-rep-1, max(0, n-head-1)) // the repeated slot has one at least
	switch {
	case i < head:
		return &shape[i]
	case i >= n-tail:
		return &shape[len(shape)-(n-i)]
	}
	return &shape[rep]
}

// settle evaluates the conditions once, when nothing can change them any more.
func (r *reading) settle() {
	whens := r.tool().Whens
	r.held = 0
	for i := range min(64, len(whens)) {
		if w := &whens[i]; (!w.Flagged || len(r.flags) > 0) && r.evaluate(w) {
			r.held |= 1 << i
		}
	}
	r.settled = true
}

// nextHeld is the first condition of the tool from number i on that is true; -1: no
// other one is.
func (r *reading) nextHeld(i int) int {
	if r.settled && i < 64 {
		if rest := r.held >> i; rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
		i = 64
	}
	for whens := r.tool().Whens; i < len(whens); i++ {
		if r.evaluate(&whens[i]) {
			return i
		}
	}
	return -1
}

func (r *reading) evaluate(w *table.When) bool {
	if w.Flagged && len(r.flags) == 0 {
		return false
	}
	for _, alternative := range w.Any {
		all := true
		for i := range alternative {
			if r.term(&alternative[i]) == alternative[i].Not {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

func (r *reading) term(t *table.Term) bool {
	switch t.Op {
	case table.TermFlag:
		if t.Not && t.Globs != nil { // !-X=GET: no other value may be among them
			return r.onlyValues(t.Flag, t.Globs)
		}
		return r.hasValue(t.Flag, t.Globs)
	case table.TermInner:
		return r.inner
	case table.TermPiped:
		return r.piped
	case table.TermAsks:
		return onlyAsks(r.stdin)
	case table.TermCount:
		return len(r.args) == t.N
	case table.TermFewer:
		return len(r.args) < t.N
	case table.TermMore:
		return len(r.args) > t.N
	case table.TermArg:
		return t.N <= len(r.args) && matchAny(t.Globs, r.args[t.N-1].Text)
	case table.TermItem:
		return t.N <= len(r.args) && matchItem(t.Globs, r.args[t.N-1].Text)
	case table.TermAny:
		for _, a := range r.args {
			if matchAny(t.Globs, a.Text) {
				return true
			}
		}
	}
	return false
}

// matchItem matches the parts of a list: pods,secrets.
func matchItem(globs []string, list string) bool {
	for more := true; more; {
		var item string
		item, list, more = strings.Cut(list, ",")
		if matchAny(globs, item) {
			return true
		}
	}
	return false
}

func matchAny(globs []string, s string) bool {
	for _, g := range globs {
		if matchWord(g, s) {
			return true
		}
	}
	return false
}
