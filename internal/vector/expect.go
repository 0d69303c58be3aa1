package vector

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso"
)

// Differs says in what a decision is not the one that the line expects; empty:
// in nothing.
func (l *Line) Differs(d sayso.Decision) string {
	if l.Expect == "" {
		return `it has no "expect"`
	}
	for _, f := range []struct{ name, got, want string }{
		{"effect", d.Effect.String(), l.Expect},
		{"code", string(d.Code), l.Code},
		{"stage", d.Stage, l.Stage},
		{"risk", d.Risk.String(), l.Risk},
		{"explanation", d.Explanation, l.Explanation},
		{"matched", matched(d), l.Matched},
	} {
		if f.want != "" && f.got != f.want {
			return fmt.Sprintf("%s is %s, want %s (%s)", f.name, f.got, f.want, d.Reason)
		}
	}
	if !strings.Contains(d.Reason, l.Says) {
		return fmt.Sprintf("the reason does not say %q: %s", l.Says, d.Reason)
	}
	return ""
}

// matched is where the rule that decided comes from.
func matched(d sayso.Decision) string {
	if d.Rule == nil {
		return ""
	}
	return string(d.Rule.Source.Layer)
}
