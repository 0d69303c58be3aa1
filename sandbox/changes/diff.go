package changes

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// MostCompared is how large a file may be whose text is compared.
const MostCompared = 1 << 20

// A Diff is a change of a text: a unified diff, line by line, without the lines that
// name the file. What is no text has none, and the note says why.
type Diff struct {
	Lines []string `json:"lines,omitempty"`
	Note  string   `json:"note,omitempty"`
}

// Diff shows how the text of a file changes. mask takes out what nobody is to see; nil:
// all is shown.
func (s *Set) Diff(c *Change, mask func(string) string) Diff {
	isFile := func(st *State) bool { return st != nil && st.Type == File }
	if !isFile(c.Before) && !isFile(c.After) || c.Same != "" || c.Mode() || c.Touched() {
		return Diff{}
	}
	var sides [2][]byte
	for i, st := range []*State{c.Before, c.After} {
		if !isFile(st) {
			continue
		}
		name := c.Path
		if i == 1 {
			name = s.upper(c)
		}
		if st.Size > MostCompared {
			return Diff{Note: fmt.Sprintf("larger than %d bytes: %s", MostCompared, c.hashes())}
		}
		text, err := content(name, MostCompared)
		if err != nil {
			return Diff{Note: "it cannot be read"}
		}
		if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
			return Diff{Note: "no text: " + c.hashes()}
		}
		sides[i] = text
	}
	return compared(string(sides[0]), string(sides[1]), mask)
}

// hashes tell what is in a file that cannot be shown.
func (c *Change) hashes() string {
	text := "removed"
	if c.After != nil {
		text = "sha256 " + c.After.Hash
	}
	if c.Before != nil && c.Before.Hash != "" {
		text += ", which was " + c.Before.Hash
	}
	return text
}

// upper is where the new content of a file is.
func (s *Set) upper(c *Change) string {
	l := s.layers[c.layer]
	rel, _ := filepath.Rel(l.Root, c.Path) // it is below it
	return filepath.Join(l.Upper, rel)
}

// compared is the diff of two texts. What is masked in them is masked before they are
// compared if it goes over several lines, and else only where it is shown: then it is
// seen that it has changed.
func compared(before, after string, mask func(string) string) Diff {
	if mask == nil {
		mask = func(text string) string { return text }
	}
	old, shownOld := lines(before), lines(mask(before))
	new, shownNew := lines(after), lines(mask(after))
	if len(old) != len(shownOld) || len(new) != len(shownNew) {
		old, new = shownOld, shownNew
	}
	edits := compare(old, new)
	out := Diff{Lines: unified(edits, shownOld, shownNew)}
	if len(out.Lines) == 0 && before != after {
		out.Note = "only in what is masked"
	}
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") && after != "" && before != "" {
		out.Note = "the last line ends otherwise"
	}
	return out
}

// lines is a text as lines.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// An edit is a line of a comparison: kept ' ', taken away '-' or added '+', and which
// line of which side it is.
type edit struct {
	op       byte
	old, new int
}

// mostEdits bounds the work of a comparison. What differs more is shown as all of the
// old and then all of the new.
const mostEdits = 1000

// compare says how old becomes new with the fewest edits (E. Myers, An O(ND) difference
// algorithm, 1986).
func compare(old, new []string) []edit {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	endOld, endNew := len(old), len(new)
	for endOld > start && endNew > start && old[endOld-1] == new[endNew-1] {
		endOld, endNew = endOld-1, endNew-1
	}
	var out []edit
	for i := range start {
		out = append(out, edit{' ', i, i})
	}
	for _, e := range shortest(old[start:endOld], new[start:endNew]) {
		out = append(out, edit{e.op, e.old + start, e.new + start})
	}
	for i := endOld; i < len(old); i++ {
		out = append(out, edit{' ', i, i - endOld + endNew})
	}
	return out
}

// shortest goes from the start of both texts along the furthest ways with ever more
// edits, until one of them is at the end.
func shortest(old, new []string) []edit {
	n, m := len(old), len(new)
	limit := min(n+m, mostEdits)
	furthest := make([]int, 2*limit+3) // by diagonal: how far in old
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(furthest))
		for k := -d; k <= d; k += 2 {
			at := k + limit + 1
			x := furthest[at-1] + 1
			if k == -d || k != d && furthest[at-1] < furthest[at+1] {
				x = furthest[at+1]
			}
			for x < n && x-k < m && x-k >= 0 && old[x] == new[x-k] {
				x++
			}
			furthest[at] = x
			if x >= n && x-k >= m {
				return walkBack(trace, limit, n, m)
			}
		}
	}
	var out []edit
	for i := range old {
		out = append(out, edit{'-', i, 0})
	}
	for i := range new {
		out = append(out, edit{'+', n, i})
	}
	return out
}

// walkBack is the way that has come to the end, from its start.
func walkBack(trace [][]int, limit, x, y int) []edit {
	var out []edit
	for d := len(trace) - 1; d >= 0; d-- {
		furthest, k := trace[d], x-y
		at := k + limit + 1
		before := k - 1
		if k == -d || k != d && furthest[at-1] < furthest[at+1] {
			before = k + 1
		}
		fromX := furthest[before+limit+1]
		fromY := fromX - before
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			out = append(out, edit{' ', x, y})
		}
		switch {
		case d == 0:
		case before == k+1:
			y--
			out = append(out, edit{'+', x, y})
		default:
			x--
			out = append(out, edit{'-', x, y})
		}
	}
	slices.Reverse(out)
	return out
}

// near is how many lines are shown around a change.
const near = 3

// unified writes edits as hunks.
func unified(edits []edit, old, new []string) []string {
	var out []string
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		from, to := max(0, i-near), i
		for last := i; to < len(edits) && to-last <= 2*near; to++ {
			if edits[to].op != ' ' {
				last = to
			}
		}
		for to > i && edits[to-1].op == ' ' {
			to--
		}
		to = min(len(edits), to+near)
		out = append(out, hunk(edits[from:to], old, new)...)
		i = to
	}
	return out
}

func hunk(edits []edit, old, new []string) []string {
	var counts [2]int
	var text []string
	for _, e := range edits {
		line := ""
		switch {
		case e.op == '+':
			line = new[e.new]
		default:
			line = old[e.old]
		}
		if e.op != '+' {
			counts[0]++
		}
		if e.op != '-' {
			counts[1]++
		}
		text = append(text, string(e.op)+line)
	}
	return append([]string{fmt.Sprintf("@@ -%s +%s @@", span(edits[0].old, counts[0]), span(edits[0].new, counts[1]))}, text...)
}

func span(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}
