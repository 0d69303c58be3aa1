package cli_test

import (
	"slices"
	"testing"

	"github.com/sayso-dev/sayso/internal/cli"
)

// TestArgs: under the name of a shell, the program is that shell.
func TestArgs(t *testing.T) {
	for _, one := range []struct{ argv, want []string }{
		{[]string{"/usr/bin/sayso", "check", "bash", "ls"}, []string{"check", "bash", "ls"}},
		{[]string{"/home/me/guarded/bash", "-lc", "ls"}, []string{"sh", "--as=bash", "-lc", "ls"}},
		{[]string{"-zsh"}, []string{"sh", "--as=zsh"}},
		{[]string{"sh", "x.sh"}, []string{"sh", "--as=sh", "x.sh"}},
		{[]string{"bashful"}, nil},
		{nil, nil},
	} {
		if got := cli.Args(one.argv); !slices.Equal(got, one.want) {
			t.Errorf("%q: %q, want %q", one.argv, got, one.want)
		}
	}
}
