package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/preset"
)

// evil is text that would be markup, script or another order if it were not
// escaped.
const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{.}}` + "\u202e\x1b[2J</pre></textarea>"

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="[a-z]+" value="[^"<>]*">`)

// TestInjection: nothing that an agent, a repository or the journal says is taken
// for a part of the page, in any field.
func TestInjection(t *testing.T) {
	ctx := context.Background()
	s := serve(t)
	s.logIn()
	rule := sayso.Rule{Effect: sayso.Ask, Text: "bash(git *)", Because: evil, Source: sayso.Source{File: "/home/dev/" + evil, Line: 7}}
	set, err := sayso.NewRuleSet([]sayso.Rule{rule})
	if err != nil {
		t.Fatal(err)
	}
	r := asks(t, evil, "git push # "+evil, preset.Policy{Rules: set})
	r.ID = "id"
	r.Call.Agent, r.Call.Subagent, r.Call.Session = evil, evil, evil
	r.Decision.Explanation, r.Decision.Reason, r.Decision.Stage, r.Decision.Code = evil, evil, evil, evil
	r.Decision.Choices = []sayso.Choice{{Key: evil, Label: evil, Yes: true, Scope: sayso.ForSession, Rule: evil}, {Key: "n", Label: evil}}
	r.Decision.Suggestions = []sayso.Suggestion{{Rule: evil, Allows: evil}}
	r.Shows, r.Contract.Changes = []string{evil, "+" + evil}, evil
	r.Contract.Dir, r.Contract.Env, r.Contract.Write, r.Contract.Protected, r.Contract.Hosts = evil, map[string]string{evil: evil}, []string{evil}, []string{evil}, []string{evil}
	r.Contract.Network, r.Contract.Shell, r.Contract.Tool, r.Contract.Inherit = sayso.NetworkHosts, evil, evil, []string{evil}
	_, err = s.store.Open(ctx, r)
	g := sayso.Grant{ID: evil, Rule: evil, Scope: sayso.ForSession, By: evil, Call: evil, Given: time.Now()}
	record := sayso.Record{
		Kind: sayso.RecordDecision, Call: "c", Session: evil, Decision: &r.Decision, Decider: &sayso.Decider{Kind: evil, Name: evil, Where: evil, Channel: evil}, Note: evil,
	}
	err = errors.Join(
		err, s.store.AddGrant(ctx, evil, evil, g), s.store.Trust(ctx, evil, evil, evil),
		s.journal.Record(ctx, sayso.Record{Kind: sayso.RecordRequest, Call: "c", Session: evil, Request: &r.Call}, record,
			sayso.Record{Kind: sayso.RecordPrompt, Call: "c", Terms: &r.Contract, Contract: evil},
			sayso.Record{Kind: sayso.RecordAnswer, Call: "c", Answer: &sayso.Answer{Yes: true, By: evil, Channel: evil, Rule: evil}},
			sayso.Record{Kind: sayso.RecordResult, Call: "c", Result: &sayso.Result{Ran: true, Error: evil}},
			sayso.Record{Kind: evil, Call: evil, Note: evil, Root: evil}),
	)
	if err != nil {
		t.Fatal(err)
	}
	s.policies.rules = []web.Rule{{Place: web.InDatabase, Text: evil, Where: evil}, {Place: web.InOther, Text: evil, Where: evil, Fixed: evil}}
	s.policies.mode = evil
	query := url.Values{"text": {evil}, "tool": {evil}, "session": {evil}, "since": {evil}, "find": {evil}, "id": {evil}, "effect": {evil}}.Encode()
	for _, path := range []string{"", "settings", "settings?" + query, "grants", "trust", "journal", "journal?" + query, "journal/call?id=c", "journal/call?" + query, "journal/call?id=" + url.QueryEscape(evil), "nosuch/" + url.PathEscape(evil)} {
		_, text := s.send(sent{path: path})
		shown := hiddenInput.ReplaceAllString(text, "") // what is sent back is sent back as it was
		for _, bad := range []string{"<script>alert", "<img src=x", "\u202e", "\x1b", "</textarea>"} {
			if _, at, found := strings.Cut(shown, bad); found {
				t.Errorf("/%.20s has %q before %.100s", path, bad, at)
			}
		}
	}
	s.send(sent{method: http.MethodPost, path: "settings/add", form: url.Values{"token": {s.token()}, "root": {"/home/dev/app"}, "effect": {"deny"}, "text": {evil}, "place": {evil}}})
	if _, text := s.send(sent{path: "grants"}); strings.Contains(text, "<script>alert") || !strings.Contains(text, "Added: deny") {
		t.Errorf("a notice: %s", text)
	}
}

// TestCard: the card shows all that a person must see.
func TestCard(t *testing.T) {
	s := serve(t)
	s.logIn()
	set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Ask, Text: "bash(git push *)", Source: sayso.Source{File: "/home/dev/app/.sayso.yaml", Line: 7}}})
	if err != nil {
		t.Fatal(err)
	}
	s.waits("c", "ls && git push origin main")
	r := asks(t, "d", "git push origin next", preset.Policy{Rules: set})
	if _, err := s.store.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, text := s.send(sent{})
	for _, want := range []string{
		"claude, session s1", "wants to run", `ls &amp;&amp; </span><span class="decisive">git push origin main</span>`, "moderate", "Push commits to the remote repository",
		"Why it asks:", "working directory", "~/app", "workspace", "protected paths", "environment overrides", "timeout", "output limit", "network policy",
		"every command that starts with git push", "the rule bash(git push *), for this workspace, until you revoke it",
		"~/app/.sayso.yaml:7", "this rule always asks", `<kbd aria-hidden="true">y</kbd> Allow: once`, "Deny: no",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	_, second, _ := strings.Cut(text, `id="card-`+r.ID+`"`)
	if n := strings.Count(second, `class="answer`); n != 2 {
		t.Errorf("an ask rule offers %d answers, want 2", n)
	}
}

// A listener reads events of the page.
type listener struct {
	lines *bufio.Reader
	close func()
}

func (s *site) listen(after string) *listener {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"events?after="+after, nil)
	reply, err := s.client.Do(r)
	if err != nil || reply.StatusCode != http.StatusOK {
		s.t.Fatalf("%v %v", reply, err)
	}
	return &listener{bufio.NewReader(reply.Body), func() { cancel(); _ = reply.Body.Close() }}
}

// next is the next event.
func (l *listener) next(t *testing.T) (name string, data map[string]any) {
	t.Helper()
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := strings.CutPrefix(line, "event: "); ok {
			name = strings.TrimSpace(got)
		}
		if got, ok := strings.CutPrefix(line, "data: "); ok {
			_ = json.Unmarshal([]byte(got), &data) // null is none
			return name, data
		}
	}
}

// TestLive: requests of other processes come and go by themselves, with who
// answered.
func TestLive(t *testing.T) {
	s := serve(t)
	s.logIn()
	l := s.listen("0")
	defer l.close()
	r := s.waits("c", "git push")
	if name, data := l.next(t); name != "come" || data["id"] != r.ID || !strings.Contains(data["html"].(string), "git push") || !strings.Contains(data["html"].(string), s.token()) {
		t.Errorf("%s %v", name, data)
	}
	terminal := &manage.Desk{Approvals: s.store, Journal: s.journal, By: "kim", Channel: "terminal"}
	if _, err := terminal.Answer(t.Context(), r, true, "s"); err != nil {
		t.Fatal(err)
	}
	if name, data := l.next(t); name != "gone" || data["id"] != r.ID || data["text"] != "Allowed for this session by kim through the terminal" {
		t.Errorf("%s %v", name, data)
	}
	// Who was away is told what they missed; who was away for too long loads the
	// page again.
	again := s.listen("1")
	defer again.close()
	if name, _ := again.next(t); name != "gone" {
		t.Error(name)
	}
	far := s.listen("77")
	defer far.close()
	if name, _ := far.next(t); name != "reload" {
		t.Error(name)
	}
	for range 10 { // a browser does not listen to streams without end
		r, _ := http.NewRequest(http.MethodGet, s.base+"events?after=0", nil)
		reply, err := s.client.Do(r)
		if err == nil && reply.StatusCode == http.StatusTooManyRequests {
			_ = reply.Body.Close()
			return
		}
		if err == nil {
			defer reply.Body.Close() //nolint:errcheck // at the end of the test
		}
	}
	t.Error("there can be streams without end")
}

// TestFirstWins: of many who answer at once one wins, and the others are told.
func TestFirstWins(t *testing.T) {
	s := serve(t)
	s.logIn()
	for round := range 3 {
		r := s.waits(fmt.Sprint("c", round), "git push")
		s.send(sent{})
		token := s.token()
		won, told := 0, 0
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				form := url.Values{"token": {token}}
				pairs := choice(&r, []string{"y", "n"}[i%2])
				for i := 0; i < len(pairs); i += 2 {
					form.Set(pairs[i], pairs[i+1])
				}
				reply, text := s.send(sent{method: http.MethodPost, path: "answer", form: form, header: map[string]string{"Accept": "application/json"}})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case reply.StatusCode == http.StatusOK:
					won++
				case strings.Contains(text, "somebody was quicker"):
					told++
				}
			})
		}
		all.Wait()
		if won != 1 || told != 5 {
			t.Errorf("%d won, %d were told", won, told)
		}
	}
}

// TestSettings: rules and the mode change, and what failed in part is said so.
func TestSettings(t *testing.T) {
	s := serve(t)
	s.logIn()
	s.post("settings/mode", "mode", "careful")
	_, first := s.send(sent{path: "settings"})
	s.post("settings/add", "effect", "deny", "text", "bash(x *)", "place", web.InDatabase)
	_, second := s.send(sent{path: "settings"})
	text := first + second
	for _, want := range []string{"The default mode is careful.", "Added: deny bash(x *).", "<code>bash(x *)</code>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	s.policies.failing = &manage.PartialError{Done: "it is removed from the database", Left: "it still stands in .sayso.yaml", Err: errors.New("read-only file system")}
	s.post("settings/rm", "effect", "deny", "text", "bash(x *)", "place", web.InDatabase)
	if _, text := s.send(sent{path: "settings"}); !strings.Contains(text, "Only a part of it was done: it is removed from the database, but it still stands in .sayso.yaml: read-only file system") {
		t.Errorf("%s", text)
	}
	for _, bad := range [][]string{{"effect", "x", "text", "y"}, {"effect", "deny", "text", " "}} {
		s.post("settings/add", bad...)
		if _, text := s.send(sent{path: "settings"}); !strings.Contains(text, "Not as you wanted:") {
			t.Errorf("%v is taken", bad)
		}
	}
}

// TestGrantsAndTrust: what was given is shown and taken back, one by one or all.
func TestGrantsAndTrust(t *testing.T) {
	ctx := context.Background()
	s := serve(t)
	s.logIn()
	for i := range 3 {
		id := fmt.Sprint(i)
		err := errors.Join(
			s.store.AddGrant(ctx, "s1", "/r", sayso.Grant{ID: id, Rule: "bash(rule" + id + ")", Scope: sayso.ForSession, By: "kim", Given: time.Now()}),
			s.store.Trust(ctx, "/r", "server"+id, "f"), s.store.Trust(ctx, "/q"+id, "", ""))
		if err != nil {
			t.Fatal(err)
		}
	}
	left := func() (int, int) {
		grants, err1 := s.store.AllGrants(ctx)
		trust, err2 := s.store.AllTrust(ctx)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return len(grants), len(trust)
	}
	for _, one := range []struct {
		path          string
		form          []string
		grants, trust int
	}{
		{"grants/revoke", []string{"id", "nosuch"}, 3, 6},
		{"grants/revoke", []string{"id", "1"}, 2, 6},
		{"grants/revoke", []string{"all", "yes"}, 0, 6},
		{"trust/revoke", []string{"which", "one", "root", "/r", "name", "server1"}, 0, 5},
		{"trust/revoke", []string{"root", "/nosuch", "which", "root"}, 0, 5},
		{"trust/revoke", []string{"which", "root", "root", "/r"}, 0, 3},
		{"trust/revoke", []string{"which", "all"}, 0, 0},
	} {
		s.post(one.path, one.form...)
		if grants, trust := left(); grants != one.grants || trust != one.trust {
			t.Errorf("%s %v: %d grants and %d trusted are left", one.path, one.form, grants, trust)
		}
	}
}

// TestReading: a large journal that is not read yet is not called empty: the page
// tells how far that is, and looks again.
func TestReading(t *testing.T) {
	percent, busy := 45, true
	s := serve(t, func(c *web.Config) { c.Reading = func() (int, bool) { return percent, busy } })
	s.logIn()
	for _, path := range []string{"journal", "journal?text=push", "journal/call?id=c"} {
		reply, text := s.send(sent{path: path})
		if !strings.Contains(text, `<progress max="100" value="45">45 %</progress>`) || strings.Contains(text, "nothing like that") || reply.Header.Get("Refresh") != "2" {
			t.Errorf("%s: %v\n%s", path, reply.Header, text)
		}
	}
	busy = false
	if reply, text := s.send(sent{path: "journal"}); strings.Contains(text, "<progress") || !strings.Contains(text, "nothing like that") || reply.Header.Get("Refresh") != "" {
		t.Errorf("%v\n%s", reply.Header, text)
	}
}

// TestJournal: calls are found by tool, session, effect, text and time, and each
// has its way.
func TestJournal(t *testing.T) {
	t.Run("read", func(t *testing.T) { testJournal(t, serve(t)) })
	t.Run("indexed", func(t *testing.T) {
		var s *site
		used := 0
		s = serve(t, func(c *web.Config) {
			c.Index = func(ctx context.Context) (*index.Index, bool) {
				used++
				x, err := index.Open(ctx, s.journal.Dir)
				if err == nil {
					err = x.Update(ctx, s.journal, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				return x, true
			}
		})
		if testJournal(t, s); used == 0 {
			t.Error("the index was not asked")
		}
	})
}

func testJournal(t *testing.T, s *site) {
	ctx := context.Background()
	s.logIn()
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Journal: s.journal}
	for i, command := range []string{"ls", "git push", "rm -rf /"} {
		input, _ := json.Marshal(map[string]any{"command": command})
		e.Step(ctx, sayso.Call{ID: fmt.Sprint("call", i), Session: fmt.Sprint("s", i), Agent: "claude", Tool: "Bash", Input: input, Root: "/r", Home: "/h"}, &sayso.SessionState{})
	}
	e.Step(ctx, sayso.Call{ID: "call3", Session: "s0", Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://example.com/Q"}`), Root: "/r", Home: "/h"}, &sayso.SessionState{})
	for query, want := range map[string]string{
		"":                                     "0123",
		"tool=bash":                            "012",
		"tool=WebFetch":                        "3",
		"session=s0":                           "03",
		"effect=deny":                          "2",
		"effect=ask":                           "1",
		"text=PUSH":                            "1",
		"text=example.com%2FQ":                 "3",
		"text=example.com%2Fq":                 "3",
		"since=2001-01-01T00:00":               "0123",
		"since=2999-01-01T00:00":               "",
		"until=2001-01-01T00:00":               "",
		"tool=bash&effect=allow&session=s0":    "0",
		"effect=no":                            "",
		"since=yesterday":                      "",
		"tool=bash&effect=allow&session=other": "",
	} {
		_, text := s.send(sent{path: "journal?" + query})
		got := ""
		for i := range 4 {
			if strings.Contains(text, fmt.Sprintf("journal/call?id=call%d", i)) {
				got += fmt.Sprint(i)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	_, text := s.send(sent{path: "journal/call?id=call2"})
	for _, want := range []string{"The agent asks", "<svg", "guards", "decides to deny", "guard.destroy", "Decision", "has no opinion", `<rect class="mark"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the way has no %q", want)
		}
	}
	if reply, _ := s.send(sent{path: "journal/call?id=call"}); reply.StatusCode != http.StatusNotFound {
		t.Errorf("another call: %s", reply.Status)
	}
}
