//go:build unix

package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/internal/session"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// A worker is a process that does one thing over and over, says what it is about
// to do, and what it was told is done. It is killed somewhere in between.
type worker struct {
	name    string // unlike that of every other process
	dir     string
	retry   string // a call that the process before it did not bring to an end
	rnd     *rand.Rand
	db      *sqlite.DB
	journal journal.Folder
	seen    []sayso.Request
	n       int
}

const (
	envRole = "SAYSO_CHAOS_ROLE"
	root    = "/work"
)

var ctx = context.Background()

// roles are what workers do, by name.
var roles = map[string]func(*worker){
	"decider": (*worker).decide, "hook": (*worker).hook, "answerer": (*worker).answer, "granter": (*worker).grant, "counter": (*worker).count,
	"keeper": (*worker).keep, "ruler": (*worker).rule,
	"fill": (*worker).fill,
}

// work is a worker's life: role in the environment; name, folder, seed and the
// call to try again as arguments.
func work(role string, args []string) {
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		panic(err)
	}
	w := &worker{name: args[0], dir: args[1], retry: args[3], rnd: rand.New(rand.NewPCG(seed, 0)), journal: journal.Folder{Dir: args[1], MaxSize: 64 << 10}}
	w.check(func() (err error) { w.db, err = sqlite.Open(ctx, w.dir); return err }())
	for {
		roles[role](w)
	}
}

// check ends the worker at an error. None is expected, whoever is killed.
func (w *worker) check(err error) {
	if err != nil {
		w.say("error", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
}

// say tells the test something, in one write: it is told as a whole or not.
func (w *worker) say(words ...string) {
	_, _ = os.Stdout.WriteString(strings.Join(words, "\t") + "\n") // nobody listens: the test is over
}

// id is one that no other process uses.
func (w *worker) id() string {
	w.n++
	return fmt.Sprintf("%s-%d", w.name, w.n)
}

func (w *worker) engine(timeout time.Duration) sayso.Engine {
	return sayso.Engine{
		Preset: preset.Native(preset.Policy{}), Approver: &approve.Queue{Store: w.db, Timeout: timeout},
		Sessions: session.Folder{Dir: w.dir}, Grants: w.db, Journal: w.journal,
	}
}

func call(id, sessionID, command string) sayso.Call {
	input, _ := json.Marshal(map[string]string{"command": command})
	return sayso.Call{ID: id, Session: sessionID, Tool: "bash", Input: input, Root: root, Home: "/home/dev"}
}

// decide puts a call to an engine, which may ask, and runs it if it may.
func (w *worker) decide() {
	id := w.retry
	if w.retry = ""; id == "" {
		id = w.id()
	}
	// What it is follows from its id, so that a call that is tried again is the
	// same one.
	command := "ls"
	if len(id)%2 == 0 || id[len(id)-1] > '2' {
		command = "git push origin " + id
	}
	e := w.engine(500 * time.Millisecond)
	for range 1 + w.rnd.IntN(2) { // a call that is made again is asked again
		w.say("want", id)
		p, d, err := e.Authorize(ctx, call(id, "decider"+id[:1], command))
		w.check(err)
		if _, err := p.Use(); err == nil {
			w.say("ran", id)
		}
		w.say("decided", id, d.Effect.String())
	}
}

// hook decides as a hook does: under the lock of its session.
func (w *worker) hook() {
	id := w.id()
	e := w.engine(0)
	command := "ls " + id
	if w.rnd.IntN(3) == 0 {
		command = "rm -rf /"
	}
	var d sayso.Decision
	w.check(session.Folder{Dir: w.dir}.Update(ctx, "hooks", func(st *sayso.SessionState) error {
		st.Turn++
		d = e.Step(ctx, call(id, "hooks", command), st)
		return nil
	}))
	w.say("stepped", id, d.Effect.String())
	if d.Effect == sayso.Allow {
		w.say("ran", id)
	}
}

// answer answers what waits.
func (w *worker) answer() {
	list, err := w.db.Waiting(ctx)
	w.check(err)
	desk := manage.Desk{Approvals: w.db, Journal: w.journal, By: w.id(), Channel: "chaos"}
	w.seen = append(w.seen, list...)
	if n := len(w.seen); n > 0 { // somebody, or oneself, has been quicker
		w.seen = w.seen[max(0, n-10):]
		list = append(list, w.seen[w.rnd.IntN(len(w.seen))])
	}
	for _, r := range list {
		yes := w.rnd.IntN(2) == 0
		desk.By = w.id()
		_, err := desk.Answer(ctx, r, yes, "")
		switch {
		case err == nil:
			w.say("answered", r.ID, desk.By, fmt.Sprint(yes))
		case errors.Is(err, sayso.ErrAnswered), errors.Is(err, sayso.ErrLate):
		default:
			w.check(err)
		}
	}
	time.Sleep(time.Millisecond)
}

// grant gives grants, and takes some of them back.
func (w *worker) grant() {
	g := sayso.Grant{ID: w.id(), Rule: "bash(make " + w.name + ")", Scope: sayso.ForWorkspace, By: w.name, Given: time.Now()}
	w.check(w.journal.Record(ctx, sayso.Record{Kind: sayso.RecordGrant, Grant: &g, Note: g.ID}))
	w.check(w.db.AddGrant(ctx, "granter", "/granted", g))
	w.say("granted", g.ID)
	if w.rnd.IntN(4) == 0 {
		return
	}
	w.say("revoking", g.ID)
	desk := manage.Desk{Grants: w.db, Journal: w.journal, By: w.name}
	w.check(desk.RevokeGrant(ctx, sayso.GivenGrant{Grant: g}))
	w.say("revoked", g.ID)
}

// count changes one session, in the database and in its file, and trusts.
func (w *worker) count() {
	w.say("counting", "")
	for _, in := range []sayso.Sessions{w.db, session.Folder{Dir: w.dir}} {
		w.check(in.Update(ctx, "counter", func(st *sayso.SessionState) error { st.Turn++; return nil }))
	}
	w.say("counted", "")
	if w.rnd.IntN(2) > 0 {
		return
	}
	id := w.id()
	w.check(w.db.Trust(ctx, root, id, id))
	w.say("trusted", id)
}

// own are the places beside the database in which grants are kept: the profile,
// and the manifest of a workspace.
func own(dir string, db *sqlite.DB) (*profile.Grants, *manifest.Mirror, string) {
	p := &profile.Grants{GrantStore: db, Profile: &profile.Store{Dir: dir, Key: profile.Key{File: filepath.Join(filepath.Dir(dir), "config", "profile.key")}}}
	return p, &manifest.Mirror{GrantStore: db, Manifest: manifest.Files{State: dir}}, filepath.Join(filepath.Dir(dir), "repo")
}

// keep keeps grants in the profile, and in a manifest.
func (w *worker) keep() {
	p, m, repo := own(w.dir, w.db)
	g := sayso.Grant{ID: w.id(), Rule: "bash(make)", Scope: sayso.ForProfile}
	w.check(p.AddGrant(ctx, "keeper", root, g))
	w.say("kept", g.ID)
	g = sayso.Grant{ID: w.id(), Rule: "allow tool " + w.name, Scope: sayso.ForWorkspace}
	w.check(m.AddGrant(ctx, "keeper", repo, g))
	w.say("mirrored", g.ID, g.Rule)
}

// rule keeps rules for a workspace, which deny or allow, and removes some of them.
func (w *worker) rule() {
	desk := manage.Desk{Rules: w.db, Journal: w.journal, By: w.name, Channel: "chaos"}
	r := sayso.Rule{Effect: sayso.Deny, Text: "bash(" + w.id() + ")"}
	if w.rnd.IntN(2) == 0 {
		r.Effect = sayso.Allow
	}
	w.check(desk.AddRule(ctx, root, r))
	w.say("ruled", r.Text)
	if w.rnd.IntN(3) > 0 {
		return
	}
	w.say("unruling", r.Text)
	w.check(desk.RemoveRule(ctx, root, r))
	w.say("unruled", r.Text)
}
