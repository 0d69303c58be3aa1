package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/internal/private"
)

const ruleUse = `sayso rule list [--json]
       sayso rule lint [--json] [--preset NAME | FILE…]
       sayso rule add [--json] [--shared] [--kept | --profile] allow|ask|deny RULE
       sayso rule rm [--json] [--shared | --kept | --profile] allow|ask|deny RULE

The rules of this workspace, from all policy files and from what you keep besides.

  list  print every rule with where it stands, and what does not count; what was
        approved for longer than a session is a rule that allows
  lint  report mistakes, rules that can never match, rules that others make
        pointless, and rules that allow more than it looks, each with its place
        and what to do about it; with a FILE in that policy alone, as if it were
        trusted
  add   write a rule into your own file for this workspace; nothing else in the
        file changes
  rm    take it out again; one that is not in that file is removed from what you
        keep for this workspace, or for all

  --shared       into .sayso.yaml, the file that is committed
  --kept         keep it in the database for this workspace. With the preset
                 cowork RULE is a scope, such as tool open_url, and is written
                 into .cowork/policy/permissions.json, too; other rules with
                 --shared into .sayso.yaml, too. Removing one updates both
  --profile      keep it in your profile: encrypted, for every workspace
  --passphrase   the profile is under a passphrase: the first line of standard
                 input (default: its key is in profile.key in the config folder)
  --preset NAME  look at the files of this preset, and not at those of the one
                 that the policy has
  --json         print one JSON object, or for list a list of rules

Exit status: 0 done, 1 error, or something was found by lint, 2 wrong usage.`

func rule(args []string, std IO) error {
	flags := flag.NewFlagSet("rule", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	shared := flags.Bool("shared", false, "")
	kept := flags.Bool("kept", false, "")
	own := flags.Bool("profile", false, "")
	passphrase := flags.Bool("passphrase", false, "")
	preset := flags.String("preset", "", "")
	rest, helped, err := parse(flags, ruleUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) == 0 {
		return &usageError{"rule wants list, lint, add or rm", "for example: sayso rule add allow 'bash(npm test *)'"}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	root, verb, rest := local.Root(at.Dir), rest[0], rest[1:]
	do := ruleChange{verb: verb, args: rest, shared: *shared, kept: *kept, profile: *own, asJSON: *asJSON}
	if *passphrase {
		do.phrase = sync.OnceValues(func() (string, error) { return oneLine(std.In) })
	}
	if (*shared || *kept || *own) && (verb == "list" || verb == "lint") {
		return &usageError{"--shared, --kept and --profile are for add and rm", ""}
	}
	if *kept && *own || *own && *shared || *kept && *shared && verb == "rm" {
		return &usageError{"these options do not go together", "sayso help rule tells which do"}
	}
	if *preset != "" && (verb != "lint" || len(rest) > 0) {
		return &usageError{"--preset is for lint without a file", "for example: sayso rule lint --preset kodacode"}
	}
	if verb == "list" && len(rest) > 0 {
		return &usageError{"rule list takes no argument", "sayso rule lint FILE looks at one file"}
	}
	switch verb {
	case "list":
		return ruleList(root, at.Home, do, std)
	case "lint":
		return ruleLint(root, at.Home, *preset, rest, *asJSON, std)
	case "add", "rm":
		return ruleEdit(do, places(root, at.Home), std)
	}
	return &usageError{fmt.Sprintf("rule has no %q", verb) + orNear(verb, []string{"list", "lint", "add", "rm"}, "sayso rule "), "want list, lint, add or rm"}
}

func ruleList(root, home string, do ruleChange, std IO) error {
	p, err := loadWith(loading{passphrase: do.phrase}, root, home, std)
	if err != nil {
		return err
	}
	rules := slices.Concat(p.Rules, p.Kept, granted(p.given, local.Real(root)))
	if do.asJSON {
		if rules == nil {
			rules = []sayso.Rule{}
		}
		return errors.Join(writeJSON(rules, std.Out), p.Err)
	}
	for _, r := range rules {
		printf(std.Out, "%-5s  %s  %s\n", r.Effect, r.Text, r.Source)
	}
	for _, d := range p.Dropped {
		printf(std.Out, "       %s  %s does not count: %s\n", d.Source, d.What, d.Why)
	}
	return p.Err
}

// A ruleChange is what add and rm are to do.
type ruleChange struct {
	verb          string
	args          []string // effect and rule
	shared        bool     // in the file that is committed
	kept, profile bool     // in the database, or in the profile
	asJSON        bool
	phrase        func() (string, error) // asks for the passphrase of the profile; nil: it has none
}

// ruleEdit adds or removes a rule in one file.
func ruleEdit(do ruleChange, at config.Places, std IO) error {
	if len(do.args) != 2 {
		return &usageError{"rule " + do.verb + " wants allow, ask or deny, and a rule", "for example: sayso rule " + do.verb + " allow 'bash(npm test *)'"}
	}
	var effect sayso.Effect
	if err := effect.UnmarshalText([]byte(do.args[0])); err != nil {
		return &usageError{fmt.Sprintf("unknown effect %q", do.args[0]) + orNear(do.args[0], []string{"allow", "ask", "deny"}, ""), "want allow, ask or deny"}
	}
	if err := byPerson("the policy"); err != nil {
		return err
	}
	if do.kept || do.profile {
		return ruleKeep(do, effect, at, std)
	}
	layer := sayso.Workspace
	if do.shared {
		layer = sayso.Committed
	}
	name, text := at.File(layer), do.args[1]
	if _, err := sayso.NewRuleSet([]sayso.Rule{{Text: text}}); err != nil {
		if do.verb == "rm" && !do.shared { // it may be of a preset with a language of its own
			return ruleKeep(do, effect, at, std)
		}
		return &usageError{err.Error(), config.RuleHint(err)}
	}
	edit := config.AddRule
	if do.verb == "rm" {
		edit = config.RemoveRule
	}
	err := rewrite(name, func(before []byte) ([]byte, error) { return edit(before, effect, text) })
	if errors.Is(err, config.ErrNoRule) && !do.shared {
		return ruleKeep(do, effect, at, std)
	}
	if errors.Is(err, config.ErrNoRule) {
		return &hintedError{fmt.Sprintf("%s: there is no such rule to %s: %s", name, effect, text), "sayso rule list shows all, each with its file"}
	}
	if err != nil {
		return err
	}
	if do.verb == "add" {
		notes(at, effect, text, name, std)
	}
	return do.told(effect, text, name, std)
}

// told says what was done.
func (do ruleChange) told(effect sayso.Effect, text, where string, std IO) error {
	if do.asJSON {
		return writeJSON(struct {
			Done   string       `json:"done"` // add or rm
			Effect sayso.Effect `json:"effect"`
			Rule   string       `json:"rule"`
			File   string       `json:"file"`
		}{do.verb, effect, text, where}, std.Out)
	}
	word := map[string]string{"add": "is in", "rm": "is no longer in"}[do.verb]
	err := printErr(std.Out, "%s %s %s %s\n", effect, text, word, where)
	return err
}

// inPolicy says in which file a mistake is that has no name of a file.
func inPolicy(name string, err error) error {
	var joined []error
	for _, one := range split(err) {
		var e *config.Error
		if errors.As(one, &e) && e.File == "" {
			named := *e
			named.File = name
			joined = append(joined, &named)
			continue
		}
		joined = append(joined, fmt.Errorf("%s: %w", name, one))
	}
	return errors.Join(joined...)
}

// notes tells what there is to say about a rule that was just added: it is the
// best moment to hear it.
func notes(at config.Places, effect sayso.Effect, text, file string, std IO) {
	p, err := load(at.Root, at.Home, std)
	if err != nil {
		return // the next check says so
	}
	for _, d := range p.Dropped {
		if d.Source.File == file && d.What == effect.String()+" "+text {
			printf(std.Err, "sayso: note: it does not count: %s\n", d.Why)
		}
	}
	for _, f := range aboutRules(p.Rules) {
		if f.File == file && f.Rule == text && f.Effect == effect.String() {
			f.File, f.Line, f.Column = "", 0, 0
			printf(std.Err, "sayso: note: %s\n", f.text())
		}
	}
}

// rewrite changes a policy file, alone among the processes of sayso: of two that
// add a rule at once none is lost.
func rewrite(name string, edit func(before []byte) ([]byte, error)) error {
	state, err := local.State()
	if err != nil {
		return err
	}
	if err := private.Make(state.Dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock, err := private.Lock(ctx, manifest.LockFile(state.Dir))
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with it
	before, err := readPlain(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	after, err := edit(before)
	if errors.Is(err, config.ErrNoRule) {
		return err
	}
	if err != nil {
		return inPolicy(name, err)
	}
	return writeWhole(name, after)
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
