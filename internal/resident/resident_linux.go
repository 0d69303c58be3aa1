//go:build amd64 || arm64

package resident

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/early/form"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/session"
)

const (
	idle      = 20 * time.Minute // without an event, it ends
	look      = 5 * time.Second  // how often it looks whether it should
	acceptors = 8                // events at once; others wait in the line
	roomSize  = 256 << 10        // for an event, and what is known of who has sent it
	readTime  = 2 * time.Second  // for who does not say what it wants
)

// A server answers events.
type server struct {
	socket int
	name   string       // of the socket
	own    fs.FileInfo  // what it is
	state  string       // the folder for which it answers
	key    *os.File     // locked; who asks must be able to write it
	file   string       // of this program
	last   atomic.Int64 // when it was asked, in seconds

	policies quick.Policies
}

// Main is the process. It returns the exit status.
func Main() int {
	s, err := listen()
	if errors.Is(err, errThere) {
		return 0
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

var errThere = errors.New("there is one already")

// listen makes the socket, in the state folder that the variables name. The key stays
// locked until the process ends, so that there is one in a folder, and what is left of
// another one is nobody's.
func listen() (*server, error) {
	folder, err := local.State()
	if err != nil {
		return nil, err
	}
	s := &server{state: folder.Dir, name: filepath.Join(folder.Dir, form.SocketFile)}
	s.last.Store(time.Now().Unix())
	if s.file, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := private.Check(s.state); err != nil {
		return nil, err
	}
	now, cancel := context.WithCancel(context.Background())
	cancel() // nobody is waited for
	if s.key, err = private.Lock(now, filepath.Join(s.state, form.KeyFile)); err != nil {
		return nil, errors.Join(errThere, err)
	}
	if err := os.Remove(s.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.socket, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
		return nil, err
	}
	if err := syscall.Bind(s.socket, &syscall.SockaddrUnix{Name: s.name}); err != nil {
		return nil, err
	}
	if s.own, err = os.Lstat(s.name); err != nil {
		return nil, err
	}
	return s, syscall.Listen(s.socket, 64)
}

// stays reports whether the process is still of use: it was asked not long ago, can be
// found, and its program is still what is started.
func (s *server) stays() bool {
	if time.Since(time.Unix(s.last.Load(), 0)) > idle {
		return false
	}
	own, err := os.Lstat(s.name)
	if err != nil || !os.SameFile(own, s.own) {
		return false
	}
	program, err := os.Stat(s.file)
	this, err2 := os.Stat("/proc/self/exe")
	return err == nil && err2 == nil && os.SameFile(program, this)
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
		reply := []byte{form.Declined}
		if ok {
			reply = append(binary.BigEndian.AppendUint32([]byte{form.Answered}, uint32(len(answer))), answer...)
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
	limit := syscall.NsecToTimeval(int64(readTime))
	if syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit) != nil || syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit) != nil {
		return nil, false
	}
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Uid) != os.Geteuid() || peer.Pid <= 0 {
		return nil, false
	}
	env, err := variables(peer.Pid, room[:roomSize/2]) // the other reads its event meanwhile
	if err != nil {
		return nil, false
	}
	event, args, ok := s.read(fd, room[roomSize/2:])
	if !ok || len(args) == 0 {
		return nil, false
	}
	if folder, err := session.At(env("HOME"), env("XDG_STATE_HOME")); err != nil || folder.Dir != s.state { // the key is for this one
		return nil, false
	}
	return s.policies.Answer(args[1:], env, event)
}

// read reads an event, and the arguments of the process that was started for it. The
// key must come with the first of it.
func (s *server) read(fd int, room []byte) (event []byte, args []string, ok bool) {
	rights := make([]byte, syscall.CmsgSpace(4)) // for one or two files: the system closes others
	got, n, _, _, err := syscall.Recvmsg(fd, room, rights, syscall.MSG_CMSG_CLOEXEC)
	if err != nil || got == 0 || !s.opens(rights[:n]) {
		return nil, nil, false
	}
	for until := time.Now().Add(readTime); time.Now().Before(until); {
		if got >= 8 {
			size, rest := int(binary.BigEndian.Uint32(room)), int(binary.BigEndian.Uint32(room[4:]))
			switch {
			case size > form.MaxEvent || rest > len(room)-8-size || got > 8+size+rest:
				return nil, nil, false
			case got == 8+size+rest:
				return room[8 : 8+size], texts(room[8+size : got]), true
			}
		}
		n, err := syscall.Read(fd, room[got:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return nil, nil, false
		}
		got += n
	}
	return nil, nil, false
}

// opens reports whether the key was sent, open for writing.
func (s *server) opens(rights []byte) bool {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return false
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	for _, fd := range files {
		defer syscall.Close(fd) //nolint:errcheck // nothing was written
	}
	if err != nil || len(files) != 1 {
		return false
	}
	var sent, own syscall.Stat_t
	if syscall.Fstat(files[0], &sent) != nil || syscall.Fstat(int(s.key.Fd()), &own) != nil || sent.Dev != own.Dev || sent.Ino != own.Ino {
		return false
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(files[0]), syscall.F_GETFL, 0)
	return errno == 0 && flags&syscall.O_ACCMODE != syscall.O_RDONLY
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
