package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/store"
)

// certificate is one for a name, and for this machine.
func certificate(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// TestTLS: where others can reach the page it answers to the names of its
// certificate alone, over TLS, and its cookie goes nowhere else.
func TestTLS(t *testing.T) {
	cert := certificate(t, "page.example")
	server := httptest.NewUnstartedServer(nil)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	m := &store.Memory{}
	desk := &manage.Desk{Grants: m, Approvals: m, Trusts: m, Rules: m, Journal: m, By: "kim", Channel: "page"}
	page, err := web.New(web.Config{Desk: desk, Policies: &policies{}, URL: "https://page.example:" + port, Certificate: cert.Leaf, Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = page
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf)
	client := &http.Client{
		Timeout:       time.Minute,
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "page.example"}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	send := func(host, origin, word string) *http.Response {
		t.Helper()
		r, _ := http.NewRequest(http.MethodPost, server.URL+"/", strings.NewReader(url.Values{"word": {word}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
		r.Host = host
		reply, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply
	}
	for _, one := range []struct {
		host, origin, word string
		want               int
	}{
		{"page.example:" + port, "https://page.example:" + port, "correct horse battery", http.StatusSeeOther},
		{"127.0.0.1:" + port, "https://127.0.0.1:" + port, "correct horse battery", http.StatusSeeOther},
		{"page.example:" + port, "https://page.example:" + port, "correct horse", http.StatusForbidden},
		{"page.example:" + port, "https://page.example:" + port, "", http.StatusForbidden},
		{"page.example:" + port, "http://page.example:" + port, "correct horse battery", http.StatusForbidden},
		{"evil.example:" + port, "https://evil.example:" + port, "correct horse battery", http.StatusMisdirectedRequest},
		{"page.example:1", "https://page.example:1", "correct horse battery", http.StatusMisdirectedRequest},
	} {
		reply := send(one.host, one.origin, one.word)
		if reply.StatusCode != one.want || reply.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%+v: %s", one, reply.Status)
		}
		if list := reply.Cookies(); one.want == http.StatusSeeOther && (len(list) != 1 || !list[0].Secure || !list[0].HttpOnly) {
			t.Errorf("%+v: %v", one, list)
		}
	}
}
