// Lean prepares a build of sayso-hook without the regular expressions of the shell
// parser, which the hook would compile at each start and never uses:
//
//	go run ./scripts/lean
//	go build -modfile=.lean/go.mod ./cmd/sayso-hook
//
// It copies the parser's module out of the module cache, puts package fileutil of this
// folder in the place of its own, and writes a go.mod that uses the copy. Everything
// else builds with the module as it is, and so does the hook: it is only a little slower.
// Decision 046 says why.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	module = "mvdan.cc/sh/v3"
	ours   = "scripts/lean/fileutil/fileutil.go"
)

func main() {
	if err := prepare(".lean"); err != nil {
		fmt.Fprintf(os.Stderr, "lean: error: %v\n", err)
		os.Exit(1)
	}
}

// prepare fills a folder. It is called in the root of this module.
func prepare(into string) error {
	from, err := download()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(into); err != nil {
		return err
	}
	to, err := filepath.Abs(filepath.Join(into, "sh"))
	if err != nil {
		return err
	}
	if err := errors.Join(
		copyFile(filepath.Join(from, "go.mod"), filepath.Join(to, "go.mod")),
		copyPackage(filepath.Join(from, "syntax"), filepath.Join(to, "syntax")),
		copyFile(ours, filepath.Join(to, "fileutil", "fileutil.go")),
		copyFile("go.sum", filepath.Join(into, "go.sum")),
	); err != nil {
		return err
	}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	text = fmt.Appendf(text, "\nreplace %s => %s\n", module, strconv.Quote(to))
	return os.WriteFile(filepath.Join(into, "go.mod"), text, 0o644)
}

// download returns where the parser's module is, in the version that go.mod names.
func download() (dir string, err error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var found struct{ Dir, Error string }
	if failed := json.Unmarshal(out, &found); failed == nil && found.Error != "" {
		err = errors.New(found.Error)
	} else if err == nil {
		err = failed
	}
	if err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return found.Dir, nil
}

// copyPackage copies the Go files of a folder but for its tests.
func copyPackage(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: %w", from, fs.ErrNotExist)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			err = errors.Join(err, copyFile(name, filepath.Join(to, filepath.Base(name))))
		}
	}
	return err
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
}
