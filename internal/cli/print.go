package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/sayso-dev/sayso/internal/approve/view"
)

// printf prints for people. What is filled in may come from an agent or a
// repository: no character of it is interpreted by a terminal, or passes for
// another one.
func printf(out io.Writer, format string, args ...any) { _ = printErr(out, format, args...) }

// printErr is printf for a result whose reader may be gone.
func printErr(out io.Writer, format string, args ...any) error {
	for i, arg := range args {
		switch a := arg.(type) {
		case string:
			args[i] = view.Safe(a)
		case error:
			args[i] = safeLines(a.Error())
		case fmt.Stringer:
			args[i] = view.Safe(a.String())
		}
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// safeLines is a text fit to be shown that may have several lines: errors come
// joined.
func safeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = view.Safe(lines[i])
	}
	return strings.Join(lines, "\n")
}

// counted is a number of things, with the word for one of them.
func counted[N int | uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
