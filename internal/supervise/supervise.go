// Package supervise answers the system calls of a confined command that wait for
// somebody outside: programs that are started, and connections that are made.
//
// What a program starts is read from its memory, which another thread of it can change
// between the answer and the start: these answers are a net, and not a wall. Nothing of
// that kind holds for connections: what is to be sent where is copied once, and it is
// this process that connects and sends.
package supervise

import (
	"context"
	"net/netip"
)

// A Program is one that is to be started.
type Program struct {
	PID  int      // of the process that starts it, as seen from outside
	File string   // as it was named
	Argv []string // with the name that the program is told for itself
	Dir  string   // where the process is
	Real string   // the file that the name leads to inside; empty: that cannot be told
	By   []string // if it is a script, the program that runs it, and what that is told before its name

	// Unread is why not all of it could be read, in which case it is not started,
	// whatever is decided.
	Unread error
}

// A Supervisor decides. An error is why not.
type Supervisor struct {
	Exec    func(context.Context, Program) error
	Connect func(context.Context, netip.AddrPort) error // nil: connections are not told
}
