package termtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Screen is a terminal without the glass: what was written to it is in its
// cells. It knows what programs use that draw with care; what it does not know is
// kept in Odd, so that a test can see it.
type Screen struct {
	Titles []string // of the window, one after the other
	Bells  int
	Odd    []string // sequences that were not understood

	// Answer takes what a terminal says to the program when it is asked. Nil:
	// nothing is said.
	Answer func(string)

	// Asked are the replies to what the program has asked the terminal.
	Asked []string

	cols, rows int
	lines      [][]cell
	above      [][]cell // what has scrolled away
	main       *saved   // what is behind the alternate screen
	x, y       int
	kept       [2]int // a cursor that was saved
	wrap       bool   // the next character begins a new line
	top, low   int    // what scrolls, low included
	hidden     bool   // the cursor
	pen        style
	last       rune
	modes      map[int]bool
	parser     *ansi.Parser
	shown      [3]string // Text, All and Marked, until something is written
	gone       [2]gone   // what has scrolled away, plain and marked
}

type saved struct {
	lines [][]cell
	x, y  int
}

type cell struct {
	text  string // empty: the right half of a wide character, or nothing
	style style
}

type style struct {
	fg, bg                            string
	bold, dim, italic, under, inverse bool
}

// NewScreen is an empty screen.
func NewScreen(cols, rows int) *Screen {
	s := &Screen{modes: map[int]bool{}, parser: ansi.NewParser()}
	s.parser.SetHandler(ansi.Handler{
		Print: s.print, Execute: s.control, HandleCsi: s.csi, HandleEsc: s.escape,
		HandleOsc: func(cmd int, data []byte) { s.osc(cmd, string(data)) },
		HandleDcs: func(cmd ansi.Cmd, _ ansi.Params, data []byte) { s.odd("DCS %q", data) },
		HandlePm:  func(data []byte) { s.odd("PM %q", data) },
		HandleApc: func(data []byte) { s.odd("APC %q", data) },
		HandleSos: func(data []byte) { s.odd("SOS %q", data) },
	})
	s.Resize(cols, rows)
	return s
}

func (s *Screen) odd(format string, args ...any) { s.Odd = append(s.Odd, fmt.Sprintf(format, args...)) }

// Write shows what a program writes.
func (s *Screen) Write(p []byte) (int, error) {
	s.shown = [3]string{}
	for _, b := range p {
		s.parser.Advance(b)
	}
	return len(p), nil
}

// Resize changes the size. Lines are cut or filled, as xterm does it; what does
// not fit scrolls away at the top.
func (s *Screen) Resize(cols, rows int) {
	s.cols, s.shown = cols, [3]string{}
	for len(s.lines) > rows && s.y < len(s.lines)-1 {
		s.lines = s.lines[:len(s.lines)-1] // below the cursor
	}
	for len(s.lines) > rows {
		s.above, s.lines, s.y = append(s.above, s.lines[0]), s.lines[1:], s.y-1
	}
	for len(s.lines) < rows {
		s.lines = append(s.lines, nil)
	}
	for i, l := range s.lines {
		for len(l) < cols {
			l = append(l, cell{})
		}
		s.lines[i] = l[:cols]
	}
	s.rows, s.top, s.low, s.wrap = rows, 0, rows-1, false
	s.x, s.y = min(s.x, cols-1), min(s.y, rows-1)
}

func (s *Screen) blank() []cell { return make([]cell, s.cols) }

func (s *Screen) print(r rune) {
	width := 1
	if r >= 0x7f { // most are plain letters
		width = ansi.StringWidth(string(r))
	}
	if width == 0 { // it stands on the one before
		if x := s.x - 1; x >= 0 && s.lines[s.y][x].text != "" {
			s.lines[s.y][x].text += string(r)
		}
		return
	}
	if s.wrap || s.x+width > s.cols {
		s.x, s.wrap = 0, false
		s.feed()
	}
	s.lines[s.y][s.x] = cell{string(r), s.pen}
	if width == 2 {
		s.lines[s.y][s.x+1] = cell{"", s.pen}
	}
	s.last = r
	if s.x += width; s.x >= s.cols {
		s.x, s.wrap = s.cols-1, true
	}
}

// feed goes one line down, and scrolls if there is none.
func (s *Screen) feed() {
	if s.y != s.low {
		s.y = min(s.y+1, s.rows-1)
		return
	}
	s.scroll(s.top, 1)
}

// scroll moves the lines from one on up, or down if n is negative.
func (s *Screen) scroll(from, n int) {
	for ; n > 0; n-- {
		if from == 0 && s.main == nil {
			s.above = append(s.above, s.lines[0])
		}
		s.lines = slices.Insert(slices.Delete(s.lines, from, from+1), s.low, s.blank())
	}
	for ; n < 0; n++ {
		s.lines = slices.Insert(slices.Delete(s.lines, s.low, s.low+1), from, s.blank())
	}
}

func (s *Screen) control(b byte) {
	switch b {
	case '\n', '\v', '\f':
		s.feed()
	case '\r':
		s.x, s.wrap = 0, false
	case '\b':
		s.x, s.wrap = max(0, s.x-1), false
	case '\t':
		s.x = min(s.cols-1, (s.x/8+1)*8)
	case '\a':
		s.Bells++
	case 0, 0x0e, 0x0f:
	default:
		s.odd("control %#x", b)
	}
}

func (s *Screen) escape(cmd ansi.Cmd) {
	if cmd.Intermediate() != 0 { // a set of characters
		return
	}
	switch cmd.Final() {
	case '7':
		s.kept = [2]int{s.x, s.y}
	case '8':
		s.x, s.y = s.kept[0], s.kept[1]
	case 'M':
		if s.y == s.top {
			s.scroll(s.top, -1)
		} else {
			s.y = max(0, s.y-1)
		}
	case 'D':
		s.feed()
	case 'E':
		s.x = 0
		s.feed()
	case 'c':
		*s = *NewScreen(s.cols, s.rows)
	case '=', '>', '\\':
	default:
		s.odd("ESC %c", cmd.Final())
	}
}

func (s *Screen) osc(cmd int, data string) {
	switch _, text, _ := strings.Cut(data, ";"); cmd {
	case 0, 1, 2:
		s.Titles = append(s.Titles, text)
	case 10, 11, 12, 4, 8: // colours are asked for; links
	default:
		s.odd("OSC %q", data)
	}
}

// Cursor is where the cursor is, and whether it is seen.
func (s *Screen) Cursor() (x, y int, seen bool) { return s.x, s.y, !s.hidden }

// Mode reports whether a private mode is set, such as 1049 or 2004.
func (s *Screen) Mode(n int) bool { return s.modes[n] }

// Text is what is seen, a line a line, without blanks at the ends of lines and
// empty lines at the end.
func (s *Screen) Text() string {
	return s.once(0, func() string { return written("", s.lines, false) })
}

// All is Text with what has scrolled away.
func (s *Screen) All() string {
	return s.once(1, func() string { return written(s.gone[0].text(s.above, false), s.lines, false) })
}

// Marked is All with how it looks: {red bold:text}.
func (s *Screen) Marked() string {
	return s.once(2, func() string { return written(s.gone[1].text(s.above, true), s.lines, true) })
}

// once writes the screen out, unless that was done since it has changed.
func (s *Screen) once(how int, write func() string) string {
	if s.shown[how] == "" {
		s.shown[how] = write()
	}
	return s.shown[how]
}

func written(above string, lines [][]cell, marked bool) string {
	var b strings.Builder
	b.WriteString(above)
	for _, l := range lines {
		b.WriteString(line(l, marked) + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// gone are lines that have scrolled away, written out: they do not change any more,
// and there may be thousands of them.
type gone struct {
	lines int
	b     strings.Builder
}

func (g *gone) text(above [][]cell, marked bool) string {
	for ; g.lines < len(above); g.lines++ {
		g.b.WriteString(line(above[g.lines], marked) + "\n")
	}
	return g.b.String()
}

func line(cells []cell, marked bool) string {
	var b strings.Builder
	now := style{}
	end := func() {
		if now != (style{}) {
			b.WriteString("}")
		}
		now = style{}
	}
	for i, c := range cells {
		if c.text == "" && i > 0 && len(cells[i-1].text) > 1 && ansi.StringWidth(cells[i-1].text) == 2 {
			continue
		}
		if c.style != now && marked {
			end()
			if now = c.style; now != (style{}) {
				b.WriteString("{" + now.String() + ":")
			}
		}
		if c.text == "" {
			c.text = " "
		}
		b.WriteString(c.text)
	}
	if marked {
		end()
	}
	return strings.TrimRight(b.String(), " ")
}

func (s style) String() string {
	var words []string
	if s.fg != "" {
		words = append(words, s.fg)
	}
	if s.bg != "" {
		words = append(words, "on-"+s.bg)
	}
	for name, on := range map[string]bool{"bold": s.bold, "dim": s.dim, "italic": s.italic, "underline": s.under, "reverse": s.inverse} {
		if on {
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
