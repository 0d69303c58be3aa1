package fileutil_test

import (
	"strings"
	"testing"

	original "mvdan.cc/sh/v3/fileutil"
	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso/scripts/lean/fileutil"
)

// TestShebang: it says what the original says.
func TestShebang(t *testing.T) {
	parts := []string{"#!", "/", "usr/", "bin/", "env", " ", "\t", "sh", "bash", "dash", "zsh", "mksh", "bats", "\n", "\r", "\v", "\u00a0", "-e", "x", "\xff"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 9).Draw(t, "text"), ""))
		if rapid.Bool().Draw(t, "begun") {
			text = append([]byte("#!/bin/"), text...)
		}
		if got, want := fileutil.Shebang(text), original.Shebang(text); got != want {
			t.Errorf("%q: %q, and the original says %q", text, got, want)
		}
	})
	for _, text := range []string{"#!/bin/sh", "#! /usr/bin/env bash\n", "#!/usr/bin/env\t zsh -e", "#!/bin/envsh", "#!/bin/env", "#!/usr/local/bin/sh", "#/bin/sh", ""} {
		if got, want := fileutil.Shebang([]byte(text)), original.Shebang([]byte(text)); got != want {
			t.Errorf("%q: %q, and the original says %q", text, got, want)
		}
	}
}
