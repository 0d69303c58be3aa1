package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/tui"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
)

// screenTrusts is what a person trusts.
type screenTrusts screenDesk

// Offer is what can be trusted in this workspace. KodaCode asks about it before
// anything else. So does every preset if trust would change something, and nobody
// waits for an answer meanwhile.
func (s *screenTrusts) Offer(ctx context.Context) (tui.Offer, error) {
	o := tui.Offer{Root: s.root}
	servers, err := workspaceServers(s.root)
	if err != nil {
		return o, fmt.Errorf("the MCP servers of the workspace: %w", err)
	}
	if o.Prompt, o.Needed, err = preset.AskTrust(ctx, s.desk.Trusts, s.root, servers); err != nil {
		return o, err
	}
	if o.Files, err = policyTrusts(s.root); err != nil {
		return o, err
	}
	policy, loaded := loadAs(s.root, s.home, s.preset, "", s.std) // what is wrong with it the tabs say
	names, all, err := missing(ctx, s.desk.Trusts, &policy, s.root, servers, o.Files)
	if err != nil {
		return o, err
	}
	o.Missing, o.Needed = names, o.Needed || !all
	list, err := (*screenDesk)(s).Waiting(ctx)
	o.First = err == nil && len(list) == 0 && len(o.Missing) > 0 || loaded == nil && policy.engine.Preset.Name == "kodacode"
	return o, nil
}

// missing names what is there, is not trusted as it is now, and would count for more
// if it were: policy files of which something does not count, and servers. All
// reports whether all is trusted.
func missing(ctx context.Context, trusts sayso.TrustStore, policy *loaded, root string, servers []preset.MCPServer, files []sayso.Trust) (names []string, all bool, err error) {
	all = true
	for _, t := range files {
		same, err := trusts.Trusted(ctx, t.Root, t.Name, t.Fingerprint)
		if err != nil {
			return nil, false, err
		}
		all = all && same
		file, _ := manage.IsFile(t)
		drops := slices.ContainsFunc(policy.Dropped, func(d config.Dropped) bool {
			return d.Source.File == filepath.Join(t.Root, filepath.FromSlash(file))
		})
		if !same && drops {
			names = append(names, file)
		}
	}
	for _, s := range servers {
		same, err := trusts.Trusted(ctx, root, s.Name, s.Fingerprint())
		if err != nil {
			return nil, false, err
		}
		if all = all && same; !same {
			names = append(names, "MCP server "+s.Name)
		}
	}
	return names, all, nil
}

// policyTrusts is trust in the policy files of a workspace, as they are now.
func policyTrusts(root string) ([]sayso.Trust, error) {
	var out []sayso.Trust
	for _, name := range manage.PolicyFiles {
		text, err := local.Machine{}.ReadFile(filepath.Join(root, filepath.FromSlash(name)), maxPolicy)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("trust %s: %w", name, err)
		default:
			out = append(out, manage.FileTrust(root, name, text))
		}
	}
	return out, nil
}

// Trust trusts what was chosen, as it was when it was shown.
func (s *screenTrusts) Trust(ctx context.Context, o tui.Offer, a preset.TrustAnswer) error {
	var list []sayso.Trust
	if a.Workspace {
		list = append([]sayso.Trust{{Root: o.Root}}, o.Files...)
	}
	for _, server := range a.Servers {
		list = append(list, sayso.Trust{Root: o.Root, Name: server.Name, Fingerprint: server.Fingerprint()})
	}
	for _, t := range list {
		if err := s.desk.Trust(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// Manager lists what is trusted.
func (s *screenTrusts) Manager(ctx context.Context) (preset.TrustManager, []string, error) {
	m, err := preset.OpenTrustManager(ctx, s.desk.Trusts, s.root)
	var notes []string
	for _, t := range m.Entries() {
		note := ""
		if now, ok := asItIs(t); !ok || now != t.Fingerprint {
			note = changedSince
		}
		notes = append(notes, note)
	}
	return m, notes, err
}

const changedSince = "(it has changed since, and does not count)"

// Revoke takes trust back. What somebody else has taken back already is fine.
func (s *screenTrusts) Revoke(ctx context.Context, list []sayso.Trust) error {
	var errs []error
	for _, t := range list {
		if err := s.desk.RevokeTrust(ctx, t); err != nil && !errors.Is(err, sayso.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// notTrusted is what is told when a session of an agent starts: what does not count
// because nobody trusts it.
func (std IO) notTrusted(ctx context.Context, root, home string) string {
	root = local.Real(root)
	policy, err := load(root, home, std)
	if err != nil {
		return "" // the first call says why
	}
	servers, err := workspaceServers(root)
	if err != nil {
		servers = nil // sayso trust says why
	}
	files, err := policyTrusts(root)
	if err != nil {
		return ""
	}
	names, _, err := missing(ctx, policy.trusts, &policy, root, servers, files)
	if err != nil || len(names) == 0 {
		return ""
	}
	return "not trusted in this workspace, so that it does not count for all that it says: " + strings.Join(names, ", ") + "; sayso trust, in a terminal of yours, shows it and asks"
}
