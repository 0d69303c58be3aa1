package preset_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
)

// allRules are the rules of every file, in the order of the files.
func allRules(on setup) []sayso.Rule {
	var out []sayso.Rule
	for _, l := range on.files {
		out = append(out, l.File.Rules...)
	}
	return out
}

// mutants are judges that are broken on purpose, each in one way that a real
// engine could be, with the properties that must notice.
var mutants = []struct {
	name   string
	judge  judge
	caught []string
}{
	{"the last rule that matches wins", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		rules := allRules(on)
		for _, r := range slices.Backward(rules) {
			if d := native(with(r), call, s); d.Rule != nil {
				return d
			}
		}
		return native(setup{}, call, s)
	}, []string{"TestOrderDoesNotMatter", "TestMoreRulesNeverLoosen", "TestRulesHold", "TestLayersInAnyOrder"}},
	{"a rule that allows beats one that denies", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		loose := slices.DeleteFunc(allRules(on), func(r sayso.Rule) bool { return r.Effect != sayso.Allow })
		if d := native(with(loose...), call, s); d.Code == sayso.CodeAllowRule {
			return d
		}
		return native(on, call, s)
	}, []string{"TestRulesHold"}},
	{"of two rules with the same text the later one counts", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		var kept []sayso.Rule
		for _, r := range allRules(on) {
			kept = append(slices.DeleteFunc(kept, func(o sayso.Rule) bool { return o.Text == r.Text }), r)
		}
		return native(with(kept...), call, s)
	}, []string{"TestMoreRulesNeverLoosen", "TestOrderDoesNotMatter"}},
	{"only the first command of a line is judged", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		if line, _, cut := strings.Cut(string(call.Input), "; "); cut && call.Tool == "bash" {
			call.Input = []byte(line + `"}`)
		}
		return native(on, call, s)
	}, []string{"TestCompound", "TestHardDenialsStay"}},
	{"a grant comes before the rules", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		if d := native(setup{}, call, s); d.Code == sayso.CodeGrant {
			return d
		}
		return native(on, call, s)
	}, []string{"TestGrantsNeverBeat"}},
	{"of two modes the more lenient one counts", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		var best sayso.Decision
		for mode := range strings.SplitSeq(s.Mode, "+") {
			s.Mode = mode
			if d := native(on, call, s); d.Effect >= best.Effect {
				best = d
			}
		}
		return best
	}, []string{"TestModesTogether"}},
	{"every denial turns into a question", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		d := native(on, call, s)
		if s.Soft[call.Fingerprint()].Consecutive >= 3 && d.Effect == sayso.Deny {
			d.Effect = sayso.Ask
		}
		return d
	}, []string{"TestHardDenialsStay"}},
	{"a script may allow", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		for _, script := range on.scripts {
			if says, ok := script.(saying); ok && says.Speaks() && says.Verdict.Effect() == sayso.Allow {
				return sayso.Decision{Effect: sayso.Allow, Code: "script"}
			}
		}
		return native(on, call, s)
	}, []string{"TestScriptsOnlyTighten"}},
	{"what fails is left out", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		on.err = nil
		on.scripts = slices.DeleteFunc(slices.Clone(on.scripts), func(s sayso.Stage) bool { return s == failing{} })
		on.files = slices.DeleteFunc(slices.Clone(on.files), func(l config.Layered) bool { return l.File.Err != nil })
		return native(on, call, s)
	}, []string{"TestErrorsNeverAllow", "TestScriptsOnlyTighten"}},
	{"the last file replaces those before it", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		on.files = on.files[max(0, len(on.files)-1):]
		return native(on, call, s)
	}, []string{"TestLayersInAnyOrder", "TestUntrustedOnlyTightens"}},
	{"every file is trusted", func(on setup, call sayso.Call, s sayso.Session) sayso.Decision {
		on.files = slices.Clone(on.files)
		for i := range on.files {
			on.files[i].Trusted = true
		}
		return native(on, call, s)
	}, []string{"TestUntrustedOnlyTightens"}},
}

// TestProperties: each property fails for an engine that is broken on purpose, and
// for no reason of its own.
func TestProperties(t *testing.T) {
	proven := map[string]bool{}
	for _, m := range mutants {
		for _, name := range m.caught {
			proven[name] = true
			if !catches(properties[name], m.judge) {
				t.Errorf("%s does not notice that %s", name, m.name)
			}
		}
	}
	for name, p := range properties {
		if !proven[name] {
			t.Errorf("nothing shows that %s can fail", name)
		}
		if wrong := rapid.Custom(func(t *rapid.T) string { return p(t, native) }).Example(1); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// catches reports whether the property finds something wrong among some thousand
// examples.
func catches(p property, j judge) bool {
	examples := rapid.Custom(func(t *rapid.T) string { return p(t, j) })
	for seed := range 4000 {
		if examples.Example(seed) != "" {
			return true
		}
	}
	return false
}
