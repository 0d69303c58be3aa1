package journal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// longest is how much of one value is kept: a file that is written stands in the
// input of its call.
const longest = 4 << 10

// masked is a record as JSON, with secrets taken out of everything that came
// from an agent, and without the middle of long values. Identifiers and hashes
// stay as they are.
func masked(r sayso.Record) ([]byte, error) {
	r.Time = r.Time.UTC()
	if r.Request != nil {
		call := *r.Request
		call.Input = short(call.Input)
		r.Request = &call
	}
	if r.Terms != nil {
		terms := *r.Terms
		terms.Input, terms.Script = short(terms.Input), mask.Text(cut(terms.Script))
		terms.Argv = texts(terms.Argv)
		env := map[string]string{}
		for name, value := range terms.Env {
			hidden := mask.Text(name + "=" + value)
			env[name] = strings.TrimPrefix(hidden, name+"=")
		}
		terms.Env = env
		r.Terms = &terms
	}
	if r.Answer != nil {
		answer := *r.Answer
		answer.Rule, answer.More = mask.Text(answer.Rule), texts(answer.More)
		r.Answer = &answer
	}
	if r.Grant != nil {
		grant := *r.Grant
		grant.Rule = mask.Text(cut(grant.Rule))
		r.Grant = &grant
	}
	if r.Rule != nil {
		rule := *r.Rule
		rule.Text, rule.Because = mask.Text(cut(rule.Text)), mask.Text(cut(rule.Because))
		rule.Except, rule.Match, rule.NotMatch = texts(rule.Except), texts(rule.Match), texts(rule.NotMatch)
		r.Rule = &rule
	}
	if r.Decider != nil {
		decider := *r.Decider
		decider.Name = mask.Text(decider.Name)
		r.Decider = &decider
	}
	if r.Result != nil {
		result := *r.Result
		result.Error = mask.Text(cut(result.Error))
		r.Result = &result
	}
	decision := r.Decision
	r.Decision = nil
	text, err := json.Marshal(r)
	if err != nil || decision == nil {
		return text, err
	}
	inner, err := json.Marshal(decision)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"decision":`...)
	text = append(text, mask.JSON(inner)...)
	return append(text, '}'), nil
}

func texts(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, mask.Text(cut(s)))
	}
	return out
}

// short is an input with its secrets masked and its long strings cut.
func short(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	hidden := mask.JSON(raw)
	if len(hidden) <= longest {
		return hidden
	}
	var v any
	if json.Unmarshal(hidden, &v) != nil {
		return nil
	}
	out, _ := json.Marshal(cutAll(v)) // what was read can be written
	return out
}

func cutAll(v any) any {
	switch v := v.(type) {
	case string:
		return cut(v)
	case []any:
		for i := range v {
			v[i] = cutAll(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = cutAll(v[key])
		}
	}
	return v
}

// cut keeps the beginning and the end of a long text.
func cut(s string) string {
	if len(s) <= longest {
		return s
	}
	const end = longest / 4
	head, tail := s[:longest-end], s[len(s)-end:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("[cut:%d]", len(s)-longest) + strings.ToValidUTF8(tail, "")
}
