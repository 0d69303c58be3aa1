package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/profile"
)

const profileUse = `sayso profile [--json] [--passphrase]
       sayso profile key file|keyring

Tells how much you keep in your profile, what counts in every workspace, and where
its key is. It is encrypted, and never in the clear on the disk.

  key file       keep the key in profile.key in the config folder, readable for
                 you alone; hooks are quickest with it
  key keyring    keep the key in the keyring of the system instead
  --passphrase   the profile is under a passphrase: the first line of standard
                 input
  --json         print one JSON object

An agent cannot move the key: run this in a terminal of your own.

Exit status: 0 done, 1 error, 2 wrong usage.`

func profileVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("profile", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	passphrase := flags.Bool("passphrase", false, "")
	rest, helped, err := parse(flags, profileUse, args, std)
	if helped || err != nil {
		return err
	}
	state, err := local.State()
	if err != nil {
		return err
	}
	var phrase func() (string, error)
	if *passphrase {
		phrase = sync.OnceValues(func() (string, error) { return oneLine(std.In) })
	}
	own := &profile.Store{Dir: state.Dir, Key: std.key(phrase)}
	switch {
	case len(rest) == 0:
		return showProfile(own, *passphrase, *asJSON, std)
	case len(rest) == 2 && rest[0] == "key" && (rest[1] == "file" || rest[1] == "keyring") && !*passphrase:
		return moveKey(own, profile.Place(rest[1]), std)
	}
	return &usageError{"profile wants nothing, or key file, or key keyring", "sayso help profile tells more"}
}

func showProfile(own *profile.Store, passphrase, asJSON bool, std IO) error {
	if _, err := os.Lstat(own.File()); errors.Is(err, fs.ErrNotExist) {
		if asJSON {
			return writeJSON(struct{}{}, std.Out)
		}
		fmt.Fprintln(std.Err, "sayso: note: there is nothing in your profile")
		return nil
	}
	rules, grants, err := own.Counts()
	if err != nil {
		return err
	}
	key := string(own.Key.Place())
	if passphrase {
		key = "passphrase"
	}
	if asJSON {
		return writeJSON(struct {
			File   string `json:"file"`
			Key    string `json:"key"` // file, keyring or passphrase
			Rules  int    `json:"rules"`
			Grants int    `json:"grants"`
		}{own.File(), key, rules, grants}, std.Out)
	}
	err = printErr(std.Out, "%s: %d rules, %d grants; key: %s\n", own.File(), rules, grants, key)
	return err
}

func moveKey(own *profile.Store, to profile.Place, std IO) error {
	if err := byPerson("the key of the profile"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), deskTimeout)
	defer cancel()
	if err := own.MoveKey(ctx, to); err != nil {
		return err
	}
	err := printErr(std.Out, "the key is in the %s now\n", to)
	return err
}
