package termtest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// csi does what a control sequence says.
func (s *Screen) csi(cmd ansi.Cmd, params ansi.Params) {
	arg := func(i, def int) int {
		n, _, ok := params.Param(i, def)
		if !ok {
			return def
		}
		return n
	}
	switch {
	case cmd.Prefix() == '?' && cmd.Intermediate() == 0:
		s.private(cmd, params)
		return
	case cmd.Intermediate() == '$' && cmd.Final() == 'p': // is a mode known?
		s.answer(fmt.Sprintf("\x1b[?%d;0$y", arg(0, 0)))
		return
	case cmd.Prefix() != 0, cmd.Intermediate() != 0: // keyboards, versions, the shape of the cursor
		return
	}
	n := max(1, arg(0, 1))
	if !s.move(cmd.Final(), n, max(1, arg(1, 1))) && !s.erase(cmd.Final(), arg(0, 0), n) {
		switch cmd.Final() {
		case 'm':
			s.graphics(params)
		case 'r':
			s.top, s.low = n-1, min(s.rows, arg(1, s.rows))-1
			s.x, s.y = 0, 0
		case 'b':
			for range n {
				s.print(s.last)
			}
		case 's':
			s.kept = [2]int{s.x, s.y}
		case 'u':
			s.x, s.y = s.kept[0], s.kept[1]
		case 'n':
			if arg(0, 0) == 6 {
				s.answer(fmt.Sprintf("\x1b[%d;%dR", s.y+1, s.x+1))
			}
		case 'c':
			s.answer("\x1b[?62c")
		case 'h', 'l', 't':
		default:
			s.odd("CSI %c", cmd.Final())
		}
	}
}

func (s *Screen) answer(text string) {
	s.Asked = append(s.Asked, text)
	if s.Answer != nil {
		s.Answer(text)
	}
}

// move moves the cursor; not ok if the sequence does something else.
func (s *Screen) move(final byte, n, m int) bool {
	x, y := s.x, s.y
	switch final {
	case 'A':
		y -= n
	case 'B', 'e':
		y += n
	case 'C', 'a':
		x += n
	case 'D':
		x -= n
	case 'E':
		x, y = 0, y+n
	case 'F':
		x, y = 0, y-n
	case 'G', '`':
		x = n - 1
	case 'd':
		y = n - 1
	case 'H', 'f':
		x, y = m-1, n-1
	case 'I':
		x = (x/8 + n) * 8
	case 'Z':
		x = ((x+7)/8 - n) * 8
	default:
		return false
	}
	s.x, s.y, s.wrap = max(0, min(x, s.cols-1)), max(0, min(y, s.rows-1)), false
	return true
}

// erase empties, inserts and removes cells; not ok if the sequence does something
// else.
func (s *Screen) erase(final byte, how, n int) bool {
	line := s.lines[s.y]
	switch final {
	case 'J':
		s.eraseLine(how)
		for i := range s.lines {
			if how >= 2 || how == 0 && i > s.y || how == 1 && i < s.y {
				s.lines[i] = s.blank()
			}
		}
	case 'K':
		s.eraseLine(how)
	case 'X':
		clear(line[s.x:min(s.cols, s.x+n)])
	case 'P':
		s.lines[s.y] = append(slices.Delete(line, s.x, min(s.cols, s.x+n)), make([]cell, min(n, s.cols-s.x))...)
	case '@':
		s.lines[s.y] = slices.Insert(line, s.x, make([]cell, n)...)[:s.cols]
	case 'L':
		s.scroll(s.y, -min(n, s.rows))
	case 'M':
		above := s.above
		s.scroll(s.y, min(n, s.rows))
		s.above = above // what is removed has not scrolled away
	case 'S':
		s.scroll(s.top, min(n, s.rows))
	case 'T':
		s.scroll(s.top, -min(n, s.rows))
	default:
		return false
	}
	s.wrap = false
	return true
}

func (s *Screen) eraseLine(how int) {
	from, to := 0, s.cols
	switch how {
	case 0:
		from = s.x
	case 1:
		to = s.x + 1
	}
	clear(s.lines[s.y][from:to])
}

// private sets and unsets what only some terminals have.
func (s *Screen) private(cmd ansi.Cmd, params ansi.Params) {
	on := cmd.Final() == 'h'
	if cmd.Final() == 'u' { // which keys are told apart?
		s.answer("\x1b[?0u")
		return
	}
	if !on && cmd.Final() != 'l' {
		return
	}
	params.ForEach(0, func(_, n int, _ bool) {
		s.modes[n] = on
		switch n {
		case 25:
			s.hidden = !on
		case 47, 1047, 1049:
			s.alternate(on)
		}
	})
}

// alternate changes between the two screens.
func (s *Screen) alternate(on bool) {
	switch {
	case on && s.main == nil:
		s.main = &saved{s.lines, s.x, s.y}
		s.lines = make([][]cell, s.rows)
		for i := range s.lines {
			s.lines[i] = s.blank()
		}
		s.x, s.y = 0, 0
	case !on && s.main != nil:
		s.lines, s.x, s.y = s.main.lines, s.main.x, s.main.y
		s.main = nil
		s.Resize(s.cols, s.rows)
	}
}

var colours = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// graphics changes how the next characters look.
func (s *Screen) graphics(params ansi.Params) {
	var list []int
	params.ForEach(0, func(_, n int, _ bool) { list = append(list, n) })
	if len(list) == 0 {
		list = []int{0}
	}
	p := &s.pen
	for i := 0; i < len(list); i++ {
		switch n := list[i]; {
		case n == 0:
			*p = style{}
		case n == 1:
			p.bold = true
		case n == 2:
			p.dim = true
		case n == 3:
			p.italic = true
		case n == 4:
			p.under = true
		case n == 7:
			p.inverse = true
		case n == 22:
			p.bold, p.dim = false, false
		case n == 23:
			p.italic = false
		case n == 24:
			p.under = false
		case n == 27:
			p.inverse = false
		case n >= 30 && n <= 37:
			p.fg = colours[n-30]
		case n >= 90 && n <= 97:
			p.fg = "bright-" + colours[n-90]
		case n >= 40 && n <= 47:
			p.bg = colours[n-40]
		case n >= 100 && n <= 107:
			p.bg = "bright-" + colours[n-100]
		case n == 39:
			p.fg = ""
		case n == 49:
			p.bg = ""
		case n == 38 || n == 48:
			name, used := colour(list[i+1:])
			i += used
			if n == 38 {
				p.fg = name
			} else {
				p.bg = name
			}
		}
	}
}

// colour is one of a palette, or of three parts.
func colour(list []int) (name string, used int) {
	switch {
	case len(list) > 1 && list[0] == 5:
		return strconv.Itoa(list[1]), 2
	case len(list) > 3 && list[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", list[1], list[2], list[3]), 4
	}
	return "", len(list)
}
