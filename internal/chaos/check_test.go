//go:build unix

package chaos_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/session"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// works are what the processes say that they have done.
var works = []string{"decided", "ran", "stepped", "answered", "granted", "revoked", "counted", "trusted", "kept", "mirrored", "ruled", "unruled"}

// busy reports whether each of them was done. On a slow machine most processes are
// killed before they do anything.
func (s *story) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, word := range works {
		if len(s.said[word]) == 0 {
			return false
		}
	}
	return true
}

// check compares what is kept with what the processes were told.
func (s *story) check(t *testing.T, dir string, killed int) {
	t.Helper()
	db, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test
	for _, word := range works {
		t.Logf("%5d %s", len(s.said[word]), word)
		if len(s.said[word]) == 0 && killed >= 200 { // a few may be too few
			t.Errorf("nothing was %s: the processes did nothing", word)
		}
	}
	s.grants(t, db)
	s.keeps(t, db, dir)
	s.rules(t, db)
	s.answers(t, db)
	s.counts(t, db, dir)
	s.records(t, dir)
}

// grants: those that were given are there, once, unless they were revoked.
func (s *story) grants(t *testing.T, db *sqlite.DB) {
	all, err := db.AllGrants(ctx)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, g := range all {
		times[g.ID]++
	}
	revoking := s.ids("revoking")
	for _, id := range s.ids("granted") {
		if times[id] != 1 && !slices.Contains(revoking, id) {
			t.Errorf("grant %s is there %d times", id, times[id])
		}
	}
	for _, id := range s.ids("revoked") {
		if times[id] != 0 {
			t.Errorf("grant %s was revoked and is there", id)
		}
	}
}

// keeps: what was kept in the profile and in the manifest is there, once.
func (s *story) keeps(t *testing.T, db *sqlite.DB, dir string) {
	p, m, repo := own(dir, db)
	all, err := p.AllGrants(ctx)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, g := range all {
		times[g.ID]++
	}
	rules, err := m.Manifest.Rules(ctx, repo)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		times[r.Text]++
	}
	for _, words := range append(s.said["kept"], s.said["mirrored"]...) {
		for _, what := range words { // the grant, and its rule in the manifest
			if times[what] != 1 {
				t.Errorf("%s is there %d times", what, times[what])
			}
		}
	}
}

// rules: those that were kept for a workspace are there, once, unless they were
// removed.
func (s *story) rules(t *testing.T, db *sqlite.DB) {
	all, err := db.Rules(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, r := range all {
		times[r.Text]++
	}
	going := s.ids("unruling")
	for _, text := range s.ids("ruled") {
		if times[text] != 1 && !slices.Contains(going, text) {
			t.Errorf("rule %s is there %d times", text, times[text])
		}
	}
	for _, text := range s.ids("unruled") {
		if times[text] != 0 {
			t.Errorf("rule %s was removed and is there", text)
		}
	}
}

// answers: each request has one that counts, and it is the one of whom that was
// told.
func (s *story) answers(t *testing.T, db *sqlite.DB) {
	first := map[string]string{}
	for _, words := range s.said["answered"] {
		id, by := words[0], words[1]
		if first[id] != "" {
			t.Errorf("request %s: both %s and %s were told that their answer counts", id, first[id], by)
		}
		first[id] = by
		err := db.Answer(ctx, sayso.Answer{RequestID: id})
		var kept *sayso.AnsweredError
		if !errors.As(err, &kept) || kept.Answer.By != by {
			t.Errorf("request %s: the answer of %s is lost: %v", id, by, err)
		}
	}
}

// counts: no update of a session and no trust is lost, and none is doubled.
func (s *story) counts(t *testing.T, db *sqlite.DB, dir string) {
	for name, in := range map[string]sayso.Sessions{"database": db, "file": session.Folder{Dir: dir}} {
		st, err := in.Get(ctx, "counter")
		if least, most := len(s.said["counted"]), len(s.said["counting"]); err != nil || st.Turn < least || st.Turn > most {
			t.Errorf("%s: counted to %d, want %d to %d (%v)", name, st.Turn, least, most, err)
		}
	}
	for _, id := range s.ids("trusted") {
		if ok, err := db.Trusted(ctx, root, id, id); err != nil || !ok {
			t.Errorf("trust in %s is lost: %v", id, err)
		}
	}
}

// A history is what the journal has of a call.
type history struct {
	requests, allows, denies, asks, yeses, noes int
	by                                          map[string]bool
	doubled                                     string // whose answer was used twice
}

// records: the chain is whole, and what was decided, granted and answered is in
// it, once.
func (s *story) records(t *testing.T, dir string) {
	folder := journal.Folder{Dir: dir}
	report, err := folder.Verify(nil)
	if err != nil || !report.OK() {
		t.Errorf("the journal: %+v %v", report.Problems, err)
	}
	t.Logf("%5d records in %d files", report.Records, report.Files)
	calls, noted := map[string]*history{}, map[string]int{}
	for line, err := range folder.All() {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Kind == sayso.RecordGrant && line.Note != "":
			noted[line.Note]++
		case line.Kind == sayso.RecordRule:
			noted[line.Rule.Text]++
		case line.Kind == sayso.RecordRevoke && line.Rule != nil:
			noted["revoke "+line.Rule.Text]++
		case line.Kind == sayso.RecordRevoke:
			noted["revoke "+line.Grant.ID]++
		case line.Kind == sayso.RecordAnswer && line.Note == manage.Said:
			noted[line.Answer.By]++
		}
		if line.Call != "" {
			h := calls[line.Call]
			if h == nil {
				h = &history{by: map[string]bool{}}
				calls[line.Call] = h
			}
			h.add(&line.Record)
		}
	}
	s.calls(t, calls)
	for _, id := range append(s.ids("granted"), s.ids("ruled")...) {
		if noted[id] != 1 {
			t.Errorf("grant or rule %s is recorded %d times", id, noted[id])
		}
	}
	for _, id := range append(s.ids("revoked"), s.ids("unruled")...) {
		if noted["revoke "+id] != 1 {
			t.Errorf("that %s was taken back is recorded %d times", id, noted["revoke "+id])
		}
	}
	for _, words := range s.said["answered"] {
		if noted[words[1]] != 1 {
			t.Errorf("the answer of %s is recorded %d times", words[1], noted[words[1]])
		}
	}
}

func (h *history) add(r *sayso.Record) {
	if r.Kind == sayso.RecordAnswer && r.Note != manage.Said {
		if h.by[r.Answer.By] {
			h.doubled = r.Answer.By
		}
		h.by[r.Answer.By] = true
	}
	switch {
	case r.Kind == sayso.RecordRequest:
		h.requests++
	case r.Kind == sayso.RecordDecision:
		switch r.Decision.Effect {
		case sayso.Allow:
			h.allows++
		case sayso.Ask:
			h.asks++
		default:
			h.denies++
		}
	case r.Kind == sayso.RecordAnswer && r.Note != manage.Said && r.Answer.Yes:
		h.yeses++
	case r.Kind == sayso.RecordAnswer && r.Note != manage.Said:
		h.noes++
	}
}

// calls: each that ran was allowed before, by a yes of its own if it asked, and
// each decision is there as it was told.
func (s *story) calls(t *testing.T, calls map[string]*history) {
	ran := map[string]int{}
	for _, id := range s.ids("ran") {
		ran[id]++
	}
	for id, times := range ran {
		h := calls[id]
		switch {
		case h == nil || h.allows < times:
			t.Errorf("call %s ran %d times without a record of it: %+v", id, times, h)
		case h.asks > 0 && h.yeses < times:
			t.Errorf("call %s ran %d times with %d times yes", id, times, h.yeses)
		}
	}
	for id, h := range calls {
		if h.doubled != "" {
			t.Errorf("call %s: the answer of %s was used twice", id, h.doubled)
		}
	}
	told := map[[2]string]int{}
	for _, word := range []string{"decided", "stepped"} {
		for _, words := range s.said[word] {
			id, effect := words[0], words[1]
			told[[2]string{id, effect}]++
			h := calls[id]
			switch {
			case h == nil:
				t.Errorf("call %s was %s and is not in the journal", id, word)
			case h.times(effect) < told[[2]string{id, effect}]:
				t.Errorf("call %s was %s to %s, and that is not in the journal: %+v", id, word, effect, h)
			case word == "stepped" && (h.requests != 1 || h.allows+h.denies+h.asks != 1):
				t.Errorf("call %s is doubled: %+v", id, h)
			}
		}
	}
}

// times is how often a call was decided so.
func (h *history) times(effect string) int {
	return map[string]int{"allow": h.allows, "deny": h.denies, "ask": h.asks}[effect]
}
