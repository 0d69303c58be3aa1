package otlp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
)

// A collector keeps what it is sent, and may refuse.
type collector struct {
	records []LogRecord
	spans   []Span
	sizes   []int // of the requests
	refuse  func(Signal) error
}

func (c *collector) send(_ context.Context, signal Signal, body []byte) (Partial, error) {
	if c.refuse != nil {
		if err := c.refuse(signal); err != nil {
			return Partial{}, err
		}
	}
	var got struct {
		Logs []struct {
			In []struct {
				Records []LogRecord `json:"logRecords"`
			} `json:"scopeLogs"`
		} `json:"resourceLogs"`
		Spans []struct {
			In []struct {
				Spans []Span `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return Partial{}, err
	}
	n := 0
	for _, l := range got.Logs {
		c.records, n = append(c.records, l.In[0].Records...), n+len(l.In[0].Records)
	}
	for _, s := range got.Spans {
		c.spans, n = append(c.spans, s.In[0].Spans...), n+len(s.In[0].Spans)
	}
	if n == 0 {
		return Partial{}, errors.New("an empty request")
	}
	c.sizes = append(c.sizes, n)
	return Partial{}, nil
}

// ids are the spans that were sent, sorted.
func (c *collector) ids() []string {
	var out []string
	for _, s := range c.spans {
		out = append(out, s.Trace+s.ID+s.Name)
	}
	slices.Sort(out)
	return out
}

// seqs are the numbers of the records that were sent.
func (c *collector) seqs() string {
	var out []string
	for _, r := range c.records {
		for _, a := range r.Attributes {
			if a.Key == "sayso.record.seq" {
				out = append(out, fmt.Sprint(*a.Value.Int))
			}
		}
	}
	return strings.Join(out, " ")
}

// lines are the records of a file of the tests.
func lines(t *testing.T, names ...string) []string {
	t.Helper()
	var out []string
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", name+".records"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, slices.Collect(strings.Lines(string(text)))...)
	}
	return out
}

// opened is the cursor of a journal.
func opened(t *testing.T, f journal.Folder, anew bool) *Cursor {
	t.Helper()
	c, err := OpenCursor(t.Context(), f.Dir, "http://localhost:4318/v1/logs", anew)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run exports once, as a process of its own would.
func run(t *testing.T, f journal.Folder, c *collector, change func(*Exporter)) (Report, error) {
	t.Helper()
	x := exporter(t, f, c.send)
	x.Cursor = opened(t, f, false)
	defer x.Cursor.Close() //nolint:errcheck // what it says is written
	if change != nil {
		change(x)
	}
	return x.Run(t.Context(), false)
}

// TestProof: whoever has the bodies can check the chain without the journal.
func TestProof(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "ran"), ""))
	var c collector
	if _, err := run(t, f, &c, nil); err != nil {
		t.Fatal(err)
	}
	prev := journal.Genesis
	for i, r := range c.records {
		body := *r.Body.Text
		head, tail, ok := strings.Cut(body, `,"hash":"`)
		sum := sha256.Sum256([]byte(head))
		hash := hex.EncodeToString(sum[:])
		if !ok || tail != hash+`"}` || !strings.Contains(head, `"prev":"`+prev+`"`) {
			t.Errorf("record %d does not follow %s: %s", i+1, prev, body)
		}
		prev = hash
	}
	if len(c.records) != 11 {
		t.Errorf("%d records", len(c.records))
	}
}

// TestRestart: an export that ends after any record, and goes on as another process,
// sends what one that never ends does: nothing twice, nothing not at all.
func TestRestart(t *testing.T) {
	all := lines(t, "steps", "preview", "ran", "hooked", "denied", "managed")
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(a[:28], b[:28]) }) // calls that overlap
	var whole collector
	if _, err := run(t, recorded(t, strings.Join(all, "")), &whole, nil); err != nil {
		t.Fatal(err)
	}
	f := recorded(t, "")
	f.MaxSize = 4 << 10 // so that it goes on in other files
	if err := os.MkdirAll(filepath.Join(f.Dir, "export"), 0o700); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(f.Dir, "export", "."+filepath.Base(cursorFile(f.Dir, "http://localhost:4318/v1/logs"))+".123")
	if err := os.WriteFile(half, []byte("{"), 0o600); err != nil { // by one that was killed
		t.Fatal(err)
	}
	var parts collector
	for _, line := range all {
		write(t, f, line)
		if _, err := run(t, f, &parts, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run(t, f, &parts, func(x *Exporter) { x.Clock = func() time.Time { return at.AddDate(0, 0, 2) } }); err != nil { // nobody waits any more
		t.Fatal(err)
	}
	if !slices.Equal(parts.ids(), whole.ids()) || len(whole.spans) < 20 {
		t.Errorf("%d spans\n%q, want %d\n%q", len(parts.spans), parts.ids(), len(whole.spans), whole.ids())
	}
	files, err := f.Files()
	if _, gone := os.Lstat(half); err != nil || len(files) < 3 || gone == nil {
		t.Errorf("%d files, %v; what was left half: %v", len(files), err, gone)
	}
	if parts.seqs() != whole.seqs() {
		t.Errorf("records %s, want %s", parts.seqs(), whole.seqs())
	}
	for i := range whole.records {
		if a, b := whole.records[i], parts.records[i]; a.Trace != b.Trace || a.Span != b.Span {
			t.Errorf("record %d is in %s %s, want %s %s", i+1, b.Trace, b.Span, a.Trace, a.Span)
		}
	}
	parents := map[string]bool{}
	for _, s := range whole.spans {
		parents[s.ID] = true
	}
	for _, s := range whole.spans {
		if s.Parent != "" && !parents[s.Parent] || s.End < s.Start || s.Start == 0 {
			t.Errorf("%s has the parent %s, and is from %d to %d", s.Name, s.Parent, s.Start, s.End)
		}
	}
}

// TestRefused: what is not taken is sent the next time, and what was taken is not.
func TestRefused(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "denied", "ran"), ""))
	var c collector
	down := errors.New("it is down")
	for _, down := range []struct {
		signal Signal
		err    error
	}{{Logs, down}, {Traces, down}, {Traces, down}, {"", nil}, {Logs, down}} {
		c.refuse = func(s Signal) error {
			if s == down.signal {
				return down.err
			}
			return nil
		}
		if _, err := run(t, f, &c, nil); err != nil && down.err == nil || err != nil && !errors.Is(err, down.err) {
			t.Fatal(err)
		}
	}
	if got := c.seqs(); got != "1 2 3 4 5 6 7 8 9 10 11 12 13" {
		t.Errorf("records %s", got)
	}
	if ids := c.ids(); len(ids) != 7 || len(slices.Compact(slices.Clone(ids))) != 7 {
		t.Errorf("spans %q", ids)
	}
	x := exporter(t, f, c.send)
	x.Cursor = opened(t, f, true)
	defer x.Cursor.Close() //nolint:errcheck // what it says is written
	c.refuse = nil
	if _, err := x.Run(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if ids := c.ids(); len(ids) != 14 || len(slices.Compact(ids)) != 7 {
		t.Errorf("once more, the spans are %q", ids)
	}
}

// TestBatches: no request has more than it may, and none is empty.
func TestBatches(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "steps", "preview", "ran"), ""))
	var c collector
	report, err := run(t, f, &c, func(x *Exporter) { x.Most = 3 })
	if err != nil || slices.Max(c.sizes) > 3 || report.Requests != len(c.sizes) || report.Records != 28 || report.Spans != len(c.spans) {
		t.Errorf("requests of %v, %+v, %v", c.sizes, report, err)
	}
}

// TestOpen: a call of which nothing more is heard is sent after a while; one that is
// waited for is not before the next day.
func TestOpen(t *testing.T) {
	quiet := lines(t, "hooked")[5:7] // allowed, and no result
	waits := lines(t, "ran")[:3]
	f := recorded(t, strings.Join(append(quiet, strings.ReplaceAll(strings.Join(waits, ""), "05:06:07", "05:06:19")), ""))
	var c collector
	for _, test := range []struct {
		after       time.Duration
		spans, open int
	}{{0, 0, 2}, {30 * time.Minute, 0, 2}, {2 * time.Hour, 2, 1}, {3 * time.Hour, 2, 1}, {25 * time.Hour, 5, 0}} {
		report, err := run(t, f, &c, func(x *Exporter) { x.Clock = func() time.Time { return at.Add(test.after) } })
		if err != nil || len(c.spans) != test.spans || report.Open != test.open {
			t.Errorf("after %s: %d spans, %+v, %v", test.after, len(c.spans), report, err)
		}
	}
	if got := c.spans[0].Attributes; !slices.ContainsFunc(got, func(a Attr) bool { return a.Key == "sayso.outcome" && *a.Value.Text == "unknown" }) {
		t.Errorf("attributes %+v", got)
	}
}

// TestSameID: some agents name a call by what it does. The same call again is another
// trace, and what comes late is told to belong to the one that it is of.
func TestSameID(t *testing.T) {
	one := strings.Join(lines(t, "hooked")[5:8], "")
	late := strings.Replace(lines(t, "ran")[6], `"call":"R1","session"`, `"call":"h2","session"`, 1)
	f := recorded(t, one+late+strings.ReplaceAll(one, "05:06:1", "05:06:3"))
	var c collector
	if _, err := run(t, f, &c, nil); err != nil {
		t.Fatal(err)
	}
	if r := c.records; len(c.spans) != 6 || r[3].Trace != r[0].Trace || r[3].Span != r[0].Span || r[4].Trace == r[0].Trace || r[6].Trace != r[4].Trace {
		t.Errorf("%d spans, %+v", len(c.spans), r)
	}
}

// TestWanted: a call is a trace if one of its records is wanted, and only these are log
// records.
func TestWanted(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "denied", "ran"), ""))
	var c collector
	wants := func(x *Exporter) {
		x.Wants = func(l *journal.Line) bool { return l.Decision != nil && l.Decision.Effect.String() == "deny" }
	}
	if _, err := run(t, f, &c, wants); err != nil || c.seqs() != "2" || len(c.spans) != 2 {
		t.Errorf("records %s, %d spans, %v", c.seqs(), len(c.spans), err)
	}
}

// TestOtherJournal: an export does not go on in a journal that is not the one it came
// from, nor where another one is at work.
func TestOtherJournal(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "denied"), ""))
	var c collector
	if _, err := run(t, f, &c, nil); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{
		strings.Join(lines(t, "ran"), ""),
		strings.Replace(strings.Join(lines(t, "denied"), ""), "Delete everything", "delete everything", 1), // in the same places
	} {
		if err := os.RemoveAll(filepath.Join(f.Dir, "journal")); err != nil {
			t.Fatal(err)
		}
		write(t, f, other)
		if _, err := run(t, f, &c, nil); err == nil || !strings.Contains(err.Error(), "up to record 2") || !strings.Contains(err.Error(), "--again") {
			t.Errorf("another journal: %v", err)
		}
	}
	held := opened(t, f, true)
	defer held.Close() //nolint:errcheck // nothing was written
	if _, err := OpenCursor(t.Context(), f.Dir, "http://localhost:4318/v1/logs", false); err == nil || !strings.Contains(err.Error(), "another sayso exports") {
		t.Errorf("two at once: %v", err)
	}
	if err := os.WriteFile(held.file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LookAt(f.Dir, "http://localhost:4318/v1/logs", false); err == nil || !strings.Contains(err.Error(), "--again") {
		t.Errorf("a damaged cursor: %v", err)
	}
	if info, err := os.Stat(held.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestFollow: one that follows sends what is written later, and ends without an error.
func TestFollow(t *testing.T) {
	f := recorded(t, strings.Join(lines(t, "denied"), ""))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var c collector
	wrote := false
	x := exporter(t, f, func(ctx context.Context, s Signal, body []byte) (Partial, error) {
		part, err := c.send(ctx, s, body)
		if s == Traces && !wrote {
			wrote = true
			write(t, f, strings.Join(lines(t, "ran"), ""))
		} else if len(c.spans) == 7 {
			cancel()
		}
		return part, err
	})
	x.Cursor = opened(t, f, false)
	defer x.Cursor.Close() //nolint:errcheck // what it says is written
	if report, err := x.Run(ctx, true); err != nil || report.Records != 13 || report.Spans != 7 || report.Last != 13 {
		t.Errorf("%+v, %v", report, err)
	}
}
