package view

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// A Role says what a piece of text is, which is how every channel colours it.
type Role uint8

// The roles.
const (
	Plain    Role = iota
	Command       // what the agent has sent
	Decisive      // the part of it that asks
	Hidden        // our code for what must not be interpreted, or would not be seen
	Added         // a line that a change adds
	Removed       // a line that it takes away
	Note          // what we say about it
	RiskSafe
	RiskModerate
	RiskDangerous
)

var roleNames = [...]string{"plain", "command", "decisive", "hidden", "added", "removed", "note", "safe", "moderate", "dangerous"}

// String is the name of the role, fit for a class of a style sheet.
func (r Role) String() string { return roleNames[r] }

// A Style is how a role looks. A channel without colours shows the rest.
type Style struct {
	Color                    string // green, yellow, red, or empty
	Bold, Underline, Reverse bool
	Dim                      bool
}

var styles = [...]Style{
	Plain: {}, Command: {}, Decisive: {Bold: true, Underline: true}, Hidden: {Color: "red", Reverse: true},
	Added: {Color: "green"}, Removed: {Color: "red"}, Note: {Dim: true},
	RiskSafe: {Color: "green", Bold: true}, RiskModerate: {Color: "yellow", Bold: true}, RiskDangerous: {Color: "red", Bold: true},
}

// Style is how the role looks.
func (r Role) Style() Style { return styles[r] }

// A Span is a piece of a line in one role.
type Span struct {
	Text string
	Role Role
}

// A Line is a line of text. Its text may be wider than a screen.
type Line []Span

// String is the text of the line.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Is reports whether a piece of the line has the role.
func (l Line) Is(role Role) bool {
	for _, s := range l {
		if s.Role == role {
			return true
		}
	}
	return false
}

// Words is a line in one role.
func Words(text string, role Role) Line { return Line{{Safe(text), role}} }

// Width is how many columns a text takes.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.Is(unicode.M, r):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Wrap breaks the line so that no piece is wider than columns: at a blank where
// there is one, or else anywhere. Nothing is left out but the blank at which it is
// broken.
func (l Line) Wrap(columns int) []Line {
	columns = max(columns, 2)
	text := []rune(l.String())
	roles := make([]Role, 0, len(text))
	for _, s := range l {
		for range s.Text {
			roles = append(roles, s.Role)
		}
	}
	var out []Line
	for start := 0; ; {
		end, next := breakAt(text, start, columns)
		out = append(out, lineOf(text[start:end], roles[start:end]))
		if next >= len(text) {
			return out
		}
		start = next
	}
}

// breakAt is where a line ends that begins at start, and where the next begins.
func breakAt(text []rune, start, columns int) (end, next int) {
	used, blank := 0, -1
	for i := start; i < len(text); i++ {
		w := runeWidth(text[i])
		if used+w > columns {
			switch {
			case text[i] == ' ':
				return i, i + 1
			case blank > start && i-blank <= columns/2: // else the line would be half empty
				return blank, blank + 1
			}
			return i, i
		}
		if text[i] == ' ' {
			blank = i
		}
		used += w
	}
	return len(text), len(text)
}

func lineOf(text []rune, roles []Role) Line {
	out := Line{}
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && roles[j] == roles[i] {
			j++
		}
		out = append(out, Span{string(text[i:j]), roles[i]})
		i = j
	}
	return out
}
