package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// braces turns brace expansions into alternatives; false means too many.
func braces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	first := slices.IndexFunc(parts, isBrace)
	if first < 0 {
		return [][]syntax.WordPart{parts}, true
	}
	out := [][]syntax.WordPart{slices.Clone(parts[:first])}
	for _, p := range parts[first:] {
		if !isBrace(p) {
			for i := range out {
				out[i] = append(out[i], p)
			}
			continue
		}
		elems, ok := braceElems(p.(*syntax.BraceExp))
		if !ok || len(elems)*len(out) > maxWords || len(elems)*len(out)*len(parts) > 100*maxWords {
			return nil, false
		}
		next := make([][]syntax.WordPart, 0, len(elems)*len(out))
		for _, prefix := range out {
			for _, e := range elems {
				next = append(next, append(prefix[:len(prefix):len(prefix)], e...))
			}
		}
		out = next
	}
	return out, true
}

func isBrace(p syntax.WordPart) bool {
	_, ok := p.(*syntax.BraceExp)
	return ok
}

func braceElems(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if b.Sequence {
		return sequence(b)
	}
	var out [][]syntax.WordPart
	for _, e := range b.Elems {
		inner, ok := braces(e.Parts)
		if !ok || len(out)+len(inner) > maxWords {
			return nil, false
		}
		out = append(out, inner...)
	}
	return out, true
}

// sequence expands {1..5}, {a..e} and {1..9..2}.
func sequence(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	letters := false
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil {
		if len(first) != 1 || len(last) != 1 {
			return nil, false
		}
		letters = true
		from, to = int(first[0]), int(last[0])
	}
	step := 1
	if len(b.Elems) > 2 {
		if n, err := strconv.Atoi(b.Elems[2].Lit()); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	if step < 0 || max(from-to, to-from) < 0 || max(from-to, to-from)/step >= maxWords {
		return nil, false
	}
	width := 0
	if !letters && (padded(first) || padded(last)) {
		width = max(len(first), len(last))
	}
	var out [][]syntax.WordPart
	for n := from; ; {
		text := string(rune(n))
		if !letters {
			text = pad(n, width)
		}
		out = append(out, []syntax.WordPart{&syntax.SglQuoted{Value: text}})
		if from <= to {
			n += step
		} else {
			n -= step
		}
		if from <= to && n > to || from > to && n < to {
			return out, true
		}
	}
}

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

func pad(n, width int) string {
	s := strconv.Itoa(n)
	if len(s) >= width {
		return s
	}
	if n < 0 {
		return "-" + strings.Repeat("0", width-len(s)) + s[1:]
	}
	return strings.Repeat("0", width-len(s)) + s
}
