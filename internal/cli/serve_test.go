package cli_test

import (
	"regexp"
	"testing"
	"time"
)

// TestServeTerminal: who serves the page in a terminal gets a link, another one for
// each Enter, and ends it with Ctrl+C.
func TestServeTerminal(t *testing.T) {
	t.Parallel()
	term := newDesk(t).start(`exec sayso serve --addr 127.0.0.1:0`)
	links := func(want int) map[string]bool {
		t.Helper()
		found := map[string]bool{}
		for range 3000 {
			for _, m := range regexp.MustCompile(`login#([-_A-Za-z0-9]{20,})`).FindAllStringSubmatch(regexp.MustCompile(`\s+`).ReplaceAllString(term.Text(), ""), -1) {
				found[m[1]] = true
			}
			if len(found) >= want {
				return found
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%d links, want %d:\n%s", len(found), want, term.Text())
		return nil
	}
	term.Wait("the link lets one browser in")
	links(1)
	term.Type("\r")
	links(2)
	term.Type("\x03")
	if code := term.Exit(); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, term.Text())
	}
}
