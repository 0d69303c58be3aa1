// Package breakout tries to get out of a sandbox. Each attempt succeeds where nothing
// confines it, so that it means something when it fails: the tests and sayso doctor try
// them first outside and then inside.
//
// Attempts harm nothing: they touch what they are given, and put back what they change.
package breakout

// Exit statuses of an attempt.
const (
	Out    = 0 // it got out
	Held   = 1 // it did not; standard error says why
	Unable = 2 // it could not be tried
)
