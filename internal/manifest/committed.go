package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
)

// Committed is the policy file in the repositories of workspaces, .sayso.yaml. It
// is a [sayso.RuleStore] for rules in the language of sayso. What it does not
// change stays as it is written.
type Committed struct {
	State string // the state folder of sayso, for a lock

	// Changed is called like [Files.Changed].
	Changed func(ctx context.Context, root string, before, after []byte) error
}

// Rules lists the rules of the file.
func (c Committed) Rules(_ context.Context, root string) ([]sayso.Rule, error) {
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer at.Close() //nolint:errcheck // it was only read
	text, err := policy(at, root)
	if err != nil {
		return nil, err
	}
	f, err := config.Parse(filepath.Join(root, local.CommittedFile), text)
	if err != nil {
		return nil, err
	}
	return f.Rules, nil
}

// policy is the text of the file; empty: there is none.
func policy(at *os.Root, root string) ([]byte, error) {
	info, err := at.Lstat(local.CommittedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSize) {
		err = fmt.Errorf("it is not a file of at most %d bytes", maxSize)
	}
	var text []byte
	if err == nil {
		text, err = at.ReadFile(local.CommittedFile)
	}
	if err != nil {
		return nil, private.Fail(filepath.Join(root, local.CommittedFile), "it cannot be read", "", err)
	}
	return text, nil
}

// AddRule adds a rule, unless it is there.
func (c Committed) AddRule(ctx context.Context, root string, r sayso.Rule) error {
	return c.change(ctx, root, func(text []byte) ([]byte, error) { return config.AddRule(text, r.Effect, r.Text) })
}

// RemoveRule takes the rules with that text out, or returns [sayso.ErrNotFound].
func (c Committed) RemoveRule(ctx context.Context, root, text string) error {
	return c.remove(ctx, root, []sayso.Rule{{Effect: sayso.Allow, Text: text}, {Effect: sayso.Ask, Text: text}, {Effect: sayso.Deny, Text: text}}, text)
}

// remove takes those of the rules that have the text out.
func (c Committed) remove(ctx context.Context, root string, rules []sayso.Rule, text string) error {
	return c.change(ctx, root, func(before []byte) ([]byte, error) {
		after, found := before, false
		for _, r := range rules {
			if r.Text != text {
				continue
			}
			next, err := config.RemoveRule(after, r.Effect, r.Text)
			if errors.Is(err, config.ErrNoRule) {
				continue
			}
			if err != nil {
				return nil, err
			}
			after, found = next, true
		}
		if !found {
			return nil, fmt.Errorf("rule %s: %w", text, sayso.ErrNotFound)
		}
		return after, nil
	})
}

func (c Committed) change(ctx context.Context, root string, edit func([]byte) ([]byte, error)) error {
	return rewrite(ctx, c.State, root, local.CommittedFile, c.Changed, func(at *os.Root) ([]byte, []byte, error) {
		before, err := policy(at, root)
		if err != nil {
			return nil, nil, err
		}
		after, err := edit(before)
		return before, after, err
	})
}

var _ sayso.RuleStore = Committed{}
