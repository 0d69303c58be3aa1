package config

import (
	"fmt"

	"github.com/sayso-dev/sayso"
)

// An example is a call that a rule must match, or must not.
type example struct {
	rule sayso.Source // where the rule stands
	text string
	want bool
	at   mark
}

func (f *File) addExamples(e *entry) {
	for _, list := range []struct {
		key   string
		texts []string
		want  bool
	}{{"match", e.Match, true}, {"not_match", e.NotMatch, false}} {
		for i, text := range list.texts {
			at := f.at[fmt.Sprintf("%s.%s[%d]", e.path, list.key, i)]
			f.examples = append(f.examples, example{f.Source(e.path), text, list.want, at})
		}
	}
}

// CheckExamples checks the examples of all rules of a file: matches says whether
// a rule matches a call that is written as in its examples. Each one that does
// not come out as it should is an *[Error] with its own place, and the file is
// from then on one with a mistake.
func CheckExamples(f *File, matches func(r sayso.Rule, example string) (bool, error)) error {
	rules := make(map[sayso.Source]sayso.Rule, len(f.Rules))
	for _, r := range f.Rules {
		at := r.Source
		at.Layer = ""
		rules[at] = r
	}
	var errs []*Error
	for _, x := range f.examples {
		r := rules[x.rule]
		got, err := matches(r, x.text)
		problem := ""
		switch {
		case err != nil:
			problem = fmt.Sprintf("the example %q of the rule %s cannot be checked: %v", x.text, r.Text, err)
		case got != x.want && x.want:
			problem = fmt.Sprintf("the rule %s does not match its example %q", r.Text, x.text)
		case got != x.want:
			problem = fmt.Sprintf("the rule %s matches %q, which it must not", r.Text, x.text)
		default:
			continue
		}
		errs = append(errs, &Error{File: f.Name, Line: x.at.line, Column: x.at.column, Problem: problem})
	}
	if len(errs) == 0 {
		return nil
	}
	f.Err = join(errs)
	f.tightenOnly()
	return f.Err
}
