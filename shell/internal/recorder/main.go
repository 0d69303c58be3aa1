// Recorder stands in for a program in the differential tests of package shell.
//
// Installed under many names, it writes down the name and the arguments it was
// started with and ends. Under the name of a tool that runs other commands, or
// whose output decides what a script does next (xargs, find, sh, cat …), it
// becomes that tool afterwards, so that the inner commands are recorded too.
//
// The log is the file named recorder.log in the folder of the executable or the
// nearest folder above it. An environment variable would not survive env -i.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// An entry is one line of the log.
type entry struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
}

// real are the tools that are run after they were recorded.
var real = []string{
	"awk", "basename", "bash", "cat", "cut", "dash", "dirname", "env", "expr", "find", "flock", "git", "grep", "head",
	"ionice", "ls", "nice", "nohup", "perl", "python3", "sed", "seq", "setsid", "sh", "sort", "stdbuf", "tail", "tar",
	"timeout", "tr", "uniq", "wc", "xargs",
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(125)
	}
}

func run() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := filepath.Base(self)
	if err := record(self, name); err != nil {
		return err
	}
	switch {
	case slices.Contains(real, name):
		return become(name)
	case strings.HasPrefix(name, "fail"):
		os.Exit(1)
	}
	return nil
}

// record appends the arguments to the log, in one write: many may do so at once.
func record(self, name string) error {
	argv := slices.Clone(os.Args)
	if filepath.Base(argv[0]) != name { // exec -a gives another name
		argv[0] = name
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	line, err := json.Marshal(entry{argv, dir})
	if err != nil {
		return err
	}
	for at := filepath.Dir(self); ; at = filepath.Dir(at) {
		f, err := os.OpenFile(filepath.Join(at, "recorder.log"), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.Write(append(line, '\n'))
			return errors.Join(err, f.Close())
		}
		if at == "/" {
			return err
		}
	}
}

// become replaces this process by the tool of that name.
func become(name string) error {
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/local/bin"} {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return syscall.Exec(file, os.Args, os.Environ())
		}
	}
	return fmt.Errorf("no %s on this machine", name)
}
