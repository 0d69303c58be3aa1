package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	pageLasts    = 25 * time.Second // to make it
	linkLasts    = 10 * time.Minute
	sessionLasts = 12 * time.Hour
	mostLinks    = 8  // that wait to be used
	mostSessions = 32 // at a time; the oldest ends for a new one
	mostStreams  = 8  // that one session listens to

	cookieName = "sayso"
)

// A session is a browser that was let in.
type session struct {
	key   [sha256.Size]byte // the hash of what its cookie says
	token string            // that every change must bring
	until time.Time

	mu      sync.Mutex
	notices []notice // what to say on the next page
	streams int
}

// A notice is what became of a change.
type notice struct {
	Bad  bool
	Text string
}

func (s *session) say(bad bool, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, notice{bad, text})
}

// said returns what there is to say, once.
func (s *session) said() []notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.notices
	s.notices = nil
	return out
}

// listen reports whether the session may listen to one more stream; done is to be
// called at its end.
func (s *session) listen() (done func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= mostStreams {
		return nil, false
	}
	s.streams++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams--
	}, true
}

// doors let people in.
type doors struct {
	password *[sha256.Size]byte // nil: there is none
	clock    func() time.Time
	tries    *limiter
	answers  *limiter

	mu       sync.Mutex
	links    []oneLink
	sessions []*session
}

// A oneLink is a link that was not used yet.
type oneLink struct {
	key   [sha256.Size]byte
	until time.Time
}

func newDoors(password string, clock func() time.Time) *doors {
	d := &doors{
		clock:   clock,
		tries:   &limiter{most: 10, pause: 6 * time.Second, clock: clock},
		answers: &limiter{most: 30, pause: 100 * time.Millisecond, clock: clock},
	}
	if password != "" {
		sum := sha256.Sum256([]byte(password))
		d.password = &sum
	}
	return d
}

// link makes a link.
func (d *doors) link() (token string, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	token, until = secret(), d.clock().Add(linkLasts)
	d.links = append(d.links, oneLink{sha256.Sum256([]byte(token)), until})
	if n := len(d.links); n > mostLinks {
		d.links = d.links[n-mostLinks:]
	}
	return token, until
}

// opens reports whether a text is the password, or a link, which is then used up.
// Hashes are compared, so that how long it takes says nothing.
func (d *doors) opens(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, key := d.clock(), sha256.Sum256([]byte(text))
	ok := d.password != nil && subtle.ConstantTimeCompare(d.password[:], key[:]) == 1
	d.links = slices.DeleteFunc(d.links, func(l oneLink) bool {
		over := !now.Before(l.until)
		used := subtle.ConstantTimeCompare(l.key[:], key[:]) == 1
		ok = ok || used && !over
		return over || used
	})
	return ok
}

// begin starts a session and returns what its cookie says.
func (d *doors) begin() (cookie string, s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cookie = secret()
	s = &session{key: sha256.Sum256([]byte(cookie)), token: secret(), until: d.clock().Add(sessionLasts)}
	d.sessions = append(d.sessions, s)
	if n := len(d.sessions); n > mostSessions {
		d.sessions = d.sessions[n-mostSessions:]
	}
	return cookie, s
}

// find returns the session of a cookie, or nil.
func (d *doors) find(cookie string) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, key := d.clock(), sha256.Sum256([]byte(cookie))
	var found *session
	d.sessions = slices.DeleteFunc(d.sessions, func(s *session) bool {
		over := !now.Before(s.until)
		if subtle.ConstantTimeCompare(s.key[:], key[:]) == 1 && !over {
			found = s
		}
		return over
	})
	return found
}

// end ends a session.
func (d *doors) end(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions = slices.DeleteFunc(d.sessions, func(o *session) bool { return o == s })
}

// lives reports whether a session still counts.
func (d *doors) lives(s *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock().Before(s.until) && slices.Contains(d.sessions, s)
}

// withSession lets only those in who have a session, and changes only what brings
// its token.
func (p *Page) withSession(next func(http.ResponseWriter, *http.Request, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var s *session
		for _, c := range r.CookiesNamed(cookieName) { // another port of the host may have set one, too
			if s == nil {
				s = p.doors.find(c.Value)
			}
		}
		if s == nil {
			if r.Method == http.MethodGet && r.URL.Path == "/" {
				http.Redirect(w, r, p.base+"login", http.StatusSeeOther)
				return
			}
			http.Error(w, "You are not logged in. Open the link that sayso serve has printed.", http.StatusUnauthorized)
			return
		}
		if r.Method != http.MethodGet {
			if err := r.ParseForm(); err != nil {
				http.Error(w, "The form cannot be read.", http.StatusRequestEntityTooLarge)
				return
			}
			if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("token")), []byte(s.token)) != 1 {
				http.Error(w, "The form is not from this page, or from before you logged in. Load the page again.", http.StatusForbidden)
				return
			}
			if !p.doors.answers.allows(string(s.key[:])) {
				tooMany(w, "1")
				return
			}
		}
		if r.URL.Path != "/events" { // which lasts
			ctx, cancel := context.WithTimeout(r.Context(), pageLasts)
			defer cancel()
			r = r.WithContext(ctx)
		}
		next(w, r, s)
	}
}

func tooMany(w http.ResponseWriter, seconds string) {
	w.Header().Set("Retry-After", seconds)
	http.Error(w, "That was too often. Wait a little.", http.StatusTooManyRequests)
}

func (p *Page) showLogin(w http.ResponseWriter, _ *http.Request) { p.loginPage(w, http.StatusOK, "") }

func (p *Page) loginPage(w http.ResponseWriter, status int, problem string) {
	render(w, status, "login", struct {
		Base, Problem string
		Password      bool
	}{p.base, problem, p.Password != ""})
}

// login lets somebody in who has a link or the password.
func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	from, _ := splitHost(r.RemoteAddr)
	if !p.doors.tries.allows(from) {
		tooMany(w, "6")
		return
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read.", http.StatusRequestEntityTooLarge)
		return
	}
	if !p.doors.opens(r.PostForm.Get("word")) {
		p.loginPage(w, http.StatusForbidden, "That does not open the page: a link counts once, and for ten minutes. Press Enter in the terminal of sayso serve for another one.")
		return
	}
	cookie, _ := p.doors.begin()
	// The path is part of it: browsers send a cookie to every port of a host,
	// and an agent may well serve something at another one.
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: cookie, Path: p.base, HttpOnly: true, Secure: p.tls, SameSite: http.SameSiteStrictMode,
		MaxAge: int(sessionLasts.Seconds()),
	})
	http.Redirect(w, r, p.base, http.StatusSeeOther)
}

// logout ends the session.
func (p *Page) logout(w http.ResponseWriter, r *http.Request, s *session) {
	p.doors.end(s)
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: p.base, HttpOnly: true, Secure: p.tls, SameSite: http.SameSiteStrictMode, MaxAge: -1})
	http.Redirect(w, r, p.base+"login", http.StatusSeeOther)
}

// anotherLink shows a link for another browser of the person.
func (p *Page) anotherLink(w http.ResponseWriter, r *http.Request, s *session) {
	link, until := p.Link()
	p.show(w, r, s, "link", "Another browser", struct {
		Link  string
		Until time.Time
	}{link, until})
}
