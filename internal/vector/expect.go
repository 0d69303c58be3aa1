package vector

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
)

// Differs says in what a decision is not the one that the line expects; empty:
// in nothing.
func (l *Line) Differs(d sayso.Decision) string {
	if problem := l.mistaken(); problem != "" {
		return problem
	}
	for _, f := range []struct{ name, got, want string }{
		{"effect", d.Effect.String(), l.Expect},
		{"code", string(d.Code), l.Code},
		{"stage", d.Stage, l.Stage},
		{"risk", d.Risk.String(), l.Risk},
		{"explanation", d.Explanation, l.Explanation},
		{"matched", matched(d), l.Matched},
	} {
		if f.want != "" && f.got != f.want {
			return fmt.Sprintf("%s is %s, want %s (%s)", f.name, f.got, f.want, d.Reason)
		}
	}
	if !strings.Contains(d.Reason, l.Says) {
		return fmt.Sprintf("the reason does not say %q: %s", l.Says, d.Reason)
	}
	if agreement(l.Reason, d) == contradicts {
		return fmt.Sprintf("the reason is not %q: %s (%s, %s)", l.Reason, d.Reason, d.Code, d.Stage)
	}
	return ""
}

// mistaken says what is wrong with the expectation itself: a typing error in it
// would otherwise pass for ever.
func (l *Line) mistaken() string {
	if l.Expect == "" {
		return `it has no "expect"`
	}
	var e sayso.Effect
	if err := e.UnmarshalText([]byte(l.Expect)); err != nil {
		return "expect: " + err.Error()
	}
	for _, key := range l.others {
		if near := config.Nearest(key, slices.Sorted(maps.Keys(lineKeys))); near != "" {
			return fmt.Sprintf("unknown field %q: did you mean %q?", key, near)
		}
	}
	return ""
}

// Remarks tells what about a line was not compared: fields that nobody knows,
// and a reason that is put in other words.
func (l *Line) Remarks(d sayso.Decision) []string {
	var out []string
	for _, key := range l.others {
		out = append(out, fmt.Sprintf("the field %q is not known, and not compared", key))
	}
	if agreement(l.Reason, d) == otherWords {
		out = append(out, fmt.Sprintf("the reason is put in other words: %q, not %q", d.Reason, l.Reason))
	}
	return out
}

// How a reason that is expected and a decision agree.
type agreed uint8

const (
	agrees agreed = iota
	otherWords
	contradicts
)

// agreement compares a reason, which is written in the words of a document, with
// a decision. A single word is a name: the decision must have it in its reason,
// its code or its stage. Of a sentence it must have what is quoted; where it has
// no two words in a row of it, nobody can tell but a person.
func agreement(want string, d sayso.Decision) agreed {
	text := plainly(want)
	all := plainly(d.Reason + " | " + string(d.Code) + " | " + d.Stage)
	if text == "" || strings.Contains(all, text) {
		return agrees
	}
	words := strings.Fields(text)
	if len(words) < 2 || !strings.Contains(strings.TrimSpace(want), " ") {
		return contradicts
	}
	for i, quoted := range strings.Split(want, "'") {
		if i%2 == 1 && !strings.Contains(d.Reason, quoted) {
			return contradicts
		}
	}
	for i := range len(words) - 1 {
		if strings.Contains(all, words[i]+" "+words[i+1]) {
			return agrees
		}
	}
	return otherWords
}

// plainly is a text without regard to case and to how names are joined.
func plainly(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("_", " ", ".", " ", "-", " ", ",", " ", ":", " ").Replace(strings.ToLower(s))), " ")
}

// matched is where the rule that decided comes from.
func matched(d sayso.Decision) string {
	if d.Rule == nil {
		return ""
	}
	return string(d.Rule.Source.Layer)
}
