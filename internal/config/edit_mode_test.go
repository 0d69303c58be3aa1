package config_test

import (
	"testing"

	"github.com/sayso-dev/sayso/internal/config"
)

// TestSetMode: only the mode changes, and what cannot be edited safely is left
// alone.
func TestSetMode(t *testing.T) {
	for _, one := range []struct{ text, mode, want string }{
		{"", "careful", "mode: careful\n"},
		{"# mine\n", "careful", "# mine\nmode: careful\n"},
		{"# mine\nallow: [read(**)]\n", "plan", "# mine\nmode: plan\nallow: [read(**)]\n"},
		{"allow: [read(**)]\nmode:   default  # why\ndeny: [bash(x)]\n", "careful", "allow: [read(**)]\nmode:   careful  # why\ndeny: [bash(x)]\n"},
		{"mode: \"default\"\n", "plan", "mode: plan\n"},
		{"mode: 'default' # x\n", "plan", "mode: plan # x\n"},
		{"mode: default\nallow: [read(**)]\n", "", "allow: [read(**)]\n"},
		{"mode: default", "", ""},
		{"mode: plan\n", "plan", "mode: plan\n"},
		{"{mode: default}\n", "plan", ""},
		{"mode: default\n", "no such mode", ""},
		{"mode: [\n", "plan", ""},
	} {
		got, err := config.SetMode([]byte(one.text), one.mode)
		if string(got) != one.want || (err != nil) != (one.want == "" && one.mode != "") {
			t.Errorf("%q to %q: %q %v, want %q", one.text, one.mode, got, err, one.want)
		}
	}
}
