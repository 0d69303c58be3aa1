package shell

import (
	"strings"
	"unicode"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// Variables hold secrets, too. One with the name of a secret is a known secret;
// all variables at once have some among them, so showing them is not quite safe.
// A pattern that picks others out of them is.

// secretVariable reports whether a variable with that name holds a secret.
func secretVariable(name string) bool {
	name = strings.ToUpper(name)
	for i := range table.KeysSecretVariables.All() {
		if e := &table.KeysSecretVariables.All()[i]; matchAny(e.Names, name) {
			return e.Do != nil
		}
	}
	return false
}

// shownVariable is the name of a variable whose value is printed.
func (v *visit) shownVariable(a Arg) {
	if a.Unknown && !a.plain {
		v.c.doubt(Moderate, "which variable is shown cannot be known: "+a.Text)
	} else if secretVariable(a.Text) {
		v.c.showsSecret()
		v.says = append(v.says, "Show a secret kept in the environment: {args}")
	}
}

func (c *Command) showsSecret() {
	c.Effects |= Reads | Secrets
	c.Risk = min(c.Risk, Dangerous)
}

// echoes reports whether the program prints a variable with the name of a secret
// that the script has not set itself.
func (v *visit) echoes() bool {
	if use := v.r.chain[0].Use; use != table.UseEcho && use != table.UsePrintf {
		return false
	}
	for i := range v.c.Args {
		if a := &v.c.Args[i]; a.secret() == environment {
			for _, part := range strings.Split(a.Text, "$")[1:] {
				part = strings.TrimPrefix(part, "{")
				if end := strings.IndexFunc(part, notInVariable); end >= 0 {
					part = part[:end]
				}
				if secretVariable(part) {
					return true
				}
			}
		}
	}
	return false
}

func notInVariable(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// variables judges a program that prints all variables, or some that it reads.
func (v *visit) variables() {
	v.printing, v.judged = v.printsNow(), true
	switch in := v.f.stdin; {
	case v.printing == table.PrintsEnvironment:
		if v.f.shows(v.c.Redirects) {
			v.c.Risk = min(v.c.Risk, Moderate)
			v.also += ", with the secrets among them"
		}
	case v.echoes():
		v.c.showsSecret()
		v.says = append(v.says, "Print a secret kept in a variable: {args}")
	case in != nil && (in.private || in.secret == environment):
		v.filters(in)
	}
}

// filters judges a program that prints something of what has secrets among it.
func (v *visit) filters(in *stream) {
	switch {
	case v.c.Effects&^Reads != 0: // it does something else with it
	case v.hunts():
		v.c.showsSecret()
		v.also += ", which picks out secrets"
	case in.secret == environment && !in.picked && v.passes() && v.f.shows(v.c.Redirects):
		v.c.Risk = min(v.c.Risk, Moderate)
		v.also += ", with the secrets among the variables"
	}
}

// shows reports whether what a command here prints is the output of the line.
func (f *frame) shows(redirects []Redirect) bool {
	for i := range redirects {
		if r := &redirects[i]; strings.Contains(r.Op, ">") && r.Fd != "2" && !strings.HasPrefix(r.Op, "<") {
			return false
		}
	}
	return !f.captured && !f.nested
}

// passes reports whether the program prints what it reads, or most of it: it has
// no pattern with a name in it.
func (v *visit) passes() bool {
	switch v.prints() {
	case table.PrintsLines, table.PrintsStdin, table.PrintsThrough:
	default:
		return false
	}
	if v.r.has("--invert-match") {
		return true
	}
	for i := range v.r.args {
		if strings.ContainsFunc(v.r.args[i].Text, unicode.IsLetter) {
			return false
		}
	}
	return !v.r.has("--regexp")
}

// hunts reports whether the words of the command pick secrets out of variables:
// one has a name of those in it, or a part of what such names have in common.
func (v *visit) hunts() bool {
	if v.r.has("--invert-match") {
		return false
	}
	for _, a := range v.c.Args[1:] {
		for _, word := range strings.FieldsFunc(a.Text, notInVariable) {
			if secretVariable(word) || len(word) > 2 && partOfSecretName(strings.ToUpper(word)) {
				return true
			}
		}
	}
	return false
}

func partOfSecretName(word string) bool {
	for i := range table.KeysSecretVariables.All() {
		e := &table.KeysSecretVariables.All()[i]
		for _, name := range e.Names {
			if e.Do != nil && name[0] == '*' && strings.Contains(strings.Trim(name, "*"), word) {
				return true
			}
		}
	}
	return false
}
