package preset_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
)

// failing is a policy script that does not work.
type failing struct{}

func (failing) Name() string { return "script" }
func (failing) Check(context.Context, *sayso.Case) (sayso.Verdict, error) {
	return sayso.Decide(sayso.Allow, "", ""), context.DeadlineExceeded
}

// saying is a policy script that says one thing.
type saying struct{ sayso.Verdict }

func (saying) Name() string                                                { return "script" }
func (s saying) Check(context.Context, *sayso.Case) (sayso.Verdict, error) { return s.Verdict, nil }

// scriptsOnlyTighten: whatever scripts say, no call gets more permissive, and what
// one of them denies or asks about is denied or asked about.
func scriptsOnlyTighten(t *rapid.T, j judge) string {
	on, call := with(somePolicy(t, "rules")...), someCall(t)
	s := someSession(t, call)
	strictest := sayso.Allow
	for range rapid.IntRange(1, 3).Draw(t, "scripts") {
		switch e := sayso.Effect(rapid.IntRange(0, 4).Draw(t, "says")); {
		case e <= sayso.Allow:
			strictest = min(strictest, e)
			on.scripts = append(on.scripts, saying{sayso.Decide(e, "script", "")})
		case e == sayso.Allow+1:
			on.scripts = append(on.scripts, saying{sayso.Pass()})
		default:
			strictest = min(strictest, sayso.Ask)
			on.scripts = append(on.scripts, failing{})
		}
	}
	before, after := j(setup{files: on.files}, call, s), j(on, call, s)
	if after.Effect > before.Effect || after.Effect > strictest {
		return fmt.Sprintf("%s: %s %s, with scripts: %s %s", call.Input, before.Effect, before.Code, after.Effect, after.Code)
	}
	return ""
}

// errorsNeverAllow: a rule or a file that does not load, a script that fails, an
// unknown mode.
func errorsNeverAllow(t *rapid.T, j judge) string {
	rules, call := somePolicy(t, "rules"), someCall(t)
	s := someSession(t, call)
	whole := with(rules...)
	failed, scripted, mistaken := whole, whole, whole
	failed.err = context.Canceled
	scripted.scripts = []sayso.Stage{failing{}}
	broken := fileOf(rapid.SampledFrom(someLayers).Draw(t, "layer"), rapid.Bool().Draw(t, "trusted"))
	broken.File.Err = errors.New("a mistake")
	mistaken.files = append(slices.Clone(whole.files), broken)
	unknown := s
	unknown.Mode = "unknown"
	for name, d := range map[string]sayso.Decision{
		"a broken rule":   j(with(append(rules, sayso.Rule{Effect: sayso.Deny, Text: "bash("})...), call, s),
		"a policy error":  j(failed, call, s),
		"a broken file":   j(mistaken, call, s),
		"a script":        j(scripted, call, s),
		"an unknown mode": j(whole, call, unknown),
	} {
		if d.Effect == sayso.Allow {
			return fmt.Sprintf("%s allows %s", name, call.Input)
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if engineOf(whole).Check(over, call, s).Effect == sayso.Allow || (&sayso.Engine{}).Check(context.Background(), call, s).Effect == sayso.Allow {
		return "the end of time or an empty engine allows"
	}
	return ""
}

var someLayers = []sayso.Layer{sayso.Managed, sayso.User, sayso.Workspace, sayso.Committed}

// someFiles are policy files of several layers.
func someFiles(t *rapid.T) []config.Layered {
	var out []config.Layered
	for range rapid.IntRange(1, 4).Draw(t, "files") {
		out = append(out, someFile(t, rapid.IntRange(0, 3).Draw(t, "trust") > 0))
	}
	return out
}

func someFile(t *rapid.T, trusted bool) config.Layered {
	f := fileOf(rapid.SampledFrom(someLayers).Draw(t, "layer"), trusted, somePolicy(t, "rules")...)
	switch rapid.IntRange(0, 5).Draw(t, "switch") {
	case 0:
		f.File.Workspace.Off = []preset.Capability{preset.CanNetwork}
	case 1:
		f.File.Workspace.Ask = []preset.Capability{preset.CanNetwork}
	}
	return f
}

// layersInAnyOrder: the same files in another order decide the same.
func layersInAnyOrder(t *rapid.T, j judge) string {
	files, call := someFiles(t), someCall(t)
	s := someSession(t, call)
	other := rapid.Permutation(files).Draw(t, "order")
	if a, b := j(setup{files: files}, call, s), j(setup{files: other}, call, s); a.Effect != b.Effect || a.Code != b.Code {
		return fmt.Sprintf("%s: %s %s, reordered: %s %s", call.Input, a.Effect, a.Code, b.Effect, b.Code)
	}
	return ""
}

// untrustedOnlyTightens: a file that is not trusted, or any file as far as it
// denies and asks, never makes a call more permissive.
func untrustedOnlyTightens(t *rapid.T, j judge) string {
	files, call := someFiles(t), someCall(t)
	s := someSession(t, call)
	more := someFile(t, rapid.Bool().Draw(t, "trusted"))
	if more.Trusted {
		more.File.Rules = slices.DeleteFunc(more.File.Rules, func(r sayso.Rule) bool { return r.Effect == sayso.Allow })
	}
	at := rapid.IntRange(0, len(files)).Draw(t, "at")
	before, after := j(setup{files: files}, call, s), j(setup{files: slices.Insert(slices.Clone(files), at, more)}, call, s)
	if after.Effect > before.Effect {
		return fmt.Sprintf("%s: %s %s, with one more file: %s %s", call.Input, before.Effect, before.Code, after.Effect, after.Code)
	}
	return ""
}
