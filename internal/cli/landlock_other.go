//go:build !linux

package cli

import "errors"

func landlockABI() (int, error) { return 0, errors.New("this system has no Landlock") }
