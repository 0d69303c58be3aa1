package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
)

const ruleUse = `sayso rule list [--json]
       sayso rule lint
       sayso rule add [--shared] allow|ask|deny RULE
       sayso rule rm [--shared] allow|ask|deny RULE

The rules of this workspace, from all policy files.

  list  print every rule with its file and line, and what does not count
  lint  report mistakes, rules that can never match, rules that others make
        pointless, and rules that allow more than it looks
  add   write a rule into your own file for this workspace; nothing else in the
  rm    file changes

  --shared  into .sayso.yaml, the file that is committed

Exit status: 0 done, 1 error, or something was found by lint, 2 wrong usage.`

func rule(args []string, std IO) error {
	if len(args) == 0 {
		return &usageError{"rule wants list, lint, add or rm", "sayso help rule tells more"}
	}
	flags := flag.NewFlagSet("rule", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	shared := flags.Bool("shared", false, "")
	if err := flags.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, err := fmt.Fprintf(std.Out, "usage: %s\n", ruleUse)
			return err
		}
		return &usageError{err.Error(), "sayso help rule lists the options"}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	root := rootOf(at.Dir)
	switch args[0] {
	case "list":
		return ruleList(root, at.Home, *asJSON, std)
	case "lint":
		return ruleLint(root, at.Home, std)
	case "add", "rm":
		return ruleEdit(args[0], flags.Args(), places(root, at.Home), *shared, std)
	case "-h", "--help":
		_, err := fmt.Fprintf(std.Out, "usage: %s\n", ruleUse)
		return err
	}
	return &usageError{fmt.Sprintf("rule has no %q", args[0]), "want list, lint, add or rm"}
}

func ruleList(root, home string, asJSON bool, std IO) error {
	p, err := load(root, home, std)
	if err != nil {
		return err
	}
	if asJSON {
		rules := p.Rules
		if rules == nil {
			rules = []sayso.Rule{}
		}
		enc := json.NewEncoder(std.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(rules)
	}
	for _, r := range p.Rules {
		fmt.Fprintf(std.Out, "%-5s  %s  %s\n", r.Effect, r.Text, r.Source)
	}
	for _, d := range p.Dropped {
		fmt.Fprintf(std.Out, "       %s  %s does not count: %s\n", d.Source, d.What, d.Why)
	}
	return p.Err
}

// ruleEdit adds or removes a rule in one file.
func ruleEdit(verb string, args []string, at config.Places, shared bool, std IO) error {
	if len(args) != 2 {
		return &usageError{"rule " + verb + " wants allow, ask or deny, and a rule", "for example: sayso rule " + verb + " allow 'bash(npm test *)'"}
	}
	var effect sayso.Effect
	if err := effect.UnmarshalText([]byte(args[0])); err != nil {
		return &usageError{err.Error(), ""}
	}
	if err := byPerson("the policy"); err != nil {
		return err
	}
	layer := sayso.Workspace
	if shared {
		layer = sayso.Committed
	}
	name := at.File(layer)
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	edit := config.AddRule
	if verb == "rm" {
		edit = config.RemoveRule
	}
	changed, err := edit(text, effect, args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := writeWhole(name, changed); err != nil {
		return err
	}
	word := map[string]string{"add": "is in", "rm": "is no longer in"}[verb]
	fmt.Fprintf(std.Out, "%s %s %s %s\n", effect, args[1], word, name)
	return nil
}

// writeWhole replaces a file of the user's own.
func writeWhole(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(name, text, mode)
}

// replace replaces a file: whoever reads it sees the old text or the new one.
func replace(name string, text []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".sayso-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it was renamed, or is of no use
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
