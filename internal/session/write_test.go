package session

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// TestText: a line is written and read as encoding/json writes and reads it.
func TestText(t *testing.T) {
	odd := "a<b>&\u2028é\"\\\n\x00\xff"
	denied := []sayso.Denial{{}, {Rule: odd, Package: "npm:x", Turn: -3, Text: odd}}
	mode, zero := sayso.PlanMode, 0
	for _, l := range []line{
		{},
		{Version: 2, Time: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC), ID: odd},
		{Root: &odd, Mode: &odd, AgentMode: &mode, Turn: &zero, Prompt: &odd, Stopped: &zero, Tainted: new(string)},
		{Surface: &sayso.Surface{}, Denied: denied, Spent: []string{"", odd}},
		{Surface: &sayso.Surface{Only: []string{}, Not: []string{odd}}},
		{Surface: &sayso.Surface{Only: []string{odd, "b"}}},
		{Soft: map[string]sayso.Denies{odd: {}, "b": {Consecutive: 1, Total: 2}}, Written: map[string]int{"b": 0, "a": 7, odd: -1}},
		{Denied: []sayso.Denial{}, Soft: map[string]sayso.Denies{}},
		{Waiting: map[string]*sayso.Waiting{
			"gone": nil, "empty": {}, odd: {Denials: denied, Stops: true, Left: sayso.Left{Secret: odd, Written: []string{odd}, Copies: []sayso.Copy{{}, {From: odd, To: odd}}}},
			"lists": {Denials: []sayso.Denial{}, Left: sayso.Left{Written: []string{}, Copies: []sayso.Copy{}}},
		}},
	} {
		want, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.text(); string(got) != string(want) {
			t.Errorf("%s\nwant %s", got, want)
		}
		if l.Root != nil {
			continue // it is no path
		}
		l.Version = version
		var again line
		if err := json.Unmarshal(l.text(), &again); err != nil {
			t.Fatal(err)
		}
		got, err := parse(l.text())
		if got.waits != nil {
			got.Waiting = readAll(t, got.waits)
			delete(again.Waiting, "gone")
			got.waits = nil
		}
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s is read as %+v, %v", l.text(), got, err)
		}
	}
}

func readAll(t *testing.T, v plainjson.Value) map[string]*sayso.Waiting {
	t.Helper()
	var all waits
	if err := all.note(v); err != nil {
		t.Fatal(err)
	}
	left, err := all.read()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*sayso.Waiting{}
	for id, w := range left {
		out[id] = &w
	}
	return out
}

// TestWaits: of the calls that waited only those are read that still do, and whatever
// is no such call is damage.
func TestWaits(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"stops":true},"b":{}}` + "\n" + `{"a":null,"c":{}}`: "b c",
		`{"a":{"stops":1}}` + "\n" + `{"a":null}`:                  "",
		`{"a":{"stops":1}}`:                      "damaged",
		`{"a":[]}`:                               "damaged",
		`[]`:                                     "damaged",
		`{"a":{"denials":[{"turn":"x"}]}}`:       "damaged",
		`{"a":{"left":{"copies":[{"from":1}]}}}`: "damaged",
	} {
		var lines []byte
		for one := range strings.SplitSeq(text, "\n") {
			lines = append(lines, `{"v":2,"at":"2026-01-02T03:04:05Z","id":"s","waiting":`+one+"}\n"...)
		}
		name := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(name, lines, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := read(file, func(string) bool { return true })
		got := strings.Join(slices.Sorted(maps.Keys(k.state.Waiting)), " ")
		if err != nil && strings.Contains(err.Error(), "it is damaged: waiting") {
			got = "damaged"
		}
		if got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
		_ = file.Close() // it was only read
	}
}
