package shell

// actions applies what the tables say: the command's own lines, its options,
// its conditions, and the operands.
func (v *visit) actions() {
	r, t := &v.r, v.r.tool()
	instead := v.insteads()
	for i := range t.whens {
		if do := &t.whens[i].do; (!instead || do.instead) && r.holds(i) {
			v.apply(do)
		}
	}
	for i := range r.flags {
		if do := r.flags[i].flag.do; do != nil && (!instead || do.instead || do.does.Has(Executes)) {
			v.apply(do)
		}
	}
	if !instead && r.noSub == "" {
		v.apply(&t.do)
	}
	v.settle()
	v.optionValues(instead)
	if !instead || v.insteadArgs() {
		v.operands()
	}
	if r.hides != "" {
		v.c.doubt(Dangerous, "the option "+r.hides+" is not known, and so not which command runs")
	}
	if r.strange != "" {
		v.c.doubt(Moderate, "the option "+r.strange+" is not known")
	}
}

// insteads reports whether an option or a condition makes everything else
// count for nothing.
func (v *visit) insteads() bool {
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.do; do != nil && do.instead {
			return true
		}
	}
	t := v.r.tool()
	for i := range t.whens {
		if t.whens[i].do.instead && v.r.holds(i) {
			return true
		}
	}
	return false
}

// insteadArgs reports whether what counts instead says what the operands are.
func (v *visit) insteadArgs() bool {
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.do; do != nil && do.instead && do.args != nil {
			return true
		}
	}
	t := v.r.tool()
	for i := range t.whens {
		if do := &t.whens[i].do; do.instead && do.args != nil && v.r.holds(i) {
			return true
		}
	}
	return false
}

// settle makes hosts out of a network effect that names none.
func (v *visit) settle() {
	if v.c.Effects.Has(Network) && len(v.c.Hosts) == 0 {
		for _, t := range v.r.chain {
			for _, h := range t.do.hosts {
				v.c.host(symbolic(h))
			}
		}
	}
}

func (v *visit) apply(a *action) {
	c := v.c
	c.Effects |= a.does
	if a.does.Has(Publishes) && v.r.chain[0].use == useDownload && v.loopback() {
		c.Risk = min(c.Risk, Moderate) // a server on this machine
	} else if a.risk != levelUnset {
		c.Risk = min(c.Risk, a.risk.risk())
	} else {
		c.Risk = min(c.Risk, a.does.risk())
	}
	if a.say != "" {
		v.says = append(v.says, a.say)
	}
	for _, h := range a.hosts {
		c.host(symbolic(h))
	}
	if a.opaque != "" {
		c.opaque(a.opaque)
	}
	if a.is&(isWrapper|isInterpreter|isShell) != 0 {
		c.Suggest = false
	}
}

func symbolic(h string) string {
	switch h {
	case "registries":
		return Registries
	case "remotes":
		return Remotes
	case "external":
		return External
	}
	return h
}

// host records a host that the command talks to.
func (c *Command) host(name string) {
	c.Effects |= Network
	if IsMetadata(name) {
		c.Effects |= Secrets
		c.Risk = min(c.Risk, Dangerous)
	}
	for _, h := range c.Hosts {
		if h == name {
			return
		}
	}
	c.Hosts = append(c.Hosts, name)
}

// traits collects the traits that are in force, from options too.
func (v *visit) traits() trait {
	if v.known {
		return v.is
	}
	var out trait
	for _, t := range v.r.chain {
		out |= t.do.is
	}
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.do; do != nil {
			out |= do.is
		}
	}
	for i := range v.r.tool().whens {
		if w := &v.r.tool().whens[i]; w.do.is != 0 && v.r.holds(i) {
			out |= w.do.is
		}
	}
	v.is, v.known = out, true
	return out
}
