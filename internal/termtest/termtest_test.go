package termtest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/termtest"
)

// TestScreen: a screen shows what a terminal does with what is written to it.
func TestScreen(t *testing.T) {
	for written, want := range map[string]string{
		"one\r\ntwo":                             "one\ntwo\n",
		"0123456789abc":                          "0123456789\nabc\n",
		"0123456789\r\nabc":                      "0123456789\nabc\n",
		"a\x1b[3Cb\x1b[1;3HX":                    "a X b\n",
		"one\r\ntwo\x1b[A\x1b[2Kx":               "   x\ntwo\n",
		"abc\x1b[1D\x1b[K":                       "ab\n",
		"one\r\ntwo\r\nthree\x1b[2J":             "\n",
		"abcdef\x1b[3G\x1b[2P":                   "abef\n",
		"abcdef\x1b[3G\x1b[2@":                   "ab  cdef\n",
		"abcdef\x1b[3G\x1b[2X":                   "ab  ef\n",
		"a\x1b[3b":                               "aaaa\n",
		"日本x":                                    "日本x\n",
		"12345678日本":                             "12345678日\n本\n",
		"e\u0301x":                               "e\u0301x\n",
		"\x1b[31mred\x1b[0m \x1b[1;4mb\x1b[m.":   "{red:red} {bold underline:b}.\n",
		"\x1b[38;5;99ma\x1b[48;2;1;2;3mb":        "{99:a}{99 on-#010203:b}\n",
		"main\x1b[?1049h\x1b[Halt":               "alt\n",
		"main\x1b[?1049h\x1b[Halt\x1b[?1049l!":   "main!\n",
		"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2H\x1b[M": "1\n3\n\n4\n",
		"1\r\n2\r\n3\x1b[2H\x1b[L":               "1\n\n2\n3\n",
		"\x1b]0;title\x07x":                      "x\n",
		"a\x1b7\x1b[3;3Hb\x1b8c":                 "ac\n\n  b\n",
	} {
		s := termtest.NewScreen(10, 4)
		if _, err := s.Write([]byte(written)); err != nil || s.Marked() != want || len(s.Odd) > 0 {
			t.Errorf("%q: %q, want %q; odd %q, %v", written, s.Marked(), want, s.Odd, err)
		}
	}
}

// TestScrolled: what leaves the screen is kept, but not what is removed.
func TestScrolled(t *testing.T) {
	s := termtest.NewScreen(10, 2)
	_, _ = s.Write([]byte("1\r\n2\r\n3"))
	if s.Text() != "2\n3\n" || s.All() != "1\n2\n3\n" {
		t.Errorf("%q, all %q", s.Text(), s.All())
	}
	s.Resize(10, 1)
	if s.Text() != "3\n" || s.All() != "1\n2\n3\n" {
		t.Errorf("smaller: %q, all %q", s.Text(), s.All())
	}
	var said strings.Builder
	s.Answer = func(text string) { said.WriteString(text) }
	_, _ = s.Write([]byte("\x1b[6n\x1b[c\x1b]2;t\a\a\x1bPx\x1b\\"))
	if said.String() != "\x1b[1;2R\x1b[?62c" || len(s.Titles) != 1 || s.Bells != 1 || len(s.Odd) != 1 {
		t.Errorf("%q %q %d %q", said.String(), s.Titles, s.Bells, s.Odd)
	}
}

// TestTerminal: a program in a terminal reads keys, sees its size, and exits.
func TestTerminal(t *testing.T) {
	term := termtest.Start(t, exec.Command("sh", "-c", `stty size; trap 'stty size' WINCH; read a; echo "got $a"; read b; exit 7`), 60, 10)
	term.Wait("10 60")
	term.Type("key\n")
	term.Wait("got key")
	term.Resize(80, 20)
	term.Type("\n")
	if code := term.Exit(); code != 7 {
		t.Errorf("exit code %d\n%s", code, term.Text())
	}
	term.Wait("20 80")
}
