package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
)

// TestIndexedLog: with the index sayso log shows what it shows without it, whatever
// is asked for and whatever has happened to the journal or the index since.
func TestIndexedLog(t *testing.T) {
	root, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	j := journal.Folder{Dir: filepath.Join(t.TempDir(), "state"), MaxSize: 20 << 10}
	start := time.Now().Add(-time.Hour)
	n := 0
	grow := func(calls int) {
		t.Helper()
		for range calls {
			n++
			j.Clock = func() time.Time { return start.Add(time.Duration(n) * time.Second) }
			if err := j.Record(context.Background(), someRecords(random, n, []string{root, link, "/elsewhere"})...); err != nil {
				t.Fatal(err)
			}
		}
	}
	compare := func(what string) {
		t.Helper()
		for _, args := range logQueries(start, n) {
			sameLog(t, what, j, root, args)
		}
	}
	record := func(r sayso.Record) {
		t.Helper()
		r.Call, r.Session = "twice", "a"
		if err := j.Record(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	grow(150)
	for _, tool := range []string{"Bash", "Read"} { // what the last request says counts, also for what comes later
		record(sayso.Record{Kind: sayso.RecordRequest, Request: &sayso.Call{Tool: tool, Root: root}})
	}
	compare("at first")
	compare("again")
	record(sayso.Record{Kind: sayso.RecordResult, Result: &sayso.Result{Ran: true}})
	grow(200)
	compare("grown")
	files, err := j.Files()
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for what, name := range map[string]string{"an old file was changed": files[1].Name, "the last file was changed": files[len(files)-1].Name} {
		spoil(t, name, func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"tool":"Bash"`), []byte(`"tool":"Read"`), 1)
		})
		compare(what)
	}
	spoil(t, index.File(j.Dir), func([]byte) []byte { return []byte("no database at all") })
	compare("the index was spoiled")
	if err := os.Chmod(index.File(j.Dir), 0o666); err != nil {
		t.Fatal(err)
	}
	compare("others could have written the index")
	if err := os.Remove(index.File(j.Dir)); err != nil {
		t.Fatal(err)
	}
	compare("the index was removed")
	if err := os.Remove(files[2].Name); err != nil {
		t.Fatal(err)
	}
	compare("a file was removed")
}

// someRecords are the records of one call, or of what people manage.
func someRecords(random *rand.Rand, n int, roots []string) []sayso.Record {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	id, session := fmt.Sprintf("call-%d", n), pick("a", "b")
	if random.IntN(10) == 0 {
		return []sayso.Record{{Kind: sayso.RecordTrust, Root: pick(roots...), Trust: &sayso.Trust{Root: "/x"}}}
	}
	if random.IntN(10) == 0 { // of an earlier call
		return []sayso.Record{{Kind: sayso.RecordResult, Call: fmt.Sprintf("call-%d", 1+random.IntN(n)), Session: session, Result: &sayso.Result{Ran: true}}}
	}
	if random.IntN(5) == 0 { // agents may use an id twice
		id = fmt.Sprintf("call-%d", 1+random.IntN(n))
	}
	call := sayso.Call{ID: id, Tool: pick("Bash", "bash", "Read", "Ünlü"), Root: pick(roots...), Input: []byte(`{"command":"ls"}`)}
	d := sayso.Decision{Effect: []sayso.Effect{sayso.Allow, sayso.Ask, sayso.Deny}[random.IntN(3)], Reason: "so"}
	return []sayso.Record{
		{Kind: sayso.RecordRequest, Call: id, Session: session, Request: &call},
		{Kind: sayso.RecordDecision, Call: id, Session: session, Decision: &d},
	}
}

func logQueries(start time.Time, n int) [][]string {
	at := func(i int) string { return start.Add(time.Duration(i) * time.Second).Format(time.RFC3339Nano) }
	return [][]string{
		{"--session", "a"},
		{"--tool", "BASH"},
		{"--tool", "ÜNLÜ"},
		{"--tool", "none"},
		{"--here"},
		{"--here", "--tool", "read", "--effect", "deny"},
		{"--effect", "ask"},
		{"--kind", "result"},
		{"--kind", "trust", "--here"},
		{"--call", "call-7"},
		{"--since", at(n / 2)},
		{"--until", at(n / 3), "--session", "b"},
		{"--last", "5"},
		{"--last", "3", "--here", "--kind", "request"},
		{"--since", at(n + 100)},
	}
}

// sameLog compares both ways to show records.
func sameLog(t *testing.T, what string, j journal.Folder, root string, args []string) {
	t.Helper()
	t.Chdir(root)
	show := func(indexed bool) string {
		var o logOptions
		flags := flag.NewFlagSet("log", flag.ContinueOnError)
		o.register(flags)
		if err := flags.Parse(append(args, "--json")); err != nil {
			t.Fatal(err)
		}
		if err := o.check(time.Now()); err != nil {
			t.Fatal(err)
		}
		o.root = map[bool]string{true: root, false: ""}[o.here]
		var out, errs strings.Builder
		std := IO{Out: &out, Err: &errs}
		if indexed {
			if done, err := o.printIndexed(context.Background(), j, std); err != nil || !done {
				t.Errorf("%s: %v: %v %s", what, args, err, errs.String())
			}
		} else if err := o.printAll(context.Background(), j.All(), o.wants, std); err != nil {
			t.Errorf("%s: %v: %v", what, args, err)
		}
		told := out.String()
		for line := range strings.Lines(errs.String()) {
			if !strings.HasPrefix(line, "sayso: indexing the journal: ") { // how far it is, on a machine that takes long
				told += line
			}
		}
		return told
	}
	if got, want := show(true), show(false); got != want {
		t.Errorf("%s: %v: %d lines with the index, %d without:\n%s\n%s", what, args, strings.Count(got, "\n"), strings.Count(want, "\n"), got, want)
	}
}

func spoil(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestIndexOfCalls: sayso trace finds calls by how their ids start, with the index
// and without.
func TestIndexOfCalls(t *testing.T) {
	j := journal.Folder{Dir: filepath.Join(t.TempDir(), "state")}
	for _, id := range []string{"a%b", "a%", "aX", "ab", "é1", "b"} {
		if err := j.Record(context.Background(), sayso.Record{Kind: sayso.RecordRequest, Call: id, Request: &sayso.Call{Tool: "bash"}}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := upToDate(context.Background(), j, IO{Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close() //nolint:errcheck // it was only read
	for start, want := range map[string]string{"a": "a%b a% aX ab", "a%": "a%b a%", "é": "é1", "": "a%b a% aX ab é1 b", "c": ""} {
		var ids []string
		for line, err := range j.Read(x.Find(context.Background(), index.Query{CallStart: start})) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, line.Call)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: %s", start, got)
		}
	}
}

// TestProgress: nothing is told of what is quick; on a terminal one line changes and
// goes away, elsewhere there are lines of their own.
func TestProgress(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		want     string
	}{{true, "\rsayso: indexing the journal: [####    ] 50 % of 4 MiB\x1b[K\r\x1b[K"}, {false, "sayso: indexing the journal: 50 % of 4 MiB\n"}} {
		var out strings.Builder
		p := progress{does: "indexing", out: &out, terminal: test.terminal, next: time.Now().Add(time.Hour)}
		p.told(1<<20, 4<<20)
		p.end()
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
		p.next = time.Time{}
		p.told(2<<20, 4<<20)
		p.told(3<<20, 4<<20)
		p.end()
		if out.String() != test.want {
			t.Errorf("%q", out.String())
		}
	}
}

// TestNarrowProgress: the bar fits a terminal of 60 columns with one left, else it
// would not be drawn over.
func TestNarrowProgress(t *testing.T) {
	for _, does := range []string{"indexing", "verifying"} {
		var out strings.Builder
		p := progress{does: does, out: &out, terminal: true}
		p.told(9999<<20, 9999<<20)
		if text := strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K"); len(text) > 59 || !strings.Contains(text, "[########] 100 %") {
			t.Errorf("%d columns: %s", len(text), text)
		}
	}
}
