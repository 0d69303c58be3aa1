package breakout

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// protocolMPTCP is TCP over several paths.
const protocolMPTCP = 262

// network are attempts to reach somebody.
var network = []attempt{
	{"tcp", func(a args) error { return reach(unix.SOCK_STREAM, 0, a.number(0), [4]byte{127, 0, 0, 1}) }},
	{"mptcp", func(a args) error { return reach(unix.SOCK_STREAM, protocolMPTCP, a.number(0), [4]byte{127, 0, 0, 1}) }},
	{"udp", func(a args) error { return reach(unix.SOCK_DGRAM, 0, a.number(0), [4]byte{127, 0, 0, 1}) }},
	{"tcp-address", func(a args) error { return reach(unix.SOCK_STREAM, 0, a.number(0), address(a.at(1))) }},
	{"udp-address", func(a args) error { return reach(unix.SOCK_DGRAM, 0, a.number(0), address(a.at(1))) }},
	{"tcp6", func(a args) error {
		fd, err := socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return answered(fd, &unix.SockaddrInet6{Port: a.number(0), Addr: [16]byte{15: 1}}, false)
	}},
	{"unix", func(a args) error { return local(unix.SOCK_STREAM, a.at(0)) }},
	{"unix-datagram", func(a args) error { return local(unix.SOCK_DGRAM, a.at(0)) }},
	{"abstract", func(a args) error { return local(unix.SOCK_STREAM, "@"+a.at(0)) }},
	{"socket", func(a args) error { _, err := socket(a.number(0), a.number(1), a.number(2)); return err }},
	{"interfaces", func(args) error {
		list, err := os.ReadFile("/proc/self/net/dev")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(list)) {
			if name, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && name != "lo" {
				return nil
			}
		}
		return errHeld
	}},
	{"nothing", func(args) error { return nil }},
}

func socket(family, kind, protocol int) (int, error) {
	return unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
}

// address reads an address such as 10.0.0.1.
func address(text string) (out [4]byte) {
	for i, part := range strings.SplitN(text, ".", 4) {
		out[i] = byte(args{part}.number(0)) //nolint:gosec // a part of an address
	}
	return out
}

// reach says something to a server of this machine, and waits for its answer.
func reach(kind, protocol, port int, to [4]byte) error {
	fd, err := socket(unix.AF_INET, kind, protocol)
	if err != nil {
		return err
	}
	return answered(fd, &unix.SockaddrInet4{Port: port, Addr: to}, kind == unix.SOCK_DGRAM)
}

// answered connects and reads the answer.
func answered(fd int, to unix.Sockaddr, ask bool) error {
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return err
	}
	if err := unix.Connect(fd, to); err != nil {
		return err
	}
	if ask {
		if _, err := unix.Write(fd, []byte("?")); err != nil {
			return err
		}
	}
	n, err := unix.Read(fd, make([]byte, 16))
	if err == nil && n == 0 {
		err = errHeld
	}
	return err
}

// local connects to a socket that has a name.
func local(kind int, name string) error {
	fd, err := socket(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	if kind == unix.SOCK_DGRAM {
		return unix.Sendto(fd, []byte("?"), 0, &unix.SockaddrUnix{Name: name})
	}
	return answered(fd, &unix.SockaddrUnix{Name: name}, false)
}
