package preset

import (
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// forCommand returns the rule that decides about a command. One with words that
// cannot be known may be what a later rule denies or asks about.
func (list kodaRules) forCommand(p *sayso.Part) *kodaRule {
	at := list.lastAt(kodaCommandValue(p))
	if doubt := list.doubt(at, kodaMeant(p.Command)); doubt != nil {
		return doubt
	}
	return list.rule(at)
}

// forTarget returns the rule that decides about a network target. A host that
// cannot be known may be one that a later rule denies or asks about.
func (list kodaRules) forTarget(p *sayso.Part) *kodaRule {
	at := list.lastAt(kodaTargetValue(p))
	if p.Command != nil && p.Text == shell.External {
		if doubt := list.doubt(at, compileWildcard("*")); doubt != nil {
			return doubt
		}
	}
	return list.rule(at)
}

// rule returns a rule by its place; nil if there is none there.
func (list kodaRules) rule(at int) *kodaRule {
	if at < 0 {
		return nil
	}
	return &list[at]
}

// doubt returns a rule behind the one that matches that would let less through
// and may be about the value, of which only a pattern is known. Nobody can tell,
// so that it asks.
func (list kodaRules) doubt(at int, value wildcard) *kodaRule {
	if value == nil || at >= 0 && list[at].rule.Effect != sayso.Allow {
		return nil
	}
	for i := len(list) - 1; i > at; i-- {
		r := &list[i]
		if r.rule.Effect == sayso.Allow || kodaSymbolic(r.text) || !r.glob.meets(value) {
			continue
		}
		asks := *r.rule
		asks.Effect = sayso.Ask
		return &kodaRule{text: r.text, glob: r.glob, rule: &asks, doubtful: true}
	}
	return nil
}

// kodaMeant is a pattern for what a command may turn out to be; nil if all of its
// words are known.
func kodaMeant(c *shell.Command) wildcard {
	if c == nil {
		return nil
	}
	unknown := false
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = strings.NewReplacer("*", "?", "?", "?").Replace(c.Args[i].Text)
		if c.Args[i].Unknown {
			words[i], unknown = "*", true
		}
	}
	if !unknown {
		return nil
	}
	return compileWildcard(strings.Join(words, " "))
}
