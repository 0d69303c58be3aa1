//go:build !linux

package sandbox

import "github.com/sayso-dev/sayso"

// A Lookout lets runs of one contract after the other start and end sooner where there
// are many folders. Here it is looked into them each time.
type Lookout struct{ far *Far }

// Close ends it.
func (l *Lookout) Close() error { return nil }

func (l *Lookout) look(c *sayso.Contract) *survey { return look(c) }

func (l *Lookout) unchanged(uint64) bool { return false }

// A guarded is what a lookout would keep of protected paths.
type guarded struct{}

// A spot is what it would know of one of those.
type spot struct{}

// holds is what would have to stay where it is while a command runs.
type holds struct{}
