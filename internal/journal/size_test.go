package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

// stays are the texts of a record that are written as they are: what others are
// found by, and what only sayso itself and its user say.
var stays = []string{
	".Kind", ".Call", ".Session", ".Policy", ".Contract", ".Root", ".Request.ID", ".Request.Session", ".Request.Dir", ".Request.Root", ".Request.Home",
	".Request.Approval", ".Decision.Code", ".Decision.Stage", ".Decision.Scope", ".Decision.Spends", ".Decision.Keep", ".Decision.Rule.Source",
	".Decision.Trace.Stage", ".Decision.Trace.Spoke", ".Decision.Trace.Code", ".Decision.Trace.Rule.Source", ".Decision.Choices.Scope", ".Decision.Choices.Network",
	".Decider.Kind", ".Decider.Channel", ".Terms.Shell", ".Terms.Dir", ".Terms.Network", ".Terms.Changes",
	".Answer.RequestID", ".Answer.ContractHash", ".Answer.Choice", ".Answer.Scope", ".Answer.By", ".Answer.Channel",
	".Grant.ID", ".Grant.Scope", ".Grant.By", ".Grant.Call", ".Trust.Root", ".Trust.Fingerprint", ".Rule.Source",
	".Decision.Suggestions.Keep",
}

// forTexts calls do with every text of a value, and where it is.
func forTexts(v reflect.Value, path string, do func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			forTexts(v.Elem(), path, do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := path
			if f := v.Type().Field(i); !f.Anonymous {
				name += "." + f.Name
			}
			if v.Type().Field(i).IsExported() {
				forTexts(v.Field(i), name, do)
			}
		}
	case reflect.Slice:
		if raw, ok := v.Interface().(json.RawMessage); ok && len(raw) > 0 {
			do(path, v)
			return
		}
		for i := range v.Len() {
			forTexts(v.Index(i), path, do)
		}
	case reflect.String:
		do(path, v)
	}
}

// TestEveryText: a secret is masked, and a long text cut, in every part of a record
// that can come from an agent; no secret is cut so that a part of it is left.
func TestEveryText(t *testing.T) {
	secret := "AKIA" + "QZXWVTSRPNMLKJHG"
	for _, long := range []string{secret, strings.Repeat("x ", 1<<16) + secret, strings.Repeat("x ", longest*3/8-5) + secret + strings.Repeat(" y", longest)} {
		var all sayso.Record
		n := 0
		fill(reflect.ValueOf(&all).Elem(), &n, 4)
		done := map[string]bool{}
		forTexts(reflect.ValueOf(&all).Elem(), "", func(path string, v reflect.Value) {
			path = strings.ReplaceAll(path, ".Steps", "")
			if done[path] || slices.ContainsFunc(stays, func(s string) bool { return path == s || strings.HasPrefix(path, s+".") }) {
				return
			}
			done[path] = true
			old := reflect.ValueOf(v.Interface())
			if v.Kind() == reflect.String {
				v.SetString(long)
			} else {
				text, _ := json.Marshal(map[string]any{"a": []string{long}, long: 1})
				v.SetBytes(text)
			}
			text, err := appendMasked([]byte(`{"v":1`), all)
			if err != nil || bytes.Contains(text, []byte(secret[:10])) || len(text) > 1<<20 && !strings.Contains(path, "Suggestions") && !strings.Contains(path, "Choices") {
				t.Errorf("%s: %d bytes, %v: %.100s", path, len(text), err, text)
			}
			v.Set(old)
		})
		if len(done) < 30 {
			t.Errorf("only %d texts", len(done))
		}
	}
}

// TestLargeRecords: whatever an agent sends, its record can be read again.
func TestLargeRecords(t *testing.T) {
	many := make([]string, 50_000)
	keys := map[string]string{}
	for i := range many {
		many[i] = fmt.Sprintf("%d %s", i, strings.Repeat("< ", 45))
		keys[many[i]] = "v"
	}
	array, _ := json.Marshal(map[string]any{"a": many})
	object, _ := json.Marshal(keys)
	steps := make([]sayso.Step, 14_000)
	for i := range steps {
		steps[i] = sayso.Step{Stage: "s", Reason: strings.Repeat("r ", 100), Steps: make([]sayso.Step, 10)}
	}
	long := strings.Repeat("x", 5<<20)
	f := Folder{Dir: filepath.Join(t.TempDir(), "sayso")}
	for _, r := range []sayso.Record{
		{Kind: sayso.RecordRequest, Call: "list", Request: &sayso.Call{Tool: "t", Input: array}},
		{Kind: sayso.RecordRequest, Call: "object", Request: &sayso.Call{Tool: "t", Input: object}},
		{Kind: sayso.RecordRequest, Call: "names", Request: &sayso.Call{ID: long, Session: long, Tool: long, Agent: long}, Session: long},
		{Kind: sayso.RecordDecision, Call: "steps", Decision: &sayso.Decision{Trace: steps}},
		{Kind: sayso.RecordPrompt, Call: "terms", Terms: &sayso.Contract{Argv: many, Input: array, Write: many}},
		{Kind: sayso.RecordAnswer, Call: "answer", Answer: &sayso.Answer{More: many}},
	} {
		if err := f.Record(context.Background(), r); err != nil {
			t.Fatalf("%s: %v", r.Call, err)
		}
	}
	for l, err := range f.All() {
		if err != nil || l.Err != nil || l.Call == "" || len(l.Text) > maxRecord+1000 {
			t.Errorf("%s: %d bytes: %v %v", l.Call, len(l.Text), err, l.Err)
		}
		if l.Call != "names" && !strings.Contains(l.Note, "[cut:") {
			t.Errorf("%s does not say that it was cut: %q", l.Call, l.Note)
		}
	}
}

// TestLongLine: a line that is too long is damage like any other: it is found where
// it is, and what stands behind it is read.
func TestLongLine(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "sayso")}
	add := func(id string) error {
		return f.Record(context.Background(), sayso.Record{Kind: sayso.RecordRequest, Call: id})
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := add(id); err != nil {
			t.Fatal(err)
		}
	}
	good, err := os.ReadFile(f.file(1))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	text := append(append(append([]byte{}, lines[0]...), bytes.Repeat([]byte("x"), maxLine+1)...), '\n')
	if err := os.WriteFile(f.file(1), append(text, lines[2]...), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := f.Verify(nil)
	if err != nil || len(report.Problems) != 1 || report.Problems[0].Line != 2 || !strings.Contains(report.Problems[0].Problem, "16 MiB") || report.Records != 2 {
		t.Errorf("%+v %v", report, err)
	}
	var calls []string
	for l, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		again, err := f.at(l.At)
		if err != nil || again.Call != l.Call || again.Size != l.Size || (again.Err == nil) != (l.Err == nil) {
			t.Errorf("%+v is %+v: %v", l.At, again.At, err)
		}
		calls = append(calls, l.Call)
	}
	if strings.Join(calls, " ") != "a  c" {
		t.Errorf("%q", calls)
	}
}

// at is the line at a place.
func (f Folder) at(p Place) (found Line, err error) {
	for l, err := range f.Read(func(yield func(Place, error) bool) { yield(p, nil) }) {
		return l, err
	}
	return found, nil
}

// TestFarBehind: a file to which much was added is not taken for what a process
// has left that was killed, nor read into memory.
func TestFarBehind(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "sayso")}
	r := sayso.Record{Kind: sayso.RecordRequest, Call: "a"}
	if err := f.Record(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(f.file(1), 1<<32); err != nil {
		t.Fatal(err)
	}
	if err := f.Record(context.Background(), r); err == nil || !strings.Contains(err.Error(), "log repair") {
		t.Errorf("%v", err)
	}
}
