package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

var update = flag.Bool("update", false, "write the golden files anew")

// at is when the records of the tests are written: a journal has no time that goes
// back.
var at = time.Date(2026, 3, 4, 5, 6, 40, 0, time.UTC)

// recorded is a journal with records, one a line.
func recorded(t *testing.T, lines string) journal.Folder {
	t.Helper()
	f := journal.Folder{Dir: filepath.Join(t.TempDir(), "sayso"), Clock: func() time.Time { return at }}
	write(t, f, lines)
	return f
}

// write adds records to a journal.
func write(t *testing.T, f journal.Folder, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var r sayso.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if err := f.Record(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// exporter is one that wants all records, and sends with send.
func exporter(t *testing.T, f journal.Folder, send func(context.Context, Signal, []byte) (Partial, error)) *Exporter {
	t.Helper()
	return &Exporter{
		Folder: f, Sender: NewSender("v1.2.3", nil), Send: send,
		Wants:    func(*journal.Line) bool { return true },
		Damaged:  func(l *journal.Line) { t.Errorf("%s:%d: %v", l.File, l.Line, l.Err) },
		Rejected: func(s Signal, p Partial) { t.Errorf("%s: %+v", s, p) },
		Clock:    func() time.Time { return at },
	}
}

// apart puts each record, span and event on a line of its own, so that a change shows.
var apart = strings.NewReplacer(`{"timeUnixNano"`, "\n"+`{"timeUnixNano"`, `{"traceId"`, "\n"+`{"traceId"`)

// TestGolden: what is sent for each kind of call is what was looked at.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.records")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".records"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			x := exporter(t, recorded(t, string(text)), func(_ context.Context, s Signal, body []byte) (Partial, error) {
				got.WriteString("POST /v1/" + string(s) + "\n" + apart.Replace(string(body)) + "\n")
				return Partial{}, nil
			})
			if _, err := x.Run(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".records") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("it differs from %s; go test -update writes it anew, to be looked at with git diff\n%s", golden, got.String())
			}
		})
	}
}
