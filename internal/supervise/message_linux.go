package supervise

import (
	"context"
	"encoding/binary"
	"net/netip"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A messenger connects and sends in the place of a process, with what it has copied
// once: what the process changes afterwards is of no use to it.
type messenger struct {
	s      *Supervisor
	ctx    context.Context
	n      *notice
	socket int
}

// Where things are in the memory of the process.
const (
	mostAddress = 128
	headSize    = 56 // of a message: its address, parts, and what comes along
	vectorSize  = 64 // of a message in a list of them
	mostParts   = 1024
)

// do carries out the call.
func (m *messenger) do() (int64, error) {
	a := &m.n.args
	switch m.n.call {
	case unix.SYS_CONNECT:
		to, err := m.address(a[1], a[2])
		if err != nil {
			return 0, err
		}
		if len(to) == 0 {
			return 0, unix.EINVAL
		}
		defer runtime.KeepAlive(to)
		return m.call(unix.SYS_CONNECT, uintptr(unsafe.Pointer(&to[0])), uintptr(len(to)), 0, 0, 0)
	case unix.SYS_SENDTO:
		return m.send(part{a[1], a[2]}, nil, a[4], a[5], a[3])
	case unix.SYS_SENDMSG:
		return m.message(a[1], a[2])
	}
	return m.messages()
}

// part is a piece of what is sent.
type part struct{ at, size uint64 }

// message sends what a message header says.
func (m *messenger) message(at, flags uint64) (int64, error) {
	head, err := m.read(at, headSize)
	if err != nil {
		return 0, err
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(head[8*i:]) }
	name, size := word(0), uint64(binary.NativeEndian.Uint32(head[8:]))
	list, count, control := word(2), word(3), word(5)
	if control != 0 {
		return 0, unix.EPERM // descriptors cannot be passed on for others
	}
	if count > mostParts {
		return 0, unix.EMSGSIZE
	}
	text, err := m.read(list, 16*count)
	if err != nil {
		return 0, err
	}
	parts := make([]part, 0, count)
	for ; len(text) > 0; text = text[16:] {
		parts = append(parts, part{binary.NativeEndian.Uint64(text), binary.NativeEndian.Uint64(text[8:])})
	}
	return m.send(part{}, parts, name, size, flags)
}

// messages sends several, and tells how much was sent of each.
func (m *messenger) messages() (sent int64, err error) {
	at, count, flags := m.n.args[1], m.n.args[2], m.n.args[3]
	for ; uint64(sent) < min(count, mostParts); at += vectorSize { //nolint:gosec // it is not below 0
		n, err := m.message(at, flags)
		if err == nil {
			err = writeAll(int(m.n.pid), at+headSize, binary.NativeEndian.AppendUint32(nil, uint32(n))) //nolint:gosec // as long as it can be
		}
		if err != nil {
			if sent > 0 {
				return sent, nil
			}
			return 0, err
		}
		sent++
	}
	return sent, nil
}

// send copies the parts and sends them.
func (m *messenger) send(one part, more []part, name, size, flags uint64) (int64, error) {
	to, err := m.address(name, size)
	if err != nil {
		return 0, err
	}
	var text []byte
	for _, p := range append([]part{one}, more...) {
		room := uint64(mostBytes - len(text))
		part, err := m.read(p.at, min(p.size, room))
		if err != nil {
			return 0, err
		}
		if text = append(text, part...); p.size > room {
			if m.datagrams() {
				return 0, unix.EMSGSIZE
			}
			break // the process sends the rest later
		}
	}
	var where, what uintptr
	if len(to) > 0 {
		where = uintptr(unsafe.Pointer(&to[0]))
	}
	if len(text) > 0 {
		what = uintptr(unsafe.Pointer(&text[0]))
	}
	defer runtime.KeepAlive(to)
	defer runtime.KeepAlive(text)
	flags = flags&^unix.MSG_ZEROCOPY | unix.MSG_NOSIGNAL // what was copied is gone when it is sent
	return m.call(unix.SYS_SENDTO, what, uintptr(len(text)), uintptr(flags), where, uintptr(len(to)))
}

func (m *messenger) datagrams() bool {
	kind, err := unix.GetsockoptInt(m.socket, unix.SOL_SOCKET, unix.SO_TYPE)
	return err != nil || kind != unix.SOCK_STREAM
}

func (m *messenger) read(at, n uint64) ([]byte, error) {
	if n > mostBytes {
		return nil, unix.EMSGSIZE
	}
	return readAll(int(m.n.pid), at, int(n))
}

// call makes a system call with the socket.
func (m *messenger) call(call, a, b, c, d, e uintptr) (int64, error) {
	stop := context.AfterFunc(m.ctx, func() { _ = unix.Shutdown(m.socket, unix.SHUT_RDWR) }) // nobody waits for it any more
	defer stop()
	value, _, errno := unix.Syscall6(call, uintptr(m.socket), a, b, c, d, e)
	if errno != 0 {
		return 0, errno
	}
	return int64(value), nil //nolint:gosec // a length
}

// address copies an address, and lets it be decided.
func (m *messenger) address(at, size uint64) ([]byte, error) {
	if at == 0 || size == 0 {
		return nil, nil
	}
	if size > mostAddress {
		return nil, unix.EINVAL
	}
	text, err := m.read(at, size)
	if err != nil {
		return nil, err
	}
	if len(text) < 2 {
		return nil, unix.EINVAL
	}
	var to netip.AddrPort
	family := binary.NativeEndian.Uint16(text)
	switch {
	case family == unix.AF_NETLINK, family == unix.AF_UNSPEC && m.n.call == unix.SYS_CONNECT: // no connection any more
		return text, nil
	case family == unix.AF_INET && len(text) >= 8:
		to = netip.AddrPortFrom(netip.AddrFrom4([4]byte(text[4:8])), binary.BigEndian.Uint16(text[2:]))
	case family == unix.AF_INET6 && len(text) >= 24:
		to = netip.AddrPortFrom(netip.AddrFrom16([16]byte(text[8:24])).Unmap(), binary.BigEndian.Uint16(text[2:]))
	default:
		return nil, unix.EACCES // a path would be looked for here, and not inside
	}
	if to.Addr().IsUnspecified() { // what that means depends on the socket: it is this machine, and said so
		to = loopback(text, to.Port())
	}
	if m.s.Connect == nil || m.s.Connect(m.ctx, to) != nil {
		return nil, unix.EACCES
	}
	return text, nil
}

// loopback makes an address without a host that of this machine.
func loopback(text []byte, port uint16) netip.AddrPort {
	own := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	switch {
	case binary.NativeEndian.Uint16(text) == unix.AF_INET:
		copy(text[4:8], own.AsSlice())
	case netip.AddrFrom16([16]byte(text[8:24])).Is4In6():
		mapped := own.As16()
		copy(text[8:24], mapped[:])
	default:
		own = netip.IPv6Loopback()
		copy(text[8:24], own.AsSlice())
	}
	return netip.AddrPortFrom(own, port)
}
