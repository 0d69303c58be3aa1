package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/sayso-dev/sayso/internal/config"
)

// parse reads the options of a verb, which may stand before and after its
// arguments, and returns the arguments. It reports whether help was asked for,
// and given.
func parse(flags *flag.FlagSet, use string, args []string, std IO) (rest []string, helped bool, err error) {
	for {
		helped, err := parseBefore(flags, use, args, std)
		if helped || err != nil {
			return nil, helped, err
		}
		if flags.NArg() == 0 {
			return rest, false, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// parseBefore reads the options of a verb that stand before its arguments.
func parseBefore(flags *flag.FlagSet, use string, args []string, std IO) (helped bool, err error) {
	flags.SetOutput(io.Discard)
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err := fmt.Fprintf(std.Out, "usage: %s\n", use)
		return true, err
	}
	if err != nil {
		return false, &usageError{optionProblem(flags, err), "sayso help " + flags.Name() + " lists the options"}
	}
	return false, nil
}

// optionProblem says what is wrong with an option, and which one is like it.
func optionProblem(flags *flag.FlagSet, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		if name, missing := strings.CutPrefix(err.Error(), "flag needs an argument: -"); missing {
			return "the option --" + strings.TrimPrefix(name, "-") + " wants a value"
		}
		return wrongValue(err.Error())
	}
	name = strings.TrimPrefix(name, "-")
	var known []string
	flags.VisitAll(func(f *flag.Flag) {
		if len(f.Name) > 1 {
			known = append(known, f.Name)
		}
	})
	if len(name) == 1 { // every letter is near to every other
		return "unknown option -" + name
	}
	return "unknown option --" + name + orNear(name, known, "--")
}

// wrongValue says which option does not take what, in place of package flag, which
// calls them otherwise and often says no more than "parse error".
func wrongValue(text string) string {
	about, value, ok := strings.Cut(text, " for flag -")
	if !ok {
		about, value, ok = strings.Cut(text, " for -") // of a switch
	}
	given, of := strings.CutPrefix(about, "invalid value ")
	if !of {
		given, of = strings.CutPrefix(about, "invalid boolean value ")
	}
	name, why, told := strings.Cut(value, ": ")
	if !ok || !of || !told {
		return text
	}
	if why == "parse error" {
		return "the option --" + name + " cannot be " + given
	}
	return "--" + name + " " + given + ": " + why
}

// orNear is what to add to "unknown …": the word that is most like it, with what
// stands before it; empty: none is near.
func orNear(word string, among []string, before string) string {
	if near := config.Nearest(word, among); near != "" {
		return ": did you mean " + before + near + "?"
	}
	return ""
}

// unknownVerb is the answer to a verb that does not exist.
func unknownVerb(name string) error {
	known := []string{"help"}
	for _, v := range verbs() {
		known = append(known, v.name)
	}
	return &usageError{fmt.Sprintf("unknown verb %q", name) + orNear(name, known, "sayso "), "sayso help lists the verbs"}
}
