package shell

// remembered is the name under which the folders are kept that popd goes back
// to, the last one first. No variable of a script can have it.
const remembered = "pushd +"

// pushd goes to a folder and remembers the one it leaves.
func (v *visit) pushd(args []Arg) {
	st := v.outer
	from := Arg{Text: st.dir, Unknown: st.dir == "" || st.alt != "", Glob: st.any}
	v.cd(args)
	stack, _ := st.get(remembered)
	switch {
	case len(args) != 1 || v.r.has("-n") || args[0].Text == "" || turns(args[0].Text) || len(stack.value) >= maxNested:
		st.setUnknown(remembered)
	default:
		st.setVar(variable{name: remembered, array: true, value: append([]Arg{from}, stack.value...)})
	}
}

// turns reports whether a word of pushd or popd picks one of the remembered
// folders: +1, -2.
func turns(word string) bool { return len(word) > 1 && (word[0] == '+' || word[0] == '-') }

// popd goes back. If the last pushd has failed, that is one folder further.
func (v *visit) popd(args []Arg) {
	st := v.outer
	stack, ok := st.get(remembered)
	st.dir, st.alt, st.far, st.any = "", "", "", false
	if !ok || len(args) > 0 || len(stack.value) == 0 || stack.value[0].Unknown || v.r.has("-n") {
		st.setUnknown(remembered)
		return
	}
	st.drop("PWD")
	st.drop("OLDPWD")
	st.dir, st.any = stack.value[0].Text, stack.value[0].Glob
	rest := stack.value[1:]
	if len(rest) > 0 && !rest[0].Unknown && rest[0].Text != st.dir {
		st.alt = rest[0].Text
	}
	if len(rest) == 0 {
		st.drop(remembered)
		return
	}
	st.setVar(variable{name: remembered, array: true, value: rest})
}
