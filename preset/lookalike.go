package preset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// A name that is shown as another one deceives whoever is asked, and a system
// that replaces such letters follows it to where it seems to lead. So what rules
// deny is denied by its look-alikes too; a look-alike of something special, or of
// a host or a program, asks. A name in another script that looks like no other is
// a name like any.

// special are the classes of files whose look-alikes ask.
const special = shell.Secret | shell.OfSystem | shell.Startup | shell.Device | shell.Guard

// lookAlikes denies and asks about what is shown as something that it is not.
func (p *Policy) lookAlikes() sayso.Stage {
	return sayso.Func("look-alikes", func(c *sayso.Case) sayso.Verdict {
		part := c.Part()
		ask := func(reason string) sayso.Verdict {
			return sayso.Decide(sayso.Ask, "safety.lookalike", reason).Immune()
		}
		plain, changed := plainly(part)
		if changed {
			if r := p.Rules.Find(sayso.Deny, c, &plain); r != nil {
				return sayso.Decide(sayso.Deny, sayso.CodeDenyRule, "it looks like something that the rule "+r.Text+" denies").By(r)
			}
		}
		for i := range part.Paths {
			written := &part.Paths[i]
			if r := fspath.Hidden(written.Raw); r != 0 {
				return ask(fmt.Sprintf("a name has a character in it that is not seen, %U: %s", r, shell.Shown(written.Raw)))
			}
			if shown := &plain.Paths[i]; changed && *shown != *written && c.Facts.Place.ClassOf(shown)&special&^c.Facts.Place.ClassOf(written) != 0 {
				return ask(shell.Shown(written.Raw) + " looks like " + shown.Abs + ", but is another file")
			}
		}
		for i, host := range part.Hosts {
			if shown := plain.Hosts[i]; changed && shown != host && ascii(shown) {
				return ask("the host " + shell.Shown(host) + " looks like " + shown + ", but is another")
			}
		}
		if name := program(part); name != "" && !ascii(name) && ascii(fspath.Plain(name)) {
			return ask("the program " + shell.Shown(name) + " looks like " + fspath.Plain(name) + ", but is another")
		}
		return sayso.Pass()
	})
}

// plainly is the part with the paths and hosts that a reader takes its own for,
// and whether they differ.
func plainly(p *sayso.Part) (plain sayso.Part, changed bool) {
	plain = *p
	for i := range p.Paths {
		at := &p.Paths[i]
		if ascii(at.Abs) && ascii(at.Real) {
			continue
		}
		if !changed {
			plain.Paths, changed = slices.Clone(p.Paths), true
		}
		plain.Paths[i].Abs, plain.Paths[i].Real = fspath.Plain(at.Abs), fspath.Plain(at.Real)
	}
	cloned := false
	for i, host := range p.Hosts {
		shown := strings.ToLower(fspath.Plain(unicodeHost(host)))
		if shown == host {
			continue
		}
		if !cloned {
			plain.Hosts, cloned, changed = slices.Clone(p.Hosts), true, true
		}
		plain.Hosts[i] = shown
	}
	return plain, changed
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0
}
