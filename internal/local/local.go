// Package local knows what there is on this machine: where a workspace ends, where
// the policy files, the state and the programs of sayso are. It reads no policy, so
// that the quick program for hooks can use it.
package local

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sayso-dev/sayso/internal/session"
)

// Root is the workspace of a folder: the nearest one above it that has a
// policy or a repository, or it itself.
func Root(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		for _, sign := range [...]string{".sayso.yaml", ".git"} {
			if _, err := os.Lstat(filepath.Join(at, sign)); err == nil {
				return at
			}
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Real is the path with links followed, as far as that can be done.
func Real(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// State is where the sessions of the user are.
func State() (session.Folder, error) {
	home, _ := os.UserHomeDir() // without one, only XDG_STATE_HOME counts
	return session.At(home, os.Getenv("XDG_STATE_HOME"))
}

// Database is where the database of a state folder is: what people have granted
// and trust.
func Database(state string) string { return filepath.Join(state, "sayso.db") }

// Profile is where what the user allows everywhere is kept, encrypted.
func Profile(dir string) string { return filepath.Join(dir, "profile.age") }

// Page is where the address of the web page stands while it is served.
func Page(dir string) string { return filepath.Join(dir, "page") }

// pageAddress is the address of the web page; empty: it was never served, or its
// server has ended in good order.
func pageAddress(dir string) string {
	text, err := start(Page(dir), 300)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Guarded are the files that decide about agents on this machine: the policy, the
// state and the programs of sayso; and as tcp://HOST:PORT the address of its web
// page.
func Guarded(at Files) []string {
	state, _ := State() // without one there is nothing to guard
	return GuardedWith(at, state.Dir)
}

// GuardedWith is Guarded, where the state is in this folder.
func GuardedWith(at Files, state string) []string {
	var out []string
	if folder := at.Folder(); folder != "" {
		out = append(out, folder+"/**")
	}
	if state != "" {
		out = append(out, state+"/**")
		if address := pageAddress(state); address != "" {
			out = append(out, "tcp://"+address)
		}
	}
	return append(out, programs()...)
}

// own is where this program is, as it was started and with links followed. It is
// looked for once.
var own struct {
	sync.Once
	file, real string
	err        error
}

func self() (file, real string, err error) {
	own.Do(func() {
		if own.file, own.err = os.Executable(); own.err == nil {
			own.real = own.file
			if runtime.GOOS != "linux" { // there the system itself has followed them
				own.real = Real(own.file)
			}
		}
	})
	return own.file, own.real, own.err
}

// programs are the files of sayso itself: this one, and the others beside it.
func programs() []string {
	file, real, err := self()
	if err != nil {
		return nil
	}
	var out []string
	for _, file := range []string{file, real} {
		out = append(out, file)
		for _, name := range []string{"sayso", "sayso-hook", "sayso-box"} {
			out = append(out, filepath.Join(filepath.Dir(file), name+filepath.Ext(file)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Beside finds a program in the folder of this one, and nowhere else: what a
// search path leads to could be anybody's.
func Beside(name string) (string, error) {
	found, _, err := LookBeside(name)
	return found, err
}

// LookBeside is Beside, and tells what the file is like.
func LookBeside(name string) (string, os.FileInfo, error) {
	_, own, err := self()
	if err != nil {
		return "", nil, fmt.Errorf("find the program %s: %w", name, err)
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found := filepath.Join(filepath.Dir(own), name)
	info, err := os.Stat(found)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("%s, which runs it, is not there; install sayso and sayso-hook into the same folder", found)
	}
	return found, info, nil
}
