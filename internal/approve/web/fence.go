package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// maxBody is how much a request may send: forms are short.
const maxBody = 64 << 10

// policy is what a browser may do with the page: nothing but what comes from
// the page itself, and no script or style that stands in the text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// fence refuses what no browser of the person sends, before anything else looks
// at it.
func (p *Page) fence(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // to nobody else; without any, browsers do not say who sends a form
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		if p.tls {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !p.isOurs(r.Host):
			// A name that leads here and is not ours: somebody else's page
			// tries to pass for this one.
			http.Error(w, "This is not the address of the page.", http.StatusMisdirectedRequest)
			return
		case !p.fromUs(r):
			http.Error(w, "Another page has sent this.", http.StatusForbidden)
			return
		case r.ContentLength > maxBody:
			http.Error(w, "That is too long.", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// isOurs reports whether a host, with its port, is a name of the page.
func (p *Page) isOurs(host string) bool {
	if strings.EqualFold(host, p.host) {
		return true
	}
	name, port := splitHost(host)
	own, ownPort := splitHost(p.host)
	if port != ownPort {
		return false
	}
	if ip := net.ParseIP(own); ip != nil && ip.IsLoopback() && strings.EqualFold(name, "localhost") {
		return true
	}
	return p.Certificate != nil && p.Certificate.VerifyHostname(name) == nil
}

// splitHost is a host and its port, if it has one.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return host, ""
	}
	return name, port
}

// fromUs reports whether a request comes from the page itself, or, if it only
// looks, from the address bar. What comes from a page at another port is not from
// us, though browsers send it our cookies.
func (p *Page) fromUs(r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin": // old browsers do not say
	case "none":
		if !reads {
			return false
		}
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return reads
	}
	at, err := url.Parse(origin)
	scheme := "http"
	if p.tls {
		scheme = "https"
	}
	return err == nil && at.Scheme == scheme && strings.EqualFold(at.Host, r.Host)
}

// A limiter lets through so many at once, and then one for each pause.
type limiter struct {
	most  int
	pause time.Duration
	clock func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // by whom: when all that they used is forgotten
}

// mostKnown is how many a limiter remembers; with more of them, those share one
// account that it does not know.
const mostKnown = 1000

// allows reports whether one more of somebody is let through.
func (l *limiter) allows(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	if l.used == nil {
		l.used = map[string]time.Time{}
	}
	if _, known := l.used[who]; !known && len(l.used) >= mostKnown {
		for other, until := range l.used {
			if !until.After(now) {
				delete(l.used, other)
			}
		}
		if len(l.used) >= mostKnown {
			who = ""
		}
	}
	until := l.used[who]
	if until.Before(now) {
		until = now
	}
	until = until.Add(l.pause)
	if until.Sub(now) > time.Duration(l.most)*l.pause {
		return false
	}
	l.used[who] = until
	return true
}
