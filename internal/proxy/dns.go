package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
)

// names are the addresses that stand for names, in the order in which they were given.
type names struct {
	mu   sync.Mutex
	list []string
	at   map[string]int
}

// mostNames is how many names get an address: a program that asks for more does not look
// for hosts.
const mostNames = 1 << 14

// standIn is the first of the addresses that stand for names: they are of the loopback,
// where nobody else is asked.
var standIn = netip.AddrFrom4([4]byte{127, 64, 0, 1})

// give returns the address of a name; false: there are too many.
func (n *names) give(name string) (netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, ok := n.at[name]
	if !ok {
		if len(n.list) >= mostNames {
			return netip.Addr{}, false
		}
		if n.at == nil {
			n.at = map[string]int{}
		}
		i = len(n.list)
		n.list, n.at[name] = append(n.list, name), i
	}
	first := standIn.As4()
	binary.BigEndian.PutUint32(first[:], binary.BigEndian.Uint32(first[:])+uint32(i)) //nolint:gosec // below the limit
	return netip.AddrFrom4(first), true
}

// of returns the name that an address stands for.
func (n *names) of(a netip.Addr) (string, bool) {
	if !a.Is4() {
		return "", false
	}
	first, this := standIn.As4(), a.As4()
	i := int64(binary.BigEndian.Uint32(this[:])) - int64(binary.BigEndian.Uint32(first[:]))
	n.mu.Lock()
	defer n.mu.Unlock()
	if i < 0 || i >= int64(len(n.list)) {
		return "", false
	}
	return n.list[i], true
}

// real is a target with the name that its address stands for. Other addresses that
// could stand for one are nobody's.
func (p *Proxy) real(t Target) (Target, error) {
	a, err := netip.ParseAddr(t.Host)
	if err != nil {
		return t, nil
	}
	name, ok := p.names.of(a)
	if ok {
		t.Host = name
		return t, nil
	}
	if a.Is4() && a.As4()[0] == 127 && a.As4()[1] >= 64 && a.As4()[1] < 128 {
		return t, errors.New("the address stands for no name")
	}
	return t, nil
}

// The parts of a message about names, as RFC 1035 has them.
const (
	dnsHead     = 12
	dnsA        = 1
	dnsInternet = 1
	dnsLife     = 60 // seconds

	dnsFine    = 0
	dnsFailed  = 2
	dnsNoName  = 3
	dnsRefused = 5
)

var errQuestion = errors.New("no question that is understood")

// ServeNames answers questions for names, until the connection is closed.
func (p *Proxy) ServeNames(c net.PacketConn) {
	p.start()
	if !p.keep(c) {
		return
	}
	defer p.drop(c)
	buf := make([]byte, 4096)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply, err := p.reply(buf[:n]); err == nil {
			_, _ = c.WriteTo(reply, from) // who does not get it asks again
		}
	}
}

// ServeNamesTCP is the same for those that ask through a connection.
func (p *Proxy) ServeNamesTCP(l net.Listener) {
	p.accept(l, func(c net.Conn) {
		defer c.Close() //nolint:errcheck // it is over
		for {
			var size [2]byte
			if _, err := io.ReadFull(c, size[:]); err != nil {
				return
			}
			question := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(c, question); err != nil {
				return
			}
			reply, err := p.reply(question)
			if err != nil {
				return
			}
			binary.BigEndian.PutUint16(size[:], uint16(len(reply))) //nolint:gosec // it is short
			if _, err := c.Write(append(size[:], reply...)); err != nil {
				return
			}
		}
	})
}

// reply answers one question. Nothing is asked of anybody: each name has an address that
// stands for it, and no other records.
func (p *Proxy) reply(question []byte) ([]byte, error) {
	name, kind, end, err := readQuestion(question)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, question[:end]...)
	out[2], out[3] = 0x80|question[2]&0x79, 0x80 // an answer; what was asked for is kept
	copy(out[4:dnsHead], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	code := byte(dnsFine)
	host, err := clean(name)
	switch {
	case err != nil || strings.HasSuffix(host, ".arpa"), !strings.Contains(host, ".") && host != "localhost" && !p.namedAlone(host):
		code = dnsNoName
	case kind>>16 != dnsInternet:
		code = dnsRefused
	case kind&0xffff == dnsA:
		a, ok := netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
		if host != "localhost" && !strings.HasSuffix(host, ".localhost") {
			a, ok = p.names.give(host)
		}
		if !ok {
			code = dnsFailed
			break
		}
		out[7] = 1
		out = append(out, 0xc0, dnsHead, 0, dnsA, 0, dnsInternet, 0, 0, 0, dnsLife, 0, 4)
		out = append(out, a.AsSlice()...)
	}
	out[3] |= code
	return out, nil
}

// namedAlone reports whether a name without a dot is listed.
func (p *Proxy) namedAlone(host string) bool {
	for _, entry := range p.Hosts {
		if name, _, _ := strings.Cut(entry, ":"); strings.EqualFold(name, host) {
			return true
		}
	}
	return false
}

// readQuestion reads the one question of a message; kind is its class and type.
func readQuestion(text []byte) (name string, kind uint32, end int, err error) {
	if len(text) < dnsHead || text[2]&0xf8 != 0 || binary.BigEndian.Uint16(text[4:]) != 1 {
		return "", 0, 0, errQuestion
	}
	at := dnsHead
	var labels []string
	for {
		if at >= len(text) {
			return "", 0, 0, errQuestion
		}
		n := int(text[at])
		at++
		if n == 0 {
			break
		}
		if n > 63 || at+n > len(text) {
			return "", 0, 0, errQuestion
		}
		labels = append(labels, string(text[at:at+n]))
		at += n
	}
	if at+4 > len(text) {
		return "", 0, 0, errQuestion
	}
	kind = uint32(binary.BigEndian.Uint16(text[at+2:]))<<16 | uint32(binary.BigEndian.Uint16(text[at:]))
	return strings.Join(labels, "."), kind, at + 4, nil
}
