package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

var (
	ctx = context.Background()
	day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

func newFolder(t *testing.T) journal.Folder {
	t.Helper()
	return journal.Folder{Dir: filepath.Join(t.TempDir(), "sayso")}
}

// record writes records with these ids, one write each.
func record(t *testing.T, f journal.Folder, ids ...string) {
	t.Helper()
	for i, id := range ids {
		if err := f.Record(ctx, sayso.Record{Time: day.Add(time.Duration(i) * time.Second), Kind: sayso.RecordRequest, Call: id}); err != nil {
			t.Fatal(err)
		}
	}
}

func verify(t *testing.T, f journal.Folder) journal.Report {
	t.Helper()
	r, err := f.Verify(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTold: whoever waits is told how far it is, up to the end.
func TestTold(t *testing.T) {
	f := journal.Folder{Dir: t.TempDir()}
	if err := os.Chmod(f.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	list := make([]sayso.Record, 2000)
	for i := range list {
		list[i] = sayso.Record{Time: day, Kind: sayso.RecordRequest, Call: "c"}
	}
	if err := f.Record(ctx, list...); err != nil {
		t.Fatal(err)
	}
	var done, all []int64
	if r, err := f.Verify(func(d, a int64) { done, all = append(done, d), append(all, a) }); err != nil || !r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	if len(done) != 2 || done[0] <= 0 || done[0] >= all[0] || done[1] != all[1] {
		t.Errorf("%v of %v", done, all)
	}
}

// TestKept: a journal that was written anew as a whole has another chain, which shows
// to whoever noted a hash of the first one.
func TestKept(t *testing.T) {
	first, second := journal.Folder{Dir: t.TempDir()}, journal.Folder{Dir: t.TempDir()}
	for _, f := range []journal.Folder{first, second} {
		if err := os.Chmod(f.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	record(t, first, "a", "b")
	noted := verify(t, first).Head
	record(t, first, "c")
	record(t, second, "a", "x", "c")
	if r, err := first.Verify(nil, noted, verify(t, first).Head); err != nil || !r.OK() {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := second.Verify(nil, noted); err != nil || r.OK() || !strings.Contains(r.Problems[0].String(), noted) {
		t.Errorf("%+v %v", r, err)
	}
}

// calls are the ids of the calls in the journal.
func calls(t *testing.T, f journal.Folder) []string {
	t.Helper()
	var out []string
	for line, err := range f.All() {
		if err != nil || line.Err != nil {
			t.Fatal(err, line.Err)
		}
		out = append(out, line.Call)
	}
	return out
}

func logFile(f journal.Folder, first int) string {
	return filepath.Join(f.Dir, "journal", fmt.Sprintf("%012d.jsonl", first))
}

// TestChain: records are numbered and chained across files, in the order in
// which they were written.
func TestChain(t *testing.T) {
	f := newFolder(t)
	if r := verify(t, f); !r.OK() || r.Records != 0 {
		t.Errorf("no journal: %+v", r)
	}
	f.MaxSize = 700
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	record(t, f, ids...)
	if err := f.Record(ctx, sayso.Record{Time: day.Add(time.Hour), Kind: "decision", Call: "h"}, sayso.Record{Time: day.Add(time.Hour), Kind: "answer", Call: "h"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Record(ctx); err != nil {
		t.Fatal(err)
	}
	if got := calls(t, f); !slices.Equal(got, append(ids, "h", "h")) {
		t.Errorf("%v", got)
	}
	r := verify(t, f)
	if !r.OK() || r.Records != 10 || r.Last != 10 || r.Files < 3 || len(r.Head) != 64 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]os.FileMode{f.Dir: 0o700, filepath.Dir(logFile(f, 1)): 0o700, logFile(f, 1): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// TestTampering: whatever one does to the lines of a journal, it shows, and the
// problem is where it was done.
func TestTampering(t *testing.T) {
	f := newFolder(t)
	record(t, f, "a", "b", "c", "d", "e")
	name := logFile(f, 1)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))[:5]
	join := func(list ...[]byte) []byte { return bytes.Join(list, nil) }
	forged := bytes.Replace(lines[2], []byte(`"call":"c"`), []byte(`"call":"x"`), 1)
	for _, tt := range []struct {
		name string
		text []byte
		says string
	}{
		{"as it was", good, ""},
		{"changed", join(lines[0], lines[1], forged, lines[3], lines[4]), ":3: record 3: it was changed"},
		{"changed with its hash", join(lines[0], lines[1], rehash(t, forged), lines[3], lines[4]), ":4: record 4: it does not follow record 3"},
		{"removed", join(lines[0], lines[1], lines[3], lines[4]), ":3: record 4: records 3 to 3 are missing before it"},
		{"removed at the start", join(lines[1], lines[2], lines[3], lines[4]), ":1: record 2: records 1 to 1 are missing"},
		{"removed at the end", join(lines[0], lines[1], lines[2]), "records 4 to 5 were cut off at the end"},
		{"changed at the end with its hash", join(lines[0], lines[1], lines[2], lines[3], rehash(t, bytes.Replace(lines[4], []byte(`"call":"e"`), []byte(`"call":"x"`), 1))), "record 5 was another one when it was written"},
		{"reordered", join(lines[0], lines[2], lines[1], lines[3], lines[4]), ":3: record 2: record 2 stands behind record 3"},
		{"doubled", join(lines[0], lines[1], lines[1], lines[2], lines[3], lines[4]), ":3: record 2: record 2 stands behind record 2"},
		{"garbage", join(lines[0], lines[1], []byte("hello\n"), lines[3], lines[4]), ":3: it is no record"},
		{"an empty line", join(lines[0], []byte("\n"), lines[1], lines[2], lines[3], lines[4]), ":2: it is no record"},
		{"emptied", nil, "records 1 to 5 were cut off"},
		{"older", join(lines[0], lines[1], lines[2], lines[3], rehash(t, bytes.Replace(lines[4], []byte("2026"), []byte("2025"), 1))), "older than the record before it"},
	} {
		if err := os.WriteFile(name, tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		r := verify(t, f)
		if tt.says == "" && !r.OK() || tt.says != "" && !strings.Contains(fmt.Sprint(r.Problems), tt.says) {
			t.Errorf("%s: %v", tt.name, r.Problems)
		}
	}
}

// rehash gives a line that was changed the hash that it should have now.
func rehash(t *testing.T, line []byte) []byte {
	t.Helper()
	var e journal.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	return journal.Rehash(line)
}

// TestEveryByte: a change of any single byte shows.
func TestEveryByte(t *testing.T) {
	f := newFolder(t)
	record(t, f, "a", "b", "c")
	for _, name := range []string{logFile(f, 1), filepath.Join(f.Dir, "journal", "head")} {
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 1
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			// The time in the head only tells whether the clock went back.
			inTime := strings.HasSuffix(name, "head") && i >= 63 && i < 83
			inSize := strings.HasSuffix(name, "head") && (i < 20 || i >= 42 && i < 62)
			if r := verify(t, f); r.OK() && !inTime && !inSize {
				t.Errorf("%s: byte %d can be changed", name, i)
			}
		}
		if err := os.WriteFile(name, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilled: wherever a process is killed while it writes, what was there
// before stays, what it wrote counts if it is whole, and the next one goes on.
func TestKilled(t *testing.T) {
	f := newFolder(t)
	record(t, f, "a", "b")
	headFile := filepath.Join(f.Dir, "journal", "head")
	before, _ := os.ReadFile(logFile(f, 1))
	head, _ := os.ReadFile(headFile)
	record(t, f, "c")
	after, _ := os.ReadFile(logFile(f, 1))
	for size := len(before); size <= len(after); size++ {
		for _, err := range []error{os.WriteFile(logFile(f, 1), after[:size], 0o600), os.WriteFile(headFile, head, 0o600)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if r := verify(t, f); !r.OK() {
			t.Fatalf("killed at byte %d: %v", size, r.Problems)
		}
		record(t, f, "d")
		want := []string{"a", "b", "d"}
		if size == len(after) {
			want = []string{"a", "b", "c", "d"}
		}
		if got := calls(t, f); !slices.Equal(got, want) || !verifyOK(t, f) {
			t.Fatalf("killed at byte %d: %v", size, got)
		}
	}
}

func verifyOK(t *testing.T, f journal.Folder) bool { r := verify(t, f); return r.OK() }

// TestKilledBetweenFiles: a file was begun, and the process killed.
func TestKilledBetweenFiles(t *testing.T) {
	f := newFolder(t)
	record(t, f, "a", "b")
	headFile := filepath.Join(f.Dir, "journal", "head")
	head, _ := os.ReadFile(headFile)
	f.MaxSize = 1
	if err := os.WriteFile(logFile(f, 3), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	record(t, f, "c")
	if err := os.WriteFile(headFile, head, 0o600); err != nil { // the head was not written
		t.Fatal(err)
	}
	record(t, f, "d")
	if got := calls(t, f); !slices.Equal(got, []string{"a", "b", "c", "d"}) || !verifyOK(t, f) {
		t.Errorf("%v %v", got, verify(t, f).Problems)
	}
}

// TestRefused: a journal that cannot be trusted takes no record, says why and
// what to do, and after a repair goes on, with all that was there.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  func(t *testing.T, f journal.Folder) error
		says   string
		repair bool
	}{
		{"cut in the middle", func(_ *testing.T, f journal.Folder) error { return os.Truncate(logFile(f, 1), 100) }, "it was cut", true},
		{"removed", func(_ *testing.T, f journal.Folder) error { return os.Remove(logFile(f, 1)) }, "it is missing", true},
		{"without head", func(_ *testing.T, f journal.Folder) error { return os.Remove(filepath.Join(f.Dir, "journal", "head")) }, "it is missing", true},
		{"with half a head", func(_ *testing.T, f journal.Folder) error {
			return os.Truncate(filepath.Join(f.Dir, "journal", "head"), 50)
		}, "it is damaged", true},
		{"garbage behind it", func(_ *testing.T, f journal.Folder) error {
			return appendTo(logFile(f, 1), "hello\n")
		}, "it is no record", true},
		{"a foreign record behind it", func(t *testing.T, f journal.Folder) error {
			other := newFolder(t)
			record(t, other, "x", "y", "z", "q")
			text, err := os.ReadFile(logFile(other, 1))
			if err != nil {
				return err
			}
			return appendTo(logFile(f, 1), string(bytes.SplitAfter(text, []byte("\n"))[3]))
		}, "does not follow record 3", true},
		{"readable by others", func(_ *testing.T, f journal.Folder) error { return os.Chmod(logFile(f, 1), 0o644) }, "chmod 600", false},
		{"a folder for others", func(_ *testing.T, f journal.Folder) error { return os.Chmod(filepath.Dir(logFile(f, 1)), 0o755) }, "chmod 700", false},
	} {
		f := newFolder(t)
		record(t, f, "a", "b", "c")
		if err := tt.spoil(t, f); err != nil {
			t.Fatal(err)
		}
		err := f.Record(ctx, sayso.Record{Time: day.Add(time.Hour), Call: "d"})
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), f.Dir) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !tt.repair {
			continue
		}
		before := texts(t, f)
		if _, err := f.Repair(ctx, "me", nil); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := f.Record(ctx, sayso.Record{Time: time.Now(), Call: "e"}); err != nil {
			t.Errorf("%s: after the repair: %v", tt.name, err)
		}
		after := texts(t, f)
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s: the repair changed %s", tt.name, name)
			}
		}
		if note := repaired(t, f); !strings.Contains(note, f.Dir) {
			t.Errorf("%s: the repair hides the damage: %q", tt.name, note)
		}
	}
}

// repaired is what the record of the repair says.
func repaired(t *testing.T, f journal.Folder) string {
	t.Helper()
	for line, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		if line.Kind == journal.Repaired && line.Err == nil {
			return line.Note
		}
	}
	return ""
}

func appendTo(name, text string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func texts(t *testing.T, f journal.Folder) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, _ := filepath.Glob(filepath.Join(f.Dir, "journal", "*.jsonl"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// TestClock: a clock that goes back a little does not turn the order around; one
// that goes back a lot is an error, until somebody says that it is right.
func TestClock(t *testing.T) {
	f := newFolder(t)
	now := day
	f.Clock = func() time.Time { return now }
	put := func() error { return f.Record(ctx, sayso.Record{Call: "x"}) }
	if err := put(); err != nil {
		t.Fatal(err)
	}
	now = day.Add(-30 * time.Second)
	if err := put(); err != nil {
		t.Error(err)
	}
	now = day.Add(-time.Hour)
	if err := put(); err == nil || !strings.Contains(err.Error(), "the clock is 1h0m0s behind the last record, of 2026-03-04T05:06:07Z") || !strings.Contains(err.Error(), "sayso log repair") {
		t.Errorf("%v", err)
	}
	if r, err := f.Repair(ctx, "me", nil); err != nil || !r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	if err := put(); err != nil {
		t.Error(err)
	}
	if r := verify(t, f); !r.OK() || r.Records != 4 {
		t.Errorf("%+v", r)
	}
	if r, err := f.Repair(ctx, "me", nil); err != nil || r.Records != 4 || verify(t, f).Records != 4 {
		t.Errorf("a repair of what is whole: %+v %v", r, err)
	}
}

// TestMasked: no secret reaches the disk, whatever part of a record it is in.
func TestMasked(t *testing.T) {
	f := newFolder(t)
	secret := "AKIA" + "QZXWVTSRPNMLKJHG"
	input, _ := json.Marshal(map[string]string{"command": "echo " + secret, "long": strings.Repeat("x", 9000) + secret})
	call := sayso.Call{ID: "toolu_01AbCdEfGh2IjKlMnOp3", Tool: "Bash", Input: input}
	err := f.Record(ctx,
		sayso.Record{Kind: sayso.RecordRequest, Call: call.ID, Session: "1c6074aa-b079-418d-921d-6f4b497c0066", Request: &call},
		sayso.Record{
			Kind: sayso.RecordDecision, Call: call.ID, Decider: &sayso.Decider{Kind: "rule", Name: "bash(echo " + secret + ")"},
			Decision: &sayso.Decision{
				Reason: secret, Explanation: "Print " + secret, Part: secret, Rule: &sayso.Rule{Text: "bash(" + secret + ")"},
				Trace: []sayso.Step{{Reason: secret}}, Suggestions: []sayso.Suggestion{{Rule: "bash(echo " + secret + ")"}},
			},
		},
		sayso.Record{Kind: sayso.RecordPrompt, Call: call.ID, Contract: journal.Genesis, Note: "MF4HLQCZ7W763DHBBNP6FSH52L", Terms: &sayso.Contract{
			Input: input, Script: "echo " + secret, Argv: []string{"echo", secret}, Env: map[string]string{"API_TOKEN": "short", "X": "plain"},
		}},
		sayso.Record{Kind: sayso.RecordAnswer, Call: call.ID, Answer: &sayso.Answer{Rule: "bash(echo " + secret + ")", More: []string{secret}}},
		sayso.Record{Kind: sayso.RecordResult, Call: call.ID, Result: &sayso.Result{Error: "no such key " + secret}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts(t, f) {
		if strings.Contains(text, secret) || strings.Contains(text, `"short"`) || len(text) > 30000 {
			t.Errorf("%s", text)
		}
		for _, kept := range []string{call.ID, "MF4HLQCZ7W763DHBBNP6FSH52L", "1c6074aa-b079-418d-921d-6f4b497c0066", `"X":"plain"`, "[masked:20]", "[cut:"} {
			if !strings.Contains(text, kept) {
				t.Errorf("%s is gone:\n%s", kept, text)
			}
		}
	}
	if !verifyOK(t, f) {
		t.Error(verify(t, f).Problems)
	}
}

// TestFollow: what is written later comes later.
func TestFollow(t *testing.T) {
	f := newFolder(t)
	record(t, f, "a")
	within, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var got []string
	for line, err := range f.Follow(within) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, line.Call); len(got) == 1 {
			f.MaxSize = 1
			record(t, f, "b", "c")
		}
		if len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v", got)
	}
}
