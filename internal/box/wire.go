// Package box is what happens in the program sayso-box, which package sandbox starts
// in namespaces of its own: it builds the view of the files, gives up every right,
// runs the command as its child, and is the first process inside, with which all
// others end.
//
// It is told what to do through a pipe, as a list of steps: what a command line or a
// file says could be read or changed by others.
package box

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The descriptors that sayso-box is started with, beside the standard ones.
const (
	Orders   = 3 // it reads the plan, and then signals for the command; its end ends everything
	Messages = 4 // it writes how far it is
	Doors    = 5 // where there is a step Door: a socket through which it passes out what listens
	Watcher  = 6 // where there is a step Supervise: a socket through which it passes out what calls are told through
)

// Files is how many descriptors come with a command for a kept place: its standard
// ones, and one to which a number is written right before it is started.
const Files = 4

// The names of steps. A step is a name and its arguments; steps that build the view
// are carried out in their order.
const (
	Root    = "root"    // all (everything, read-only), open (everything) or empty
	Bind    = "bind"    // SOURCE TARGET ro|rw|dev: what is at SOURCE outside is seen at TARGET
	Protect = "protect" // PATH: it cannot be changed, moved or removed
	Pin     = "pin"     // PATH: it cannot be moved or removed; what is in it can be changed
	Hide    = "hide"    // PATH: it is empty
	Tmpfs   = "tmpfs"   // PATH MODE BYTES: empty, in memory, gone at the end
	Scratch = "scratch" // PATH: what is written there is gone at the end
	Layer   = "layer"   // PATH UPPER WORK: what is written there goes to UPPER, and PATH stays as it is
	PinHere = "pinhere" // PATH: as pin, for a folder of the new view
	Seal    = "seal"    // PATH: what was mounted there is read-only from now on
	Proc    = "proc"    // PATH: the processes inside
	Pts     = "pts"     // PATH: pseudo-terminals of its own
	Folder  = "folder"  // PATH: it is made, with those above it
	File    = "file"    // PATH: it is made, empty
	Link    = "link"    // TO PATH
	Stream  = "stream"  // NUMBER PATH: a standard stream is opened anew, so that its file cannot be changed through it

	Loopback  = "loopback"  // the network has an interface to itself
	Watch     = "watch"     // whatever is tried to reach leads to nowhere, and is told
	Door      = "door"      // tcp|udp loopback|any PORT, in one word, …: sockets that listen there are passed out, in this order
	Text      = "text"      // PATH TEXT: that is what is read there
	Reads     = "reads"     // PATH: Landlock lets it be read
	Writes    = "writes"    // PATH: Landlock lets it be changed
	Devices   = "devices"   // PATH: Landlock lets it be written to, but nothing be made there
	NoTCP     = "notcp"     // Landlock lets nothing be connected to
	Sockets   = "sockets"   // inet, unix: seccomp lets these sockets be made, and no others
	Limit     = "limit"     // NAME NUMBER: one of the limits below
	Supervise = "supervise" // exec, connect: somebody outside decides about these calls
	Session   = "session"   // without the terminal that it was started from
	Frozen    = "frozen"    // modes, owners, times and attributes of files cannot be changed

	Dir  = "dir"  // PATH: where the command starts
	Env  = "env"  // NAME=VALUE…
	Argv = "argv" // PROGRAM ARGUMENT…

	Keep = "keep" // commands come later, one after the other, each through a channel of its own
)

// The names of limits.
const (
	LimitCPU    = "cpu"       // seconds
	LimitMemory = "memory"    // bytes
	LimitProcs  = "processes" // how many at once
	LimitFile   = "file"      // bytes of one file
)

// What sayso-box tells.
const (
	Prepared = "prepared" // all is as planned, and it waits for Go
	Ready    = "ready"    // the command is started: the version of Landlock
	Failed   = "failed"   // STEP WHY: nothing was run
	NotFound = "notfound" // WHY: there is no such program, nothing was run
	CannotDo = "cannot"   // WHY: the program cannot be run
	Exited   = "exited"   // STATUS
	Killed   = "killed"   // SIGNAL
	Lost     = "lost"     // PATH: what protects it has gone, and so everything was ended
	Over     = "over"     // LIMIT: everything was ended
	Tried    = "tried"    // PROTOCOL HOST PORT: somebody inside wanted to reach it
	Late     = "late"     // a command in a kept place still runs after a while
	Ending   = "ending"   // a kept place has seen the end of a command, and looks what is left of it
	Idle     = "idle"     // a kept place is as it was before the last command
	Spent    = "spent"    // WHY: a kept place is not as it was, and has ended
)

// What sayso-box is told after the plan.
const (
	Go     = "go"     // the command is to be started
	Signal = "signal" // NUMBER: for the command
	End    = "end"    // all processes are asked to end
	Kill   = "kill"   // in a kept place: all processes are ended
)

// A Step is one of those above, with its arguments.
type Step []string

// most is how long a message may be: arguments and variables can be megabytes.
const most = 64 << 20

// Send writes one message, which is a list of steps.
func Send(w io.Writer, steps ...Step) error {
	text, err := Pack(steps...)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Pack is a message as it is sent.
func Pack(steps ...Step) ([]byte, error) {
	text := binary.AppendUvarint(make([]byte, 4), uint64(len(steps)))
	for _, s := range steps {
		text = binary.AppendUvarint(text, uint64(len(s)))
		for _, word := range s {
			text = append(binary.AppendUvarint(text, uint64(len(word))), word...)
		}
	}
	if len(text) > most {
		return nil, fmt.Errorf("the plan is longer than %d bytes", most)
	}
	binary.LittleEndian.PutUint32(text, uint32(len(text)-4)) //nolint:gosec // it is below the limit
	return text, nil
}

var errMessage = errors.New("a message that nobody understands")

// Receive reads one message.
func Receive(r io.Reader) ([]Step, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > most {
		return nil, errMessage
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	count, text, ok := number(text)
	var steps []Step
	for ; ok && count > 0; count-- {
		var words uint64
		var s Step
		for words, text, ok = number(text); ok && words > 0; words-- {
			var size uint64
			if size, text, ok = number(text); ok {
				s, text = append(s, string(text[:size])), text[size:]
			}
		}
		steps = append(steps, s)
	}
	if !ok || len(text) > 0 {
		return nil, errMessage
	}
	return steps, nil
}

// number reads a number that is no larger than what is behind it is long.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(text)
	if size <= 0 || n > uint64(len(text)-size) {
		return 0, nil, false
	}
	return n, text[size:], true
}
