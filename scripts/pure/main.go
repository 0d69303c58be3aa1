// Pure fails if one of the packages that are tested without the race detector starts
// something that runs beside it, or links a package that does.
//
//	go run ./scripts/pure PACKAGE...
//
// Their tests may, if one of them has Concurrent in its name: the Makefile runs those with
// the race detector, and nothing else of these packages.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// calls start something beside the caller, whatever they are called on, and packages do
// so by themselves.
var (
	calls    = []string{"Go", "Parallel", "AfterFunc"}
	packages = []string{"database/sql", "golang.org/x/sync/errgroup", "net/http", "net/http/httptest", "os/exec", "os/signal"}
)

func main() {
	found, err := check(os.Args[1:])
	for _, f := range found {
		fmt.Fprintln(os.Stderr, "pure: error:", f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pure: error:", err)
	}
	if err != nil || len(found) > 0 {
		fmt.Fprintln(os.Stderr, "pure: hint: take the package out of PURE in the Makefile, so that it is tested with the race detector")
		os.Exit(1)
	}
}

// check returns what speaks against testing packages without the race detector.
func check(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, errors.New("which packages?")
	}
	files, err := sources(names)
	if err != nil {
		return nil, err
	}
	var found []string
	beside, seen := map[string]string{}, map[string]bool{} // by folder: where a test starts something, and whether one is for that
	for _, file := range files {
		s, err := read(file)
		if err != nil {
			return nil, err
		}
		dir, test := filepath.Dir(file), strings.HasSuffix(file, "_test.go")
		switch {
		case s.starts != "" && !test:
			found = append(found, s.starts)
		case s.starts != "":
			beside[dir] = s.starts
		}
		seen[dir] = seen[dir] || test && s.concurrent
	}
	for dir, starts := range beside {
		if !seen[dir] {
			found = append(found, starts+", and no test there has Concurrent in its name")
		}
	}
	slices.Sort(found)
	return found, nil
}

// sources are the files of packages and of all that they link, without those of Go
// itself, and the files of their tests and of what these link of this module.
func sources(names []string) ([]string, error) {
	linked, err := list(names, func(p listed) bool { return !p.Standard }, "-deps")
	if err != nil {
		return nil, err
	}
	tests, err := list(names, func(p listed) bool { return p.Module.Main }, "-deps", "-test")
	files := append(linked, tests...)
	slices.Sort(files)
	return slices.Compact(files), err
}

// A listed is a package as go list describes it.
type listed struct {
	Dir      string
	GoFiles  []string
	Standard bool
	Module   struct{ Main bool }
}

func list(names []string, wanted func(listed) bool, flags ...string) ([]string, error) {
	words := append([]string{"list", "-json=Dir,GoFiles,Standard,Module"}, flags...)
	cmd := exec.Command("go", append(words, names...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var files []string
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return files, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		case !wanted(p):
			continue
		}
		for _, name := range p.GoFiles {
			if !filepath.IsAbs(name) { // the main function of a test is generated elsewhere
				files = append(files, filepath.Join(p.Dir, name))
			}
		}
	}
}

// A source is what a file says.
type source struct {
	starts     string // where it starts something that runs beside it, and what
	concurrent bool   // it has a test for that
}

func read(file string) (source, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	var s source
	starts := func(n ast.Node, what string) {
		if s.starts == "" {
			s.starts = fmt.Sprintf("%s: %s", set.Position(n.Pos()), what)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if path, _ := strconv.Unquote(n.Path.Value); slices.Contains(packages, path) { // it was parsed
				starts(n, "imports "+path)
			}
		case *ast.GoStmt:
			starts(n, "go statement")
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(calls, f.Sel.Name) {
				starts(n, "calls "+f.Sel.Name)
			}
		case *ast.FuncDecl:
			s.concurrent = s.concurrent || strings.HasPrefix(n.Name.Name, "Test") && strings.Contains(n.Name.Name, "Concurrent")
		}
		return true
	})
	return s, nil
}
