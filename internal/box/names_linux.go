package box

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The parts of the messages in which names are asked for (RFC 1035).
const (
	headSize = 12
	typeA    = 1
	classIN  = 1
	mostName = 253
)

// readQuestion reads the one question of a message, and where it ends.
func readQuestion(m []byte) (name string, kind uint16, end int, ok bool) {
	if len(m) < headSize || m[2]&0x80 != 0 || binary.BigEndian.Uint16(m[4:]) != 1 {
		return "", 0, 0, false
	}
	var labels []string
	at := headSize
	for at < len(m) && m[at] != 0 {
		size := int(m[at])
		if size > 63 || at+1+size >= len(m) {
			return "", 0, 0, false
		}
		labels = append(labels, string(m[at+1:at+1+size]))
		at += 1 + size
	}
	end = at + 5
	name = strings.ToLower(strings.Join(labels, "."))
	if end > len(m) || name == "" || len(name) > mostName || binary.BigEndian.Uint16(m[at+3:]) != classIN {
		return "", 0, 0, false
	}
	return name, binary.BigEndian.Uint16(m[at+1:]), end, true
}

// answerTo answers a question with an address; the zero value: with none.
func answerTo(question []byte, address netip.Addr) []byte {
	m := append([]byte{}, question...)
	m[2], m[3] = 0x81|m[2]&0x01, 0x80             // an answer
	copy(m[6:headSize], []byte{0, 0, 0, 0, 0, 0}) // and nothing else
	if !address.IsValid() {
		return m
	}
	m[7] = 1
	m = append(m, 0xc0, headSize, 0, typeA, 0, classIN, 0, 0, 0, 60, 0, 4)
	return append(m, address.AsSlice()...)
}

// loopbackIndex is the number of the loopback in a network of its own.
const loopbackIndex = 1

// allToLoopback gives the loopback an address more, and lets every address lead to it.
func allToLoopback() error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // all was said
	own := ownAddress.AsSlice()
	address := []byte{unix.AF_INET, 32, 0, unix.RT_SCOPE_HOST, loopbackIndex, 0, 0, 0}
	address = attribute(attribute(address, unix.IFA_LOCAL, own), unix.IFA_ADDRESS, own)
	if err := change(fd, unix.RTM_NEWADDR, address); err != nil {
		return err
	}
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		scope := byte(unix.RT_SCOPE_HOST)
		if family == unix.AF_INET6 {
			scope = unix.RT_SCOPE_UNIVERSE
		}
		route := []byte{family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, scope, unix.RTN_LOCAL, 0, 0, 0, 0}
		route = attribute(route, unix.RTA_OIF, []byte{loopbackIndex, 0, 0, 0})
		if err := change(fd, unix.RTM_NEWROUTE, route); err != nil && family == unix.AF_INET {
			return err // without IPv6 nobody goes there
		}
	}
	return nil
}

// attribute adds an attribute to a message of netlink.
func attribute(m []byte, kind uint16, value []byte) []byte {
	m = binary.NativeEndian.AppendUint16(m, uint16(4+len(value))) //nolint:gosec // addresses are short
	m = append(binary.NativeEndian.AppendUint16(m, kind), value...)
	for len(m)%4 != 0 {
		m = append(m, 0)
	}
	return m
}

// change asks the kernel for a change of the network, and waits for what it says.
func change(fd int, kind uint16, body []byte) error {
	const head = int(unsafe.Sizeof(unix.NlMsghdr{}))
	m := binary.NativeEndian.AppendUint32(nil, uint32(head+len(body))) //nolint:gosec // it is short
	m = binary.NativeEndian.AppendUint16(m, kind)
	m = binary.NativeEndian.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	m = append(append(m, make([]byte, 8)...), body...)
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	var answer [4096]byte
	n, _, err := unix.Recvfrom(fd, answer[:], 0)
	switch {
	case err != nil:
		return err
	case n < head+4 || binary.NativeEndian.Uint16(answer[4:]) != unix.NLMSG_ERROR:
		return unix.EBADMSG
	}
	if code := int32(binary.NativeEndian.Uint32(answer[head:])); code != 0 { //nolint:gosec // it is a signed number
		return unix.Errno(-code)
	}
	return nil
}
