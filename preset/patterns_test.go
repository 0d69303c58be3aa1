package preset

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMayFind: a pattern that finds a program which decides is known, and one that
// cannot is not taken for one.
func TestMayFind(t *testing.T) {
	for pattern, want := range map[string]bool{
		"sayso": true, "say": true, "SAYSO": true, "^sayso$": true, "sayso-hook": true, "hook": true, ".": true, "": true, "s.*o": true, "[s]ayso": true, "sa(y|i)so": true,
		"(x|say)so": true, "x|sayso": true, "sax?yso": true, "z*sayso": true, `\w+`: true, "[[=s=]]ayso": true, "[[.s.]]ayso": true, "[[:lower:]]ayso": true, "say{1}so": true, "sayso.* claude": true, `say\.so`: false,
		"vite": false, "node server.js": false, "python.*": false, "node (server|client)": false, "^chrome$": false, "[c]hrome": false, "[[:alpha:]]itest": false, "webhook": false, "soy": false,
	} {
		if got := mayFind(pattern); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

// TestMayFindAll: whatever finds one of the programs is known.
func TestMayFindAll(t *testing.T) {
	parts := []string{"s", "a", "y", "o", "say", "so", "-", "hook", "x", ".", "*", "+", "?", "|", "(", ")", "[sa]", "[^x]", "[]s]", "[[:alpha:]]", "^", "$", "{1}", "{0,2}", `\.`, `\w`, `\b`}
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "pattern"), "")
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		if slices.ContainsFunc(ownNames, re.MatchString) && !mayFind(pattern) {
			t.Errorf("%q finds one", pattern)
		}
	})
}
