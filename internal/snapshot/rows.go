package snapshot

import "strings"

// rows are lines: a name, and then each string behind a tab. A tab, a line end or a
// backslash in a string is a backslash and a letter for it. To read that takes two
// loops that look for bytes.
type rows struct{ text []byte }

func (r *rows) add(name string, row ...string) {
	r.text = append(r.text, name...)
	for _, s := range row {
		r.text = append(r.text, '\t')
		for i := range len(s) {
			switch c := s[i]; c {
			case '\\':
				r.text = append(r.text, '\\', '\\')
			case '\t':
				r.text = append(r.text, '\\', 't')
			case '\n':
				r.text = append(r.text, '\\', 'n')
			default:
				r.text = append(r.text, c)
			}
		}
	}
	r.text = append(r.text, '\n')
}

// usual is how many strings a row has at most, nearly always.
const usual = 16

// each reads rows. What do is given is its own only until it returns.
func each(text string, do func(name string, row []string) error) error {
	room := make([]string, 0, usual)
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			return errForm // it was cut off
		}
		text = rest
		name, line, more := strings.Cut(line, "\t")
		row := room[:0]
		for more {
			var s string
			s, line, more = strings.Cut(line, "\t")
			if strings.IndexByte(s, '\\') >= 0 {
				var err error
				if s, err = unescape(s); err != nil {
					return err
				}
			}
			row = append(row, s)
		}
		if err := do(name, row); err != nil {
			return err
		}
	}
	return nil
}

// unescape takes the backslashes out of a string.
func unescape(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			switch {
			case i < len(s) && s[i] == '\\':
			case i < len(s) && s[i] == 't':
				c = '\t'
			case i < len(s) && s[i] == 'n':
				c = '\n'
			default:
				return "", errForm
			}
		}
		b = append(b, c)
	}
	return string(b), nil
}
