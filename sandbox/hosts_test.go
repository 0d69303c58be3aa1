//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// An internet is one of this machine's own: every name ending in .example leads to an
// address, and addresses to servers on the loopback.
type internet struct {
	plain, secure *httptest.Server

	mu     sync.Mutex
	looked []string
	seen   []string // hosts that the servers were asked for
	made   []sandbox.Connection
}

func newInternet(t *testing.T) *internet {
	in := &internet{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.mu.Lock()
		in.seen = append(in.seen, r.Host)
		in.mu.Unlock()
		_, _ = fmt.Fprintf(w, "hello from %s\n", r.Host)
	})
	in.plain, in.secure = httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	in.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	in.secure.StartTLS()
	t.Cleanup(in.plain.Close)
	t.Cleanup(in.secure.Close)
	return in
}

// options lets a run have it.
func (in *internet) options(o *sandbox.Options) {
	o.Connected = func(c sandbox.Connection) { in.mu.Lock(); in.made = append(in.made, c); in.mu.Unlock() }
	o.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		in.mu.Lock()
		in.looked = append(in.looked, host)
		in.mu.Unlock()
		switch host {
		case "inside.example":
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		case "meta.example":
			return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("203.0.113.7")}, nil
	}
	o.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		servers := map[uint16]string{80: in.plain.Listener.Addr().String(), 443: in.secure.Listener.Addr().String()}
		if to.Addr().String() != "203.0.113.7" || servers[to.Port()] == "" {
			return nil, errors.New("nobody is there")
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", servers[to.Port()])
	}
}

func (in *internet) reached() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.seen
}

func withHosts(dir, script string, hosts ...string) sayso.Contract {
	c := contract(dir, script)
	c.Network, c.Hosts = sayso.NetworkHosts, hosts
	return c
}

// oneHost lists a host on the usual ports, and one on the port of the daemon that leads
// to this machine.
func oneHost(c *sayso.Contract) {
	c.Network, c.Hosts = sayso.NetworkHosts, []string{"good.example", "inside.example:" + os.Getenv("SAYSO_TEST_DAEMON")}
}

// TestHosts: programs reach the hosts that are listed, whether they know of a proxy or
// not, and no others.
func TestHosts(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"curl -sS http://good.example/":                                                                       "hello from good.example",
		"curl -sSk https://good.example/":                                                                     "hello from good.example",
		"curl -sS --noproxy '*' http://good.example/":                                                         "hello from good.example",
		"curl -sSk --noproxy '*' https://good.example/":                                                       "hello from good.example",
		"curl -sSk --noproxy '*' -x socks5h://127.0.0.1:808 https://good.example/":                            "hello from good.example",
		"curl -sSk --noproxy '*' -x socks5://127.0.0.1:808 https://good.example/":                             "hello from good.example",
		"python3 -c 'import urllib.request as u; print(u.urlopen(\"http://good.example/\").read().decode())'": "hello from good.example",
		"python3 -c 'import http.client as h; c = h.HTTPConnection(\"good.example\"); c.request(\"GET\", \"/\"); print(c.getresponse().read().decode())'": "hello from good.example",
		"curl -sS http://evil.example/":                                                                       "it is not one of the hosts",
		"curl -sSk https://evil.example/ 2>&1":                                                                "403",
		"curl -sSk --noproxy '*' https://evil.example/ 2>&1; echo status $?":                                  "status 35",
		"curl -sSk --connect-to evil.example:443:good.example:443 https://evil.example/ 2>&1; echo status $?": "status 35",
		"curl -sS -H 'Host: evil.example' --noproxy '*' http://good.example/":                                 "the request is for",
		"curl -sS http://good.example:8080/":                                                                  "it is not one of the hosts",
		"curl -sS http://inside.example/":                                                                     "leads to 127.0.0.1",
		"curl -sS http://meta.example/":                                                                       "leads to 169.254.169.254",
		"curl -sS --noproxy '*' --max-time 5 http://203.0.113.7/ 2>&1; echo status $?":                        "status 7",
		"getent ahostsv4 secret.evil.example":                                                                 "127.64.0.1",
		"getent hosts nowhere || echo nothing":                                                                "nothing",
	} {
		in := newInternet(t)
		r := run(t, withHosts(t.TempDir(), script, "good.example", "inside.example", "meta.example"), in.options)
		if r.failure != nil || !strings.Contains(r.out+r.err, want) || !r.report.Enforced() {
			t.Errorf("%s: %v, want %s\n%v", script, r, want, r.report.Of(sandbox.Network))
		}
		for _, host := range in.reached() {
			if host != "good.example" {
				t.Errorf("%s: %s was reached", script, host)
			}
		}
		for _, name := range in.looked {
			if strings.Contains(name, "evil") {
				t.Errorf("%s: %s was looked up", script, name)
			}
		}
	}
}

// TestConnect: a host that is not listed is put to whoever decides, while the program
// waits; it is told of each connection.
func TestConnect(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		answer error
		out    string
	}{{nil, "hello from other.example\nhello from other.example\nhello from good.example\n"}, {errors.New("a person said no"), "sayso: a person said no\nsayso: a person said no\nhello from good.example\n"}} {
		in := newInternet(t)
		asked := 0
		r := run(t, withHosts(t.TempDir(), "curl -sS http://other.example/; curl -sS http://other.example/; curl -sS http://good.example/", "good.example"), in.options, func(o *sandbox.Options) {
			o.Connect = func(_ context.Context, host string, port int) error {
				asked++
				if host != "other.example" || port != 80 {
					t.Errorf("asked about %s %d", host, port)
				}
				return one.answer
			}
		})
		if r.out != one.out || asked != 1 {
			t.Errorf("%v, asked %d times", r, asked)
		}
		if n := len(in.made); n < 2 || in.made[0].Host != "other.example" || in.made[0].Listed || !errors.Is(in.made[0].Err, one.answer) || !in.made[n-1].Listed || in.made[n-1].Address != "203.0.113.7" {
			t.Errorf("%+v", in.made)
		}
	}
}

// TestConnectEnds: when the time of a run is over, nobody waits for an answer any more.
func TestConnectEnds(t *testing.T) {
	t.Parallel()
	in := newInternet(t)
	waits, ended := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-waits
		cancel()
	}()
	o := sandbox.Options{Box: program, Connect: func(ctx context.Context, _ string, _ int) error {
		close(waits)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // it takes a while to tell others
		close(ended)
		return ctx.Err()
	}}
	in.options(&o)
	result, _, err := sandbox.Run(ctx, permit(t, withHosts(t.TempDir(), "curl -sS http://other.example/", "good.example")), o)
	select {
	case <-ended:
	default:
		t.Error("the question was not taken back before the run was over")
	}
	if err != nil || result.Exit == 0 || len(in.reached()) > 0 {
		t.Errorf("%+v %v, reached %v", result, err, in.reached())
	}
}
