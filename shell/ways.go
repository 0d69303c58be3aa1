package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A Way is something that can be added to a command, as its table knows it: an
// option, a sub-command, or an operand with a meaning of its own.
type Way struct {
	Words []string // what to add, an x for each value; none: any operand
	Runs  bool     // what it is given is run: a command, a script, code
}

// Ways lists what can be added to a command that starts with these words. There
// are none for a program that no table knows. Sub-commands of sub-commands are
// listed, but not their options; nor are those that stand before a sub-command.
func Ways(argv ...string) []Way {
	if len(argv) == 0 {
		return nil
	}
	args := make([]Arg, len(argv))
	for i, text := range argv {
		args[i].Text = text
	}
	w := walker{}
	t, args := w.tool(baseName(argv[0]), args, false)
	if t == nil {
		return nil
	}
	args = args[1:]
	for len(args) > 0 {
		sub := subOf(t, args[0])
		if sub == nil {
			break
		}
		t, args = sub, args[1:]
	}
	if len(args) > 0 && t.Is(handsOn) {
		return nil // what follows is for the command that it runs
	}
	out := optionWays(nil, t.Flags())
	if t.Use == table.UseFind {
		out = optionWays(out, table.KeysFind.All())
	}
	if t.Is(handsOn) {
		out = append(out, Way{Runs: true})
	}
	return subWays(operandWays(out, t), t, nil)
}

// handsOn are the traits of what runs something that it is given.
const handsOn = table.IsWrapper | table.IsInterpreter | table.IsShell | table.IsWrapping | table.IsScripting

// optionWays adds a way for each option.
func optionWays(out []Way, flags []table.Flag) []Way {
	for i := range flags {
		f := &flags[i]
		if f.Kind == table.KindNone {
			for _, name := range f.Names { // one line may hold many that take no value
				out = append(out, Way{Words: []string{name}})
			}
			continue
		}
		way := Way{Words: []string{f.Names[0]}, Runs: isRun(f.Kind)}
		for range f.Skip {
			way.Words = append(way.Words, "x")
		}
		switch {
		case !f.Attached:
			way.Words = append(way.Words, "x")
		case strings.HasPrefix(f.Names[0], "--"):
			way.Words[0] += "=x"
		default:
			way.Words[0] += "x"
		}
		out = append(out, way)
	}
	return out
}

// operandWays adds the operands on which a condition of the table looks.
func operandWays(out []Way, t *table.Tool) []Way {
	for i := range t.Whens {
		for _, terms := range t.Whens[i].Any {
			for _, term := range terms {
				if term.Op != table.TermAny && (term.Op != table.TermArg || term.N != 1) || term.Not {
					continue
				}
				for _, glob := range term.Globs {
					if strings.Contains(glob, "$") { // a variable, and no word
						continue
					}
					out = append(out, Way{Words: []string{strings.ReplaceAll(glob, "*", "x")}})
				}
			}
		}
	}
	return out
}

// subWays adds the sub-commands, and theirs.
func subWays(out []Way, t *table.Tool, before []string) []Way {
	for i := range t.Subs() {
		sub := t.SubAt(i)
		words := append(before[:len(before):len(before)], strings.ReplaceAll(sub.Names[0], "*", "x"))
		out = append(out, Way{Words: words, Runs: sub.Is(handsOn)})
		out = subWays(out, sub, words)
	}
	return out
}

// isRun reports whether a value of that kind is run, in whatever language.
func isRun(k table.Kind) bool {
	switch k {
	case table.KindScript, table.KindCmd, table.KindShell, table.KindProgram, table.KindRsh, table.KindAwk, table.KindEx, table.KindSelf, table.KindTyped,
		table.KindCrontab, table.KindSplit:
		return true
	}
	return k.IsCode()
}
