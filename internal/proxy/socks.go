package proxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
)

// What SOCKS5 says, as RFC 1928 has it.
const (
	socksVersion = 5
	socksConnect = 1
	socksIPv4    = 1
	socksName    = 3
	socksIPv6    = 4

	socksDone      = 0
	socksFailed    = 1
	socksForbidden = 2
	socksUnable    = 7
)

// socks answers a program that speaks SOCKS5.
func (p *Proxy) socks(c net.Conn, from *bufio.Reader) {
	t, err := p.socksTarget(c, from)
	if err != nil {
		_ = socksReply(c, socksUnable) // it is over anyway
		_ = c.Close()                  // as above
		return
	}
	to, err := p.connect(p.ctx, t, "socks")
	if err != nil {
		code := byte(socksFailed)
		var no *refusal
		if errors.As(err, &no) {
			code = socksForbidden
		}
		_ = socksReply(c, code) // as above
		_ = c.Close()           // as above
		return
	}
	_ = socksReply(c, socksDone) // if nobody reads it, it ends at once
	p.pipe(c, from, to, t)
}

func socksReply(c net.Conn, code byte) error {
	_, err := c.Write([]byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

var errSocks = errors.New("no SOCKS5 that is understood")

// socksTarget reads what somebody wants. Only connections are made: no datagrams, and
// none that come from outside.
func (p *Proxy) socksTarget(c net.Conn, from *bufio.Reader) (Target, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(from, head); err != nil {
		return Target{}, err
	}
	if _, err := from.Discard(int(head[1])); err != nil { // the ways to say who one is
		return Target{}, err
	}
	if _, err := c.Write([]byte{socksVersion, 0}); err != nil {
		return Target{}, err
	}
	request := make([]byte, 4)
	if _, err := io.ReadFull(from, request); err != nil {
		return Target{}, err
	}
	if request[0] != socksVersion || request[1] != socksConnect {
		return Target{}, errSocks
	}
	size := map[byte]int{socksIPv4: 4, socksIPv6: 16}[request[3]]
	if request[3] == socksName {
		n, err := from.ReadByte()
		if err != nil {
			return Target{}, err
		}
		size = int(n)
	}
	rest := make([]byte, size+2)
	if _, err := io.ReadFull(from, rest); err != nil || size == 0 {
		return Target{}, errSocks
	}
	host := string(rest[:size])
	if a, ok := netip.AddrFromSlice(rest[:size]); ok && request[3] != socksName {
		host = a.String()
	}
	name, err := clean(host)
	port := binary.BigEndian.Uint16(rest[size:])
	if err != nil || port == 0 {
		return Target{}, errSocks
	}
	return p.real(Target{name, port})
}
