package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/proxy"
)

const fetch = "GET http://%HOST%/ HTTP/1.1\r\nHost: %HOST%\r\nConnection: close\r\n\r\n"

func page(host string) string { return strings.ReplaceAll(fetch, "%HOST%", host) }

// TestAsk: a host that is not listed is asked about once, and its connections wait for
// the answer.
func TestAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int32
	waits, say1 := make(chan proxy.Target, 8), make(chan error)
	p := w.proxy(func(ctx context.Context, to proxy.Target) error {
		asked.Add(1)
		waits <- to
		select {
		case err := <-say1:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}, "good.example")
	address := listen(t, p.Serve)
	got := make(chan string)
	for range 5 {
		go func() { got <- say(t, address, page("evil.example")) }()
	}
	if to := <-waits; to != (proxy.Target{Host: "evil.example", Port: 80}) {
		t.Errorf("asked about %v", to)
	}
	w.mu.Lock()
	if len(w.looked)+len(w.dialed) > 0 {
		t.Errorf("before the answer: looked for %v, dialed %v", w.looked, w.dialed)
	}
	w.mu.Unlock()
	say1 <- nil
	for range 5 {
		if text := <-got; !strings.Contains(text, "hello from evil.example") {
			t.Errorf("%q", text)
		}
	}
	go func() { got <- say(t, address, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n") }()
	if to := <-waits; to.Port != 443 { // another port is another question
		t.Errorf("asked about %v", to)
	}
	say1 <- errors.New("a person said no")
	if text := <-got; !strings.Contains(text, "403 Forbidden") || !strings.Contains(text, "a person said no") {
		t.Errorf("%q", text)
	}
	if text := say(t, address, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"); !strings.Contains(text, "a person said no") {
		t.Errorf("%q", text)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
	for _, own := range []string{"127.0.0.1", "localhost", "x.localhost", "169.254.169.254", "168.63.129.16", "10.0.0.1", "[::1]", "[fe80::1]", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		if text := say(t, address, page(own)); !strings.Contains(text, "nobody is asked about those") {
			t.Errorf("%s: %q", own, text)
		}
	}
	for _, odd := range []string{"2130706433", "0177.0.0.1", "127.1", "0x7f.1", "x.0x7F"} {
		if text := say(t, address, page(odd)); !strings.Contains(text, "written in another way") {
			t.Errorf("%s: %q", odd, text)
		}
	}
	go func() { got <- say(t, address, page("www.good.example")) }()
	<-waits
	p.Close() // the run is over while somebody waits
	if text := <-got; strings.Contains(text, "hello") {
		t.Errorf("%q", text)
	}
}

// TestMany: a program that wants very many hosts does not fill the queue.
func TestMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var waiting, most, all atomic.Int32
	p := w.proxy(func(context.Context, proxy.Target) error {
		all.Add(1)
		n := waiting.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		waiting.Add(-1)
		return errors.New("no")
	})
	address := listen(t, p.Serve)
	done := make(chan string)
	const hosts, at = 600, 20
	for i := range at {
		go func() {
			for n := i; n < hosts; n += at {
				done <- say(t, address, page(fmt.Sprintf("h%d.example", n)))
			}
		}()
	}
	for range hosts {
		if text := <-done; !strings.Contains(text, "403") {
			t.Errorf("%q", text)
		}
	}
	if most.Load() > 8 || all.Load() != 500 {
		t.Errorf("%d were waiting, %d were asked", most.Load(), all.Load())
	}
}

// question is one for a name, as programs ask it.
func question(name string, kind byte) []byte {
	text := []byte{0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	for label := range strings.SplitSeq(name, ".") {
		text = append(append(text, byte(len(label))), label...)
	}
	return append(text, 0, 0, kind, 0, 1)
}

// TestNames: names get an address that stands for them, nobody outside is asked, and
// what connects to the address gets to the name.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.proxy(nil, "good.example", "alone")
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go p.ServeNames(c)
	udp, err := net.Dial("udp", c.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close() //nolint:errcheck // all was read
	ask := func(text []byte) string {
		t.Helper()
		buf := make([]byte, 600)
		_ = udp.SetDeadline(time.Now().Add(patience))
		if _, err := udp.Write(text); err != nil {
			t.Fatal(err)
		}
		n, err := udp.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}
	const txt, a, aaaa = 16, 1, 28
	for i, one := range []struct {
		name  string
		kind  byte
		code  byte
		start string // of the address
	}{
		{"good.example", a, 0, "\x7f\x40\x00\x01"},
		{"c2VjcmV0.evil.example", a, 0, "\x7f\x40\x00\x02"}, // it tells nobody anything
		{"GOOD.EXAMPLE", a, 0, "\x7f\x40\x00\x01"},
		{"good.example", aaaa, 0, ""},
		{"good.example", txt, 0, ""},
		{"localhost", a, 0, "\x7f\x00\x00\x01"},
		{"alone", a, 0, "\x7f\x40\x00\x03"},
		{"other", a, 3, ""},
		{"1.0.0.127.in-addr.arpa", 12, 3, ""},
	} {
		got := ask(question(one.name, one.kind))
		if got[:2] != "\x12\x34" || got[3]&15 != one.code || (got[7] == 1) != (one.start != "") || !strings.HasSuffix(got, one.start) {
			t.Errorf("%d: %s: %q", i, one.name, got)
		}
	}
	if len(w.looked) > 0 {
		t.Errorf("looked for %v", w.looked)
	}
	address := listen(t, p.Serve)
	if got := say(t, address, page("127.64.0.1")); !strings.Contains(got, "hello from good.example") {
		t.Errorf("%q", got)
	}
	if got := say(t, address, page("127.64.0.2")); !strings.Contains(got, "403") {
		t.Errorf("%q", got)
	}
	if got := say(t, address, page("127.64.9.9")); !strings.Contains(got, "stands for no name") {
		t.Errorf("%q", got)
	}
	for _, text := range [][]byte{nil, {1}, question("a", 1)[:14], append(question("a", 1)[:12], 0xc0, 12, 0, 1, 0, 1), make([]byte, 300)} {
		if _, err := udp.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := ask(question("good.example", a)); !strings.HasSuffix(got, "\x7f\x40\x00\x01") {
		t.Errorf("%q", got)
	}
}

// TestEnds: when the proxy is closed, so are all connections, and nothing is accepted.
func TestEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.proxy(nil, "good.example:22")
	address := listen(t, p.Serve)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // all was read
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, "CONNECT good.example:22 HTTP/1.1\r\nHost: good.example:22\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(c)
	for { // the server has greeted
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "SSH-") {
			break
		}
	}
	p.Close()
	if text, err := io.ReadAll(from); err != nil && !strings.Contains(err.Error(), "reset") || len(text) > 0 {
		t.Errorf("%q %v", text, err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("it still accepts")
	}
}

// BenchmarkConnect: what a connection through the proxy costs beside one without.
func BenchmarkConnect(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // all is over
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello\n"))
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	p := &proxy.Proxy{Hosts: []string{"127.0.0.1:" + port}}
	defer p.Close()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go p.Serve(at)
	request := "CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for name, one := range map[string]struct{ address, text string }{"direct": {l.Addr().String(), ""}, "proxy": {at.Addr().String(), request}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := net.Dial("tcp", one.address)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.WriteString(c, one.text)
				if text, err := io.ReadAll(c); err != nil || !strings.Contains(string(text), "hello") {
					b.Fatalf("%q %v", text, err)
				}
				_ = c.Close()
			}
		})
	}
}
