package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

// ids are those of grants, in order.
func ids(list []sayso.GivenGrant) string {
	var out []string
	for _, g := range list {
		out = append(out, g.ID)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// grantScopes: which grants reach which session of which workspace, and how one
// ends.
func grantScopes(t *testing.T, s Stores) {
	for i, scope := range []sayso.Scope{sayso.Once, sayso.ForTurn, sayso.ForSession, sayso.ForWorkspace, sayso.ForProfile} {
		must(t, s.AddGrant(ctx, "s", "/r", sayso.Grant{ID: fmt.Sprint(i), Scope: scope, Rule: "bash"}))
	}
	reach := func(session, root string) string {
		t.Helper()
		out := ""
		for _, g := range got(s.Grants(ctx, session, root))(t) {
			out += g.ID
		}
		return out
	}
	for _, one := range []struct{ session, root, want string }{
		{"s", "/r", "01234"}, {"other", "/r", "34"}, {"other", "/else", "4"}, {"s", "/else", "0124"}, {"", "", "4"},
	} {
		if out := reach(one.session, one.root); out != one.want {
			t.Errorf("%q in %q: %s, want %s", one.session, one.root, out, one.want)
		}
	}
	must(t, s.RevokeGrant(ctx, "4"))
	is(t, s.RevokeGrant(ctx, "4"), sayso.ErrNotFound)
	if out := reach("s", "/r"); out != "0123" {
		t.Errorf("left are %s", out)
	}
}

// grantWhole: a grant is listed with who gave it, when, for which call, until
// when, and where.
func grantWhole(t *testing.T, s Stores) {
	at := time.Date(2031, 2, 3, 4, 5, 6, 789000000, time.UTC)
	want := sayso.Grant{ID: "g", Rule: "bash(git push *)", Scope: sayso.ForTurn, Turn: 3, Expires: at.Add(time.Hour), By: "kim", Call: "call", Given: at}
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the suite does not fill %s", v.Type().Field(i).Name)
		}
	}
	must(t, s.AddGrant(ctx, "s", "/r", want))
	all := got(s.AllGrants(ctx))(t)
	if len(all) != 1 || !reflect.DeepEqual(all[0], sayso.GivenGrant{Grant: want, Session: "s", Root: "/r"}) {
		t.Errorf("kept %+v\nwant %+v", all, want)
	}
	if list := got(s.Grants(ctx, "s", "/r"))(t); len(list) != 1 || !reflect.DeepEqual(list[0], want) {
		t.Errorf("kept %+v\nwant %+v", list, want)
	}
	for now, counts := range map[time.Time]bool{at: true, at.Add(time.Hour): false} {
		if all[0].Counts(&sayso.Session{Now: now, Turn: 3}) != counts {
			t.Errorf("at %s it counts: %v", now, !counts)
		}
	}
}

// grantsCover: a grant by tool, exact input, command prefix, path, host or MCP
// server covers what it names, and nothing beside it, after it was kept.
func grantsCover(t *testing.T, s Stores) {
	call := func(tool, input string) sayso.Call {
		return sayso.Call{Tool: tool, Input: json.RawMessage(input), Root: "/repo", Home: "/home/dev", Session: "s"}
	}
	for i, one := range []struct {
		by, rule       string
		covers, misses sayso.Call
	}{
		{"tool", "deploy", call("deploy", `{"to":"x"}`), call("release", `{"to":"x"}`)},
		{"exact input", `deploy({"to": "test"})`, call("deploy", `{"to":"test"}`), call("deploy", `{"to":"live"}`)},
		{"command prefix", "bash(npm run *)", call("Bash", `{"command":"npm run build"}`), call("Bash", `{"command":"npm publish"}`)},
		{"path", "edit(//srv/shared/**)", call("Write", `{"file_path":"/srv/shared/a","content":""}`), call("Write", `{"file_path":"/srv/other","content":""}`)},
		{"host", "fetch(docs.example.com)", call("WebFetch", `{"url":"https://docs.example.com/a"}`), call("WebFetch", `{"url":"https://example.com"}`)},
		{"MCP server", "mcp(github/*)", call("mcp__github__get_issue", `{}`), call("mcp__gitlab__get_issue", `{}`)},
	} {
		id := fmt.Sprint("cover", i)
		must(t, s.AddGrant(ctx, "s", "/repo", sayso.Grant{ID: id, Rule: one.rule, Scope: sayso.ForSession}))
		grants, err := sayso.NewGrants(got(s.Grants(ctx, "s", "/repo"))(t))
		must(t, err)
		covered := func(c sayso.Call) bool {
			var a sayso.Analyzer
			of := &sayso.Case{Call: c, Facts: a.Analyze(c), Session: sayso.Session{Grants: grants, Now: time.Now()}}
			v, err := sayso.Granted().Check(ctx, of)
			must(t, err)
			return v.Speaks() && v.Effect() == sayso.Allow
		}
		if !covered(one.covers) {
			t.Errorf("by %s: %s does not cover %s", one.by, one.rule, one.covers.Input)
		}
		if covered(one.misses) {
			t.Errorf("by %s: %s covers %s", one.by, one.rule, one.misses.Input)
		}
		must(t, s.RevokeGrant(ctx, id))
	}
}

// grantDoubled: a grant without an id is refused, and one is kept once however
// often it is tried.
func grantDoubled(t *testing.T, s Stores) {
	if err := s.AddGrant(ctx, "s", "/r", sayso.Grant{Rule: "bash"}); err == nil {
		t.Error("a grant without an id is kept")
	}
	g := sayso.Grant{ID: "g", Rule: "bash(ls)", Scope: sayso.ForProfile}
	must(t, s.AddGrant(ctx, "s", "/r", g))
	g.Rule = "bash"
	is(t, s.AddGrant(ctx, "s", "/r", g), sayso.ErrExists)
	if all := got(s.AllGrants(ctx))(t); len(all) != 1 || all[0].Rule != "bash(ls)" {
		t.Errorf("%+v", all)
	}
}

// grantsAtOnce: grants that are given and revoked at once are all there, once, in
// an order; or gone, and only one has revoked them.
func grantsAtOnce(t *testing.T, s Stores) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	added, revoked := 0, 0
	for range 4 {
		wg.Go(func() {
			for n := range 10 {
				id := fmt.Sprintf("g%02d", n)
				err := s.AddGrant(ctx, "s", "/r", sayso.Grant{ID: id, Scope: sayso.ForWorkspace})
				if err != nil && !errors.Is(err, sayso.ErrExists) {
					t.Error(err)
				}
				mu.Lock()
				if err == nil {
					added++
				}
				mu.Unlock()
				if n%2 == 1 {
					continue
				}
				if err = s.RevokeGrant(ctx, id); err != nil && !errors.Is(err, sayso.ErrNotFound) {
					t.Error(err)
				}
				mu.Lock()
				if err == nil {
					revoked++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	all := got(s.AllGrants(ctx))(t)
	if len(all) != added-revoked || ids(all) != "g01 g03 g05 g07 g09" {
		t.Errorf("%d added, %d revoked, left are %s", added, revoked, ids(all))
	}
}
