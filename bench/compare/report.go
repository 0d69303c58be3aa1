package main

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso/bench"
)

// growths are how many times as long 10,000 rules may take as 10.
var growths = map[bench.Kind]float64{
	bench.Command: 2, bench.Script: 2, bench.Host: 2, bench.Tool: 2, bench.Method: 2,
	bench.Path: 20, bench.Name: 20, bench.Deep: 20,
}

// own reports whether the engine is sayso.
func (r *result) own() bool { return strings.HasPrefix(r.engine.Name, "sayso") }

// find returns the result of one engine at one size.
func find(all []*result, engine, match string, rules int) *result {
	for _, r := range all {
		if r.engine.Name == engine && r.match == match && r.rules == rules {
			return r
		}
	}
	return nil
}

// best returns the quickest of the other engines; tables are counted by
// themselves.
func best(all []*result, match string, rules int, tables bool) *result {
	var out *result
	for _, r := range all {
		if !r.own() && r.engine.Table == tables && r.match == match && r.rules == rules && (out == nil || r.ns < out.ns) {
			out = r
		}
	}
	return out
}

// growth is how many times as long the most rules take as the fewest.
func growth(all []*result, engine, match string) float64 {
	first, last := bench.Sizes[0], bench.Sizes[len(bench.Sizes)-1]
	return find(all, engine, match, last).ns / find(all, engine, match, first).ns
}

// check returns the goals that are missed.
func check(k bench.Kind, all []*result) []string {
	var missed []string
	for _, r := range all {
		if !r.own() || r.match == "turn" {
			continue
		}
		if other := best(all, r.match, r.rules, false); r.ns >= other.ns {
			missed = append(missed, fmt.Sprintf("%s rules, %d of them, %s matches: %s takes %.0f ns, %s %.0f ns",
				k, r.rules, r.match, r.engine.Name, r.ns, other.engine.Name, other.ns))
		}
		if g := growth(all, r.engine.Name, r.match); r.rules == bench.Sizes[0] && g > growths[k] {
			missed = append(missed, fmt.Sprintf("%s rules, %s matches: %s grows %.1f times, not at most %.0f",
				k, r.match, r.engine.Name, g, growths[k]))
		}
	}
	return missed
}

var titles = map[string]string{"one": "one rule matches", "none": "no rule matches", "turn": "10,000 calls in turn"}

// table renders the results of a kind as Markdown.
func table(k bench.Kind, all []*result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s rules: %s\n\n", k, bench.Rule(k, 7))
	for _, match := range []string{"one", "none", "turn"} {
		fmt.Fprintf(&b, "| %s, ns |", titles[match])
		for _, n := range bench.Sizes {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteString(" growth | allocations |\n|---|--:|--:|--:|--:|--:|--:|\n")
		for _, e := range bench.Engines() {
			row(&b, all, e.Name, match)
		}
		for _, own := range []string{"sayso", "sayso-deny"} {
			ratios(&b, all, own, match, false)
			ratios(&b, all, own, match, true)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func row(b *strings.Builder, all []*result, engine, match string) {
	if find(all, engine, match, bench.Sizes[0]) == nil {
		return
	}
	fmt.Fprintf(b, "| %s |", engine)
	low, high := -1.0, 0.0
	for _, n := range bench.Sizes {
		r := find(all, engine, match, n)
		fmt.Fprintf(b, " %.0f |", r.ns)
		if low < 0 || r.allocs < low {
			low = r.allocs
		}
		high = max(high, r.allocs)
	}
	allocs := fmt.Sprintf("%.0f", low)
	if high > low {
		allocs += fmt.Sprintf("–%.0f", high)
	}
	fmt.Fprintf(b, " %.2f | %s |\n", growth(all, engine, match), allocs)
}

// ratios renders how many times as long as sayso the best of the others takes.
func ratios(b *strings.Builder, all []*result, own, match string, tables bool) {
	if best(all, match, bench.Sizes[0], tables) == nil {
		return
	}
	what := "rule engine"
	if tables {
		what = "table"
	}
	fmt.Fprintf(b, "| best other %s ÷ %s |", what, own)
	for _, n := range bench.Sizes {
		other := best(all, match, n, tables)
		fmt.Fprintf(b, " %.1f (%s) |", other.ns/find(all, own, match, n).ns, other.engine.Name)
	}
	b.WriteString(" | |\n")
}
