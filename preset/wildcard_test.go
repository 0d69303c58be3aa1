package preset

import "testing"

func TestWildcardMeets(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"", "*", true},
		{"a", "", false},
		{"a", "a", true},
		{"a", "b", false},
		{"a", "?", true},
		{"?", "", false},
		{"git push*", "git *", true},
		{"rm *", "*", true},
		{"rm *", "echo *", false},
		{"*b", "a*", true},
		{"a*c", "ab*d", false},
		{"a*c", "ab*", true},
		{"*x*", "a * b", true},
		{"*x*", "a b", false},
		{"ab", "a*b", true},
		{"a?b", "a*b", true},
		{"ab*", "*ba", true},
		{"ls /secret*", "ls * -l", true},
	} {
		a, b := compileWildcard(c.a), compileWildcard(c.b)
		if a.meets(b) != c.want || b.meets(a) != c.want {
			t.Errorf("%q and %q: %t and %t, want %t", c.a, c.b, a.meets(b), b.meets(a), c.want)
		}
	}
}
