//go:build amd64 || arm64

package early

import (
	"strings"
	"syscall"
	"testing"
)

// TestAnswer: an answer counts if it is whole, and nothing else does.
func TestAnswer(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, test := range map[string]struct{ told, want string }{
		"nothing":             {"", ""},
		"it declines":         {"n", ""},
		"something else":      {"?\x00\x00\x00\x01x", ""},
		"half a length":       {"y\x00\x00", ""},
		"half an answer":      {"y\x00\x00\x00\x05abc", ""},
		"more than it says":   {"y\x00\x00\x00\x01abc", ""},
		"longer than is read": {"y\x7f\xff\xff\xffabc", ""},
		"a negative length":   {"y\xff\xff\xff\xffabc", ""},
		"an answer":           {"y\x00\x00\x00\x03abc", "abc"},
		"a long answer":       {"y\x00\x00\x01\x2c" + long, long},
	} {
		t.Run(name, func(t *testing.T) {
			fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := syscall.Write(fds[1], []byte(test.told)); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Close(fds[1]); err != nil {
				t.Fatal(err)
			}
			clear(reply[:])
			if got := answer(fds[0]); string(got) != test.want || (got == nil) != (test.want == "") {
				t.Errorf("%q", got)
			}
			if err := syscall.Close(fds[0]); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAddress: another program has another address.
func TestAddress(t *testing.T) {
	own, err := Address("/proc/self/exe")
	if err != nil || !strings.HasPrefix(own, "@sayso-hook-") || strings.Count(own, "-") != 6 || strings.Contains(own, "--") {
		t.Fatalf("%q, %v", own, err)
	}
	other, err := Address("/bin/sh")
	if err != nil || other == own {
		t.Errorf("%q, %v", other, err)
	}
	if again, err := Address("/proc/self/exe"); err != nil || again != own {
		t.Errorf("%q, %v", again, err)
	}
	if _, err := Address("/nowhere/at/all"); err == nil {
		t.Error("a program that is not there has an address")
	}
}
