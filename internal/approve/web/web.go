// Package web is the web page on which a person answers, and manages what sayso
// remembers. It serves one person: whoever has the link that was printed on
// their terminal, or knows the password.
//
// What is shown of a request comes from package view, what is changed goes
// through a [manage.Desk]. The page keeps nothing on the disk: links, sessions
// and their tokens are in memory and end with the process.
package web

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/manage"
)

// Channel is the name of the page where it is told through what somebody
// answered.
const Channel = "page"

// Config is what a page needs.
type Config struct {
	Desk     *manage.Desk
	Journal  journal.Folder
	Policies Policies

	// Index opens the index of the journal, brought up to date. Nil, or not ok:
	// the journal is small enough to be read as a whole.
	Index func(ctx context.Context) (x *index.Index, ok bool)

	// Reading tells how far a large journal is looked at for the first time, and
	// whether that still takes a while. Nil: it does not.
	Reading func() (percent int, busy bool)

	// URL is where the page is: scheme, host and port.
	URL string

	// Certificate is that of the server if it speaks TLS: the page answers to
	// its names, too.
	Certificate *x509.Certificate

	// Password lets in besides the links; empty: there is none.
	Password string

	// Home is shown as ~.
	Home string

	// Before returns what is in a file now; nil: changes are shown without it.
	Before func(path string) (text string, ok bool)

	// Stamp says whether the requests may have changed: as long as it is the
	// same they have not. Nil: they are always looked at.
	Stamp func() string

	// Clock is the time; nil: time.Now.
	Clock func() time.Time
}

// A Page is the web page. It answers HTTP requests below a path that nobody can
// guess.
type Page struct {
	Config
	base  string // the path, with a slash before and behind it
	host  string // with the port
	tls   bool
	doors *doors
	inbox *inbox
	http  http.Handler
}

// New makes a page.
func New(c Config) (*Page, error) {
	at, err := url.Parse(c.URL)
	if err != nil || at.Host == "" || at.Path != "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("the address of the page is %q: want a scheme and a host", c.URL)
	}
	if c.Desk == nil || c.Policies == nil {
		return nil, errors.New("the page has no desk")
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	p := &Page{Config: c, base: "/" + secret() + "/", host: at.Host, tls: at.Scheme == "https"}
	p.doors = newDoors(c.Password, c.Clock)
	p.inbox = newInbox(c)
	p.http = p.handler()
	return p, nil
}

// secret is a text that nobody can guess, fit for a path, a cookie or a form.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails: it would end the program
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ServeHTTP answers a request.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.http.ServeHTTP(w, r) }

// Link is a new link that lets one browser in, once, until the time that is
// returned.
func (p *Page) Link() (string, time.Time) {
	token, until := p.doors.link()
	// What stands behind # is never sent, so it is in no log and nobody who
	// looks at the link in advance uses it up.
	return p.URL + p.base + "login#" + token, until
}

// Watch looks for requests that come and go until ctx ends.
func (p *Page) Watch(ctx context.Context) { p.inbox.watch(ctx) }

// Server is an HTTP server for the page, with limits on what it takes.
func (p *Page) Server() *http.Server {
	return &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second, // what arrives live moves it on
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// handler are the addresses of the page. Everything but to log in wants a
// session, and every change its token.
func (p *Page) handler() http.Handler {
	inside := http.NewServeMux()
	for at, page := range map[string]func(http.ResponseWriter, *http.Request, *session){
		"GET /{$}":            p.showInbox,
		"GET /events":         p.events,
		"POST /answer":        p.answer,
		"GET /settings":       p.showSettings,
		"POST /settings/mode": p.setMode,
		"POST /settings/add":  p.addRule,
		"POST /settings/rm":   p.removeRule,
		"GET /grants":         p.showGrants,
		"POST /grants/revoke": p.revokeGrant,
		"GET /trust":          p.showTrust,
		"POST /trust/revoke":  p.revokeTrust,
		"GET /journal":        p.showJournal,
		"GET /journal/call":   p.showCall,
		"POST /link":          p.anotherLink,
		"POST /logout":        p.logout,
	} {
		inside.HandleFunc(at, p.withSession(page))
	}
	inside.HandleFunc("GET /login", p.showLogin)
	inside.HandleFunc("POST /login", p.login)
	inside.HandleFunc("GET /static/{name}", static)
	inside.HandleFunc("/", p.nothing)

	all := http.NewServeMux()
	all.Handle(p.base, http.StripPrefix(p.base[:len(p.base)-1], inside))
	if p.Password != "" { // who knows it need not know the path
		all.HandleFunc("GET /{$}", p.showLogin)
		all.HandleFunc("POST /{$}", p.login)
		all.HandleFunc("GET /static/{name}", static)
	}
	all.HandleFunc("/", p.nothing)
	return p.fence(all)
}

// nothing is at an address that the page does not have.
func (p *Page) nothing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "There is nothing here. Open the link that sayso serve has printed.", http.StatusNotFound)
}
