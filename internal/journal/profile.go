package journal

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/sayso-dev/sayso"
)

// hidden stands for a rule of the user's profile, which is nowhere in the clear.
const hidden = "[profile rule]"

// ofProfile is the layer of rules that are kept in the profile.
const ofProfile = sayso.Layer(sayso.ForProfile)

// profileTexts are the rules of the profile that a record names.
func profileTexts(r *sayso.Record) []string {
	var out []string
	add := func(text string) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	rule := func(r *sayso.Rule) {
		if r != nil && r.Source.Layer == ofProfile {
			add(r.Text)
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

// hideTexts takes texts out of JSON, wherever they stand in its strings.
func hideTexts(line []byte, texts []string) []byte {
	for _, text := range texts {
		for _, escape := range []bool{true, false} { // both ways in which it may be written
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(escape)
			_ = enc.Encode(text) // a text can be written
			if inner := bytes.TrimSpace(b.Bytes()); len(inner) > 2 {
				line = bytes.ReplaceAll(line, inner[1:len(inner)-1], []byte(hidden))
			}
		}
	}
	return line
}
