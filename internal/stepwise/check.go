package stepwise

import (
	"fmt"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// An UnsupportedError says what of a script the interpreter cannot do.
type UnsupportedError struct {
	What string
	Line uint // 0: not known
}

func (e *UnsupportedError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: the interpreter of --stepwise cannot do %s", e.Line, e.What)
	}
	return "the interpreter of --stepwise cannot read it: " + e.What
}

// missing are the commands of shells that the interpreter does not have. As programs
// they would do something else, or nothing.
var missing = []string{
	"bg", "bind", "caller", "compgen", "complete", "compopt", "disown", "enable", "fc", "fg", "history", "jobs", "kill", "logout", "newgrp", "suspend", "ulimit", "umask",
}

// trapped are the signals that trap knows.
var trapped = []string{"EXIT", "ERR", "0"}

// supported says what of a script the interpreter could not do, as far as that can be
// seen before it runs.
func supported(file *syntax.File) (err error) {
	functions := declared(file)
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil || err != nil {
			return false
		}
		if what := unsupported(node, functions); what != "" {
			err = &UnsupportedError{What: what, Line: node.Pos().Line()}
		}
		return err == nil
	})
	return err
}

// unsupported names what the interpreter cannot do; empty: it can.
func unsupported(node syntax.Node, functions map[string]bool) string {
	switch n := node.(type) {
	case *syntax.ProcSubst:
		return "process substitution, " + n.Op.String() + "…)"
	case *syntax.CoprocClause:
		return "coproc"
	case *syntax.Stmt:
		if n.Coprocess || n.Disown {
			return "a coprocess"
		}
	case *syntax.Redirect:
		return redirection(n)
	case *syntax.FuncDecl:
		if n.Name == nil {
			return "a function without a name"
		}
	case *syntax.CallExpr:
		return call(n, functions)
	}
	return ""
}

func redirection(n *syntax.Redirect) string {
	if n.N != nil && !slices.Contains([]string{"0", "1", "2"}, n.N.Value) {
		return "a redirection of descriptor " + n.N.Value
	}
	input := n.Op == syntax.RdrIn || n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc || n.Op == syntax.WordHdoc || n.Op == syntax.DplIn
	if n.N != nil && (n.N.Value == "0") != input {
		return "a redirection of descriptor " + n.N.Value + " by " + n.Op.String()
	}
	switch n.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return ""
	case syntax.DplOut:
		if slices.Contains([]string{"1", "2", "-"}, n.Word.Lit()) {
			return ""
		}
	case syntax.DplIn:
		if n.Word.Lit() == "-" {
			return ""
		}
	}
	return "the redirection " + n.Op.String() + n.Word.Lit()
}

func call(n *syntax.CallExpr, functions map[string]bool) string {
	if len(n.Args) == 0 {
		return ""
	}
	name := n.Args[0].Lit()
	switch {
	case functions[name]:
	case slices.Contains(missing, name):
		return name
	case name == "trap" && len(n.Args) > 2:
		for _, word := range n.Args[2:] {
			if signal := word.Lit(); signal != "" && !slices.Contains(trapped, signal) {
				return "trap of " + signal
			}
		}
	case name == "printf" && len(n.Args) > 1 && n.Args[1].Lit() == "-v":
		return "printf -v"
	case name == "wait" && len(n.Args) > 1 && slices.Contains([]string{"-n", "-p"}, n.Args[1].Lit()):
		return "wait " + n.Args[1].Lit()
	}
	return ""
}

// declared are the functions of a script.
func declared(file *syntax.File) map[string]bool {
	out := map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name != nil {
			out[f.Name.Value] = true
		}
		return true
	})
	return out
}

// apart lets the last command of a pipe be run in a subshell, as the others are: what
// it sets is not seen behind the pipe, and exit there ends only it.
func apart(file *syntax.File) *syntax.File {
	syntax.Walk(file, func(node syntax.Node) bool {
		if b, ok := node.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
			if _, already := b.Y.Cmd.(*syntax.Subshell); !already {
				b.Y = &syntax.Stmt{Position: b.Y.Position, Cmd: &syntax.Subshell{Lparen: b.Y.Position, Rparen: b.Y.End(), Stmts: []*syntax.Stmt{b.Y}}}
			}
		}
		return true
	})
	return file
}
