package preset_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/preset"
)

// TestKosmoKratorListsCatch: what the document says, sentence by sentence, notices
// each entry of its lists that is missing.
func TestKosmoKratorListsCatch(t *testing.T) {
	text, err := os.ReadFile("../testdata/decisions/kosmokrator/sentences.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var lines []*vector.Line
	for line := range bytes.Lines(text) {
		l, err := vector.Parse(bytes.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	noticed := func() bool {
		return slices.ContainsFunc(lines, func(l *vector.Line) bool {
			d, err := l.Decide(context.Background(), vector.Defaults{})
			return err != nil || l.Differs(d) != ""
		})
	}
	if noticed() {
		t.Fatal("a fault is noticed where there is none")
	}
	for _, fault := range preset.KosmoFaults() {
		undo := fault.Plant()
		if !noticed() {
			t.Errorf("%s: not noticed", fault.Name)
		}
		undo()
	}
}
