package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/approve/web"
)

// TestHost: a name of somebody else that leads to this machine opens nothing.
func TestHost(t *testing.T) {
	s := serve(t)
	s.logIn()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200,
		"evil.example:" + port: 421, "127.0.0.1.evil.example:" + port: 421, "127.0.0.1": 421, "127.0.0.1:1": 421,
		"localhost.evil.example": 421, "0.0.0.0:" + port: 421, "[::1]:" + port: 421, "user@127.0.0.1:" + port: 421,
	} {
		for _, path := range []string{"", "login", "grants"} {
			if path != "login" && want == 200 && !strings.HasPrefix(host, "127") {
				continue // who logs in there needs a cookie for there
			}
			if reply, _ := s.send(sent{path: path, host: host}); reply.StatusCode != want {
				t.Errorf("host %s, /%s: %s, want %d", host, path, reply.Status, want)
			}
		}
	}
}

// TestOrigin: what another page sends changes nothing, also if the browser adds
// the cookie, and also if it knows the token.
func TestOrigin(t *testing.T) {
	s := serve(t)
	s.logIn()
	r := s.waits("c", "git push")
	token := s.token()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	for _, header := range []map[string]string{
		{"Origin": "https://evil.example"},
		{"Origin": "http://127.0.0.1:1"},
		{"Origin": "http://localhost:" + port}, // not the host that was asked
		{"Origin": "https://127.0.0.1:" + port},
		{"Origin": "null"},
		{"Origin": ""},
		{"Origin": s.URL + ".evil.example"},
		{"Sec-Fetch-Site": "cross-site"},
		{"Sec-Fetch-Site": "same-site"}, // another port of this machine
		{"Sec-Fetch-Site": "none"},
	} {
		form := url.Values{"token": {token}}
		pairs := choice(&r, "y")
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		for _, path := range []string{"answer", "logout", "login", "settings/add"} {
			if reply, _ := s.send(sent{method: http.MethodPost, path: path, form: form, header: header}); reply.StatusCode != http.StatusForbidden {
				t.Errorf("%v: /%s: %s", header, path, reply.Status)
			}
		}
	}
	if list, _ := s.store.Waiting(t.Context()); len(list) != 1 {
		t.Error("the request was answered")
	}
	for _, site := range []string{"cross-site", "same-site"} {
		if reply, _ := s.send(sent{header: map[string]string{"Sec-Fetch-Site": site}}); reply.StatusCode != http.StatusForbidden {
			t.Errorf("the page from a %s page: %s", site, reply.Status)
		}
	}
}

// TestToken: no change counts without the token of the session.
func TestToken(t *testing.T) {
	s := serve(t)
	s.logIn()
	r := s.waits("c", "git push")
	other := s.token()
	s.client = browser()
	s.logIn()
	for name, token := range map[string]string{"none": "", "wrong": "x", "that of another session": other} {
		for _, path := range []string{"answer", "settings/mode", "settings/add", "settings/rm", "grants/revoke", "trust/revoke", "link", "logout"} {
			form := url.Values{"token": {token}, "id": {r.ID}}
			if reply, _ := s.send(sent{method: http.MethodPost, path: path + "?token=" + s.token(), form: form}); reply.StatusCode != http.StatusForbidden {
				t.Errorf("%s: /%s: %s", name, path, reply.Status)
			}
		}
	}
	if reply, _ := s.send(sent{path: "answer?" + url.Values{"token": {s.token()}, "id": {r.ID}, "yes": {"yes"}}.Encode()}); reply.StatusCode == http.StatusOK {
		t.Error("a GET answers")
	}
}

// TestNoSession: without a session there is nothing but the way in.
func TestNoSession(t *testing.T) {
	s := serve(t)
	word := s.word()
	s.waits("c", "git push")
	for _, path := range []string{"", "events", "settings", "grants", "trust", "journal", "journal/call?id=c"} {
		reply, text := s.send(sent{path: path})
		if reply.StatusCode == http.StatusOK || strings.Contains(text, "git push") {
			t.Errorf("/%s: %s %s", path, reply.Status, text)
		}
	}
	for _, path := range []string{"answer", "settings/add", "link"} {
		if reply, _ := s.send(sent{method: http.MethodPost, path: path, form: url.Values{"token": {word}}}); reply.StatusCode != http.StatusUnauthorized {
			t.Errorf("POST /%s: %s", path, reply.Status)
		}
	}
	for _, cookie := range []string{"sayso=x", "sayso=", "sayso=" + word} {
		if reply, _ := s.send(sent{path: "grants", header: map[string]string{"Cookie": cookie}}); reply.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", cookie, reply.Status)
		}
	}
	s.logIn()
	s.post("logout")
	s.client = browser()
	if reply, _ := s.send(sent{path: "grants"}); reply.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the end: %s", reply.Status)
	}
}

// TestGuessedPath: whoever does not know the path finds nothing, and cookies are
// not sent to what is elsewhere on the machine.
func TestGuessedPath(t *testing.T) {
	s := serve(t)
	s.logIn()
	for _, path := range []string{"/", "/login", "/grants", "/x/grants", "/static/page.js", "/%2e%2e%2f"} {
		if reply, text := s.send(sent{path: s.URL + path}); reply.StatusCode != http.StatusNotFound || strings.Contains(text, "<") {
			t.Errorf("%s: %s %s", path, reply.Status, text)
		}
	}
	at, _ := url.Parse(s.URL + "/")
	if got := s.client.Jar.Cookies(at); len(got) > 0 {
		t.Errorf("another program at the same host is sent %v", got)
	}
	if other := serve(t); other.word() == "" || other.base[len(other.URL):] == s.base[len(s.URL):] {
		t.Error("two pages have the same path")
	}
}

// TestCookie: scripts do not see it, and other sites do not send it.
func TestCookie(t *testing.T) {
	s := serve(t)
	word := s.word()
	reply, _ := s.send(sent{method: http.MethodPost, path: "login", form: url.Values{"word": {word}}})
	list := reply.Cookies()
	if len(list) != 1 || !list[0].HttpOnly || list[0].SameSite != http.SameSiteStrictMode || len(list[0].Path) < 30 || list[0].Domain != "" || len(list[0].Value) < 40 {
		t.Errorf("%+v", list)
	}
}

// TestLink: a link lets one browser in, once, and not for ever.
func TestLink(t *testing.T) {
	s := serve(t)
	try := func(word string) int {
		s.client = browser()
		reply, _ := s.send(sent{method: http.MethodPost, path: "login", form: url.Values{"word": {word}}})
		return reply.StatusCode
	}
	word := s.word()
	if got := try(word); got != http.StatusSeeOther {
		t.Errorf("the first time: %d", got)
	}
	if got := try(word); got != http.StatusForbidden {
		t.Errorf("a link that was used: %d", got)
	}
	late := s.word()
	s.later(11 * time.Minute)
	if got := try(late); got != http.StatusForbidden {
		t.Errorf("a link that is old: %d", got)
	}
	if got := try(""); got != http.StatusForbidden {
		t.Errorf("nothing: %d", got)
	}
	first := s.word()
	for range 20 {
		s.word()
	}
	if got := try(first); got != http.StatusForbidden {
		t.Errorf("a link behind which many were made: %d", got)
	}
	// To look at the address does not use it up: what counts is never sent.
	word = s.word()
	s.send(sent{path: "login"})
	s.send(sent{path: "login?word=" + word})
	if got := try(word); got != http.StatusSeeOther {
		t.Errorf("a link that was looked at: %d", got)
	}
	s.later(13 * time.Hour)
	if reply, _ := s.send(sent{path: "grants"}); reply.StatusCode != http.StatusUnauthorized {
		t.Errorf("a session that is old: %s", reply.Status)
	}
}

// TestBruteForce: nobody can try for long, and who waits may try again.
func TestBruteForce(t *testing.T) {
	s := serve(t, func(c *web.Config) { c.Password = "correct horse battery" })
	word := s.word()
	denied := 0
	for i := range 50 {
		reply, _ := s.send(sent{method: http.MethodPost, path: "login", form: url.Values{"word": {fmt.Sprint(i)}}})
		switch reply.StatusCode {
		case http.StatusTooManyRequests:
			denied++
		case http.StatusForbidden:
		default:
			t.Fatalf("%s", reply.Status)
		}
	}
	if denied < 35 {
		t.Errorf("only %d of 50 tries were refused", denied)
	}
	right := sent{method: http.MethodPost, path: "login", form: url.Values{"word": {word}}}
	if reply, _ := s.send(right); reply.StatusCode != http.StatusTooManyRequests || reply.Header.Get("Retry-After") == "" {
		t.Errorf("the right one among them: %s", reply.Status)
	}
	s.later(2 * time.Minute)
	if reply, _ := s.send(right); reply.StatusCode != http.StatusSeeOther {
		t.Errorf("later: %s", reply.Status)
	}
	s.client = browser()
	for path, want := range map[string]int{"": 200, "grants": 404} { // the password needs no path
		if reply, _ := s.send(sent{path: s.URL + "/" + path}); reply.StatusCode != want {
			t.Errorf("/%s: %s", path, reply.Status)
		}
	}
	if reply, _ := s.send(sent{method: http.MethodPost, path: s.URL + "/", form: url.Values{"word": {"correct horse battery"}}}); reply.StatusCode != http.StatusSeeOther {
		t.Errorf("the password: %s", reply.Status)
	}
}

// TestManyAnswers: a session that sends without end is slowed down.
func TestManyAnswers(t *testing.T) {
	s := serve(t)
	s.logIn()
	token, refused := s.token(), 0
	for range 60 {
		reply, _ := s.send(sent{method: http.MethodPost, path: "answer", form: url.Values{"token": {token}, "id": {"x"}}})
		if reply.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 30 {
		t.Errorf("%d of 60 were refused", refused)
	}
}

// TestOversized: what is too long is refused before it is read.
func TestOversized(t *testing.T) {
	s := serve(t)
	s.logIn()
	long := strings.Repeat("x", 1<<20)
	if reply, _ := s.send(sent{method: http.MethodPost, path: "answer", form: url.Values{"token": {s.token()}, "id": {long}}}); reply.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long form: %s", reply.Status)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it was only a try
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	go func() { // without saying how long it is
		_, _ = fmt.Fprintf(conn, "POST %slogin HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n", s.base[len(s.URL):], s.URL[7:], s.URL)
		for range 64 {
			if _, err := fmt.Fprintf(conn, "4000\r\n%s\r\n", long[:0x4000]); err != nil {
				return
			}
		}
		_, _ = fmt.Fprint(conn, "0\r\n\r\n")
	}()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, " 413 ") {
		t.Errorf("a long form in pieces: %q %v", line, err)
	}
	r, _ := http.NewRequest(http.MethodGet, s.base, nil)
	r.Header.Set("X-Long", long)
	if reply, err := s.client.Do(r); err == nil {
		_ = reply.Body.Close()
		if reply.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a long header: %s", reply.Status)
		}
	}
}

// TestHeaders: no page can be framed, kept, or made to run what does not belong
// to it.
func TestHeaders(t *testing.T) {
	s := serve(t)
	s.logIn()
	s.waits("c", "git push")
	for _, path := range []string{"", "login", "settings", "grants", "trust", "journal", "static/page.js", "static/page.css", "nosuch"} {
		reply, text := s.send(sent{path: path})
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
		} {
			if got := reply.Header.Get(name); got != want {
				t.Errorf("/%s: %s is %q", path, name, got)
			}
		}
		csp := reply.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("/%s: no %s in %s", path, want, csp)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || strings.Contains(csp, "http") {
			t.Errorf("/%s: %s", path, csp)
		}
		if strings.HasPrefix(path, "static") {
			continue
		}
		for _, inline := range []string{"<script>", " style=", "<style", " onclick=", " onload=", "javascript:"} {
			if strings.Contains(text, inline) {
				t.Errorf("/%s has %s in it", path, inline)
			}
		}
	}
}

// TestTraversal: no path leads out of the files of the page, or to a workspace
// that is not known.
func TestTraversal(t *testing.T) {
	s := serve(t)
	s.logIn()
	for _, path := range []string{
		"static/../web.go", "static/..%2fweb.go", "static/%2e%2e%2fpages%2fframe.html", "static/..%5cweb.go", "static/", "static/page.js/../../login",
		"static//etc/passwd", "static/%00", "pages/frame.html", "../../etc/passwd", "static/....//page.js",
	} {
		reply, text := s.send(sent{path: path})
		if reply.StatusCode == http.StatusOK || strings.Contains(text, "package web") || strings.Contains(text, "{{") || strings.Contains(text, "root:") {
			t.Errorf("/%s: %s\n%s", path, reply.Status, text)
		}
	}
	for _, root := range []string{"/etc", "../..", "/home/dev/app/../..", "/home/dev/app\x00"} {
		if reply, _ := s.send(sent{path: "settings?" + url.Values{"root": {root}}.Encode()}); reply.StatusCode != http.StatusInternalServerError {
			t.Errorf("the workspace %q: %s", root, reply.Status)
		}
		s.post("settings/mode", "root", root, "mode", "careful")
		s.post("settings/add", "root", root, "effect", "allow", "text", "bash(*)", "place", "file")
	}
	if s.policies.mode != "default" || len(s.policies.rules) != 0 {
		t.Error("a workspace that is not known was changed")
	}
}
