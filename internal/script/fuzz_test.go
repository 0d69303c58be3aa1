package script

import (
	"context"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"github.com/sayso-dev/sayso"
)

// FuzzScript: whatever a script is, it never allows, never panics, and what goes
// wrong in it has a place.
func FuzzScript(f *testing.F) {
	for _, text := range []string{
		"def decide(call):\n    pass",
		"def decide(call):\n    return deny(\"no\")",
		"def decide(call):\n    x = [1]\n    x += x * 3\n    x[0] |= 2\n    ask(str(x[1:]) + \"%s\" % call.tool)",
		"def f(*a, **k): return a\ndef decide(call):\n    return [f(*x, **{}) for x in call.commands if x.argv[0] in {\"ls\": 1}]",
		"decide = lambda call: ask(call.sentence.upper().replace(\"L\", \"x\" * 10).join([\"a\", \"b\"]))",
		"L = sorted([3, 1], key = lambda x: -x)\ndef decide(call):\n    for i, x in enumerate(L):\n        (a, [b]) = (x, [i])\n        deny(\"{} {}\".format(a, b))",
	} {
		f.Add(text)
	}
	c := caseOf("ls")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Load("policy.star", []byte(text))
		if err == nil {
			var v sayso.Verdict
			v, err = s.Check(context.Background(), c)
			if err == nil && v.Speaks() && v.Effect() == sayso.Allow {
				t.Errorf("it allows: %s", v.Reason())
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "policy.star:") {
			t.Errorf("an error without a place: %v", err)
		}
	})
}

// TestPrices: every price is that of something that exists, so that a mistyped
// name does not go unnoticed.
func TestPrices(t *testing.T) {
	known := map[string]bool{}
	for name := range starlark.Universe {
		known[name] = true
	}
	for _, v := range []starlark.HasAttrs{starlark.String(""), starlark.Bytes(""), starlark.NewList(nil), starlark.NewDict(0), starlark.NewSet(0)} {
		for _, name := range v.AttrNames() {
			known[v.Type()+"."+name] = true
		}
	}
	for name := range prices {
		if !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for name, v := range starlark.Universe { // none of them can be had without its price
		if own := environment()[name]; own == nil || own == v && v.Type() == "builtin_function_or_method" {
			t.Errorf("%s is not metered", name)
		}
	}
}
