package box_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/sayso-dev/sayso/internal/box"
)

// TestMessages: what is sent is received, message by message.
func TestMessages(t *testing.T) {
	var b bytes.Buffer
	first := []box.Step{{box.Root, "all"}, {box.Env}, {box.Argv, "", "a b", "\x00\n", "ü"}}
	second := []box.Step{{box.End}}
	for _, m := range [][]box.Step{first, second} {
		if err := box.Send(&b, m...); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range [][]box.Step{first, second} {
		if got, err := box.Receive(&b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
	if got, err := box.Receive(&b); err == nil {
		t.Errorf("after the end: %q", got)
	}
}

// FuzzReceive: what is no message is an error, and what is one is sent the same way.
func FuzzReceive(f *testing.F) {
	var b bytes.Buffer
	if err := box.Send(&b, box.Step{box.Bind, "/a", "/b", "rw"}, box.Step{box.End}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte{3, 0, 0, 0, 1, 1, 255})
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := box.Receive(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := box.Send(&again, got...); err != nil {
			t.Fatal(err)
		}
		if same, err := box.Receive(&again); err != nil || !reflect.DeepEqual(got, same) {
			t.Errorf("%q, and then %q: %v", got, same, err)
		}
	})
}
