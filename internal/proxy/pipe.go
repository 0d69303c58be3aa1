package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// sniff looks what a connection to the proxy speaks.
func (p *Proxy) sniff(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(firstTime)) // a connection has deadlines
	first := bufio.NewReader(c)
	b, err := first.Peek(1)
	if err != nil {
		_ = c.Close() // it said nothing
		return
	}
	_ = c.SetReadDeadline(time.Time{}) // as above
	if b[0] == socksVersion {
		p.socks(c, first)
		return
	}
	p.webIn.put(&begun{Conn: c, first: first})
}

// direct serves a connection to an address that stands for a name.
func (p *Proxy) direct(c net.Conn) {
	local, err := netip.ParseAddrPort(c.LocalAddr().String())
	if err != nil {
		_ = c.Close() // it is none of ours
		return
	}
	name, ok := p.names.of(local.Addr().Unmap())
	if !ok {
		_ = c.Close() // nobody was given this address
		return
	}
	t := Target{name, local.Port()}
	if t.Port == 80 {
		if _, err := p.decide(p.ctx, t); err != nil {
			p.tell(Connection{Target: t, Via: "direct", Err: err})
			_ = c.Close() // it is not to be made
			return
		}
		p.webIn.put(&begun{Conn: c, first: bufio.NewReader(c), only: &t})
		return
	}
	to, err := p.connect(p.ctx, t, "direct")
	if err != nil {
		_ = c.Close() // it was not made
		return
	}
	p.pipe(c, bufio.NewReader(c), to, t)
}

// pipe passes on what both sides say, after a look at how the program begins, and
// closes both. A server may be the first to speak.
func (p *Proxy) pipe(c net.Conn, from *bufio.Reader, to net.Conn, t Target) {
	var handed atomic.Bool // c is somebody else's
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(c, to) // one side has ended
		if !handed.Load() {
			closeWrite(c)
		}
	}()
	first, speaks, err := begins(from, t)
	switch {
	case err != nil:
		p.tell(Connection{Target: t, Via: "tunnel", Err: err})
		_ = c.Close() // it is not what it was to be
		p.drop(to)
	case speaks == http1: // its requests are looked at one by one, and have connections of their own
		handed.Store(true)
		p.drop(to)
		<-back
		p.webIn.put(&begun{Conn: c, first: from, only: &t})
		return
	default:
		if _, err := to.Write(first); err == nil {
			_, _ = io.Copy(to, from) // one side has ended
		}
		closeWrite(to)
	}
	<-back
	_ = c.Close() // both have ended
	p.drop(to)
}

// closeWrite says that nothing more is sent.
func closeWrite(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); !ok || w.CloseWrite() != nil {
		_ = c.Close() // so that the other side sees it at all
	}
}

// What a program may speak through a connection.
const (
	something = iota
	encrypted
	http1
)

// methods are how requests of HTTP begin.
var methods = []string{"GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI "}

// begins reads how a program begins, and makes sure that it names the target. What was
// read and is to be passed on is returned.
func begins(from *bufio.Reader, t Target) (first []byte, speaks int, err error) {
	b, err := from.Peek(1)
	if err != nil {
		return nil, something, nil // it says nothing
	}
	if b[0] == tlsHandshake {
		name, hello, err := serverName(from)
		if err != nil {
			return nil, encrypted, fmt.Errorf("what it begins with is no TLS: %w", err)
		}
		if want := t.Host; name != want && (name != "" || !isAddress(want)) {
			return nil, encrypted, fmt.Errorf("the connection is for %s, but asks TLS for %q", t, name)
		}
		return hello, encrypted, nil
	}
	if t.Port == 443 {
		return nil, something, errors.New("what is sent to port 443 is no TLS")
	}
	if t.Port == 80 || startsRequest(from) {
		return nil, http1, nil
	}
	return nil, something, nil
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// startsRequest reports whether somebody speaks HTTP: the first line that is not empty
// begins as a request does, or names the protocol. It waits for no more than is needed to
// tell.
func startsRequest(from *bufio.Reader) bool {
	words := false // the line has more than one
	for n, start := 1, 0; ; n++ {
		b, err := from.Peek(n)
		if err != nil {
			return errors.Is(err, bufio.ErrBufferFull) // text without an end: whoever reads requests refuses it
		}
		c, line := b[n-1], b[start:]
		switch {
		case len(line) == 1 && (c == '\r' || c == '\n'):
			start = n // servers pass over empty lines
		case c == '\n':
			return bytes.Contains(bytes.ToUpper(line), []byte("HTTP/"))
		case c == ' ' || c == '\t':
			if words = true; slices.Contains(methods, string(line)) {
				return true
			}
		case c < ' ' && c != '\r', !words && strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0:
			return false // no text, or no name of a method
		}
	}
}

// tlsHandshake is how TLS begins.
const tlsHandshake = 0x16

// errSeen ends the reading of TLS when the name was seen.
var errSeen = errors.New("seen")

// serverName reads the first message of TLS, and returns the name in it and all that was
// read.
func serverName(from *bufio.Reader) (name string, hello []byte, err error) {
	var read bytes.Buffer
	seen := false
	server := tls.Server(readOnly{io.TeeReader(from, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, seen = strings.ToLower(strings.TrimSuffix(h.ServerName, ".")), true
			return nil, errSeen
		},
	})
	if err := server.Handshake(); !seen {
		return "", nil, err
	}
	return name, read.Bytes(), nil
}

// readOnly is a connection that is only read.
type readOnly struct{ io.Reader }

func (readOnly) Write([]byte) (int, error)        { return 0, io.ErrClosedPipe }
func (readOnly) Close() error                     { return nil }
func (readOnly) LocalAddr() net.Addr              { return nil }
func (readOnly) RemoteAddr() net.Addr             { return nil }
func (readOnly) SetDeadline(time.Time) error      { return nil }
func (readOnly) SetReadDeadline(time.Time) error  { return nil }
func (readOnly) SetWriteDeadline(time.Time) error { return nil }
