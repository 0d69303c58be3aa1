package glob_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/glob"
)

func TestBraces(t *testing.T) {
	for pattern, want := range map[string][]string{
		"*.go":              {"*.go"},
		"*.{ts,tsx}":        {"*.ts", "*.tsx"},
		"{a,b{c,d}}/x":      {"a/x", "bc/x", "bd/x"},
		"{.env,*.pem}{,.x}": {".env", ".env.x", "*.pem", "*.pem.x"},
		"{one}":             {"one"},
		"a{b":               {"a{b"},
		"a{b{c,d}":          {"a{bc", "a{bd"},
		"":                  {""},
	} {
		if got := glob.Braces(pattern); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
	if got := glob.Braces(strings.Repeat("{a,b}", 40)); !slices.Equal(got, []string{"*"}) {
		t.Errorf("too many: %d patterns", len(got))
	}
}
