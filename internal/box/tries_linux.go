package box

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// What is wanted of the network is seen without being asked for: every address leads
// to the loopback of the run's own network, where nobody answers. Whoever connects is
// refused at once, and the packet that was to begin a connection tells where to. Names
// are answered with addresses of a range that nobody has, each with its own, so that
// it is known which host was meant.

// standIn is the range of the addresses that stand for names.
var standIn = netip.MustParsePrefix("198.18.0.0/15")

// ownAddress is an address that is not 127.0.0.1: without one, programs do not ask for
// addresses at all.
var ownAddress = netip.MustParseAddr("198.19.255.254")

// seenOfPacket is how much is looked at of a packet: the addresses and ports are at its
// start.
const seenOfPacket = 128

// mostTries is how many different hosts are told.
const mostTries = 1000

// tries are what somebody inside wanted to reach.
type tries struct {
	tell   func(words ...string)
	packet int   // a socket that sees the packets
	dns    []int // sockets at which names are asked for

	mu    sync.Mutex
	told  map[[3]string]bool
	hosts map[netip.Addr]string // what stands for a name
	byIs  map[string]netip.Addr
	next  netip.Addr
}

// watchNetwork lets all addresses lead to nowhere, and opens the sockets that see it,
// while there is a right to do so.
func (s *stage) watchNetwork() error {
	t := &tries{tell: s.tell, told: map[[3]string]bool{}, hosts: map[netip.Addr]string{}, byIs: map[string]netip.Addr{}, next: standIn.Addr().Next()}
	if err := loopbackUp(); err != nil {
		return err
	}
	if err := allToLoopback(); err != nil {
		return err
	}
	var err error
	if t.packet, err = packetSocket(); err != nil {
		return fmt.Errorf("packet socket: %w", err)
	}
	for family, any := range map[int]unix.Sockaddr{unix.AF_INET: &unix.SockaddrInet4{Port: 53}, unix.AF_INET6: &unix.SockaddrInet6{Port: 53}} {
		fd, err := nameSocket(family, any)
		switch {
		case err == nil:
			t.dns = append(t.dns, fd)
		case family == unix.AF_INET:
			return fmt.Errorf("socket for names: %w", err)
		} // without IPv6 nobody asks through it
	}
	s.tries = t
	return nil
}

// packetSocket sees what is sent to addresses that are not the loopback's own.
func packetSocket() (int, error) {
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // in the order of the network
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	const load, word, octet, same = unix.BPF_LD | unix.BPF_ABS, unix.BPF_W, unix.BPF_B, unix.BPF_JMP | unix.BPF_JEQ
	p := program{
		{Code: load | octet, K: 0},
		{Code: unix.BPF_ALU | unix.BPF_RSH, K: 4},
		{Code: same, K: 4, Jf: 2}, // IPv4, or else IPv6
		{Code: load | octet, K: 16},
		{Code: same, K: 127, Jt: 9, Jf: 8},
		{Code: load | word, K: 24}, // ::1 is 15 times nought and then one
		{Code: same, K: 0, Jf: 6},
		{Code: load | word, K: 28},
		{Code: same, K: 0, Jf: 4},
		{Code: load | word, K: 32},
		{Code: same, K: 0, Jf: 2},
		{Code: load | word, K: 36},
		{Code: same, K: 1, Jt: 1},
		{Code: unix.BPF_RET, K: seenOfPacket},
		{Code: unix.BPF_RET, K: 0},
	}
	filter := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	err = errors.Join(
		unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: loopbackIndex}),
	)
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// nameSocket is where names are asked for, whatever the address of the server.
func nameSocket(family int, at unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	if family == unix.AF_INET6 {
		err = errors.Join(unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1), unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO, 1))
	} else {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1)
	}
	if err = errors.Join(err, unix.Bind(fd, at)); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// follow looks at what is tried until everything ends.
func (t *tries) follow() {
	fds := []unix.PollFd{{Fd: int32(t.packet), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	for _, fd := range t.dns {
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}) //nolint:gosec // a descriptor
	}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		t.drain()
	}
}

// drain looks at what has come.
func (t *tries) drain() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, fd := range t.dns {
		t.asked(fd)
	}
	var packet [seenOfPacket]byte
	for {
		n, _, err := unix.Recvfrom(t.packet, packet[:], unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return // there is no more
		}
		if protocol, to, ok := target(packet[:n]); ok {
			t.tried(protocol, to.Addr(), int(to.Port()))
		}
	}
}

// asked answers what was asked at a socket.
func (t *tries) asked(fd int) {
	var question [512]byte
	var way [128]byte // to which of its addresses
	for {
		n, wayLen, _, from, err := unix.Recvmsg(fd, question[:], way[:], unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return // there is no more
		}
		name, kind, end, ok := readQuestion(question[:n])
		if !ok {
			continue
		}
		t.say("dns", name, "")
		var address netip.Addr
		if kind == typeA {
			address = t.addressOf(name)
		}
		_ = unix.Sendmsg(fd, answerTo(question[:end], address), way[:wayLen], from, unix.MSG_DONTWAIT) // whoever asked has gone
	}
}

// addressOf is what stands for a name; the zero value: there are no more.
func (t *tries) addressOf(name string) netip.Addr {
	if a, ok := t.byIs[name]; ok {
		return a
	}
	if len(t.byIs) >= mostTries {
		return netip.Addr{}
	}
	a := t.next
	t.next = a.Next()
	t.byIs[name], t.hosts[a] = a, name
	return a
}

func (t *tries) tried(protocol string, to netip.Addr, port int) {
	if to.IsMulticast() || to == ownAddress || protocol == "udp" && port == 53 {
		return // names are told by themselves
	}
	host, ok := t.hosts[to]
	if !ok {
		host = to.String()
	}
	t.say(protocol, host, strconv.Itoa(port))
}

func (t *tries) say(protocol, host, port string) {
	key := [3]string{protocol, host, port}
	if t.told[key] || len(t.told) >= mostTries {
		return
	}
	t.told[key] = true
	t.tell(Tried, protocol, host, port)
}

// target reads where a packet is to go that begins something: of a connection only the
// first one does.
func target(p []byte) (protocol string, to netip.AddrPort, ok bool) {
	var next byte
	var addr netip.Addr
	switch {
	case len(p) >= 20 && p[0]>>4 == 4:
		size := int(p[0]&15) * 4
		if size < 20 || len(p) < size {
			return "", to, false
		}
		addr, _ = netip.AddrFromSlice(p[16:20])
		next, p = p[9], p[size:]
	case len(p) >= 40 && p[0]>>4 == 6:
		addr, _ = netip.AddrFromSlice(p[24:40])
		next, p = p[6], p[40:]
	default:
		return "", to, false
	}
	const syn, ack = 2, 16
	switch {
	case next == unix.IPPROTO_TCP && len(p) >= 14 && p[13]&(syn|ack) == syn:
		protocol = "tcp"
	case next == unix.IPPROTO_UDP && len(p) >= 8 && binary.BigEndian.Uint16(p) != 53: // that is our own answer
		protocol = "udp"
	default:
		return "", to, false
	}
	return protocol, netip.AddrPortFrom(addr, binary.BigEndian.Uint16(p[2:])), true
}
