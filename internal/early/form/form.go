// Package form is the form in which hooks and the resident process speak. It is apart from
// package early because that one acts in every program that links it.
package form

// The files of the resident process in the state folder. Who asks sends the key, open
// for writing, and so shows that it may change what is in that folder: somebody confined
// who may not, shall not have it done by the process either.
const (
	SocketFile = "resident"
	KeyFile    = "resident.lock" // held by the process while it is there
)

// MaxEvent is the longest event that the resident process is asked about. It is longer
// than nearly all of them.
const MaxEvent = 64 << 10

// MaxAnswer is the longest answer. No agent is told so much.
const MaxAnswer = 64 << 10

// The answers of the resident process: a byte, and after Answered a length of four
// bytes, the most significant first, and the answer.
const (
	Answered = 'y'
	Declined = 'n' // the program must decide by itself
)
