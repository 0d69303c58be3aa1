package tools

import "fmt"

// An InputError says why the input of a tool cannot be judged. The call must be
// denied.
type InputError struct {
	Key     string // the argument; empty if it is the input as a whole
	Problem string
}

func (e *InputError) Error() string {
	if e.Key == "" {
		return "tool input: " + e.Problem
	}
	return fmt.Sprintf("tool input: key %q: %s", e.Key, e.Problem)
}

// A PatchError says why the paths of a patch cannot be told.
type PatchError struct {
	Line    int // from 1; 0 if it is the patch as a whole
	Problem string
}

func (e *PatchError) Error() string {
	if e.Line == 0 {
		return "patch: " + e.Problem
	}
	return fmt.Sprintf("patch: line %d: %s", e.Line, e.Problem)
}
