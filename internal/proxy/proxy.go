// Package proxy lets programs that have no way to the network reach the hosts that they
// may, and no others.
//
// The programs are in a network of their own, in which only this proxy listens: as an
// HTTP and SOCKS5 proxy, as the only server for names, and, for programs that know of
// no proxy, on the ports of HTTP, HTTPS and SSH. A name is answered with an address
// that only stands for the name here, so that nothing is asked of anybody outside until
// it was decided that a connection to the name and port may be made. The name is then
// looked up once, and the connection made to the address that was looked at.
//
// What a connection begins with must name the same host: the server name of TLS, and
// the host of each HTTP request. What is said inside of TLS is not seen.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// A Target is what somebody wants to connect to.
type Target struct {
	Host string // a name in lower case, or an address
	Port uint16
}

func (t Target) String() string { return net.JoinHostPort(t.Host, fmt.Sprint(t.Port)) }

// A Connection is told of when it was made, or was not.
type Connection struct {
	Target
	Via     string // connect, http, socks, direct
	Listed  bool   // nobody had to be asked
	Address string // that the name led to; empty: it was not looked up
	Err     error  // why it was not made, or was ended
}

// A Proxy is one for the programs of one run.
type Proxy struct {
	// Hosts are those that may be reached: example.com, *.example.com, or an
	// address; with a port, or on the ports 80 and 443.
	Hosts []string

	// Ask decides about every other target. It may wait for a person; an error says
	// why not. Each target is asked about once. Nil: no other may be reached.
	Ask func(context.Context, Target) error

	// Tell is told of each connection; nil: nobody is.
	Tell func(Connection)

	// Resolve and Dial are how names are looked up and connections made; nil: as
	// programs outside do it.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, to netip.AddrPort) (net.Conn, error)

	// Near are the networks that this machine is in; nil: those of its interfaces.
	Near func() ([]netip.Prefix, error)

	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	web    *http.Server
	webIn  *queue // connections that speak HTTP
	slots  chan struct{}
	waits  chan struct{}

	mu    sync.Mutex
	asks  sync.WaitGroup
	open  map[interface{ Close() error }]bool
	over  bool
	asked map[Target]*answer
	names names
}

// How many connections there are, and questions wait, at once, while others wait; and
// how many questions there are in all: a person cannot answer more, and a program that
// asks for more does not want one host.
const (
	most        = 512
	mostWaiting = 8
	mostAsked   = 500
)

// Times that a connection may take.
const (
	dialTime  = 30 * time.Second
	firstTime = 5 * time.Minute // until it says what it wants
	backTime  = 5 * time.Second // to take a question back
)

func (p *Proxy) start() {
	p.once.Do(func() {
		p.ctx, p.cancel = context.WithCancel(context.Background())
		p.open, p.asked, p.slots = map[interface{ Close() error }]bool{}, map[Target]*answer{}, make(chan struct{}, most)
		p.waits = make(chan struct{}, mostWaiting)
		p.webIn = newQueue()
		p.web = p.newWeb()
		go func() { _ = p.web.Serve(p.webIn) }() // it ends when it is closed
	})
}

// Close ends all connections, and returns when nobody is asked any more: whoever waits
// for an answer has taken the question back, or had the time to.
func (p *Proxy) Close() {
	if p == nil {
		return // there is none
	}
	p.start()
	p.cancel()
	p.mu.Lock()
	p.over = true
	for c := range p.open {
		_ = c.Close() // it ends
	}
	p.mu.Unlock()
	_ = p.web.Close() // as above
	_ = p.webIn.Close()
	done := make(chan struct{})
	go func() {
		p.asks.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(backTime):
	}
}

// keep remembers what is to be closed at the end; false: that was already.
func (p *Proxy) keep(c interface{ Close() error }) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		_ = c.Close() // nobody uses it
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) drop(c interface{ Close() error }) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	_ = c.Close() // it is over
}

// Serve accepts connections to the proxy, until the listener or the proxy is closed.
func (p *Proxy) Serve(l net.Listener) { p.accept(l, p.sniff) }

// ServeDirect accepts connections of programs that take the address of a name for real.
func (p *Proxy) ServeDirect(l net.Listener) { p.accept(l, p.direct) }

func (p *Proxy) accept(l net.Listener, do func(net.Conn)) {
	p.start()
	if !p.keep(l) {
		return
	}
	defer p.drop(l)
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.ctx.Done():
			return
		}
		c, err := l.Accept()
		if err != nil {
			return
		}
		if !p.keep(c) {
			return
		}
		go do(&slot{Conn: c, p: p})
	}
}

// A slot is a connection that counts as one until it is closed.
type slot struct {
	net.Conn
	p    *Proxy
	once sync.Once
}

func (s *slot) Close() error {
	s.once.Do(func() {
		s.p.drop(s.Conn)
		<-s.p.slots
	})
	return nil
}

// CloseWrite says that nothing more is sent.
func (s *slot) CloseWrite() error {
	if c, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// An answer is what was said about a target.
type answer struct {
	done chan struct{}
	err  error
}

// Why a target is refused that nobody is asked about.
var (
	errNotListed = errors.New("it is not one of the hosts that may be reached")
	errTooMany   = errors.New("it has asked about too many hosts")
	errOwn       = errors.New("it is no address of the internet, and nobody is asked about those: list it if it is meant")
)

// decide says whether a target may be reached: the same for all connections to it.
func (p *Proxy) decide(ctx context.Context, t Target) (listed bool, err error) {
	if p.listed(t) {
		return true, nil
	}
	if p.Ask == nil {
		return false, errNotListed
	}
	if a, err := netip.ParseAddr(t.Host); err == nil && !p.public(a) || t.Host == "localhost" || strings.HasSuffix(t.Host, ".localhost") {
		return false, errOwn
	}
	p.mu.Lock()
	a, ok := p.asked[t]
	switch {
	case ok:
	case p.over || len(p.asked) >= mostAsked:
		p.mu.Unlock()
		return false, errTooMany
	default:
		a = &answer{done: make(chan struct{})}
		p.asked[t] = a
		p.asks.Go(func() { p.ask(t, a) })
	}
	p.mu.Unlock()
	select {
	case <-a.done:
		return false, a.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// ask puts a target to whoever decides. Whoever wanted it may have gone: the answer
// counts for the next.
func (p *Proxy) ask(t Target, a *answer) {
	defer close(a.done)
	select {
	case p.waits <- struct{}{}:
		a.err = p.Ask(p.ctx, t)
		<-p.waits
	case <-p.ctx.Done():
		a.err = p.ctx.Err()
	}
}

// connect makes a connection, if it may be made.
func (p *Proxy) connect(ctx context.Context, t Target, via string) (net.Conn, error) {
	made := Connection{Target: t, Via: via}
	c, err := p.tryConnect(ctx, t, &made)
	made.Err = err
	p.tell(made)
	return c, err
}

func (p *Proxy) tell(c Connection) {
	if p.Tell != nil {
		p.Tell(c)
	}
}

// A refusal says that a connection may not be made, unlike one that fails.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

func (p *Proxy) tryConnect(ctx context.Context, t Target, made *Connection) (net.Conn, error) {
	var err error
	if made.Listed, err = p.decide(ctx, t); err != nil {
		return nil, &refusal{err}
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addresses, err := p.addresses(ctx, t, made)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range addresses {
		made.Address = a.String()
		c, err := p.dial(ctx, netip.AddrPortFrom(a, t.Port))
		if err == nil {
			if !p.keep(c) {
				return nil, net.ErrClosed
			}
			return c, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (p *Proxy) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	if p.Dial != nil {
		return p.Dial(ctx, to)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
}
