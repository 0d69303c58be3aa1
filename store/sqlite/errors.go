package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// Result codes of SQLite that have a remedy of their own.
const (
	codePerm     = 3
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// startAfresh is what to do with a file that cannot be read.
const startAfresh = "move it away: sayso then starts with an empty one, asks again what was granted and trusted, and knows no kept rule: sayso log --kind rule tells which there were"

// errSum says that a row is not what was written.
var errSum = errors.New("a row is not what was written")

// fail explains an error of the database. What others branch on stays as it is.
func (db *DB) fail(err error) error {
	var mine *private.Error
	var of *sqlite.Error
	switch {
	case err == nil, errors.As(err, &mine), isKnown(err):
		return err
	case errors.Is(err, errSum), errors.Is(err, sql.ErrNoRows):
		return private.Fail(db.name, "it is damaged", startAfresh, err)
	case !errors.As(err, &of):
		return err
	}
	problem, hint := "it cannot be used", ""
	switch of.Code() & 0xff {
	case codeBusy, codeLocked:
		problem, hint = "another process keeps it locked", "is another sayso stuck?"
	case codeReadOnly, codePerm:
		problem, hint = "it cannot be written", "are the file and its folder writable for you?"
	case codeCantOpen:
		problem, hint = "it cannot be opened", "are the file and its folder readable and writable for you?"
	case codeFull:
		problem, hint = "it cannot be written", "the disk is full: make room"
	case codeIO:
		problem, hint = "it cannot be read or written", "is the disk full, or failing?"
	case codeCorrupt, codeNotADB:
		problem, hint = "it is damaged", startAfresh
	}
	return private.Fail(db.name, problem, hint, err)
}

// isKnown reports whether an error is one that callers branch on.
func isKnown(err error) bool {
	for _, known := range []error{
		sayso.ErrNotFound, sayso.ErrExists, sayso.ErrWaiting, sayso.ErrAnswered, sayso.ErrLate, sayso.ErrContract, sayso.ErrChoice, sayso.ErrChannel,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
