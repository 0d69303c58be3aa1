package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes a module with one package p, which links package q, and goes there.
func module(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"go.mod":      "module example.test/m\n\ngo 1.25\n",
		"p/p.go":      "package p\n\nimport _ \"example.test/m/q\"\n\nfunc P() {}\n",
		"q/q.go":      "package q\n\nfunc Q() {}\n",
		"q/q_test.go": "package q\n\nfunc test() { go Q() }\n", // it is not q that is asked about
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestCheck(t *testing.T) {
	const parallel = "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) { t.Parallel() }\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string // each is in what is found
	}{
		{"nothing", nil, nil},
		{"a statement", map[string]string{"p/x.go": "package p\n\nfunc x() { go P() }\n"}, []string{"p/x.go:3:12: go statement"}},
		{"a call", map[string]string{"p/x.go": "package p\n\nimport \"sync\"\n\nfunc x(w *sync.WaitGroup) { w.Go(P) }\n"}, []string{"p/x.go:5:29: calls Go"}},
		{"an import", map[string]string{"p/x.go": "package p\n\nimport _ \"net/http\"\n"}, []string{"p/x.go:3:8: imports net/http"}},
		{"what is linked", map[string]string{"q/x.go": "package q\n\nfunc x() { go Q() }\n"}, []string{"q/x.go:3:12: go statement"}},
		{"its test", map[string]string{"p/p_test.go": parallel}, []string{"p/p_test.go:5:28: calls Parallel, and no test there has Concurrent"}},
		{"its test from outside", map[string]string{"p/p_test.go": strings.Replace(parallel, "package p", "package p_test", 1)}, []string{"p_test.go:5:28"}},
		{"a test for it", map[string]string{"p/p_test.go": parallel, "p/c_test.go": "package p\n\nimport \"testing\"\n\nfunc TestConcurrent(t *testing.T) { go P() }\n"}, nil},
		{"a test elsewhere", map[string]string{"p/p_test.go": parallel, "q/c_test.go": "package q\n\nimport \"testing\"\n\nfunc TestConcurrent(t *testing.T) { go Q() }\n"}, []string{"p/p_test.go:5:28"}},
		{"a test is no excuse", map[string]string{"p/x.go": "package p\n\nfunc x() { go P() }\n", "p/c_test.go": "package p\n\nimport \"testing\"\n\nfunc TestConcurrent(t *testing.T) {}\n"}, []string{"p/x.go:3:12"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			module(t, tt.files)
			found, err := check([]string{"./p"})
			if err != nil || !slices.EqualFunc(found, tt.want, strings.Contains) {
				t.Errorf("found %q, %v, want %q", found, err, tt.want)
			}
		})
	}
}

// TestCheckFails: what cannot be looked at is not pure.
func TestCheckFails(t *testing.T) {
	module(t, map[string]string{"p/x.go": "package p\n\nfunc {\n"})
	for _, names := range [][]string{nil, {"./p"}, {"./none"}} {
		if found, err := check(names); err == nil {
			t.Errorf("%q: %q", names, found)
		}
	}
}
