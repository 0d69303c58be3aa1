package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A state is what is known of the shell at one point of the script.
type state struct {
	dir string // working directory; empty if unknown
	alt string // where the shell is if the last cd failed; empty if it cannot have
	far string // where it is if the one before failed as well
	cd  bool   // that cd was the last command
	any bool   // dir is a pattern: one of the folders that match

	vars    []variable
	funcs   []function
	aliases []variable

	params      []Arg // $1, $2 …
	paramsKnown bool

	errexit bool // set -e: a failed cd ends the script
	ifs     bool // IFS was changed: words may split anywhere
	ended   bool // exit or return: nothing behind it runs

	active []*syntax.Stmt // bodies of the functions that are running
	locals *[]variable    // what the local variables of the running function hide
	shopt  bool           // shopt changed how cd or pipelines work
	all    bool           // set -a: assignments are exported
	mounts []mount        // what a command in a container sees of this machine
}

// A variable holds one value, or several if it is an array.
type variable struct {
	name     string
	value    []Arg // nil: unset
	array    bool
	exported bool   // programs see it
	odd      bool   // declared so that what is assigned is changed: declare -i, -l, -u
	ref      string // declare -n: another name for that variable
	fixed    bool   // readonly: a later assignment fails
}

// maxVars is how many variables are followed at once.
const maxVars = 256

type function struct {
	name   string
	body   *syntax.Stmt
	called *bool
	maybe  bool // defined in one branch only: the name may also be the program's
}

// fork copies the state for a subshell or a branch. The slices are shared
// until one side changes them.
func (st *state) fork() *state {
	s := *st
	s.clip()
	return &s
}

func (st *state) clip() {
	st.vars = slices.Clip(st.vars)
	st.funcs = slices.Clip(st.funcs)
	st.aliases = slices.Clip(st.aliases)
	if st.locals != nil {
		hidden := slices.Clone(*st.locals)
		st.locals = &hidden
	}
}

// split makes st the state after success of the last command and failed the one
// after a failure; with ! in front of it, the other way round.
func (st *state) split(negated bool, failed *state) {
	*failed = *st
	failed.clip()
	if negated {
		st.fail()
		failed.succeed()
	} else {
		st.succeed()
		failed.fail()
	}
}

// succeed is the state if the last command has succeeded.
func (st *state) succeed() {
	if st.cd {
		st.alt, st.far = "", ""
	}
}

// fail is the state if the last command has failed: after cd, the folder is
// still the old one, which may not be known.
func (st *state) fail() {
	if st.cd {
		st.dir, st.alt, st.far = st.alt, st.far, ""
	}
}

func (st *state) get(name string) (variable, bool) {
	for i := len(st.vars) - 1; i >= 0; i-- {
		if st.vars[i].name == name {
			return st.vars[i], true
		}
	}
	return variable{}, false
}

func (st *state) set(name string, value ...Arg) {
	st.setVar(variable{name: name, value: value})
}

func (st *state) setVar(v variable) {
	if v.name == "IFS" {
		st.ifs = true
	}
	old, ok := st.get(v.name)
	if !ok && len(st.vars) >= maxVars {
		return // not followed, and so unknown
	}
	if ok && old.ref != "" && old.ref != v.name && v.ref == "" {
		v.ref = old.ref
		st.setVar(variable{name: old.ref, value: v.value, array: v.array})
	}
	total := 0
	for _, a := range v.value {
		total += len(a.Text)
	}
	if total > MaxLength { // values that double grow beyond every bound
		v.value = []Arg{{Text: "$" + v.name, Unknown: true, many: true}}
	}
	if old.fixed && len(v.value) > 0 {
		v.fixed = true
		v.value = []Arg{{Text: "$" + v.name, Unknown: true, many: true}}
	}
	v.exported = v.exported || old.exported || st.all
	if old.odd && len(v.value) > 0 {
		v.odd = true
		v.value = []Arg{plainArg}
	}
	vars := make([]variable, 0, len(st.vars)+1)
	for _, old := range st.vars {
		if old.name != v.name {
			vars = append(vars, old)
		}
	}
	st.vars = append(vars, v)
}

// child is what a new shell that is started from this one knows: of the
// variables, only the exported ones. The others may still come from the
// environment that the script itself was started with.
func (st *state) child() *state {
	s := st.fork()
	for _, v := range st.vars {
		if !v.exported {
			s.setVar(variable{name: v.name, value: []Arg{{Text: "$" + v.name, Unknown: true, many: true}}})
		}
	}
	s.funcs, s.aliases, s.errexit, s.ifs, s.locals = nil, nil, false, false, nil
	s.params, s.paramsKnown = nil, false
	return s
}

// export sets a variable that programs see.
func (st *state) export(name string, value Arg) {
	st.setVar(variable{name: name, value: []Arg{value}, exported: true})
}

// hide notes a variable that a local one of the same name hides.
func (st *state) hide(name string) {
	if st.locals == nil {
		return
	}
	for _, v := range *st.locals {
		if v.name == name {
			return
		}
	}
	old, ok := st.get(name)
	if !ok {
		old = variable{name: name, value: []Arg{{Text: "$" + name, Unknown: true, many: true}}}
	}
	*st.locals = append(*st.locals, old)
	st.drop(name)
}

// drop forgets a variable with all its attributes.
func (st *state) drop(name string) {
	st.vars = slices.DeleteFunc(slices.Clone(st.vars), func(v variable) bool { return v.name == name })
}

// lose makes every variable unknown.
func (st *state) lose() {
	for _, v := range st.vars {
		st.setUnknown(v.name)
	}
}

// setUnknown makes a variable unknown.
func (st *state) setUnknown(name string) {
	st.set(name, Arg{Text: "$" + name, Unknown: true, many: true})
}

func (st *state) function(name string) (function, bool) {
	for i := len(st.funcs) - 1; i >= 0; i-- {
		if st.funcs[i].name == name {
			return st.funcs[i], true
		}
	}
	return function{}, false
}

func (st *state) alias(name string) (variable, bool) {
	for i := len(st.aliases) - 1; i >= 0; i-- {
		if st.aliases[i].name == name {
			return st.aliases[i], true
		}
	}
	return variable{}, false
}

// join makes st what is known after either st or other.
func (st *state) join(other *state) {
	if other.ended {
		return
	}
	if st.ended {
		*st = *other.fork()
		return
	}
	st.any = st.any || other.any
	if st.far == "" {
		st.far = other.far
	}
	if st.dir != other.dir {
		switch {
		case st.dir == "" || other.dir == "":
			st.dir, st.alt = "", ""
		case st.alt == other.dir && other.alt == "":
		case other.alt == st.dir && st.alt == "":
			st.dir, st.alt = other.dir, st.dir
		case st.alt == "" && other.alt == "" && st.dir != "" && other.dir != "":
			st.alt = other.dir
		default:
			st.dir, st.alt = "", ""
		}
	} else if st.alt == "" {
		st.alt = other.alt
	} else if other.alt != "" && other.alt != st.alt {
		st.dir, st.alt = "", ""
	}
	st.joinVars(other)
	st.joinNames(other)
	st.cd = false
	st.ifs = st.ifs || other.ifs
	st.all = st.all || other.all
	st.shopt = st.shopt || other.shopt
	st.errexit = st.errexit && other.errexit
	st.paramsKnown = st.paramsKnown && other.paramsKnown && slices.EqualFunc(st.params, other.params, sameArg)
}

// joinVars makes unknown the variables that differ.
func (st *state) joinVars(other *state) {
	if same(st.vars, other.vars) && st.locals == nil {
		return
	}
	for _, v := range other.vars {
		mine, ok := st.get(v.name)
		if !ok || !sameValue(mine, v) {
			st.setUnknown(v.name)
			st.taint(v.name, max(secretIn(v.value), secretIn(mine.value)))
		}
	}
	for _, v := range st.vars {
		if _, ok := other.get(v.name); !ok && len(v.value) > 0 && !v.value[0].Unknown {
			st.setUnknown(v.name)
			st.taint(v.name, secretIn(v.value))
		}
	}
	if st.locals != nil && other.locals != nil {
		for _, v := range *other.locals {
			if !slices.ContainsFunc(*st.locals, func(mine variable) bool { return mine.name == v.name }) {
				*st.locals = append(*st.locals, v)
			}
		}
	}
}

// same reports whether two slices are one and the same.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// joinNames keeps the functions and aliases of both.
func (st *state) joinNames(other *state) {
	if same(st.funcs, other.funcs) && same(st.aliases, other.aliases) {
		return
	}
	st.funcs = slices.Clone(st.funcs)
	for i := range st.funcs {
		if theirs, ok := other.function(st.funcs[i].name); !ok || theirs.body != st.funcs[i].body {
			st.funcs[i].maybe = true
		}
	}
	for _, fn := range other.funcs {
		if mine, ok := st.function(fn.name); !ok || mine.body != fn.body {
			fn.maybe = true
			st.funcs = append(st.funcs, fn)
		}
	}
	for _, a := range other.aliases {
		if mine, ok := st.alias(a.name); !ok || !sameValue(mine, a) {
			st.aliases = append(slices.Clip(st.aliases), a)
		}
	}
}

func sameValue(a, b variable) bool {
	return a.array == b.array && slices.EqualFunc(a.value, b.value, sameArg)
}

func sameArg(a, b Arg) bool {
	return a.Text == b.Text && a.Glob == b.Glob && a.Unknown == b.Unknown
}

// forget makes unknown what n assigns, and the working directory if n may
// change it.
func (st *state) forget(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.Assign:
			if n.Name != nil {
				st.setUnknown(n.Name.Value)
			}
		case *syntax.BinaryArithm:
			if name, ok := n.X.(*syntax.Word); ok && assigns(n.Op) {
				st.setUnknown(name.Lit())
			}
		case *syntax.UnaryArithm:
			if name, ok := n.X.(*syntax.Word); ok {
				st.setUnknown(name.Lit())
			}
		case *syntax.WordIter:
			st.setUnknown(n.Name.Value)
		case *syntax.CallExpr:
			st.forgetCall(n)
		}
		return true
	})
}

func (st *state) forgetCall(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	switch c.Args[0].Lit() {
	case "read", "mapfile", "readarray", "getopts", "unset", "printf":
		for _, a := range c.Args[1:] {
			if name := a.Lit(); syntax.ValidName(name) {
				st.setUnknown(name)
			}
		}
	case "shift", "set":
		st.paramsKnown = false
	}
}

// sameAs reports whether two states know the same folder and variables.
func (st *state) sameAs(other *state) bool {
	if st.dir != other.dir || st.alt != other.alt || len(st.vars) != len(other.vars) {
		return false
	}
	for _, v := range st.vars {
		if mine, ok := other.get(v.name); !ok || !sameValue(mine, v) {
			return false
		}
	}
	return true
}

// unknownVars makes unknown what differs from an earlier state, the folder too.
func (st *state) unknownVars(earlier *state) {
	if st.dir != earlier.dir || st.alt != earlier.alt {
		st.dir, st.alt = "", ""
	}
	for _, v := range st.vars {
		if old, ok := earlier.get(v.name); !ok || !sameValue(old, v) {
			st.setUnknown(v.name)
		}
	}
}
