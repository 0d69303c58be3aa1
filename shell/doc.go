// Package shell says what a command line would do, without running it.
//
// [Analyze] reads a Bash or POSIX sh command line the way a shell would and
// reports every simple command it may reach, through wrappers, substitutions,
// functions and nested shells: its arguments after quote removal, the paths and
// hosts it touches, what it does to the machine, how risky that is, and one
// English sentence about it. [Analysis.Explain] puts the sentences together.
// Most programs need only these two.
//
//	a, err := shell.Analyze("cd web && rm -rf dist", shell.Place{Dir: "/home/me/app", Home: "/home/me"})
//	// a.Risk is shell.Moderate, a.Explain() is
//	// "Change to folder web; Delete folder and all its contents: dist"
//
// The analysis never guesses in favour of the command. What it cannot resolve
// (an unset variable, eval, text decoded and piped into a shell) makes the
// command opaque, and what it does not know is dangerous. An opaque command is
// less than dangerous only if what is unknown is confined: an argument, a file to
// read or a host of a program that is known and does no more with it than its
// description says; the name of a file that stands in a folder of the work; or
// code of the workspace, which is part of the work. It looks at the machine only
// through the [Machine] that the caller passes in, runs nothing,
// and is safe for concurrent use.
//
// What the programs do is data: the tables in shell/tables, compiled into Go
// values. A program that the tables do not know is reported as such.
package shell

//go:generate go run ./internal/tablegen tables .
