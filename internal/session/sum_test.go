package session_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/session"
)

// TestSums: whatever a session leaves behind is read again as it was, however long it
// goes on, and each hook reads only the end of it.
func TestSums(t *testing.T) {
	long := strings.Repeat("x", 700)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		f := session.Folder{Dir: dir}
		want := sayso.SessionState{}
		for i := range rapid.IntRange(1, 60).Draw(rt, "changes") {
			what := rapid.IntRange(0, 10).Draw(rt, "what")
			change := func(st *sayso.SessionState) error {
				switch what {
				case 0:
					st.Turn++
				case 1:
					st.Prompt = fmt.Sprint(i, long)
				case 2:
					st.Denied = append(st.Denied, sayso.Denial{Rule: fmt.Sprint("bash(x", i, ")"), Text: long, Turn: st.Turn})
				case 3:
					st.Written = with(st.Written, fmt.Sprint("/f", i%5), st.Turn)
				case 4:
					st.Waiting = with(st.Waiting, fmt.Sprint("t", i), sayso.Waiting{Denials: []sayso.Denial{{Rule: "bash(y)", Text: long}}})
				case 5:
					for id := range st.Waiting { // one of them
						delete(st.Waiting, id)
						break
					}
					if len(st.Waiting) == 0 {
						st.Waiting = nil
					}
				case 6:
					st.Root, st.Mode = "/repo", fmt.Sprint("m", i%3)
				case 7:
					st.Surface = sayso.Surface{Only: []string{}, Not: []string{fmt.Sprint(i)}}
				case 8:
					st.Stopped, st.Tainted, st.AgentMode = i, rapid.String().Draw(rt, "secret"), sayso.PlanMode
				case 9:
					st.Spent = append(st.Spent, fmt.Sprint("grant", i))
				case 10:
					st.Soft = with(st.Soft, fmt.Sprint("code", i%3), sayso.Denies{Consecutive: i % 2, Total: i})
				}
				return nil
			}
			if err := f.Update(context.Background(), "s", func(st *sayso.SessionState) error {
				if !reflect.DeepEqual(*st, want) {
					rt.Fatalf("it is\n%+v, want\n%+v", *st, want)
				}
				if err := change(st); err != nil {
					return err
				}
				want = *st
				return nil
			}); err != nil {
				rt.Fatal(err)
			}
			if got, err := f.Get(context.Background(), "s"); err == nil && !reflect.DeepEqual(got, want) {
				rt.Fatalf("it is\n%+v, want\n%+v", got, want)
			}
		}
	})
}

func with[T any](m map[string]T, key string, value T) map[string]T {
	out := map[string]T{key: value}
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// TestSummedUp: a long file is read from the last line on that sums up the others, and
// from the start where that is not whole.
func TestSummedUp(t *testing.T) {
	f, ctx := newFolder(t), context.Background()
	for i := range 200 {
		update(t, f, "s", func(st *sayso.SessionState) { st.Turn, st.Prompt = i, fmt.Sprint(i, strings.Repeat("y", 300)) })
	}
	text, err := os.ReadFile(f.File("s"))
	if err != nil {
		t.Fatal(err)
	}
	sums := bytes.Count(text, []byte("\n"+`{"v":3,"sum":true,`))
	if sums < 5 || sums > 30 || len(text) < 40<<10 {
		t.Fatalf("%d sums in %d bytes", sums, len(text))
	}
	last := bytes.LastIndex(text, []byte("\n"+`{"v":3,"sum":true,`)) + 1
	turn := func(text []byte) string {
		t.Helper()
		if err := os.WriteFile(f.File("s"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := f.Get(ctx, "s")
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(st.Turn)
	}
	cut := bytes.IndexByte(text[last:], '\n') + last
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"as it is":                        {text, "199"},
		"what comes before it is damaged": {bytes.Replace(text, []byte(`"turn":7`), []byte(`"turn":x`), 1), "199"},
		"it is damaged itself":            {slices.Concat(text[:last], []byte("zzz"), text[last+3:]), "it is damaged"},
		"it was not written to its end":   {text[:cut], fmt.Sprint(turnBefore(text[:last]))},
		"of another session":              {bytes.ReplaceAll(text, []byte(`"id":"s"`), []byte(`"id":"o"`)), "another session"},
	} {
		if got := turn(test.text); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// turnBefore is the turn that the last line names.
func turnBefore(text []byte) (n int) {
	i := bytes.LastIndex(text, []byte(`"turn":`))
	_, _ = fmt.Sscanf(string(text[i:]), `"turn":%d`, &n) // 0 is not the one
	return n
}

// TestCutAnywhere: wherever a writer was killed, what was acknowledged before is kept, and
// the next one goes on from there; what an agent has written into it looks like no sum.
func TestCutAnywhere(t *testing.T) {
	f, ctx := newFolder(t), context.Background()
	const lie = "\n" + `{"v":3,"sum":true,"at":"2026-01-01T00:00:00Z","id":"s"}` + "\n"
	var sizes []int
	var states []sayso.SessionState
	for i := range 120 {
		update(t, f, "s", func(st *sayso.SessionState) {
			st.Turn, st.Prompt, st.Tainted = i, fmt.Sprint(i, lie, "\x00\x1b\u2028"), lie
			st.Denied = append(st.Denied, sayso.Denial{Rule: "bash(x)", Text: lie, Turn: i})
		})
		text, err := os.ReadFile(f.File("s"))
		if err != nil {
			t.Fatal(err)
		}
		st, err := f.Get(ctx, "s")
		if err != nil || st.Turn != i || len(st.Denied) != i+1 {
			t.Fatalf("%d: %v, turn %d, %d denials", i, err, st.Turn, len(st.Denied))
		}
		sizes, states = append(sizes, len(text)), append(states, st)
	}
	text, err := os.ReadFile(f.File("s"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n"+`{"v":3,"sum":true,`)); n < 3 {
		t.Fatalf("%d sums", n)
	}
	var cuts []int
	for i, size := range sizes[1:] {
		cuts = append(cuts, sizes[i]+1, (sizes[i]+size)/2, size-1, size)
	}
	for _, cut := range cuts {
		if err := os.WriteFile(f.File("s"), text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		i, found := slices.BinarySearch(sizes, cut)
		if !found {
			i--
		}
		if got, err := f.Get(ctx, "s"); err != nil || !reflect.DeepEqual(got, states[i]) {
			t.Fatalf("cut at %d: %v, turn %d with %d denials, want %d", cut, err, got.Turn, len(got.Denied), i)
		}
		update(t, f, "s", func(st *sayso.SessionState) { st.Stopped = cut })
		want := states[i]
		want.Stopped = cut
		if got, err := f.Get(ctx, "s"); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("after a cut at %d: %v, %d denials, want %d", cut, err, len(got.Denied), i+1)
		}
	}
}
