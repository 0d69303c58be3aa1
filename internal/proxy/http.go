package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
)

// A queue is a listener for connections that were accepted elsewhere.
type queue struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newQueue() *queue { return &queue{conns: make(chan net.Conn), done: make(chan struct{})} }

func (q *queue) put(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.done:
		_ = c.Close() // nobody serves it
	}
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}

func (q *queue) Close() error {
	q.once.Do(func() { close(q.done) })
	return nil
}

func (q *queue) Addr() net.Addr { return &net.TCPAddr{} }

// A begun is a connection of which something was read, and that is for one target only,
// if it has one.
type begun struct {
	net.Conn
	first *bufio.Reader
	only  *Target
}

func (b *begun) Read(buf []byte) (int, error) { return b.first.Read(buf) }

// CloseWrite says that nothing more is sent.
func (b *begun) CloseWrite() error {
	closeWrite(b.Conn)
	return nil
}

// onlyKey is where the target of a connection stands.
type onlyKey struct{}

// maxHead is how long the head of a request may be.
const maxHead = 64 << 10

func (p *Proxy) newWeb() *http.Server {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			t, err := parsePair(address)
			if err != nil {
				return nil, err
			}
			c, err := p.connect(ctx, t, "http")
			if err != nil {
				return nil, err
			}
			return &upstream{c, p}, nil
		},
		DisableCompression: true, MaxIdleConns: 64, IdleConnTimeout: dialTime,
	}
	silent := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = "" // that of the URL
			r.Out.Header.Del("Proxy-Connection")
		},
		Transport: transport, FlushInterval: -1, ErrorLog: silent,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, err) },
	}
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodConnect {
				p.tunnel(w, r)
			} else if err := p.aim(r); err != nil {
				fail(w, err)
			} else {
				forward.ServeHTTP(w, r)
			}
		}),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if b, ok := c.(*begun); ok && b.only != nil {
				return context.WithValue(ctx, onlyKey{}, b.only)
			}
			return ctx
		},
		MaxHeaderBytes: maxHead, ReadHeaderTimeout: firstTime, ErrorLog: silent,
		BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
}

// An upstream is a connection to a target, forgotten when it is closed.
type upstream struct {
	net.Conn
	p *Proxy
}

func (u *upstream) Close() error {
	u.p.drop(u.Conn)
	return nil
}

// aim sets where a request goes: to the address that it names in its first line, or to
// the one target of its connection, which its host must name, too.
func (p *Proxy) aim(r *http.Request) error {
	if only, ok := r.Context().Value(onlyKey{}).(*Target); ok {
		host := r.Host
		if r.URL.Host != "" {
			host = r.URL.Host
		}
		t, err := p.named(host, only.Port)
		if err != nil || t != *only {
			err := &refusal{fmt.Errorf("the request is for %q, the connection for %s", host, only)}
			p.tell(Connection{Target: *only, Via: "http", Err: err})
			return err
		}
		r.URL.Scheme, r.URL.Host = "http", hostPort(t)
		return nil
	}
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		return &refusal{errors.New("this is a proxy: a request names a whole http address, or it is CONNECT")}
	}
	t, err := p.named(r.URL.Host, 80)
	if err != nil {
		return &refusal{err}
	}
	if _, err := p.decide(r.Context(), t); err != nil { // also where a connection is used again
		p.tell(Connection{Target: t, Via: "http", Err: err})
		return &refusal{err}
	}
	r.URL.Host = hostPort(t)
	return nil
}

// named reads a host that may have a port, and may be an address that stands for a name.
func (p *Proxy) named(text string, port uint16) (Target, error) {
	t, err := parsePair(text)
	if err != nil {
		if t, err = parsePair(net.JoinHostPort(trimBrackets(text), fmt.Sprint(port))); err != nil {
			return t, err
		}
	}
	return p.real(t)
}

func trimBrackets(host string) string {
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

// hostPort is a target as the host of an HTTP address.
func hostPort(t Target) string {
	if t.Port == 80 {
		return trimPort(net.JoinHostPort(t.Host, "80"))
	}
	return t.String()
}

func trimPort(text string) string { return text[:len(text)-len(":80")] }

// tunnel answers CONNECT.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	t, err := parsePair(r.Host)
	if err == nil {
		t, err = p.real(t)
	}
	if err != nil || r.Context().Value(onlyKey{}) != nil {
		fail(w, &refusal{fmt.Errorf("CONNECT wants a host and a port, not %q", r.Host)})
		return
	}
	to, err := p.connect(r.Context(), t, "connect")
	if err != nil {
		fail(w, err)
		return
	}
	c, rest, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.drop(to) // the other side is gone
		return
	}
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n") // if nobody reads it, it ends at once
	p.pipe(c, rest.Reader, to, t)
}

// fail tells a program why it does not get what it wants.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	var no *refusal
	if errors.As(err, &no) {
		code = http.StatusForbidden
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Proxy-Status", `sayso; error=connection_refused`)
	http.Error(w, "sayso: "+err.Error(), code)
}
