//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
)

// confine says what can be enforced, and how to run it.
func (j *job) confine() (Report, func(context.Context) (Result, error)) {
	return nothing(&j.c, "there is no sandbox for "+runtime.GOOS+" yet"), j.plain
}

// flat is how to run it where the sandbox could not be made.
func (j *job) flat(why *setupError) (Report, func(context.Context) (Result, error)) {
	return nothing(&j.c, why.Error()), j.plain
}

// marks reports whether folders can be marked as layers.
func marks(string) error { return errors.New("there are no layers on " + runtime.GOOS) }
