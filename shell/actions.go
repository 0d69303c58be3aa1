package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// actions applies what the tables say: the command's own lines, its options,
// its conditions, and the operands.
func (v *visit) actions() {
	r, t := &v.r, v.r.tool()
	instead := v.insteads()
	for i := r.nextHeld(0); i >= 0; i = r.nextHeld(i + 1) {
		if do := &t.Whens[i].Do; !instead || do.Instead {
			v.apply(do)
		}
	}
	for i := range r.flags {
		if do := r.flags[i].flag.Do; do != nil && (!instead || do.Instead || do.Does.Has(table.Executes)) {
			v.apply(do)
		}
	}
	if !instead && r.noSub == "" {
		v.apply(&t.Do)
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
		if do := v.r.flags[i].flag.Do; do != nil && do.Instead {
			return true
		}
	}
	t := v.r.tool()
	for i := v.r.nextHeld(0); i >= 0; i = v.r.nextHeld(i + 1) {
		if t.Whens[i].Do.Instead {
			return true
		}
	}
	return false
}

// insteadArgs reports whether what counts instead says what the operands are.
func (v *visit) insteadArgs() bool {
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil && do.Instead && do.Args != nil {
			return true
		}
	}
	t := v.r.tool()
	for i := v.r.nextHeld(0); i >= 0; i = v.r.nextHeld(i + 1) {
		if do := &t.Whens[i].Do; do.Instead && do.Args != nil {
			return true
		}
	}
	return false
}

// settle makes hosts out of a network effect that names none.
func (v *visit) settle() {
	if v.c.Effects.Has(Network) && len(v.c.Hosts) == 0 {
		for _, t := range v.r.chain {
			for _, h := range t.Do.Hosts {
				if h != local {
					v.c.host(symbolic(h))
				}
			}
		}
	}
}

func (v *visit) apply(a *table.Action) {
	c := v.c
	c.Effects |= Effects(a.Does)
	if a.Does.Has(table.Publishes) && v.r.chain[0].Use == table.UseDownload && v.loopback() {
		c.Risk = min(c.Risk, Moderate) // a server on this machine
	} else if a.Risk != table.LevelUnset {
		c.Risk = min(c.Risk, levelRisk(a.Risk))
	} else {
		c.Risk = min(c.Risk, Effects(a.Does).risk())
	}
	for rest := a.Say; rest != ""; {
		var s string
		s, rest, _ = strings.Cut(rest, "\n")
		v.says = append(v.says, s)
	}
	for _, h := range a.Hosts {
		if h != local {
			c.host(symbolic(h))
		}
	}
	if a.Opaque != "" {
		c.opaque(a.Opaque)
	}
	if a.Is&(table.IsWrapper|table.IsInterpreter|table.IsShell) != 0 {
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
	c.named(name)
}

// named records a host that the command names.
func (c *Command) named(host string) {
	if !slices.Contains(c.Hosts, host) {
		c.Hosts = append(c.Hosts, host)
	}
}

// traits collects the traits that are in force, from options too.
func (v *visit) traits() table.Trait {
	if v.known {
		return v.is
	}
	var out table.Trait
	for _, t := range v.r.chain {
		out |= t.Do.Is
	}
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil {
			out |= do.Is
		}
	}
	for i := v.r.nextHeld(0); i >= 0; i = v.r.nextHeld(i + 1) {
		out |= v.r.tool().Whens[i].Do.Is
	}
	v.is, v.known = out, true
	return out
}
