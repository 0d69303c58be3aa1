package vector_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/script"
	"github.com/sayso-dev/sayso/internal/vector"
)

var here = vector.Defaults{Cwd: "/home/dev/app", Home: "/home/dev", Script: script.Stage}

// TestDecisions runs the corpus of testdata/decisions.
func TestDecisions(t *testing.T) {
	files, err := filepath.Glob("../../testdata/decisions/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, "../../testdata/decisions/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for n, line := range bytes.Split(text, []byte("\n")) {
				if len(line) == 0 || line[0] == '#' {
					continue
				}
				l, err := vector.Parse(line)
				if err != nil {
					t.Fatalf("%s:%d: %v", file, n+1, err)
				}
				if !l.Decision() {
					continue // a test of the preset states it
				}
				if seen[string(l.ID)] || l.Code == "" && strings.Contains(file, "/native/") {
					t.Errorf("%s:%d: id %s: not unique, or without code", file, n+1, l.ID)
				}
				seen[string(l.ID)] = true
				d, err := l.Decide(context.Background(), here)
				if err != nil {
					t.Errorf("%s:%d: %v", file, n+1, err)
					continue
				}
				if why := l.Differs(d); why != "" {
					t.Errorf("%s:%d: %s: %s", file, n+1, l.ID, why)
				}
			}
		})
	}
}
