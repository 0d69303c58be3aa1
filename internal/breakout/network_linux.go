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
	{"pair-datagram", func(a args) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("hello"), 0, &unix.SockaddrUnix{Name: a.at(0)})
	}},
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
	{"connect-through", func(a args) error {
		return through("CONNECT "+a.at(0)+" HTTP/1.1\r\nHost: "+a.at(0)+"\r\n\r\n", " 200 ")
	}},
	{"socks-through", func(a args) error {
		to, port := address(a.at(0)), a.number(1)
		return through("\x05\x01\x00\x05\x01\x00\x01"+string(to[:])+string([]byte{byte(port >> 8), byte(port)}), "\x05\x00\x05\x00") //nolint:gosec // a port has two bytes
	}},
	{"bind", func(a args) error {
		fd, err := socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return then(unix.Bind(fd, &unix.SockaddrInet4{Port: a.number(0)}), unix.Listen(fd, 1))
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

// through asks the proxy of the environment for a connection, and waits for what the
// server at its end says.
func through(request, agreed string) error {
	_, text, _ := strings.Cut(os.Getenv("HTTP_PROXY"), "://")
	host, port, _ := strings.Cut(text, ":")
	fd, err := socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 10}); err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: args{port}.number(0), Addr: address(host)}); err != nil {
		return err
	}
	if _, err := unix.Write(fd, []byte(request)); err != nil {
		return err
	}
	var said []byte
	for {
		part := make([]byte, 512)
		n, err := unix.Read(fd, part)
		said = append(said, part[:max(n, 0)]...)
		if strings.Contains(string(said), agreed) && strings.Contains(string(said), "hello") {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return errHeld
		}
	}
}
