// Package manifest writes the rules of a workspace into the manifest of CoWork OS
// that stands in its repository, beside the database that keeps them.
package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/preset"
)

// Name is where the manifest is in a workspace.
const Name = catalog.CoWorkManifest

// Files are the manifests of workspaces. It is a [sayso.RuleStore] for rules as
// [preset.CoWorkRule] writes them.
//
// A repository is not to be trusted: nothing outside of the workspace is read or
// written, whatever links stand in it, and a manifest that is not understood as a
// whole is left as it is.
type Files struct {
	State string // the state folder of sayso, for a lock

	// Changed is called, if it is not nil, with the text of a manifest before and
	// after it was changed.
	Changed func(ctx context.Context, root string, before, after []byte) error
}

// maxSize is the largest manifest that is read.
const maxSize = 1 << 20

// Rules lists the rules of a manifest.
func (f Files) Rules(_ context.Context, root string) ([]sayso.Rule, error) {
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer at.Close() //nolint:errcheck // it was only read
	_, rules, err := read(at, root)
	var out []sayso.Rule
	for _, r := range rules {
		out = append(out, sayso.Rule{Effect: r.Effect, Text: r.String(), Source: r.At})
	}
	return out, err
}

// read returns the text of a manifest and its rules; both are empty if there is
// none.
func read(at *os.Root, root string) ([]byte, []preset.CoWorkRule, error) {
	file := filepath.Join(root, filepath.FromSlash(Name))
	info, err := at.Stat(Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSize) {
		err = fmt.Errorf("it is not a file of at most %d bytes", maxSize)
	}
	var text []byte
	if err == nil {
		text, err = at.ReadFile(Name)
	}
	if err != nil {
		return nil, nil, private.Fail(file, "it cannot be read", "", err)
	}
	rules, err := catalog.ManifestRules(file, text)
	return text, rules, err
}

// AddRule adds a rule, unless it is there.
func (f Files) AddRule(ctx context.Context, root string, r sayso.Rule) error {
	rule, err := preset.ParseCoWorkRule(r.Text)
	if err != nil {
		return err
	}
	return f.change(ctx, root, func(text []byte, rules []preset.CoWorkRule) ([]byte, error) {
		for _, old := range rules {
			if old.String() == rule.String() {
				return text, nil
			}
		}
		if len(text) == 0 {
			text = []byte("{\n  \"version\": 1,\n  \"rules\": []\n}\n")
		}
		return jsontext.Append(text, item(rule), "rules")
	})
}

// item is a rule as a manifest has it.
func item(r preset.CoWorkRule) any {
	type scope struct {
		Kind   string `json:"kind"`
		Tool   string `json:"toolName,omitempty"`
		Path   string `json:"path,omitempty"`
		Prefix string `json:"prefix,omitempty"`
		Server string `json:"serverName,omitempty"`
	}
	return struct {
		Effect sayso.Effect `json:"effect"`
		Scope  scope        `json:"scope"`
	}{r.Effect, scope{r.Scope.Kind, r.Scope.Tool, r.Scope.Path, r.Scope.Prefix, r.Scope.Server}}
}

// RemoveRule takes a rule out, or returns [sayso.ErrNotFound].
func (f Files) RemoveRule(ctx context.Context, root, rule string) error {
	return f.change(ctx, root, func(text []byte, rules []preset.CoWorkRule) ([]byte, error) {
		found := false
		for i := len(rules) - 1; i >= 0; i-- { // from the end, so that the others keep their places
			if rules[i].String() != rule {
				continue
			}
			found = true
			doc, err := jsontext.Parse(text)
			if err != nil {
				return nil, err
			}
			text = jsontext.Remove(text, doc.Get("rules"), i)
		}
		if !found {
			return nil, fmt.Errorf("rule %s: %w", rule, sayso.ErrNotFound)
		}
		return text, nil
	})
}

// change writes a manifest as a whole, alone among the processes of sayso.
func (f Files) change(ctx context.Context, root string, edit func([]byte, []preset.CoWorkRule) ([]byte, error)) error {
	return rewrite(ctx, f.State, root, Name, f.Changed, func(at *os.Root) ([]byte, []byte, error) {
		before, rules, err := read(at, root)
		if err != nil {
			return nil, nil, err
		}
		after, err := edit(before, rules)
		if err != nil || string(after) == string(before) {
			return before, before, err
		}
		file := filepath.Join(root, filepath.FromSlash(Name))
		if _, err := catalog.ManifestRules(file, after); err != nil {
			return nil, nil, fmt.Errorf("%s would not be understood any more: %w", file, err)
		}
		return before, after, nil
	})
}

var (
	_ sayso.RuleStore    = Files{}
	_ preset.RuleRemover = Files{}
)
