package sandbox

import (
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso"
)

// A State is whether a promise holds. The zero value is no state.
type State string

// The states of a promise.
const (
	Enforced    State = "enforced"
	NotEnforced State = "not enforced"
	Open        State = "open" // the contract sets no limit
)

// The promises of a contract, each of which has a line in a report.
const (
	FilesRead  = "files read"
	Hidden     = "hidden paths"
	FilesWrite = "files write"
	Protected  = "protected paths"
	Barred     = "barred paths"
	Watched    = "watched paths"
	Unseen     = "folders further down" // only where some were not looked into for barred paths
	Environ    = "environment"
	Network    = "network"
	Sockets    = "daemon sockets"
	Timeout    = "timeout"
	Output     = "output"
	CPU        = "cpu"
	Memory     = "memory"
	Processes  = "processes"
	Escalation = "no escalation"
	Outside    = "other processes"
	Descriptor = "descriptors"
	Terminal   = "terminal"
	AllEnded   = "all ended"
	Programs   = "programs inside" // only where somebody decides about them
)

// A Line says of one promise what holds it, or why nothing does.
type Line struct {
	Promise string   `json:"promise"`
	State   State    `json:"state"`
	By      []string `json:"by,omitempty"`  // what enforces it, the first wall first
	Why     string   `json:"why,omitempty"` // it is not enforced, or open
}

func (l Line) String() string {
	text := fmt.Sprintf("%-12s  %s", l.State, l.Promise)
	if len(l.By) > 0 {
		text += ": " + strings.Join(l.By, ", ")
	}
	if l.Why != "" {
		text += ": " + l.Why
	}
	return text
}

// A Report says what is enforced of a contract, promise by promise.
type Report []Line

// Enforced reports whether every promise that the contract makes is enforced. A
// report without lines promises nothing.
func (r Report) Enforced() bool {
	for _, l := range r {
		if l.State != Enforced && l.State != Open {
			return false
		}
	}
	return len(r) > 0
}

// Of returns the line of a promise.
func (r Report) Of(promise string) Line {
	for _, l := range r {
		if l.Promise == promise {
			return l
		}
	}
	return Line{Promise: promise, State: NotEnforced, Why: "the report has no line for it"}
}

func (r *Report) by(promise string, by ...string) {
	*r = append(*r, Line{Promise: promise, State: Enforced, By: by})
}

func (r *Report) not(promise, why string) {
	*r = append(*r, Line{Promise: promise, State: NotEnforced, Why: why})
}

// partly adds a promise of which something is held, and the rest is not: that is not
// enforced.
func (r *Report) partly(promise, why string, by ...string) {
	*r = append(*r, Line{Promise: promise, State: NotEnforced, By: by, Why: "partly: " + why})
}

func (r *Report) open(promise, why string) {
	*r = append(*r, Line{Promise: promise, State: Open, Why: why})
}

// undoes is what holds names that are barred: nothing keeps them from being made, but
// nothing that was made under one is there afterwards.
const undoes = "undone: what is made under such a name ends the run, and is put aside"

// held adds the lines of what this program holds itself, wherever it runs.
func (r *Report) held(c *sayso.Contract) {
	if len(c.Watched) > 0 {
		r.open(Watched, fmt.Sprintf("what was not there can be made (%d patterns), and is told at the end", len(c.Watched)))
	}
	r.by(Environ, fmt.Sprintf("only the variables that the contract names (%d patterns, %d overrides), without secrets", len(c.Inherit), len(c.Env)))
	if c.Timeout > 0 {
		r.by(Timeout, fmt.Sprintf("ended after %s, %s after it was asked to", c.Timeout+c.Grace, c.Grace))
	} else {
		r.open(Timeout, "no limit")
	}
	if c.Output > 0 {
		r.by(Output, fmt.Sprintf("%d bytes are kept, of the start and of the end", c.Output))
	} else {
		r.open(Output, "no limit")
	}
}

// reach adds a line if there are folders that were not looked into: nothing holds what
// is there.
func (r *Report) reach(s *survey) {
	if s.unseen > 0 {
		r.not(Unseen, fmt.Sprintf("%d were looked into for barred paths, %d were not, nor what is below them, such as %s", len(s.folders), s.unseen, s.unseenAt))
	}
}

// alsoHeld says what is held in a way of its own.
func (s *survey) alsoHeld() (by []string) {
	if n := len(s.links); n > 0 {
		by = append(by, fmt.Sprintf("links are put back (%d), and what they lead to is held", n))
	}
	if n := len(s.sealed); n > 0 {
		by = append(by, fmt.Sprintf("folders that cannot be looked into are held as a whole (%d, such as %s)", n, s.sealed[0]))
	}
	return by
}

// nothing is the report where there is no sandbox.
func nothing(c *sayso.Contract, why string) Report {
	var r Report
	if len(c.Read) == 0 {
		r.open(FilesRead, "everything can be read")
	} else {
		r.not(FilesRead, why)
	}
	if len(c.Hidden) > 0 {
		r.not(Hidden, why)
	}
	r.not(FilesWrite, why)
	r.not(Protected, why)
	if len(c.Barred) > 0 {
		r.partly(Barred, "what is there can be changed", undoes)
	}
	if c.Network == sayso.NetworkAll {
		r.open(Network, "everything can be reached")
		r.open(Sockets, "everything can be reached")
	} else {
		r.not(Network, why)
		r.not(Sockets, why)
	}
	r.held(c)
	for _, limit := range []struct {
		promise string
		set     bool
	}{{CPU, c.CPU > 0}, {Memory, c.Memory > 0}, {Processes, c.Procs > 0}} {
		if limit.set {
			r.not(limit.promise, why)
		} else {
			r.open(limit.promise, "no limit")
		}
	}
	for _, promise := range []string{Escalation, Outside, Descriptor, Terminal, AllEnded} {
		r.not(promise, why)
	}
	return r
}
