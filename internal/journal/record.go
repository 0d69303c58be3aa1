package journal

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// appendMasked appends the fields of a record to an object that has others, with secrets taken out of everything that came
// from an agent, and without the middle of long values. Identifiers and hashes
// stay as they are.
//
// What every call has is written by hand: a program that lives for milliseconds
// would spend a tenth of them on finding out how its types are written.
func appendMasked(text []byte, r sayso.Record) ([]byte, error) {
	from := len(text)
	w := writer{Writer: plainjson.Writer{Text: text}}
	w.Key("time")
	w.Text = r.Time.UTC().AppendFormat(append(w.Text, '"'), time.RFC3339Nano)
	w.Text = append(w.Text, '"')
	w.String("kind", string(r.Kind))
	w.String("call", cut(r.Call))
	w.Some("session", cut(r.Session))
	if r.Request != nil {
		w.request(*r.Request)
	}
	if r.Decision != nil {
		w.Key("decision")
		w.decision(r.Decision)
	}
	if d := r.Decider; d != nil {
		w.Key("decider")
		w.Open('{')
		w.String("kind", d.Kind)
		w.Some("name", clean(d.Name))
		w.Some("where", clean(d.Where))
		w.Some("channel", d.Channel)
		w.Close('}')
	}
	w.Some("policy", r.Policy)
	w.Some("contract", r.Contract)
	if r.Terms != nil {
		w.Raw("terms", maskedTerms(*r.Terms).Canonical())
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
	w.Some("root", r.Root)
	w.Some("note", note(&r))
	w.True("observed", r.Observed)
	if w.err != nil {
		return nil, w.err
	}
	if texts := profileTexts(&r); len(texts) > 0 {
		hidden, err := hideTexts([]byte("{"+string(w.Text[from+1:])+"}"), texts)
		if err != nil {
			return nil, err
		}
		w.Text = append(append(w.Text[:from], ','), hidden[1:len(hidden)-1]...)
	}
	if len(w.Text)-from > maxRecord {
		less, err := shrink([]byte("{" + string(w.Text[from+1:]) + "}"))
		if err != nil {
			return nil, err
		}
		w.Text = append(append(w.Text[:from], ','), less[1:len(less)-1]...)
	}
	return w.Text, nil
}

func maskedTerms(terms sayso.Contract) sayso.Contract {
	terms.Tool, terms.Input, terms.Script = clean(terms.Tool), short(terms.Input), clean(terms.Script)
	for _, list := range []*[]string{&terms.Argv, &terms.Read, &terms.Hidden, &terms.Write, &terms.Protected, &terms.Barred, &terms.Watched, &terms.Skipped, &terms.Scratch, &terms.Inherit, &terms.Hosts} {
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
