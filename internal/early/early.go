// Package early lets sayso-hook ask the resident process, if there is one, before
// anything else of the program is set up: the tables of Unicode, the regular
// expressions of the parser, the standard streams. A process that has to set up
// nothing but Go itself answers in half the time.
//
// To that end the package does its work while it is initialised, which nothing else in
// this module does. Packages are initialised in the order of their import paths, those
// first that need nothing which is not: so this package imports syscall alone.
// Decision 041 says why.
//
// Only sayso-hook may link it: whatever program does, reads its standard input.
//
// Whatever goes wrong, the program goes on as if nobody had been asked, and decides by
// itself.
package early

// Taken is what was already read of the event.
var Taken []byte

// Missing says that nobody was there to be asked.
var Missing bool
