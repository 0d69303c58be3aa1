package shell_test

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell"
)

// FuzzWrap: wrapping a script or joining it with another never lowers its
// risk, and never hides an effect or a path of it.
func FuzzWrap(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 || strings.HasSuffix(src, `\`) || strings.Contains(src, "\x00") {
			return
		}
		a, err := shell.Analyze(src, corpusPlace)
		if err != nil || a.Opaque != "" || len(a.Commands) == 0 || slices.ContainsFunc(a.Commands, misplaced) {
			return
		}
		for name, wrapped := range wrappings(src) {
			b, err := shell.Analyze(wrapped, corpusPlace)
			if err != nil { // refused is not lower
				continue
			}
			if b.Risk > a.Risk {
				t.Errorf("%s lowers the risk from %v to %v:\n%s", name, a.Risk, b.Risk, wrapped)
			}
			if b.Opaque != "" || name == "xargs" { // the whole is unknown; the words behind it change what it touches
				continue
			}
			if !b.Effects.Has(a.Effects) {
				t.Errorf("%s hides effects: %v became %v:\n%s", name, a.Effects, b.Effects, wrapped)
			}
			if p, ok := missingPath(a, b); ok {
				t.Errorf("%s hides the %v of %s:\n%s%s", name, p.Access, p.Abs, wrapped, detail(b))
			}
		}
	})
}

// misplaced reports whether a command is called like a word that ends or parts
// a construct of the shell. A shell refuses such a script; inside the wrapping it
// would part that.
func misplaced(c shell.Command) bool {
	return len(c.Args) > 0 && slices.Contains([]string{"then", "else", "elif", "fi", "do", "done", "esac", "in", "}"}, c.Args[0].Text)
}

// missingPath returns a path of a that b does not have.
func missingPath(a, b *shell.Analysis) (shell.Path, bool) {
	for i := range a.Commands {
		for _, p := range a.Commands[i].Paths {
			if !slices.ContainsFunc(b.Commands, func(c shell.Command) bool {
				return slices.ContainsFunc(c.Paths, func(q shell.Path) bool { return q.Access == p.Access && (q.Abs == p.Abs || q.Abs == "") })
			}) {
				return p, true
			}
		}
	}
	return shell.Path{}, false
}

func wrappings(src string) map[string]string {
	quoted := "'\n" + strings.ReplaceAll(src, "'", `'\''`) + "'"
	out := map[string]string{
		"( )":          "(\n" + src + "\n)",
		"{ ;}":         "{\n" + src + "\n}",
		"bash -c":      "bash -c " + quoted,
		"sh -c":        "sh -c " + quoted,
		"sudo sh -c":   "sudo sh -c " + quoted,
		"env bash -c":  "env WRAPPED_BY=env bash -c " + quoted,
		"timeout":      "timeout 5 bash -c " + quoted,
		"nice":         "nice -n 3 bash -c " + quoted,
		"nohup":        "nohup bash -c " + quoted,
		"xargs":        "xargs bash -c " + quoted,
		"&&":           "true && {\n" + src + "\n}",
		"and":          "{\n" + src + "\n} && true",
		"or":           "false || {\n" + src + "\n}",
		"first":        "{\n" + src + "\n}; true",
		"|":            "true | {\n" + src + "\n}",
		"into a pipe":  "{\n" + src + "\n} | cat",
		"&":            "{\n" + src + "\n} & wait",
		"$( )":         "echo $(\n" + src + "\n)",
		"if":           "if true; then\n" + src + "\nfi",
		"a loop":       "while true; do\n" + src + "\ndone",
		"a function":   "wrapped_by() {\n" + src + "\n}; wrapped_by \"$@\"",
		"time":         "time {\n" + src + "\n}",
		"not":          "! {\n" + src + "\n}",
		"a case":       "case a in a)\n" + src + "\n;; esac",
		"process subs": "cat <(\n" + src + "\n)",
	}
	command := strings.TrimLeft(src, " \t\n")
	for _, wrapper := range wordsInFront(src) {
		out[wrapper] = wrapper + " " + command
	}
	return out
}

// wordsInFront are the wrappers that can stand in front of src as it is: of a
// simple command any, of one with assignments those that take them.
func wordsInFront(src string) []string {
	ok, assigns := simple(src)
	switch {
	case !ok:
		return nil
	case assigns:
		return []string{"sudo", "env WRAPPED_BY=env", "time"}
	}
	return []string{"sudo", "doas", "env WRAPPED_BY=env", "timeout 5", "nice", "nohup", "setsid", "stdbuf -oL", "command", "time"}
}

// simple reports whether src is one simple command, which a word in front can
// wrap, and whether assignments stand in front of it. Redirections may stand
// anywhere: they are those of the wrapper then.
func simple(src string) (ok, assigns bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil || len(file.Stmts) != 1 {
		return false, false
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(call.Args) == 0 {
		return false, false
	}
	for _, a := range call.Assigns {
		if a.Array != nil || a.Index != nil || a.Append || a.Naked { // no word of another command
			return false, false
		}
	}
	// A name that expands to nothing, or that env takes for an assignment, is
	// no command to wrap; a builtin is none that a program can run.
	name := call.Args[0].Lit()
	return name != "" && name[0] != '-' && !slices.Contains(builtins, name) &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "", len(call.Assigns) > 0
}

var builtins = strings.Fields(`. alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs
	disown enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray
	readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait`)
