//go:build linux

package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocCounts: docs/run.md says how many attempts there are.
func TestDocCounts(t *testing.T) {
	text, err := os.ReadFile("../docs/run.md")
	if os.IsNotExist(err) && os.Getenv("SAYSO_TEST_BOX") != "" {
		t.Skip("this turn has no documents")
	}
	if err != nil {
		t.Fatal(err)
	}
	ordinary, flat := 0, 0
	for _, e := range escapes {
		if !e.root {
			ordinary++
		}
		if e.flatBy != "" {
			flat++
		}
	}
	want := fmt.Sprintf("The tests have %d of them, of which %d need no rights and are tried as an ordinary user, too, and %d are also tried where there are no namespaces; %d more try to change or make what is barred.",
		len(escapes), ordinary, flat, len(makings)+len(changesBelow)+len(makingsBelow))
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("docs/run.md does not say: %s", want)
	}
}
