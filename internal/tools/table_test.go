package tools

import (
	"slices"
	"strings"
	"testing"
)

// TestTables: a name has one row, so it is unique for each agent, too; a key has
// one meaning, and keys that differ only in case have the same.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	classes := map[Class]bool{Unknown: true, Move: true}
	rows, keys := 0, 0
	for _, table := range tables {
		for _, r := range table {
			rows++
			classes[r.class] = true
			names := strings.Split(r.names, " ")
			if r.by == 0 || r.class == Unknown || r.class >= Class(len(classNames)) {
				t.Errorf("%s: by %v, class %v", r.names, r.by, r.class)
			}
			for _, n := range names {
				if n == "" || seen[n] || strings.TrimSpace(n) != n || len(n) > longestName {
					t.Errorf("%s: the name %q is wrong, or there twice", r.names, n)
				}
				seen[n] = true
			}
			keys += checkKeys(t, Spec{Name: r.names, args: r.args})
		}
	}
	for c := range classNames {
		if !classes[Class(c)] {
			t.Errorf("no tool is %v", Class(c))
		}
	}
	t.Logf("%d rows, %d names, %d keys", rows, len(seen), keys)
}

func checkKeys(t *testing.T, s Spec) int {
	t.Helper()
	var had []string
	kinds := map[string]kind{}
	last := kind(0)
	for i, a := range s.args {
		if a.kind&kindMask > kSandbox || i > 0 && slices.ContainsFunc(s.args[:i], func(b arg) bool { return a.kind == b.kind }) {
			t.Errorf("%s: kind %d is wrong, or there twice", s.Name, a.kind)
		}
		if last == kIgnore && i > 0 {
			t.Errorf("%s: what is ignored comes last", s.Name)
		}
		last = a.kind
	}
	for key, kind := range s.keys {
		if key == "" || slices.Contains(had, key) {
			t.Errorf("%s: the key %q is wrong, or there twice", s.Name, key)
		}
		if other, ok := kinds[fold(key)]; ok && other != kind {
			t.Errorf("%s: %s means two things", s.Name, key)
		}
		had = append(had, key)
		kinds[fold(key)] = kind
	}
	for _, key := range had { // a.b and a cannot both be
		if i := strings.IndexAny(key, ".["); i >= 0 && slices.Contains(had, key[:i]) {
			t.Errorf("%s: %s is an object, and something else", s.Name, key[:i])
		}
	}
	return len(had)
}

// TestCost: finding and reading the input of a tool costs next to nothing.
func TestCost(t *testing.T) {
	input := []byte(`{"file_path": "/REPO/README.md", "old_string": "hello", "new_string": "changed", "replace_all": false}`)
	n := testing.AllocsPerRun(100, func() {
		s, _ := Claude.Lookup("Edit")
		if _, err := s.Read(input); err != nil {
			t.Fatal(err)
		}
	})
	if n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRead(b *testing.B) {
	input := []byte(`{"file_path": "/REPO/README.md", "old_string": "hello", "new_string": "changed", "replace_all": false}`)
	for b.Loop() {
		s, _ := Claude.Lookup("Edit")
		if _, err := s.Read(input); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupUnknown(b *testing.B) {
	for b.Loop() {
		Lookup("nobody_knows")
	}
}
