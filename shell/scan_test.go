package shell

import (
	"strings"
	"testing"
)

// TestOpeners: the quick bound is never below what the scan finds.
func TestOpeners(t *testing.T) {
	for _, unit := range []string{
		"(", "$(", "${a:-", "((", "[[ ", "\"$(", "`", "{ ", "if ", "while ", "until ", "for ", "select ", "case ",
		"time ", "! ", "coproc ", "function ", "exec ", "$((-", "$((+", "$((~", "$[-", "then if ", "case a in a) if ",
		"cat <<E\n$(\n${\n`", "<(", ">(", "a[", "((!",
	} {
		src := strings.Repeat(unit, 150)
		s := scanner{src: src}
		s.run()
		if n := openers(src); n < s.max {
			t.Errorf("%q: at most %d levels, the scan finds %d", unit, n, s.max)
		}
	}
}
