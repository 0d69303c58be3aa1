//go:build !linux

package changes

import (
	"context"
	"errors"
)

var errSystem = errors.New("previews work on Linux only")

// Read reads what was changed in layers.
func Read([]Layer, []string, Limits) (*Set, error) { return nil, errSystem }

// Apply makes the changes.
func (s *Set) Apply(context.Context, []string) error { return errSystem }

// content is what a file has.
func content(string, int64) ([]byte, error) { return nil, errSystem }

// Copy copies a folder.
func Copy(string, string, Limits) error { return errSystem }
