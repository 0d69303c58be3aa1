package stepwise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/sayso-dev/sayso/shell"
)

// decided are the commands that the shell does itself and that are decided as if they
// were programs. The others do nothing but to its own state, or lead to commands that
// are decided.
var decided = []string{"echo", "printf", "cd", "pushd", "popd"}

// deepest is how deep calls can be in each other, in functions of the interpreter. An
// overflow of the stack could not be caught.
const deepest = 8_000

// call is asked about every simple command, also functions and what the shell does
// itself.
func (r *run) call(ctx context.Context, args []string) ([]string, error) {
	hc := interp.HandlerCtx(ctx)
	if runtime.Callers(deepest, make([]uintptr, 1)) > 0 {
		return nil, r.fail(errors.New("functions call each other too deep"))
	}
	name := args[0]
	if interp.IsBuiltin(name) {
		r.s.Steps.Turn(ctx)
	}
	switch {
	case r.declared[name]:
	case (name == "echo" || name == "printf") && broken(hc.Stdout):
		return []string{"exit", "141"}, nil // whoever reads has gone: a shell would be ended by a signal
	case name == "printf" && len(args) > 1 && args[1] == "-v":
		return nil, r.fail(&UnsupportedError{What: "printf -v", Line: hc.Pos.Line()})
	case name == "printf" && !formats(args[1:]):
		return append([]string{printfProgram}, args[1:]...), nil // and that is decided
	case slices.Contains(missing, name):
		return nil, r.fail(&UnsupportedError{What: name, Line: hc.Pos.Line()})
	case name == "eval":
		if _, err := shell.Analyze(strings.Join(args[1:], " "), shell.Place{Dir: "/"}); err != nil {
			return nil, r.fail(fmt.Errorf("eval: %w", err)) // too long or too deep
		}
	case slices.Contains(decided, name):
		return letters(args), r.allow(ctx, Action{Text: Line(nil, args), Dir: hc.Dir, Line: hc.Pos.Line()})
	}
	return args, nil
}

// printfProgram does what the interpreter's own printf cannot.
const printfProgram = "/usr/bin/printf"

// formats reports whether the interpreter's own printf knows the format.
func formats(args []string) bool {
	if len(args) == 0 {
		return true
	}
	_, _, err := expand.Format(nil, args[0], args[1:])
	return err == nil
}

// letters are the words of echo with each of its options by itself.
func letters(args []string) []string {
	if args[0] != "echo" {
		return args
	}
	out, i := []string{"echo"}, 1
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-' && strings.Trim(args[i][1:], "neE") == ""; i++ {
		for _, l := range args[i][1:] {
			out = append(out, "-"+string(l))
		}
	}
	return append(out, args[i:]...)
}

// exec runs a program.
func (r *run) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	c := Command{Argv: args, Dir: hc.Dir, Line: hc.Pos.Line(), Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr}
	exported := map[string]string{}
	hc.Env.Each(func(name string, v expand.Variable) bool { // of several, the last one counts
		delete(exported, name)
		if v.Exported && v.IsSet() && v.Kind == expand.String && !strings.ContainsAny(name, "=\x00") {
			exported[name] = v.Str
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(exported)) {
		value := exported[name]
		c.Env = append(c.Env, name+"="+value)
		if before, ok := r.initial[name]; (!ok || before != value) && !slices.Contains(own, name) {
			c.Set = append(c.Set, name+"="+value)
		}
	}
	r.active.Add(1)
	defer r.active.Done()
	status, err := r.s.Steps.Run(ctx, c)
	if err != nil {
		return r.fail(err)
	}
	if status != 0 {
		return interp.ExitStatus(status) //nolint:gosec // an exit status
	}
	return nil
}

// own are the variables that a shell sets by itself.
var own = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// allow asks once about the same.
func (r *run) allow(ctx context.Context, a Action) error {
	key := Action{Text: a.Text, Dir: a.Dir}
	r.mu.Lock()
	seen := r.seen[key]
	r.mu.Unlock()
	if seen {
		return nil
	}
	if err := r.s.Steps.Allow(ctx, a); err != nil {
		return r.fail(err)
	}
	r.mu.Lock()
	r.seen[key] = true
	r.mu.Unlock()
	return nil
}

// open opens a file for a redirection, or to read a script.
func (r *run) open(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	if f, ok, err := stream(&hc, path, flag); ok {
		return f, err
	}
	sign := map[int]string{os.O_RDONLY: "<", os.O_WRONLY | os.O_CREATE | os.O_APPEND: ">>"}[flag]
	if sign == "" {
		sign = ">"
	}
	if path != "/dev/null" {
		if err := r.allow(ctx, Action{Text: ": " + sign + " " + Line(nil, []string{"", path})[len("'' "):], Dir: hc.Dir, Line: hc.Pos.Line()}); err != nil {
			return nil, err
		}
	}
	f, err := r.s.Files.Open(absolute(hc.Dir, path), flag, perm)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return f, nil
}

// pathError is an error that does not end the script.
func pathError(op, path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// readDir lists a folder, for a pattern.
func (r *run) readDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	hc := interp.HandlerCtx(ctx)
	abs := absolute(hc.Dir, path)
	name, err := r.s.Files.see(abs)
	if err != nil {
		return nil, err
	}
	if err := r.allow(ctx, Action{Text: Line(nil, []string{"ls", "-a", abs}), Dir: hc.Dir}); err != nil {
		return nil, err
	}
	return os.ReadDir(name)
}

func (r *run) stat(ctx context.Context, path string, follow bool) (fs.FileInfo, error) {
	name, err := r.s.Files.see(absolute(interp.HandlerCtx(ctx).Dir, path))
	if err != nil {
		return nil, err
	}
	if follow {
		return os.Stat(name)
	}
	return os.Lstat(name)
}

func (r *run) access(ctx context.Context, path string, mode interp.AccessMode) error {
	name, err := r.s.Files.see(absolute(interp.HandlerCtx(ctx).Dir, path))
	if err != nil {
		return err
	}
	return interp.DefaultAccessHandler()(ctx, name, mode)
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Line writes a command as a shell reads it back, with what is set for it in front.
// The words of a program that is run are these, whatever is in them.
func Line(set, argv []string) string {
	var words []string
	for _, v := range set {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"="+quoted(value, true))
	}
	for i, w := range argv {
		words = append(words, quoted(w, i == 0))
	}
	return strings.Join(words, " ")
}

// plain are characters that mean themselves.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+,"

// reserved are words that a shell does not take for commands.
var reserved = []string{"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "function", "time", "select", "coproc"}

func quoted(w string, first bool) string {
	signs := plain
	if !first {
		signs += "="
	}
	if w != "" && strings.Trim(w, signs) == "" && !(first && slices.Contains(reserved, w)) {
		return w
	}
	return shell.Quote([]string{w})
}
