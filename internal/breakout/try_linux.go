package breakout

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// An attempt is made with the arguments that it is given; nil: it got out.
type attempt struct {
	name string
	do   func(a args) error
}

// errHeld is why an attempt fails that no system call refuses.
var errHeld = errors.New("there is nothing")

// args are what an attempt is given.
type args []string

// at returns an argument; an attempt without it is a mistake, and is not made.
func (a args) at(i int) string {
	if i >= len(a) {
		panic(missing(i))
	}
	return a[i]
}

func (a args) number(i int) int {
	n, err := strconv.Atoi(a.at(i))
	if err != nil {
		panic(missing(i))
	}
	return n
}

type missing int

// Try makes an attempt, and returns its exit status: the name of the attempt, and its
// arguments.
func Try(words []string) (status int) {
	runtime.LockOSThread()
	defer func() {
		if _, ok := recover().(missing); ok {
			fmt.Fprintln(os.Stderr, "an argument is missing")
			status = Unable
		}
	}()
	if len(words) == 0 {
		return Unable
	}
	for _, list := range [][]attempt{files, processes, kernel, network, limits} {
		for _, one := range list {
			if one.name != words[0] {
				continue
			}
			err := one.do(words[1:])
			if err == nil {
				return Out
			}
			fmt.Fprintln(os.Stderr, describe(err))
			return Held
		}
	}
	fmt.Fprintf(os.Stderr, "there is no attempt %q\n", words[0])
	return Unable
}

// describe is an error with the name of its number.
func describe(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return unix.ErrnoName(errno) + ": " + err.Error()
	}
	return err.Error()
}
