package config

import (
	"slices"
	"strings"
)

// union adds to a what only b has.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// both returns what is in both lists. A list that is nil is not set, and has
// everything in it; an empty one has nothing.
func both(a, b []string) []string {
	switch {
	case a == nil:
		return slices.Clone(b)
	case b == nil:
		return a
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}

// bothHosts is both for patterns of hosts: *.example.com and api.example.com
// have api.example.com in common.
func bothHosts(a, b []string) []string {
	if a == nil || b == nil {
		return both(a, b)
	}
	common := []string{}
	for _, x := range a {
		for _, y := range b {
			if covers(x, y) {
				common = union(common, []string{y})
			} else if covers(y, x) {
				common = union(common, []string{x})
			}
		}
	}
	return common
}

// covers reports whether pattern a has every host in it that b has.
func covers(a, b string) bool {
	end, any := strings.CutPrefix(a, "*")
	if !any || a == b {
		return a == b
	}
	if rest, ok := strings.CutPrefix(b, "*"); ok {
		return strings.HasSuffix(rest, end)
	}
	return strings.HasSuffix(b, end) && len(b) > len(end)
}
