package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const shUse = `sayso sh [--OPTION=VALUE…] -c SCRIPT [NAME ARGUMENT…]
       sayso sh [--OPTION=VALUE…] FILE [ARGUMENT…]

Stands where an agent expects a shell: decides the script, puts it to a person if
the answer is to ask, and runs it confined, as sayso run does. The script gets its
input, output, signals and terminal as from any shell.

Where an agent runs "bash", a link of that name to this program, in a folder that
comes first in its PATH, brings all of its commands here:

  mkdir ~/guarded && ln -s "$(command -v sayso)" ~/guarded/bash
  PATH=~/guarded:$PATH agent

  -c SCRIPT   what to run; other short options, such as -e or -l, are the shell's
              --login, --norc and --noprofile, too
  --as=NAME   which shell runs it: bash, sh, dash or zsh (default: bash, or sh)
  --stepwise  the script is run command by command: each is decided when it is about
              to run, with the words that it has then
  --OPTION=VALUE
              those of sayso run, before the shell's own

Exit status: as for sayso run.`

// shells are the names under which this program is a shell, and where the real ones
// are: not in the search path, where this one comes first.
var shells = []string{"bash", "sh", "dash", "zsh"}

var shellFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"}

// shellOptions are the long options of shells that change nothing about what is
// decided, and have no value.
var shellOptions = []string{"--login", "--noprofile", "--norc", "--posix", "--noediting", "--version"}

// Args are the arguments of a program: one that is started under the name of a shell
// is that shell, guarded.
func Args(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	if name := strings.TrimPrefix(filepath.Base(argv[0]), "-"); slices.Contains(shells, name) { // a login shell has a - before its name
		return append([]string{"sh", "--as=" + name}, argv[1:]...)
	}
	return argv[1:]
}

func shVerb(args []string, std IO) error {
	own := 0 // how many options are ours
	for own < len(args) && strings.HasPrefix(args[own], "--") && len(args[own]) > 2 && !slices.Contains(shellOptions, args[own]) {
		own++
	}
	var o runOptions
	flags := flag.NewFlagSet("sh", flag.ContinueOnError)
	o.register(flags)
	as := flags.String("as", "", "")
	flags.Lookup("agent").DefValue, o.ask.agent = "shell", "shell"
	if len(args) > 0 && isHelp(args[0]) {
		_, err := fmt.Fprintf(std.Out, "usage: %s\n", shUse)
		return err
	}
	if helped, err := parseBefore(flags, shUse, args[:own], std); helped || err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return &usageError{"sh wants options of its own as --NAME=VALUE", "for example: sayso sh --network=none -c 'go test ./...'"}
	}
	real, err := realShell(*as)
	if err != nil {
		return err
	}
	if o.stepwise {
		err = o.stepScript(args[own:], std)
	} else {
		err = o.shellCommand(real, args[own:])
	}
	if err != nil {
		return err
	}
	return o.start(std)
}

// realShell finds a shell that is not this program.
func realShell(as string) (string, error) {
	names := []string{as}
	if as == "" {
		names = []string{"bash", "sh"}
	}
	self, _ := os.Executable() // without it, nothing is the same
	own, _ := os.Stat(self)
	for _, name := range names {
		if !slices.Contains(shells, name) {
			return "", &usageError{fmt.Sprintf("--as: there is no shell %q", name), "one of " + strings.Join(shells, ", ")}
		}
		for _, dir := range shellFolders {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !os.SameFile(info, own) {
				return file, nil
			}
		}
	}
	return "", &hintedError{"there is no " + strings.Join(names, " or ") + " in " + strings.Join(shellFolders, ", "), "install one"}
}

// shellCommand takes what a shell is called with. A plain -c is a script; with other
// options or arguments it is the shell that is run.
func (o *runOptions) shellCommand(real string, args []string) error {
	withScript := false
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && (args[i][0] == '-' || args[i][0] == '+') && args[i] != "--"; i++ {
		if slices.Contains(shellOptions, args[i]) {
			continue
		}
		withScript = withScript || args[i][0] == '-' && strings.Contains(args[i], "c")
		if strings.HasSuffix(args[i], "o") { // its value is a word of its own
			i++
		}
	}
	switch {
	case slices.Equal(args, []string{"--version"}):
		o.argv = []string{real, "--version"}
		return nil
	case i >= len(args) || args[min(i, len(args)-1)] == "--" && i+1 >= len(args):
		return &usageError{"sh wants -c and a script, or a file", "what is typed or piped into a shell is not decided: sayso sh -c 'git status'"}
	case withScript && i == 1 && args[0] == "-c" && len(args) == 2:
		o.script, o.shell = args[1], real
	default:
		o.argv = append([]string{real}, args...)
	}
	if withScript && strings.TrimSpace(args[i]) == "" {
		return &usageError{"the script is empty", "for example: sayso sh -c 'git status'"}
	}
	return nil
}

// withoutGuard is a search path without the folders in which this program stands for
// a shell: inside, the real ones are run.
func withoutGuard(search string) string {
	self, err := os.Executable()
	if err != nil {
		return search
	}
	own, err := os.Stat(self)
	if err != nil {
		return search
	}
	dirs := filepath.SplitList(search)
	return strings.Join(slices.DeleteFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(shells, func(name string) bool {
			info, err := os.Stat(filepath.Join(dir, name))
			return err == nil && os.SameFile(info, own)
		})
	}), string(filepath.ListSeparator))
}
