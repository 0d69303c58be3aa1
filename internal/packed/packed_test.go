package packed_test

import (
	"archive/tar"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/packed"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/shell/unpack"
)

// pipe is two ends of a connection.
type pipe struct {
	io.Reader
	io.Writer
}

// served is a client of a server that runs, and how often that was started.
func served(t *testing.T, serve func(io.Reader, io.Writer) error) (*packed.Client, *int) {
	t.Helper()
	starts := 0
	return &packed.Client{Start: func() (io.ReadWriter, error) {
		starts++
		in, ask := io.Pipe()
		answers, out := io.Pipe()
		t.Cleanup(func() { _, _ = ask.Close(), answers.Close() })
		go func() {
			_ = out.CloseWithError(serve(in, out))
			_ = in.Close()
		}()
		return pipe{answers, ask}, nil
	}}, &starts
}

func archive(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAsk: a program that asks sees what the one that unpacks sees.
func TestAsk(t *testing.T) {
	client, starts := served(t, func(in io.Reader, out io.Writer) error { return packed.Serve(in, out, unpack.Unpacker{}) })
	data := archive(t, "a", ".claude/settings.json")
	got, whole := client.Members(data)
	if want, _ := (unpack.Unpacker{}).Members(data); !whole || !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("%v %v, want %v", got, whole, want)
	}
	if _, whole := client.Members([]byte("no archive")); whole {
		t.Error("no archive is seen as a whole one")
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(strings.Repeat("tree ", 1000))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if text, ok := client.Inflate(b.Bytes(), 5000); !ok || len(text) != 5000 {
		t.Errorf("%d bytes, %v", len(text), ok)
	}
	if text, ok := client.Inflate(b.Bytes(), 7); !ok || string(text) != "tree tr" {
		t.Errorf("%q %v", text, ok)
	}
	if _, ok := client.Inflate([]byte("x"), 7); ok {
		t.Error("what is not packed was unpacked")
	}
	if *starts != 1 {
		t.Errorf("started %d times", *starts)
	}
}

// TestFails: whatever goes wrong, nothing is known, and nobody asks again.
func TestFails(t *testing.T) {
	for name, serve := range map[string]func(io.Reader, io.Writer) error{
		"ends at once": func(io.Reader, io.Writer) error { return nil },
		"is cut off": func(in io.Reader, out io.Writer) error {
			_, _ = io.CopyN(io.Discard, in, 9)
			_, err := out.Write([]byte{0, 0, 0, 9, '{'})
			return err
		},
		"is no JSON": func(in io.Reader, out io.Writer) error {
			_, _ = io.CopyN(io.Discard, in, 9)
			_, err := out.Write([]byte{0, 0, 0, 1, '{'})
			return err
		},
		"is endless": func(in io.Reader, out io.Writer) error {
			_, _ = io.CopyN(io.Discard, in, 9)
			_, err := out.Write([]byte{255, 255, 255, 255})
			return err
		},
	} {
		client, starts := served(t, serve)
		for range 2 {
			if list, whole := client.Members(nil); whole || len(list) > 0 {
				t.Errorf("%s: %v %v", name, list, whole)
			}
		}
		if *starts != 1 {
			t.Errorf("%s: started %d times", name, *starts)
		}
	}
	none := &packed.Client{Start: func() (io.ReadWriter, error) { return nil, errors.New("it is not there") }}
	if _, ok := none.Inflate(nil, 1); ok {
		t.Error("without a program something was unpacked")
	}
	var out bytes.Buffer
	for _, question := range []string{"x00000000", "m\x00\x00\x00\x00\xff\xff\xff\xff", "m\x00\x00", "m\x00\x00\x00\x00\x00\x00\x00\x05ab"} {
		if err := packed.Serve(strings.NewReader(question), &out, unpack.Unpacker{}); err == nil {
			t.Errorf("%q is answered", question)
		}
	}
	if out.Len() > 0 {
		t.Errorf("wrong questions were answered: %q", out.String())
	}
}

var _ shell.Unpacker = (*packed.Client)(nil)
