package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinks: this program starts once for every command that is run, and what it
// links is all that has rights inside: both are kept small.
func TestLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "github.com/sayso-dev/sayso/internal/box\n") {
		t.Fatalf("go list lists %d bytes, and not what it does", len(out))
	}
	for pkg := range strings.Lines(string(out)) {
		pkg = strings.TrimSpace(pkg)
		ours := strings.HasPrefix(pkg, "github.com/sayso-dev/sayso/") && !strings.HasSuffix(pkg, "/internal/box") && !strings.HasSuffix(pkg, "/internal/breakout") && !strings.HasSuffix(pkg, "/cmd/sayso-box")
		if heavy := strings.Contains(pkg, ".") && !strings.HasPrefix(pkg, "golang.org/x/sys/") && !strings.HasPrefix(pkg, "github.com/sayso-dev/"); ours || heavy || pkg == "net" || pkg == "encoding/json" || pkg == "os/exec" {
			t.Errorf("it links %s", pkg)
		}
	}
}
