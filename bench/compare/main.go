// Command compare measures the engines of package bench in turns, prints a
// table for each kind of rule, and exits 1 if sayso misses one of its goals:
//
//   - it is ahead of every other engine at every size;
//   - from 10 to 10,000 rules it takes at most twice as long for commands,
//     hosts and tools, and at most twenty times for path globs.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/sayso-dev/sayso/bench"
)

func main() {
	rounds := flag.Int("count", countOr(200), "`rounds` in which every engine gets its turn; by default $COUNT or 200")
	short := flag.Bool("short", false, "ten rounds: for a first look")
	only := flag.String("kind", "", "only this `kind` of rules: command, host, tool, path, name, script, method or deep")
	flag.Parse()
	if *short {
		*rounds = 10
	}
	if *rounds < 1 || flag.NArg() > 0 || *only != "" && !slices.Contains(bench.Kinds, bench.Kind(*only)) {
		flag.Usage()
		os.Exit(2)
	}
	var missed []string
	for _, k := range bench.Kinds {
		if *only != "" && k != bench.Kind(*only) {
			continue
		}
		results, err := measure(k, *rounds)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(2)
		}
		fmt.Print(table(k, results))
		missed = append(missed, check(k, results)...)
	}
	for _, m := range missed {
		fmt.Println("MISSED:", m)
	}
	if len(missed) > 0 {
		os.Exit(1)
	}
	fmt.Println("All goals are met.")
}

func countOr(n int) int {
	if c, err := strconv.Atoi(os.Getenv("COUNT")); err == nil {
		return c
	}
	return n
}
