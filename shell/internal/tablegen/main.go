// Tablegen compiles the command tables (shell/tables/*.txt) into Go values.
//
// usage: tablegen [-check] TABLES OUT
//
// TABLES is the folder of the text files, OUT the folder of package shell.
// With -check nothing is written; the exit status is 1 if a file in OUT
// differs from what would be written.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "report stale files, write nothing")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: tablegen [-check] TABLES OUT")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *check); err != nil {
		fmt.Fprintf(os.Stderr, "tablegen: %v\n", err)
		os.Exit(1)
	}
}

func run(tables, out string, check bool) error {
	names, err := filepath.Glob(filepath.Join(tables, "*.txt"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no *.txt file in %s", tables)
	}
	sort.Strings(names)
	var files []*file
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parseFile(filepath.Base(name), string(text))
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if err := link(files); err != nil {
		return err
	}
	return write(emit(files), out, check)
}

// write brings the generated files of out in line with want.
func write(want map[string][]byte, out string, check bool) error {
	var stale []string
	for name, text := range want {
		path := filepath.Join(out, filepath.FromSlash(name))
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, text) {
			continue
		}
		stale = append(stale, name)
		if !check {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		}
	}
	if check && len(stale) > 0 {
		sort.Strings(stale)
		return fmt.Errorf("stale: %s; run: go generate ./shell", strings.Join(stale, ", "))
	}
	return nil
}
