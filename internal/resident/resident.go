// Package resident is a process that answers the hooks of agents for those that the
// agents start. It decides exactly as they would, with their variables and in their
// view of the files; what it cannot answer, they do.
//
// It saves a hook what a new process costs before it can decide. It keeps nothing
// between two events, so that nothing of what it knows can be out of date.
package resident
