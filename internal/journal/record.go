package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// longest is how much of one value is kept: a file that is written stands in the
// input of its call.
const longest = 4 << 10

// appendMasked appends the fields of a record to an object that has others, with secrets taken out of everything that came
// from an agent, and without the middle of long values. Identifiers and hashes
// stay as they are.
//
// What every call has is written by hand: a program that lives for milliseconds
// would spend a tenth of them on finding out how its types are written.
func appendMasked(text []byte, r sayso.Record) ([]byte, error) {
	from := len(text)
	w := writer{text: text}
	w.key("time")
	w.text = r.Time.UTC().AppendFormat(append(w.text, '"'), time.RFC3339Nano)
	w.text = append(w.text, '"')
	w.string("kind", string(r.Kind))
	w.string("call", r.Call)
	w.some("session", r.Session)
	if r.Request != nil {
		w.request(*r.Request)
	}
	if r.Decision != nil {
		w.key("decision")
		w.decision(r.Decision)
	}
	if d := r.Decider; d != nil {
		w.key("decider")
		w.open('{')
		w.string("kind", d.Kind)
		w.some("name", mask.Text(d.Name))
		w.some("where", d.Where)
		w.some("channel", d.Channel)
		w.close('}')
	}
	w.some("policy", r.Policy)
	w.some("contract", r.Contract)
	if r.Terms != nil {
		w.value("terms", maskedTerms(*r.Terms))
	}
	if a := r.Answer; a != nil {
		answer := *a
		answer.Rule, answer.More = mask.Text(a.Rule), texts(a.More)
		w.value("answer", answer)
	}
	if r.Result != nil {
		result := *r.Result
		result.Error = mask.Text(cut(result.Error))
		w.value("result", result)
	}
	if g := r.Grant; g != nil {
		grant := *g
		grant.Rule = mask.Text(cut(g.Rule))
		w.value("grant", grant)
	}
	if r.Trust != nil {
		w.value("trust", r.Trust)
	}
	w.rule(r.Rule)
	w.some("root", r.Root)
	w.some("note", r.Note)
	if w.err != nil {
		return nil, w.err
	}
	if texts := profileTexts(&r); len(texts) > 0 {
		hidden, err := hideTexts([]byte("{"+string(w.text[from+1:])+"}"), texts)
		if err != nil {
			return nil, err
		}
		w.text = append(append(w.text[:from], ','), hidden[1:len(hidden)-1]...)
	}
	return w.text, nil
}

func maskedTerms(terms sayso.Contract) sayso.Contract {
	terms.Input, terms.Script = short(terms.Input), mask.Text(cut(terms.Script))
	terms.Argv = texts(terms.Argv)
	env := map[string]string{}
	for name, value := range terms.Env {
		hidden := mask.Text(name + "=" + value)
		env[name] = strings.TrimPrefix(hidden, name+"=")
	}
	terms.Env = env
	return terms
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
