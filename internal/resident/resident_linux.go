//go:build amd64 || arm64

package resident

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/early"
	"github.com/sayso-dev/sayso/internal/quick"
)

const (
	idle      = 20 * time.Minute // without an event, it ends
	look      = 5 * time.Second  // how often it looks whether it should
	acceptors = 4                // events at once; others wait in the line
	roomSize  = 256 << 10        // for an event, and what is known of who has sent it
	readTime  = 2                // seconds for who does not say what it wants
)

// A server answers events.
type server struct {
	socket int
	file   string       // of this program
	last   atomic.Int64 // when it was asked, in seconds

	policies quick.Policies
}

// Main is the process. It returns the exit status.
func Main() int {
	s, err := listen()
	if errors.Is(err, syscall.EADDRINUSE) {
		return 0 // there is one already
	}
	if err != nil {
		return 1 // hooks decide by themselves; nobody would read why
	}
	for range acceptors {
		go s.accept()
	}
	for s.stays() {
		time.Sleep(look)
	}
	return 0
}

func listen() (*server, error) {
	s := &server{}
	s.last.Store(time.Now().Unix())
	var err error
	if s.file, err = os.Executable(); err != nil {
		return nil, err
	}
	name, err := early.Address("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	if s.socket, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
		return nil, err
	}
	if err := syscall.Bind(s.socket, &syscall.SockaddrUnix{Name: name}); err != nil {
		return nil, err
	}
	return s, syscall.Listen(s.socket, 64)
}

// stays reports whether the process is still of use: it was asked not long ago, and
// its program is still what is started.
func (s *server) stays() bool {
	if time.Since(time.Unix(s.last.Load(), 0)) > idle {
		return false
	}
	var now, own syscall.Stat_t
	return syscall.Stat(s.file, &now) == nil && syscall.Stat("/proc/self/exe", &own) == nil && now.Dev == own.Dev && now.Ino == own.Ino
}

// accept answers one event after the other. It does so with calls that wait: nothing
// else has to be woken then.
func (s *server) accept() {
	room := make([]byte, roomSize)
	for {
		fd, _, err := syscall.Accept4(s.socket, syscall.SOCK_CLOEXEC)
		if err != nil {
			if !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.ECONNABORTED) {
				time.Sleep(look) // too many files, say
			}
			continue
		}
		s.last.Store(time.Now().Unix())
		answer, ok := s.answer(fd, room)
		reply := []byte{early.Declined}
		if ok {
			reply = append(binary.BigEndian.AppendUint32([]byte{early.Answered}, uint32(len(answer))), answer...)
		}
		for len(reply) > 0 {
			n, err := syscall.Write(fd, reply)
			if err != nil && !errors.Is(err, syscall.EINTR) {
				break // who has asked decides by itself
			}
			reply = reply[max(n, 0):]
		}
		_ = syscall.Close(fd) // all was said
	}
}

// answer answers the event of a process.
func (s *server) answer(fd int, room []byte) ([]byte, bool) {
	limit := syscall.Timeval{Sec: readTime}
	if syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit) != nil || syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit) != nil {
		return nil, false
	}
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Uid) != os.Geteuid() || peer.Pid <= 0 {
		return nil, false
	}
	event, args, ok := read(fd, room)
	if !ok || len(args) == 0 {
		return nil, false
	}
	env, err := variables(peer.Pid, room[8+len(event):])
	if err != nil {
		return nil, false
	}
	return s.policies.Answer(args[1:], env, event)
}

// read reads an event, and the arguments of the process that was started for it.
func read(fd int, room []byte) (event []byte, args []string, ok bool) {
	got := 0
	for {
		n, err := syscall.Read(fd, room[got:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return nil, nil, false
		}
		if got += n; got < 8 {
			continue
		}
		size, rest := int(binary.BigEndian.Uint32(room)), int(binary.BigEndian.Uint32(room[4:]))
		switch {
		case size > early.MaxEvent || rest > len(room)-8-size || got > 8+size+rest:
			return nil, nil, false
		case got == 8+size+rest:
			return room[8 : 8+size], texts(room[8+size : got]), true
		}
	}
}

// variables finds those of a process.
func variables(pid int32, room []byte) (func(string) string, error) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(int(pid))+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	n, err := syscall.Read(fd, room)
	if _ = syscall.Close(fd); err != nil || n == len(room) { // it was only read
		return nil, errors.Join(err, errors.New("there are too many variables"))
	}
	list := texts(room[:n])
	return func(name string) string {
		for _, v := range list {
			if rest, ok := strings.CutPrefix(v, name); ok && strings.HasPrefix(rest, "=") {
				return rest[1:]
			}
		}
		return ""
	}, nil
}

// texts are those that end in a zero.
func texts(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
