package journal

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

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
	w.string("call", cut(r.Call))
	w.some("session", cut(r.Session))
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
		w.some("name", clean(d.Name))
		w.some("where", clean(d.Where))
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
		answer.Rule, answer.More = clean(a.Rule), texts(a.More)
		w.value("answer", answer)
	}
	if r.Result != nil {
		result := *r.Result
		result.Error = clean(result.Error)
		w.value("result", result)
	}
	if g := r.Grant; g != nil {
		grant := *g
		grant.Rule, grant.Call = clean(g.Rule), cut(g.Call)
		w.value("grant", grant)
	}
	if r.Trust != nil {
		trust := *r.Trust
		trust.Name = clean(trust.Name)
		w.value("trust", trust)
	}
	w.rule(r.Rule)
	w.some("root", r.Root)
	w.some("note", note(&r))
	w.true("observed", r.Observed)
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
	if len(w.text)-from > maxRecord {
		less, err := shrink([]byte("{" + string(w.text[from+1:]) + "}"))
		if err != nil {
			return nil, err
		}
		w.text = append(append(w.text[:from], ','), less[1:len(less)-1]...)
	}
	return w.text, nil
}

func maskedTerms(terms sayso.Contract) sayso.Contract {
	terms.Tool, terms.Input, terms.Script = clean(terms.Tool), short(terms.Input), clean(terms.Script)
	for _, list := range []*[]string{&terms.Argv, &terms.Read, &terms.Write, &terms.Protected, &terms.Watched, &terms.Scratch, &terms.Inherit, &terms.Hosts} {
		*list = texts(*list)
	}
	env := map[string]string{}
	for name, value := range terms.Env {
		hidden := mask.Text(name + "=" + value)
		env[cut(name)] = cut(strings.TrimPrefix(hidden, name+"="))
	}
	terms.Env = env
	return terms
}

// note is what else a record says. The id of a request looks like a secret, and is
// none: people answer by it. It is what crypto/rand.Text returns.
func note(r *sayso.Record) string {
	if r.Kind == sayso.RecordPrompt && len(r.Note) == 26 && strings.Trim(r.Note, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		return r.Note
	}
	return clean(r.Note)
}

// clean is a text without secrets, of which a part could be left if it were cut
// first, and without its middle if it is long.
func clean(s string) string { return cut(mask.Text(s)) }

func texts(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, clean(s))
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
	v, err := decode(hidden)
	if err != nil {
		return nil
	}
	out, _ := encode(cutAll(v, math.MaxInt)) // what was read can be written
	return out
}
