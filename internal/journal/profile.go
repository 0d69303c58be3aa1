package journal

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// hidden stands for a rule of the user's profile, which is nowhere in the clear.
const hidden = "[profile rule]"

// profileTexts are the rules of the profile that a record names.
func profileTexts(r *sayso.Record) []string {
	var out []string
	add := func(text string) {
		for _, as := range []string{text, mask.Text(text), clean(text)} { // as it may have been written
			if as != "" && !slices.Contains(out, as) {
				out = append(out, as)
			}
		}
	}
	rule := func(r *sayso.Rule) {
		if r == nil || r.Source.Layer != sayso.OfProfile {
			return
		}
		add(r.Text)
		add(r.Because)
		for _, list := range [][]string{r.Except, r.Match, r.NotMatch} {
			for _, text := range list {
				add(text)
			}
		}
	}
	var steps func([]sayso.Step)
	steps = func(list []sayso.Step) {
		for i := range list {
			rule(list[i].Rule)
			steps(list[i].Steps)
		}
	}
	rule(r.Rule)
	if r.Decision != nil {
		rule(r.Decision.Rule)
		steps(r.Decision.Trace)
	}
	if r.Grant != nil && r.Grant.Scope == sayso.ForProfile {
		add(r.Grant.Rule)
	}
	if r.Answer != nil && r.Answer.Scope == sayso.ForProfile {
		add(r.Answer.Rule)
		for _, more := range r.Answer.More {
			add(more)
		}
	}
	return out
}

// told are the keys of a record under which the text of a rule may stand. What
// else has the same letters, such as a kind or a code, is no rule.
var told = []string{
	"rule", "reason", "subject", "name", "because", "more", "except", "match", "not_match",
}

// hideTexts takes texts out of a record.
func hideTexts(record []byte, texts []string) ([]byte, error) {
	v, err := decode(record)
	if err != nil {
		return nil, err
	}
	// The longest first: one may be the start of another.
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	return encode(without(v, "", texts))
}

// without is a value that stands under a key, with texts taken out.
func without(v any, key string, texts []string) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = without(v[name], name, texts)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i], key, texts)
		}
	case string:
		if !slices.Contains(told, key) {
			return v
		}
		for _, text := range texts {
			v = strings.ReplaceAll(v, text, hidden)
		}
		return v
	}
	return v
}
