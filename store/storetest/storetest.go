// Package storetest is the suite that every store of sayso passes.
package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/sayso-dev/sayso"
)

// Stores is a store for everything.
type Stores interface {
	sayso.Sessions
	sayso.GrantStore
	sayso.Approvals
	sayso.TrustStore
	sayso.RuleStore
}

// Run tests a store. Open returns an empty one, and closes it when its test
// ends.
func Run(t *testing.T, open func(t *testing.T) Stores) {
	t.Helper()
	for _, one := range []struct {
		name string
		test func(*testing.T, Stores)
	}{
		{"session", sessions},
		{"session kept whole", sessionWhole},
		{"session update fails", sessionFails},
		{"sessions at once", sessionsAtOnce},
		{"session removed", sessionRemoved},
		{"grant scopes", grantScopes},
		{"grant kept whole", grantWhole},
		{"grants covered", grantsCover},
		{"grant doubled", grantDoubled},
		{"grants at once", grantsAtOnce},
		{"approval", approval},
		{"approval refused", approvalRefused},
		{"approval choice", approvalChoice},
		{"approval late", approvalLate},
		{"approval found again", approvalFound},
		{"approvals at once", approvalsAtOnce},
		{"answers at once", answersAtOnce},
		{"trust", trust},
		{"rules", rules},
		{"nothing shared", nothingShared},
		{"names", names},
		{"ended", ended},
	} {
		t.Run(one.name, func(t *testing.T) { one.test(t, open(t)) })
	}
}

var ctx = context.Background()

// must fails the test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got is a value without its error, which fails the test.
func got[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// is fails the test if an error is not the one that is wanted.
func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
}
