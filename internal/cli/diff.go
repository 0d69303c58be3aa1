package cli

import (
	"fmt"
	"io"
	"strings"
)

// nearby is how many unchanged lines are shown around a change.
const nearby = 3

// printDiff shows what would change in a file, line by line. A file that is not
// there is empty.
func printDiff(name string, before, after []byte, out io.Writer) {
	printf(out, "--- %s\n+++ %s\n", name, name)
	lines := diffLines(splitLines(before), splitLines(after))
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l[0] != ' ' {
			for j := max(0, i-nearby); j <= min(len(lines)-1, i+nearby); j++ {
				near[j] = true
			}
		}
	}
	for i, l := range lines {
		switch {
		case near[i]:
			printf(out, "%s\n", strings.ReplaceAll(l, "\t", "    "))
		case i == 0 || near[i-1]:
			fmt.Fprintln(out, " …")
		}
	}
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// diffLines returns the lines of both texts, with ' ', '-' or '+' in front. What
// is between the common beginning and end is compared by the longest common
// subsequence, unless that would take too long.
func diffLines(a, b []string) []string {
	var out, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		out, a, b = append(out, " "+a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, " "+a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	length := common(a, b)
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			out, a, b = append(out, " "+a[0]), a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && length(len(a)-1, len(b)) >= length(len(a), len(b)-1):
			out, a = append(out, "-"+a[0]), a[1:]
		default:
			out, b = append(out, "+"+b[0]), b[1:]
		}
	}
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

// common returns how many lines the last i of a and the last j of b have in
// common, in order.
func common(a, b []string) func(i, j int) int {
	if len(a)*len(b) > 4_000_000 {
		return func(int, int) int { return 0 }
	}
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := 1; i <= len(a); i++ {
		table[i] = make([]int, len(b)+1)
		for j := 1; j <= len(b); j++ {
			if a[len(a)-i] == b[len(b)-j] {
				table[i][j] = table[i-1][j-1] + 1
			} else {
				table[i][j] = max(table[i-1][j], table[i][j-1])
			}
		}
	}
	return func(i, j int) int { return table[i][j] }
}
