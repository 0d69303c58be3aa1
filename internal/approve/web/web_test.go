package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

// policies are those of one workspace, in memory.
type policies struct {
	mu      sync.Mutex
	rules   []web.Rule
	mode    string
	failing error
}

func (p *policies) Workspaces(context.Context) ([]string, error) {
	return []string{"/home/dev/app"}, nil
}

func (p *policies) Policy(_ context.Context, root string) (web.Policy, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return web.Policy{Root: root, Preset: "native", Mode: p.mode, Modes: []web.Mode{{Name: "default"}, {Name: "careful"}}, Rules: append([]web.Rule(nil), p.rules...)}, nil
}

func (p *policies) SetMode(_ context.Context, _, mode string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	return p.failing
}

func (p *policies) AddRule(_ context.Context, _ string, r web.Rule) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, r)
	return nil, p.failing
}

func (p *policies) RemoveRule(_ context.Context, _ string, r web.Rule) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, have := range p.rules {
		if have.Text == r.Text && have.Effect == r.Effect {
			p.rules = append(p.rules[:i], p.rules[i+1:]...)
			return p.failing
		}
	}
	return sayso.ErrNotFound
}

func (p *policies) Trusted(t sayso.Trust) (string, bool) { return "the MCP server " + t.Name, true }

// A site is a page that is served, and a browser without a screen.
type site struct {
	t *testing.T
	*web.Page
	store    *store.Memory
	journal  journal.Folder
	policies *policies
	client   *http.Client
	base     string // with the secret path

	mu  sync.Mutex
	now time.Time
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// later moves the clock on.
func (s *site) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// serve serves a page.
func serve(t *testing.T, change ...func(*web.Config)) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, store: &store.Memory{}, journal: journal.Folder{Dir: dir}, policies: &policies{mode: "default"}, now: time.Now()}
	desk := &manage.Desk{Grants: s.store, Approvals: s.store, Trusts: s.store, Rules: s.store, Journal: s.journal, By: "kim", Channel: "page"}
	c := web.Config{Desk: desk, Journal: s.journal, Policies: s.policies, URL: "http://" + listener.Addr().String(), Clock: s.clock, Home: "/home/dev"}
	for _, f := range change {
		f(&c)
	}
	if s.Page, err = web.New(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := s.Server()
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	done := make(chan struct{})
	go func() { defer close(done); s.Watch(ctx) }()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { cancel(); _ = server.Close(); <-done })
	s.client = browser()
	return s
}

func browser() *http.Client {
	jar, _ := cookiejar.New(nil) // it never fails
	return &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// word is what a new link brings, and the path of the page.
func (s *site) word() string {
	link, _ := s.Link()
	at, word, ok := strings.Cut(link, "#")
	if !ok {
		s.t.Fatalf("the link %s has no #", link)
	}
	s.base = strings.TrimSuffix(at, "login")
	return word
}

// A sent is a request to the page.
type sent struct {
	method, path string
	form         url.Values
	header       map[string]string
	host         string
}

// send sends a request as a browser would, unless it says otherwise.
func (s *site) send(one sent) (*http.Response, string) {
	s.t.Helper()
	at := one.path
	if !strings.HasPrefix(at, "http") {
		at = s.base + at
	}
	if one.method == "" {
		one.method = http.MethodGet
	}
	r, err := http.NewRequest(one.method, at, strings.NewReader(one.form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if one.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range one.header {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if one.host != "" {
		r.Host = one.host
	}
	reply, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply, string(text)
}

// logIn logs in with a new link.
func (s *site) logIn() {
	s.t.Helper()
	word := s.word()
	if reply, text := s.send(sent{method: http.MethodPost, path: "login", form: url.Values{"word": {word}}}); reply.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("log in: %s\n%s", reply.Status, text)
	}
}

var tokenIn = regexp.MustCompile(`name="token" value="([^"]+)"`)

// token is that of the session.
func (s *site) token() string {
	s.t.Helper()
	_, text := s.send(sent{path: "grants"})
	m := tokenIn.FindStringSubmatch(text)
	if m == nil {
		s.t.Fatalf("no token in %s", text)
	}
	return m[1]
}

// post sends a form with the token.
func (s *site) post(path string, pairs ...string) (*http.Response, string) {
	s.t.Helper()
	form := url.Values{"token": {s.token()}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return s.send(sent{method: http.MethodPost, path: path, form: form, header: map[string]string{"Accept": "application/json"}})
}

// asks makes the request for a call of a command, as an engine does.
func asks(t *testing.T, id, command string, policy preset.Policy) sayso.Request {
	t.Helper()
	input, _ := json.Marshal(map[string]any{"command": command}) // a string can be written
	var asked *sayso.Request
	e := sayso.Engine{Preset: preset.Native(policy), Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		asked = &r
		return sayso.Answer{}, errors.New("nobody is there")
	})}
	_, d, err := e.Authorize(context.Background(), sayso.Call{ID: id, Agent: "claude", Session: "s1", Tool: "Bash", Input: input, Root: "/home/dev/app", Home: "/home/dev"})
	if err != nil || asked == nil {
		t.Fatalf("%s does not ask: %+v %v", command, d, err)
	}
	return *asked
}

// waits puts a request into the queue.
func (s *site) waits(id, command string) sayso.Request {
	s.t.Helper()
	r, err := s.store.Open(context.Background(), asks(s.t, id, command, preset.Policy{}))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// choice is the form of an answer.
func choice(r *sayso.Request, key string) []string {
	for _, c := range r.Decision.Choices {
		if c.Key == key {
			return []string{"id", r.ID, "choice", key, "contract", c.Contract(r.Contract).Hash(), "yes", map[bool]string{true: "yes", false: "no"}[c.Yes]}
		}
	}
	return nil
}
