package shell

import (
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// printable reports whether all of the words can be printed as they are. Shells
// differ about escapes.
func printable(args []Arg, escapes bool) bool {
	for _, a := range args {
		if a.Unknown || a.Glob || octal(a.Text) || !escapes && strings.Contains(a.Text, `\`) {
			return false
		}
	}
	return true
}

// unprinted is what is known of words that are not printed as they stand: those
// with letters behind escapes are decoded, and others come from where they came
// from.
func unprinted(args []Arg) streamKind {
	kind := streamUnknown
	for _, a := range args {
		kind = max(kind, a.from)
		if hidesLetters(a.Text) {
			kind = max(kind, streamDecoded)
		}
	}
	return kind
}

// hidesLetters reports whether a text has letters or signs as numbers: \x72, \162,
// \u0072. Control characters are there to be seen on a terminal.
func hidesLetters(s string) bool {
	for i := strings.IndexByte(s, '\\'); i >= 0 && i+1 < len(s); {
		rest, base := s[i+1:], 8
		switch rest[0] {
		case 'x':
			rest, base = rest[1:min(len(rest), 3)], 16
		case 'u':
			rest, base = rest[1:min(len(rest), 5)], 16
		default:
			rest = rest[:min(len(rest), 4)]
			for len(rest) > 0 && strings.Trim(rest, "01234567") != "" {
				rest = rest[:len(rest)-1]
			}
		}
		if n, err := strconv.ParseUint(rest, base, 32); err == nil && n > ' ' && n < 0x7f {
			return true
		}
		next := strings.IndexByte(s[i+2:], '\\')
		if next < 0 {
			return false
		}
		i += 2 + next
	}
	return false
}

// echo knows what it prints, if it is simple.
func (v *visit) echo() {
	args := v.c.Args[1:]
	if !printable(args, false) {
		v.print = &stream{kind: unprinted(args)}
		return
	}
	end, escapes := "\n", false
	for len(args) > 0 && len(args[0].Text) > 1 && strings.Trim(args[0].Text[1:], "neE") == "" && args[0].Text[0] == '-' {
		if strings.Contains(args[0].Text, "n") {
			end = ""
		}
		escapes = escapes || strings.Contains(args[0].Text, "e")
		args = args[1:]
	}
	text := joinArgs(args)
	if escapes {
		text = unescape(text)
	}
	out := textOf(text + end)
	v.print = &out
}

// printf knows what it prints, if it is simple, and fills a variable.
func (v *visit) printf() {
	args := v.c.Args[1:]
	if g := v.r.given("-v"); g != nil { // printf -v NAME
		v.w.evaluate(v.st, v.f, v.c.Span, g.value)
		v.outer.setUnknown(g.value.Text)
		v.w.setting(v.outer, v.below(), v.c, &table.KeysEnvironment, g.value.Text, Arg{Text: "$" + g.value.Text, Unknown: true})
	}
	v.print = &stream{kind: unprinted(args)}
	if !printable(args, true) {
		return
	}
	if out, ok := formatted(args); ok {
		v.print = &stream{kind: streamText, text: out}
	}
}

// octal reports whether text has an escape such as \0101, which programs read
// in different ways.
func octal(s string) bool {
	i := strings.Index(s, `\0`)
	return i >= 0 && i+2 < len(s) && s[i+2] >= '0' && s[i+2] <= '7'
}

// formatted is what printf prints for a format of %s and escapes only.
//
// Shells do not agree about \x, \u and \e.
func formatted(args []Arg) (string, bool) {
	if len(args) > 1 && args[0].Text == "--" {
		args = args[1:]
	} else if len(args) == 0 || strings.HasPrefix(args[0].Text, "-") {
		return "", false
	}
	for _, a := range args {
		if strings.Contains(a.Text, `\x`) || strings.Contains(a.Text, `\u`) || strings.Contains(a.Text, `\U`) || strings.Contains(a.Text, `\e`) {
			return "", false
		}
	}
	format := unescape(args[0].Text)
	rest := args[1:]
	var b strings.Builder
	for first := true; first || len(rest) > 0; first = false {
		used := false
		for i := 0; i < len(format); i++ {
			if format[i] != '%' {
				b.WriteByte(format[i])
				continue
			}
			i++
			if i == len(format) {
				return "", false
			}
			switch format[i] {
			case '%':
				b.WriteByte('%')
			case 's', 'b':
				used = true
				if len(rest) > 0 {
					text := rest[0].Text
					if format[i] == 'b' {
						text = unescape(text)
					}
					b.WriteString(text)
					rest = rest[1:]
				}
			default:
				return "", false
			}
		}
		if !used {
			break
		}
	}
	return b.String(), b.Len() <= MaxLength
}
