package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/proxy"
)

// A world is an internet of this machine's own: names lead to addresses, and addresses
// to servers on the loopback.
type world struct {
	t       *testing.T
	names   map[string][]string
	servers map[string]string // address and port, and where it is
	plain   *httptest.Server
	secure  *httptest.Server

	mu     sync.Mutex
	looked []string // names that were looked up
	dialed []string
	told   []proxy.Connection
	seen   []string // what the servers were asked for
}

const patience = time.Minute

func newWorld(t *testing.T) *world {
	w := &world{t: t, names: map[string][]string{
		"good.example": {"203.0.113.1"}, "www.good.example": {"203.0.113.1"}, "evil.example": {"203.0.113.2"}, "shared.example": {"203.0.113.1"},
		"inside.example": {"127.0.0.1"}, "meta.example": {"169.254.169.254"}, "mixed.example": {"10.0.0.1", "203.0.113.1"}, "six.example": {"::ffff:127.0.0.1"},
		"office.example": {"10.9.8.7"}, "beside.example": {"198.51.100.9"},
	}}
	handler := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, r.Host+r.URL.Path)
		w.mu.Unlock()
		_, _ = fmt.Fprint(out, "hello from "+r.Host)
	})
	w.plain, w.secure = httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	w.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.secure.StartTLS()
	t.Cleanup(w.plain.Close)
	t.Cleanup(w.secure.Close)
	greeter, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = greeter.Close() })
	go func() {
		for {
			c, err := greeter.Accept()
			if err != nil {
				return
			}
			go func() { // the server speaks first
				_, _ = io.WriteString(c, "SSH-2.0-server\r\n")
				line, _ := bufio.NewReader(c).ReadString('\n')
				_, _ = io.WriteString(c, "you said "+line)
				_ = c.Close()
			}()
		}
	}()
	w.servers = map[string]string{}
	for _, a := range []string{"203.0.113.1", "203.0.113.2", "10.9.8.7"} {
		w.servers[a+":80"], w.servers[a+":443"] = w.plain.Listener.Addr().String(), w.secure.Listener.Addr().String()
		w.servers[a+":22"], w.servers[a+":8080"] = greeter.Addr().String(), w.plain.Listener.Addr().String()
	}
	return w
}

// proxy is one in front of the world.
func (w *world) proxy(ask func(context.Context, proxy.Target) error, hosts ...string) *proxy.Proxy {
	p := &proxy.Proxy{
		Hosts: hosts, Ask: ask,
		Near: func() ([]netip.Prefix, error) { return []netip.Prefix{netip.MustParsePrefix("198.51.100.7/24")}, nil },
		Tell: func(c proxy.Connection) { w.mu.Lock(); w.told = append(w.told, c); w.mu.Unlock() },
		Resolve: func(_ context.Context, host string) (out []netip.Addr, err error) {
			w.mu.Lock()
			w.looked = append(w.looked, host)
			w.mu.Unlock()
			for _, a := range w.names[host] {
				out = append(out, netip.MustParseAddr(a))
			}
			return out, nil
		},
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			w.mu.Lock()
			w.dialed = append(w.dialed, to.String())
			w.mu.Unlock()
			where, ok := w.servers[to.String()]
			if !ok {
				return nil, errors.New("nobody is there")
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", where)
		},
	}
	w.t.Cleanup(p.Close)
	return p
}

// listen is a place where a proxy serves.
func listen(t *testing.T, serve func(net.Listener)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go serve(l)
	return l.Addr().String()
}

// say opens a connection, says something, and returns all that comes back.
func say(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // all was read
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, text)
	out, _ := io.ReadAll(c)
	return string(out)
}

// TestHTTP: requests reach the hosts that are listed, on the ports that are, and only
// those; and a host gets what is meant for it.
func TestHTTP(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"GET http://good.example/a HTTP/1.1\r\nHost: good.example":      "hello from good.example",
		"GET http://GOOD.example./a HTTP/1.1\r\nHost: good.example":     "hello from good.example",
		"GET http://good.example/a HTTP/1.1\r\nHost: evil.example":      "hello from good.example",
		"GET http://evil.example/a HTTP/1.1\r\nHost: good.example":      "403 Forbidden",
		"GET http://sub.good.example/a HTTP/1.1\r\nHost: x":             "403 Forbidden",
		"GET http://good.example:8080/a HTTP/1.1\r\nHost: good.example": "403 Forbidden",
		"GET http://203.0.113.1/a HTTP/1.1\r\nHost: good.example":       "403 Forbidden",
		"GET http://good.example@evil.example/ HTTP/1.1\r\nHost: x":     "403 Forbidden",
		"GET https://good.example/ HTTP/1.1\r\nHost: good.example":      "403 Forbidden",
		"GET /a HTTP/1.1\r\nHost: good.example":                         "403 Forbidden",
		"GET http://inside.example/ HTTP/1.1\r\nHost: inside.example":   "leads to 127.0.0.1",
		"GET http://meta.example/ HTTP/1.1\r\nHost: meta.example":       "leads to 169.254.169.254",
		"GET http://six.example/ HTTP/1.1\r\nHost: six.example":         "which is no address of the internet",
		"GET http://beside.example/ HTTP/1.1\r\nHost: beside.example":   "leads to 198.51.100.9",
		"GET http://office.example/ HTTP/1.1\r\nHost: office.example":   "hello from office.example",
		"GET http://mixed.example/ HTTP/1.1\r\nHost: mixed.example":     "hello from mixed.example",
		"GET http://www.wild.example/ HTTP/1.1\r\nHost: x":              "no address",
	} {
		w := newWorld(t)
		p := w.proxy(nil, "good.example", "inside.example", "meta.example", "six.example", "mixed.example", "beside.example", "office.example", "10.9.8.7", "*.wild.example")
		got := say(t, listen(t, p.Serve), request+"\r\nConnection: close\r\n\r\n")
		if !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %s", request, got, want)
		}
		w.mu.Lock()
		if slices.Contains(w.dialed, "127.0.0.1:80") || slices.Contains(w.dialed, "10.0.0.1:80") || slices.Contains(w.dialed, "203.0.113.2:80") {
			t.Errorf("%q: it went to %v", request, w.dialed)
		}
		if strings.Contains(want, "403") && len(w.looked)+len(w.seen) > 0 {
			t.Errorf("%q: looked for %v, seen %v", request, w.looked, w.seen)
		}
		w.mu.Unlock()
	}
}

// TestAgain: each request of a connection is looked at.
func TestAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.proxy(nil, "good.example")
	one := "GET http://%s/ HTTP/1.1\r\nHost: %[1]s\r\n%s\r\n"
	got := say(t, listen(t, p.Serve), fmt.Sprintf(one, "good.example", "")+fmt.Sprintf(one, "good.example", "")+fmt.Sprintf(one, "evil.example", ""))
	if strings.Count(got, "hello from good.example") != 2 || strings.Count(got, "403 Forbidden") != 1 {
		t.Errorf("%q", got)
	}
}

// through asks for a page over TLS, through a proxy.
func through(w *world, address, via, host, name string) (string, error) {
	u, err := url.Parse(via + "://" + address)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{ServerName: name, InsecureSkipVerify: true}} //nolint:gosec // the server is ours
	defer transport.CloseIdleConnections()
	r, err := (&http.Client{Transport: transport, Timeout: patience}).Get("https://" + host + "/")
	if err != nil {
		return "", err
	}
	defer r.Body.Close() //nolint:errcheck // all was read
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

// TestTLS: a connection says in TLS that it is for the host that it was made for.
func TestTLS(t *testing.T) {
	t.Parallel()
	for _, via := range []string{"http", "socks5"} {
		for _, one := range []struct{ host, name, want string }{
			{"good.example", "", "hello from good.example"},
			{"good.example", "GOOD.example", "hello from good.example"},
			{"good.example", "shared.example", "no"},
			{"good.example", "evil.example", "no"},
			{"evil.example", "good.example", "no"},
			{"good.example:22", "good.example", "no"},
			{"203.0.113.1", "", "no"},
		} {
			w := newWorld(t)
			p := w.proxy(nil, "good.example")
			got, err := through(w, listen(t, p.Serve), via, one.host, one.name)
			if one.want == "no" && err == nil || one.want != "no" && got != one.want {
				t.Errorf("%s %v: %q %v", via, one, got, err)
			}
			w.mu.Lock()
			if one.want == "no" && len(w.seen) > 0 || len(w.told) == 0 {
				t.Errorf("%s %v: seen %v, told %v", via, one, w.seen, w.told)
			}
			w.mu.Unlock()
		}
	}
}

// TestTunnel: what is said through CONNECT is looked at, where it can be read.
func TestTunnel(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{
		"good.example:443|plain text\r\n":                                                           "200 Connected",
		"good.example:443|GET / HTTP/1.1\r\nHost: good.example\r\n\r\n":                             "200 Connected",
		"good.example:80|GET /a HTTP/1.1\r\nHost: good.example\r\n":                                 "hello from good.example",
		"good.example:80|GET /a HTTP/1.1\r\nHost: evil.example\r\n":                                 "403 Forbidden",
		"good.example:80|GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n":                          "403 Forbidden",
		"good.example:80|CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n":                          "403 Forbidden",
		"good.example:8080|GET /a HTTP/1.1\r\nHost: good.example:8080\r\n":                          "hello from good.example:8080",
		"good.example:8080|GET /a HTTP/1.1\r\nHost: evil.example\r\n":                               "403 Forbidden",
		"good.example:8080|PROPFIND /a HTTP/1.1\r\nHost: evil.example\r\n":                          "403 Forbidden",
		"good.example:8080|Strange\t/a http/1.1\r\nHost: evil.example\r\n":                          "400 Bad Request",
		"good.example:8080|\r\n\r\nGET /a HTTP/1.1\r\nHost: evil.example\r\n":                       "400 Bad Request",
		"good.example:8080|X /" + strings.Repeat("a", 5000) + " HTTP/1.1\r\nHost: evil.example\r\n": "403 Forbidden",
		"good.example:22|HELO some words\r\n":                                                       "you said HELO some words",
		"good.example:22|SSH-2.0-client\r\n":                                                        "you said SSH-2.0-client",
		"evil.example:22|SSH-2.0-client\r\n":                                                        "403 Forbidden",
		"good.example:25|":                                                                          "403 Forbidden",
		"good.example|":                                                                             "403 Forbidden",
		"good.example:443:443|":                                                                     "400 Bad Request",
		"127.0.0.1:80|":                                                                             "403 Forbidden",
		"[::1]:80|":                                                                                 "403 Forbidden",
		"2130706433:80|":                                                                            "403 Forbidden",
		"127.64.0.1:443|":                                                                           "403 Forbidden",
		"good.example:80|PRI * HTTP/2.0\r\n\r\nSM\r\n":                                              "HTTP/1.1 ",
		"good.example:22|POST / HTTP/1.1\r\nHost: evil.example\r\n\r\nsecret\r\n":                   "403 Forbidden",
	} {
		w := newWorld(t)
		p := w.proxy(nil, "good.example", "good.example:22", "good.example:8080")
		to, text, _ := strings.Cut(what, "|")
		if strings.Contains(text, "HTTP/1.1") {
			text += "Connection: close\r\n\r\n"
		}
		got := say(t, listen(t, p.Serve), "CONNECT "+to+" HTTP/1.1\r\nHost: "+to+"\r\n\r\n"+text)
		if !strings.Contains(got, want) || strings.HasPrefix(to, "good.example:443|") && strings.Contains(got, "hello") {
			t.Errorf("%q: %q, want %s", what, got, want)
		}
		w.mu.Lock()
		if slices.ContainsFunc(w.seen, func(s string) bool { return !strings.HasPrefix(s, "good.example") }) {
			t.Errorf("%q: seen %v", what, w.seen)
		}
		if strings.HasPrefix(to, "good.example:443") && len(w.seen) > 0 {
			t.Errorf("%q: seen %v", what, w.seen)
		}
		w.mu.Unlock()
	}
}

// TestSocks: what is no connection to a host that may be reached is refused.
func TestSocks(t *testing.T) {
	t.Parallel()
	hello := "\x05\x01\x00"
	for request, want := range map[string]string{
		"\x05\x01\x00\x03\x0cgood.example\x00\x16SSH-2.0-me\r\n": "you said SSH-2.0-me",
		"\x05\x01\x00\x03\x0cevil.example\x00\x16":               "\x05\x02",
		"\x05\x01\x00\x01\xcb\x00\x71\x01\x00\x16":               "\x05\x02", // by address
		"\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x16":               "\x05\x02",
		"\x05\x02\x00\x03\x0cgood.example\x00\x16":               "\x05\x07", // from outside
		"\x05\x03\x00\x03\x0cgood.example\x00\x16":               "\x05\x07", // datagrams
		"\x05\x01\x00\x09\x0cgood.example\x00\x16":               "\x05\x07",
		"\x04\x01\x00\x03\x0cgood.example\x00\x16":               "\x05\x07",
	} {
		w := newWorld(t)
		p := w.proxy(nil, "good.example:22")
		if got := say(t, listen(t, p.Serve), hello+request); !strings.HasPrefix(got, "\x05\x00") || !strings.Contains(got[2:], want) {
			t.Errorf("%q: %q, want %q", request, got, want)
		}
		w.mu.Lock()
		if strings.HasPrefix(want, "\x05") && len(w.dialed) > 0 {
			t.Errorf("%q: dialed %v", request, w.dialed)
		}
		w.mu.Unlock()
	}
}
