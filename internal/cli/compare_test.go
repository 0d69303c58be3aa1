package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/cli"
)

// TestComparison: the page of the documentation is what the command prints.
func TestComparison(t *testing.T) {
	want, err := os.ReadFile("../../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if code := cli.Main([]string{"presets", "--markdown"}, cli.IO{Out: &out, Err: &errs}); code != 0 || out.String() != string(want) {
		t.Errorf("docs/comparison.md is stale: run make generate (exit %d, %s)", code, errs.String())
	}
}
