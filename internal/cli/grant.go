package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/shell"
)

const grantUse = `sayso grant list [--json] [--here | --session ID | --scope SCOPE]
       sayso grant revoke [--json] ID… | --here | --session ID | --scope SCOPE | --all

What people have approved for later calls: for how long, who, when, and for which
call. ID is that of a grant, or the start of it.

  --here         of this workspace, and of the sessions in it
  --session ID   of one session
  --scope SCOPE  once, turn, session, workspace or profile
  --all          every grant there is
  --passphrase   the profile is under a passphrase: the first line of standard
                 input (default: its key is in profile.key in the config folder)
  --json         print one JSON object a line

An agent cannot revoke or give grants: run this in a terminal of your own.

Exit status: 0 done, 1 error, 2 wrong usage.`

// grantOptions say which grants are meant.
type grantOptions struct {
	here, all, asJSON bool
	passphrase        bool
	session, scope    string
	ids               []string
	root              string
}

func grantVerb(args []string, std IO) error {
	var o grantOptions
	flags := flag.NewFlagSet("grant", flag.ContinueOnError)
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.BoolVar(&o.here, "here", false, "")
	flags.BoolVar(&o.all, "all", false, "")
	flags.BoolVar(&o.passphrase, "passphrase", false, "")
	flags.StringVar(&o.session, "session", "", "")
	flags.StringVar(&o.scope, "scope", "", "")
	rest, helped, err := parse(flags, grantUse, args, std)
	if helped || err != nil {
		return err
	}
	if !slices.Contains([]string{"", "once", "turn", "session", "workspace", "profile"}, o.scope) {
		return &usageError{fmt.Sprintf("--scope: there is no scope %q", o.scope), "one of once, turn, session, workspace, profile"}
	}
	verb := "list"
	if len(rest) > 0 {
		verb, o.ids = rest[0], rest[1:]
	}
	if o.here {
		if o.root, err = here(); err != nil {
			return err
		}
	}
	switch verb {
	case "list":
		if len(o.ids) > 0 || o.all {
			return &usageError{"grant list takes no id, and lists all by itself", ""}
		}
		return atDesk(std.key(o.phrase(std)), func(ctx context.Context, d *manage.Desk) error {
			list, err := o.chosen(ctx, d)
			if err != nil {
				return err
			}
			return showGrants(list, o.asJSON, std)
		})
	case "revoke":
		return o.revoke(std)
	}
	return &usageError{fmt.Sprintf("grant has no %q", verb) + orNear(verb, []string{"list", "revoke"}, "sayso grant "), "want list or revoke"}
}

// phrase asks for the passphrase of the profile, once, if it has one.
func (o *grantOptions) phrase(std IO) func() (string, error) {
	if !o.passphrase {
		return nil
	}
	return sync.OnceValues(func() (string, error) { return oneLine(std.In) })
}

func (o *grantOptions) revoke(std IO) error {
	some := o.here || o.all || o.session != "" || o.scope != ""
	if some == (len(o.ids) > 0) {
		return &usageError{"grant revoke wants ids, or which grants", "for example: sayso grant revoke --here; sayso grant list shows the ids"}
	}
	if err := byPerson("a grant"); err != nil {
		return err
	}
	return atDesk(std.key(o.phrase(std)), func(ctx context.Context, d *manage.Desk) error {
		list, err := o.chosen(ctx, d)
		if err != nil {
			return err
		}
		var errs []error
		for _, g := range list {
			err := d.RevokeGrant(ctx, g)
			if errors.Is(err, sayso.ErrNotFound) {
				continue // somebody else was quicker
			}
			errs = append(errs, err)
			if o.asJSON {
				errs = append(errs, writeJSON(g, std.Out))
			} else if partial := (*manage.PartialError)(nil); err == nil || errors.As(err, &partial) {
				printf(std.Out, "revoked: %s (%s)\n", shell.Shown(g.Rule), g.Scope)
			}
		}
		return errors.Join(errs...)
	})
}

// chosen are the grants that are meant.
func (o *grantOptions) chosen(ctx context.Context, d *manage.Desk) ([]sayso.GivenGrant, error) {
	all, err := d.Grants.AllGrants(ctx)
	if err != nil {
		return nil, err
	}
	var out []sayso.GivenGrant
	for _, id := range o.ids {
		g, err := byID(all, func(g *sayso.GivenGrant) string { return g.ID }, id, "grant", "sayso grant list shows the ids")
		if err != nil {
			return nil, err
		}
		out = append(out, *g)
	}
	if len(o.ids) > 0 {
		return out, nil
	}
	for _, g := range all {
		switch {
		case o.here && (g.Scope == sayso.ForProfile || local.Real(g.Root) != o.root),
			o.session != "" && (g.Session != o.session || g.Scope == sayso.ForWorkspace || g.Scope == sayso.ForProfile),
			o.scope != "" && string(g.Scope) != o.scope:
			continue
		}
		out = append(out, g)
	}
	return out, nil
}

func showGrants(list []sayso.GivenGrant, asJSON bool, std IO) error {
	for i := range list {
		g := &list[i]
		if asJSON {
			if err := writeJSON(g, std.Out); err != nil {
				return err
			}
			continue
		}
		where := map[sayso.Scope]string{sayso.ForWorkspace: " " + g.Root, sayso.ForProfile: ""}
		place, ok := where[g.Scope]
		if !ok {
			place = " " + g.Session + " in " + g.Root
		}
		printf(std.Out, "%s  %s\n", g.ID, shell.ShownWhole(g.Rule))
		printf(std.Out, "  for %s%s%s\n", g.Scope, shell.Shown(place), ends(&g.Grant, time.Now()))
		printf(std.Out, "  given by %s at %s for call %s\n", shell.Shown(cmp.Or(g.By, "somebody")), g.Given.Local().Format("2006-01-02 15:04:05"), shell.Shown(cmp.Or(g.Call, "-")))
	}
	if len(list) == 0 && !asJSON {
		fmt.Fprintln(std.Err, "sayso: note: there are no such grants")
	}
	return nil
}

// ends says when a grant ends, if it does by itself.
func ends(g *sayso.Grant, now time.Time) string {
	switch {
	case g.Expires.IsZero():
		return ""
	case now.Before(g.Expires):
		return ", ends in " + span(g.Expires.Sub(now))
	}
	return ", ended " + span(now.Sub(g.Expires)) + " ago"
}
