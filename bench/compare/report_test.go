package main

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/bench"
)

// made returns results in which sayso takes 100 ns and every other engine 200,
// tables 50.
func made() []*result {
	var all []*result
	for _, e := range bench.Engines() {
		for _, n := range bench.Sizes {
			for _, c := range bench.Cases {
				r := &result{engine: e, match: c.Name, rules: n, ns: 200}
				switch {
				case r.own():
					r.ns = 100
				case e.Table:
					r.ns = 50
				}
				all = append(all, r)
			}
		}
	}
	return all
}

func TestCheck(t *testing.T) {
	if missed := check(bench.Host, made()); missed != nil {
		t.Errorf("all is well, but %q", missed)
	}
	tests := []struct {
		kind          bench.Kind
		engine, match string
		rules         int
		ns            float64
		want          string
	}{
		{bench.Host, "casbin", "none", 100, 99, "host rules, 100 of them, none matches: sayso takes 100 ns, casbin 99 ns"},
		{bench.Tool, "sayso-deny", "one", 1000, 200, "tool rules, 1000 of them, one matches: sayso-deny takes 200 ns, "},
		{bench.Command, "sayso", "one", 10, 49, "command rules, one matches: sayso grows 2.0 times, not at most 2"},
		{bench.Path, "sayso", "none", 10, 4.9, "path rules, none matches: sayso grows 20.4 times, not at most 20"},
		{bench.Path, "sayso", "none", 10, 49, ""},
	}
	for _, test := range tests {
		all := made()
		find(all, test.engine, test.match, test.rules).ns = test.ns
		missed := strings.Join(check(test.kind, all), "\n")
		if test.want == "" && missed != "" || !strings.HasPrefix(missed, test.want) {
			t.Errorf("%v: got %q", test, missed)
		}
	}
}

func TestTable(t *testing.T) {
	got := table(bench.Tool, made())
	for _, want := range []string{
		"## tool rules: mcp(server7/tool)\n",
		"| sayso | 100 | 100 | 100 | 100 | 1.00 | 0 |\n",
		"| best other rule engine ÷ sayso | 2.0 (cedar) |",
		"| best other table ÷ sayso | 0.5 (cedar-table) |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}
