package box

import (
	"net/netip"
	"testing"
)

// question is a message that asks for the address of www.example.com.
const question = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03wWw\x07example\x03com\x00\x00\x01\x00\x01"

// TestReadQuestion: names are read, and what is none is left alone.
func TestReadQuestion(t *testing.T) {
	name, kind, end, ok := readQuestion([]byte(question + "more"))
	if name != "www.example.com" || kind != typeA || end != len(question) || !ok {
		t.Errorf("%q %d %d %t", name, kind, end, ok)
	}
	for _, bad := range []string{"", question[:20], question[:len(question)-1], "\x12\x34\x81" + question[3:], question[:5] + "\x02" + question[6:], question[:12] + "\xc0\x0c\x00\x01\x00\x01", question[:12] + "\x00\x00\x01\x00\x01"} {
		if name, _, _, ok := readQuestion([]byte(bad)); ok {
			t.Errorf("%q is read as %q", bad, name)
		}
	}
	answer := answerTo([]byte(question), netip.MustParseAddr("198.18.0.1"))
	if want := "\x12\x34\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00" + question[12:] + "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc6\x12\x00\x01"; string(answer) != want {
		t.Errorf("%q", answer)
	}
}

// FuzzTries: no message and no packet makes the first process fail: with it, all end.
func FuzzTries(f *testing.F) {
	f.Add([]byte(question))
	f.Add([]byte("\x45\x00\x00\x28\x00\x00\x00\x00\x40\x06\x00\x00\x0a\x00\x00\x01\xc0\x00\x02\x07\x12\x34\x00\x16\x00\x00\x00\x00\x00\x00\x00\x00\x50\x02\x00\x00"))
	f.Add([]byte("\x60\x00\x00\x00\x00\x08\x11\x40" + string(make([]byte, 32)) + "\x12\x34\x00\x50\x00\x08\x00\x00"))
	f.Fuzz(func(t *testing.T, m []byte) {
		if name, _, end, ok := readQuestion(m); ok && (name == "" || len(name) > mostName || end > len(m) || len(answerTo(m[:end], standIn.Addr())) != end+16) {
			t.Errorf("%q: %q", m, name)
		}
		if protocol, to, ok := target(m); ok && (protocol != "tcp" && protocol != "udp" || !to.IsValid()) {
			t.Errorf("%q: %s %s", m, protocol, to)
		}
	})
}
