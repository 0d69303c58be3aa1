package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// deskTimeout is how long a verb may take that looks at or changes what sayso
// remembers.
const deskTimeout = 20 * time.Second

// key is what opens the profile: the passphrase, if it is not nil, or what is in the
// key file or else in the keyring.
func (std IO) key(passphrase func() (string, error)) profile.Key {
	return profile.Key{File: profileKey(), Passphrase: passphrase, Ring: std.Keyring}
}

// atDesk opens what sayso remembers for a verb, with the key of the profile.
func atDesk(key profile.Key, do func(context.Context, *manage.Desk) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), deskTimeout)
	defer cancel()
	return atDeskIn(ctx, key, do)
}

// atDeskIn is atDesk for as long as ctx lasts.
func atDeskIn(ctx context.Context, key profile.Key, do func(context.Context, *manage.Desk) error) error {
	d, done, err := openDesk(ctx, "terminal", key)
	if err != nil {
		return err
	}
	defer done()
	return do(ctx, d)
}

// openDesk opens what sayso remembers, for who makes changes through a channel;
// done closes it.
func openDesk(ctx context.Context, channel string, key profile.Key) (d *manage.Desk, done func(), err error) {
	state, err := local.State()
	if err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(ctx, state.Dir)
	if err != nil {
		return nil, nil, err
	}
	journal, err := theJournal()
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	journal.Sync = true // what people say must survive that the power fails
	d = &manage.Desk{Approvals: db, Trusts: db, Journal: journal, By: person(), Channel: channel}
	own := &profile.Store{Dir: state.Dir, Key: key}
	theirs := manifest.Files{State: state.Dir, Changed: manifest.KeepTrust(d, manifest.Name)}
	d.Grants = &manifest.Mirror{GrantStore: &profile.Grants{GrantStore: db, Profile: own}, Manifest: theirs}
	d.Rules = &manifest.Rules{
		RuleStore: &profile.Rules{RuleStore: db, Profile: own}, Manifest: theirs,
		Committed: manifest.Committed{State: state.Dir, Changed: manifest.KeepTrust(d, local.CommittedFile)},
	}
	return d, func() { _ = db.Close() }, nil // what was changed was kept
}

// profileKey is where the key of the user's profile is; empty: there is no place
// for it.
func profileKey() string {
	home, _ := os.UserHomeDir() // without one, only XDG_CONFIG_HOME counts
	return local.Files{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME")}.ProfileKey()
}

// oneLine reads one line: what is secret is neither an argument nor a variable,
// which others can see.
func oneLine(in io.Reader) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(in, 4<<10)).ReadString('\n')
	if err != nil && text == "" {
		return "", fmt.Errorf("standard input has none: %w", err)
	}
	return strings.TrimRight(text, "\r\n"), nil
}

// person is the name of whoever runs this.
func person() string {
	if me, err := user.Current(); err == nil {
		return me.Username
	}
	return "somebody"
}

// here is the workspace of the current folder.
func here() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return local.Real(local.Root(dir)), nil
}

// byID returns the one of a list whose id is, or starts with, the text.
func byID[T any](list []T, id func(*T) string, text, what, hint string) (*T, error) {
	var found []*T
	for i := range list {
		switch {
		case id(&list[i]) == text:
			return &list[i], nil
		case strings.HasPrefix(id(&list[i]), text):
			found = append(found, &list[i])
		}
	}
	switch {
	case len(found) == 1 && text != "":
		return found[0], nil
	case len(found) > 1:
		return nil, &hintedError{fmt.Sprintf("%d %ss start with %q", len(found), what, text), "give more of the id"}
	}
	return nil, &hintedError{fmt.Sprintf("there is no %s %q", what, text), hint}
}

// span is how long something takes, for people.
func span(d time.Duration) string {
	switch d = d.Abs(); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
