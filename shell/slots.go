package shell

import "strings"

// shape returns the slots of the operands: those of the sub-command, unless an
// option or a condition that holds says otherwise.
func (r *reading) shape() []slot {
	t := r.tool()
	for i := range t.whens {
		if args := t.whens[i].do.args; args != nil && r.holds(i) {
			return args
		}
	}
	for i := range r.flags {
		if do := r.flags[i].flag.do; do != nil && do.args != nil {
			return do.args
		}
	}
	return t.do.args
}

// beforeCommand returns how many operands must and may stand before a wrapped
// command, and whether there is one at all.
func (r *reading) beforeCommand() (need, most int, ok bool) {
	if !r.tool().is(isWrapping) {
		return 0, 0, false
	}
	for _, s := range r.shape() {
		switch {
		case s.kind == kindCmd:
			return need, most, true
		case s.repeat && s.kind == kindEnv:
		case s.repeat: // only -- starts the command
			most = maxWords
		case s.optional:
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
func (r *reading) slotAt(n int) kind {
	shape := r.shape()
	for i, s := range shape {
		if s.repeat || i == n {
			return s.kind
		}
	}
	return kindNone
}

// slotFor returns the slot of operand i of n, or nil if there is none for it.
func slotFor(shape []slot, i, n int) *slot {
	rep := -1
	for k := range shape {
		if shape[k].repeat {
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
	r.held = 0
	for i := range min(64, len(r.tool().whens)) {
		if r.evaluate(i) {
			r.held |= 1 << i
		}
	}
	r.settled = true
}

// holds reports whether condition i of the tool is true.
func (r *reading) holds(i int) bool {
	if r.settled && i < 64 {
		return r.held&(1<<i) != 0
	}
	return r.evaluate(i)
}

func (r *reading) evaluate(i int) bool {
	w := &r.tool().whens[i]
	if w.flagged && len(r.flags) == 0 {
		return false
	}
	for _, alternative := range w.any {
		all := true
		for i := range alternative {
			if r.term(&alternative[i]) == alternative[i].not {
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

func (r *reading) term(t *term) bool {
	switch t.op {
	case termFlag:
		if t.not && t.globs != nil { // !-X=GET: no other value may be among them
			return r.onlyValues(t.flag, t.globs)
		}
		return r.hasValue(t.flag, t.globs)
	case termInner:
		return r.inner
	case termPiped:
		return r.piped
	case termCount:
		return len(r.args) == t.n
	case termFewer:
		return len(r.args) < t.n
	case termMore:
		return len(r.args) > t.n
	case termArg:
		return t.n <= len(r.args) && matchAny(t.globs, r.args[t.n-1].Text)
	case termItem:
		return t.n <= len(r.args) && matchItem(t.globs, r.args[t.n-1].Text)
	case termAny:
		for _, a := range r.args {
			if matchAny(t.globs, a.Text) {
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
