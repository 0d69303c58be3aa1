package glob

import "strings"

// Braces writes the braces of a pattern out: *.{ts,tsx} is *.ts and *.tsx. What
// stands for too many patterns is *, which stands for all of them.
func Braces(pattern string) []string {
	out := []string{pattern}
	for i := 0; i < len(out); {
		open, parts, rest, ok := braces(out[i])
		if !ok {
			i++
			continue
		}
		if len(out)+len(parts) > maxAlternatives || len(pattern) > MaxLength {
			return []string{"*"}
		}
		written := make([]string, len(parts))
		for j, p := range parts {
			written[j] = open + p + rest
		}
		out = append(out[:i], append(written, out[i+1:]...)...)
	}
	return out
}

// braces finds the first braces of a pattern: what stands in front of them, in
// them, and behind them.
func braces(s string) (before string, parts []string, after string, ok bool) {
	for open := strings.IndexByte(s, '{'); open >= 0; {
		depth, from := 0, open+1
		parts = nil
		for i := open; i < len(s); i++ {
			switch {
			case s[i] == '{':
				depth++
			case s[i] == ',' && depth == 1:
				parts, from = append(parts, s[from:i]), i+1
			case s[i] == '}':
				if depth--; depth == 0 {
					return s[:open], append(parts, s[from:i]), s[i+1:], true
				}
			}
		}
		next := strings.IndexByte(s[open+1:], '{') // this one is not closed
		if next < 0 {
			break
		}
		open += 1 + next
	}
	return "", nil, "", false
}
