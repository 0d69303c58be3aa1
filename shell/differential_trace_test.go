//go:build linux

package shell_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/unpack"
)

// This file runs scripts for the differential tests, and finds out under strace
// which files the calls to the kernel created, changed or removed.

// traced are the calls that change files, and those that are needed to know
// the working folder of each process. The question mark is for those that not
// every architecture has.
const traced = "?open,openat,?openat2,?creat,?unlink,unlinkat,?rename,?renameat,renameat2,?mkdir,mkdirat,?rmdir," +
	"?link,linkat,?symlink,symlinkat,?chmod,fchmod,fchmodat,?fchmodat2,?chown,?lchown,fchown,fchownat," +
	"truncate,ftruncate,?mknod,mknodat,utimensat,?utime,?utimes,?futimesat," +
	"chdir,fchdir,clone,?clone3,?fork,?vfork"

// A touched is a file that a call changed, created, removed or opened for that.
type touched struct {
	file string
	call string
}

// trace runs a script with the real tools and returns what it touched.
func trace(t *testing.T, root, script string) []touched {
	t.Helper()
	log := filepath.Join(root, "trace")
	runScript(t, root, "PATH="+os.Getenv("PATH"), realTool(t, "strace"), "-f", "-y", "-x", "-s", "4096", "-o", log,
		"-e", "trace="+traced, "-e", "signal=none", realTool(t, "bash"), "--norc", "--noprofile", "-c", script)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("strace wrote nothing: %v", err)
	}
	calls := parseTrace(string(text))
	if len(calls) == 0 {
		t.Fatalf("strace saw nothing:\n%s", text)
	}
	return follow(calls, filepath.Join(root, "ws"))
}

// A kernelCall is one line of the trace.
type kernelCall struct {
	pid    string
	name   string
	args   []string
	result string
}

var (
	traceLine   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (.*)$`)
	traceResume = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	descriptor  = regexp.MustCompile(`^(?:\d+|AT_FDCWD)<(.*?)>$`)
)

// parseTrace returns the calls in the order in which they started. One that
// was interrupted by another process stands on two lines.
func parseTrace(text string) []kernelCall {
	lines := strings.Split(text, "\n")
	begun := map[string]int{} // process: line of its unfinished call
	for i, line := range lines {
		if head, ok := strings.CutSuffix(line, "<unfinished ...>"); ok {
			pid, _, _ := strings.Cut(line, " ")
			begun[pid] = i
			lines[i] = strings.TrimRight(head, " ")
		} else if m := traceResume.FindStringSubmatch(line); m != nil {
			lines[begun[m[1]]] += m[2]
			lines[i] = ""
		}
	}
	var out []kernelCall
	for _, line := range lines {
		if m := traceLine.FindStringSubmatch(line); m != nil {
			out = append(out, kernelCall{m[1], m[2], splitArgs(m[3]), m[4]})
		}
	}
	return out
}

// splitArgs splits at the commas that are not in a string, a descriptor's path
// or a structure.
func splitArgs(s string) []string {
	var out []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '<' || c == '{' || c == '[' || c == '(':
			depth++
		case c == '>' || c == '}' || c == ']' || c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

// follow keeps track of the working folders and returns what was touched.
func follow(calls []kernelCall, dir string) []touched {
	dirs := map[string]string{calls[0].pid: dir}
	var out []touched
	for _, c := range calls {
		if strings.HasPrefix(c.result, "-1") || strings.HasPrefix(c.result, "?") {
			continue
		}
		switch c.name {
		case "clone", "clone3", "fork", "vfork":
			child, _, _ := strings.Cut(c.result, " ")
			dirs[child] = dirs[c.pid]
		case "chdir":
			dirs[c.pid] = c.path(0, dirs[c.pid])
		case "fchdir":
			dirs[c.pid] = c.path(0, "")
		default:
			for _, file := range c.touches(dirs[c.pid]) {
				out = append(out, touched{strings.TrimSuffix(file, " (deleted)"), c.name})
			}
		}
	}
	return out
}

// path is the file that the argument names: a descriptor, or a string seen
// from dir.
func (c *kernelCall) path(i int, dir string) string {
	if i >= len(c.args) {
		return ""
	}
	if m := descriptor.FindStringSubmatch(c.args[i]); m != nil {
		return m[1]
	}
	name, err := strconv.Unquote(c.args[i])
	if err != nil || name == "" {
		return dir
	}
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// touches returns the files that the call changes.
func (c *kernelCall) touches(dir string) []string {
	switch c.name {
	case "open", "openat", "openat2", "creat":
		flags := strings.Join(c.args, " ")
		if c.name != "creat" && !strings.Contains(flags, "O_WRONLY") && !strings.Contains(flags, "O_RDWR") && !strings.Contains(flags, "O_CREAT") ||
			strings.Contains(flags, "O_TMPFILE") {
			return nil
		}
		if m := descriptor.FindStringSubmatch(c.result); m != nil { // links are followed
			return []string{m[1]}
		}
		return nil
	case "rename", "link":
		return c.pair(c.path(0, dir), c.path(1, dir))
	case "renameat", "renameat2", "linkat":
		return c.pair(c.path(1, c.path(0, dir)), c.path(3, c.path(2, dir)))
	case "symlink":
		return []string{c.path(1, dir)}
	case "symlinkat":
		return []string{c.path(2, c.path(1, dir))}
	case "unlinkat", "mkdirat", "fchmodat", "fchmodat2", "fchownat", "mknodat", "utimensat", "futimesat":
		return []string{c.path(1, c.path(0, dir))}
	}
	return []string{c.path(0, dir)}
}

// pair is both ends of a move, but only the new end of a hard link.
func (c *kernelCall) pair(from, to string) []string {
	if strings.HasPrefix(c.name, "link") {
		return []string{to}
	}
	return []string{from, to}
}

// A file is what a snapshot says of one.
type file struct {
	mode    fs.FileMode
	content string // or the target of a link
	time    int64
}

func snapshot(t *testing.T, root string) map[string]file {
	t.Helper()
	out := map[string]file{}
	for _, top := range []string{"ws", "home", "tmp"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			f := file{mode: info.Mode()}
			switch {
			case f.mode.IsRegular():
				text, _ := os.ReadFile(name) // one that may not be read has at least a time
				f.content, f.time = string(text), info.ModTime().UnixNano()
			case f.mode&fs.ModeSymlink != 0:
				f.content, err = os.Readlink(name)
			}
			out[name] = f
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// realTempDir is t.TempDir with links followed, since the paths that are
// compared are.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFiles(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func realTool(t *testing.T, name string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("the differential tests need %s: %v", name, err)
	}
	return file
}

// runScript runs a command in root/ws with nothing of this process's
// environment and waits for all it started: they hold its output open.
// How the script ends does not matter, only that it does.
func runScript(t *testing.T, root, env string, command ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), scriptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = root + "/ws"
	cmd.Env = []string{
		env, "HOME=" + root + "/home", "PWD=" + cmd.Dir, "TMPDIR=" + root + "/tmp",
		"LC_ALL=C.UTF-8", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "PYTHONDONTWRITEBYTECODE=1",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("%s\ndid not end within %v", command[len(command)-1], scriptTime)
	}
	return out
}

// An osMachine shows the real files.
type osMachine struct{ unpack.Unpacker }

func (osMachine) ReadFile(name string, max int) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err == nil && len(text) > max {
		err = fmt.Errorf("%s is too long", name)
	}
	return text, err
}

func (osMachine) Lstat(name string) (shell.Entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return shell.Entry{}, err
	}
	e := shell.Entry{Dir: info.IsDir()}
	if info.Mode()&os.ModeSymlink != 0 {
		e.Link, err = os.Readlink(name)
	}
	return e, err
}
