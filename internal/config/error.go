package config

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/sayso-dev/sayso"
)

// An Error is one mistake in a policy file.
type Error struct {
	File    string
	Line    int // from 1; 0 if it is the file as a whole
	Column  int // from 1, in characters
	Problem string
	Hint    string // what to write instead; may be empty
}

// Error returns file:line:column, the problem, and the hint in parentheses.
func (e *Error) Error() string {
	text := e.Problem
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	if place := e.place(); place != "" {
		text = place + ": " + text
	}
	return text
}

func (e *Error) place() string {
	if e.File == "" && e.Line > 0 { // a text without a name
		return strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column)
	}
	return sayso.Source{File: e.File, Line: e.Line, Column: e.Column}.String()
}

// join makes one error of them, in the order in which they stand in the file.
func join(list []*Error) error {
	slices.SortStableFunc(list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Problem, b.Problem))
	})
	list = slices.CompactFunc(list, func(a, b *Error) bool { return *a == *b })
	errs := make([]error, len(list))
	for i, e := range list {
		errs[i] = e
	}
	return errors.Join(errs...)
}
