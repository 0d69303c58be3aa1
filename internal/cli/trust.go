package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/tui"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

const trustUse = `sayso trust [--preset NAME]
       sayso trust list [--json] [--here]
       sayso trust add [--json] [--server NAME [--by-name]]
       sayso trust add [--json] --server NAME [--env NAME]… -- COMMAND ARGUMENT…
       sayso trust add [--json] --server NAME --url URL [--header NAME=VARIABLE]…
       sayso trust revoke [--json] [--server NAME] | --here | --all

Which workspaces and MCP servers you trust. Only the policy files of a workspace
that you trust may allow anything, and only as they were when you said so: change
one, and it only tightens until you add it again. A server is trusted in one
workspace by what it starts; the values of its environment do not count.

Without a sub-verb, in a terminal: what can be trusted here, if not all of it is,
and then the trust manager. Elsewhere: the list.

  add            trust this workspace with its policy files as they are
  revoke         trust this workspace, or a server in it, no longer
  --server NAME  an MCP server, as .mcp.json or your own .claude.json has it now
  --by-name      of a server that is in neither: whatever it starts
  COMMAND ARGUMENT…, --env NAME, --url URL, --header NAME=VARIABLE
                 a server that sayso mcp stands before: what it starts, or where it
                 is, as sayso mcp is told
  --here         everything in this workspace
  --all          everything everywhere
  --preset NAME  the preset in force in the manager, if not that of the policy
  --json         print one JSON object a line

An agent cannot change it: run this in a terminal of your own.

Exit status: 0 done, 1 error, 2 wrong usage.`

type trustOptions struct {
	here, all, asJSON bool
	byName            bool
	server, root      string
	gateway           *mcpOptions // the server that stands behind one; nil: none is named
}

func trustVerb(args []string, std IO) error {
	var o trustOptions
	flags := flag.NewFlagSet("trust", flag.ContinueOnError)
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.BoolVar(&o.here, "here", false, "")
	flags.BoolVar(&o.all, "all", false, "")
	flags.StringVar(&o.server, "server", "", "")
	flags.BoolVar(&o.byName, "by-name", false, "")
	asPreset := flags.String("preset", "", "")
	behind, _ := mcpFlags()
	flags.StringVar(&behind.url, "url", "", "")
	flags.Func("header", "", behind.header)
	flags.Func("env", "", behind.variable)
	if i := slices.Index(args, "--"); i >= 0 {
		args, behind.argv = args[:i], args[i+1:]
	}
	rest, helped, err := parse(flags, trustUse, args, std)
	if helped || err != nil {
		return err
	}
	if behind.url != "" || len(behind.headers)+len(behind.env) > 0 || behind.argv != nil {
		o.gateway, behind.name = behind, o.server
	}
	verb := "list"
	if in, out, ok := onScreen(std); ok && len(rest) == 0 && o == (trustOptions{}) {
		return screen(tui.AtTrust, *asPreset, in, out, std)
	}
	if len(rest) > 0 {
		verb = rest[0]
	}
	if len(rest) > 1 {
		return &usageError{"trust " + verb + " takes no argument", "it is about the workspace of the current folder"}
	}
	if o.root, err = here(); err != nil {
		return err
	}
	run := map[string]func(context.Context, *manage.Desk, IO) error{"list": o.list, "add": o.add, "revoke": o.revoke}[verb]
	switch {
	case run == nil:
		return &usageError{fmt.Sprintf("trust has no %q", verb) + orNear(verb, []string{"list", "add", "revoke"}, "sayso trust "), "want list, add or revoke"}
	case o.gateway != nil && (verb != "add" || o.server == "" || o.byName), verb == "add" && (o.here || o.all), o.byName && (verb != "add" || o.server == ""), verb == "list" && (o.all || o.server != ""), o.here && o.all, o.server != "" && (o.here || o.all):
		return &usageError{"these options do not go together", "sayso help trust tells which do"}
	}
	if verb != "list" {
		if err := byPerson("trust"); err != nil {
			return err
		}
	}
	return atDesk(std.key(nil), func(ctx context.Context, d *manage.Desk) error { return run(ctx, d, std) })
}

// told prints what was done, or is.
func (o *trustOptions) told(t sayso.Trust, did, note string, std IO) error {
	if o.asJSON {
		return writeJSON(t, std.Out)
	}
	what := "the workspace " + t.Root
	if file, ok := manage.IsFile(t); ok {
		what = "the file " + filepath.Join(t.Root, filepath.FromSlash(file))
	} else if t.Name != "" {
		what = "the MCP server " + t.Name + " in " + t.Root
	}
	err := printErr(std.Out, "%s%s%s\n", did, shell.ShownWhole(what), note)
	return err
}

func (o *trustOptions) list(ctx context.Context, d *manage.Desk, std IO) error {
	all, err := d.Trusts.AllTrust(ctx)
	if err != nil {
		return err
	}
	shown := 0
	for _, t := range all {
		if o.here && t.Root != o.root {
			continue
		}
		note := ""
		if now, ok := asItIs(t); !ok || now != t.Fingerprint {
			note = "  " + changedSince
		}
		if err := o.told(t, "", note, std); err != nil {
			return err
		}
		shown++
	}
	if shown == 0 && !o.asJSON {
		fmt.Fprintln(std.Err, "sayso: note: nothing is trusted")
	}
	return nil
}

// asItIs is the fingerprint of what is trusted as it is now, if it is there.
func asItIs(t sayso.Trust) (string, bool) {
	if t.Name == "" {
		return "", true
	}
	if file, ok := manage.IsFile(t); ok {
		text, err := local.Machine{}.ReadFile(filepath.Join(t.Root, filepath.FromSlash(file)), maxPolicy)
		return manage.FileTrust(t.Root, file, text).Fingerprint, err == nil
	}
	list, err := workspaceServers(t.Root)
	if err != nil {
		return "", false
	}
	s, err := oneServer(list, t.Name)
	if errors.Is(err, errNoServer) { // one that a gateway starts, or that is configured elsewhere
		return t.Fingerprint, true
	}
	return s.Fingerprint(), err == nil
}

// maxPolicy is the largest file that is looked at.
const maxPolicy = 1 << 20

func (o *trustOptions) add(ctx context.Context, d *manage.Desk, std IO) error {
	if o.server != "" {
		return o.addServer(ctx, d, std)
	}
	files, err := policyTrusts(o.root)
	if err != nil {
		return err
	}
	list := append([]sayso.Trust{{Root: o.root}}, files...)
	for _, t := range list {
		if err := d.Trust(ctx, t); err != nil {
			return err
		}
		if err := o.told(t, "trusted: ", "", std); err != nil {
			return err
		}
	}
	return nil
}

// addServer trusts a server as it is configured now, or by its name if it is not
// configured where sayso looks.
func (o *trustOptions) addServer(ctx context.Context, d *manage.Desk, std IO) error {
	if o.gateway != nil {
		if err := o.gateway.check(); err != nil {
			return err
		}
		return o.trust(ctx, d, o.gateway.server(), std)
	}
	list, err := workspaceServers(o.root)
	if err != nil {
		return err
	}
	s, err := oneServer(list, o.server)
	_, isFile := manage.IsFile(sayso.Trust{Name: o.server})
	switch missing := errors.Is(err, errNoServer); {
	case missing && o.byName && !isFile:
		s = manage.ByName(o.server)
	case missing:
		var names []string
		for _, s := range list {
			names = append(names, s.Name)
		}
		return &hintedError{
			fmt.Sprintf("neither .mcp.json of %s nor your .claude.json has a server %q", o.root, o.server),
			"they have: " + cmp.Or(strings.Join(names, ", "), "none") + "; with --by-name one is trusted that is configured elsewhere, whatever it starts",
		}
	case err != nil:
		return &hintedError{fmt.Sprintf("the MCP server %s: %v", o.server, err), "give the one in .mcp.json or the one in your .claude.json another name"}
	case o.byName:
		return &usageError{"--by-name is for a server that is configured elsewhere", "this one is trusted for what it starts: sayso trust add --server " + o.server}
	}
	return o.trust(ctx, d, s, std)
}

// trust trusts a server. What it has said of its tools so far does not count any
// more: a gateway keeps what it says next.
func (o *trustOptions) trust(ctx context.Context, d *manage.Desk, s preset.MCPServer, std IO) error {
	seen, err := keptTools(o.root, s)
	if err == nil {
		err = seen.Forget()
	}
	if err != nil {
		return err
	}
	t := sayso.Trust{Root: o.root, Name: s.Name, Fingerprint: s.Fingerprint()}
	if err := d.Trust(ctx, t); err != nil {
		return err
	}
	return o.told(t, "trusted: ", ": "+shell.ShownWhole(strings.TrimSpace(s.Type+" "+strings.Join(append([]string{s.Command}, s.Args...), " "))), std)
}

func (o *trustOptions) revoke(ctx context.Context, d *manage.Desk, std IO) error {
	all, err := d.Trusts.AllTrust(ctx)
	if err != nil {
		return err
	}
	var errs []error
	n := 0
	for _, t := range all {
		_, isFile := manage.IsFile(t)
		switch {
		case !o.all && t.Root != o.root, o.server != "" && (t.Name != o.server || isFile):
			continue
		case !o.all && !o.here && o.server == "" && t.Name != "" && !isFile: // a server stays
			continue
		}
		err := d.RevokeTrust(ctx, t)
		if errors.Is(err, sayso.ErrNotFound) {
			continue // somebody else was quicker
		}
		if err == nil {
			err = o.told(t, "no longer trusted: ", "", std)
		}
		errs = append(errs, err)
		n++
	}
	if n == 0 {
		return &hintedError{"nothing like that is trusted", "sayso trust list shows what is"}
	}
	return errors.Join(errs...)
}
