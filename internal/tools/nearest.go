package tools

import "strings"

// longestName is where a name is too long to be a typing error.
const longestName = 64

// Nearest returns the known tool whose name is most like the given one, for a
// rule or a command line with a typing error in it. It does not tell case apart,
// and ok is false if nothing is near.
func Nearest(name string) (near string, ok bool) {
	if name == "" || len(name) > longestName {
		return "", false
	}
	low := strings.ToLower(name)
	limit := max(1, min(len(name)/3, 3)) + 1
	best := 2 * limit
	for _, t := range tables {
		for i := range t {
			for n := range strings.SplitSeq(t[i].names, " ") {
				if n == name {
					return n, true
				}
				if len(n) > longestName {
					continue
				}
				d := 2 * distance(low, strings.ToLower(n), limit)
				if isUpper(n[0]) != isUpper(name[0]) {
					d++ // bash rather than Bash
				}
				if d < best {
					near, best = n, d
				}
			}
		}
	}
	return near, near != ""
}

// distance counts the letters that have to be added, removed, replaced or
// swapped with the next to get from a to b. It gives up at limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][longestName + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, up2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], up2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
