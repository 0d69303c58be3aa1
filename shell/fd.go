package shell

import (
	"slices"
	"strings"
)

// fd runs commands on what it finds, behind -x or -X.
func (v *visit) fd() {
	if !v.r.inner {
		return
	}
	dirs := []Arg{{Text: "."}}
	if len(v.r.args) > 1 {
		dirs = v.r.args[1:]
	}
	items := make([]Arg, len(dirs))
	name := "*"
	if len(v.r.args) > 0 { // a regular expression for a part of the name
		_, name = pathPattern(collapsed("*" + regexpGlob(v.r.args[0].Text) + "*"))
	}
	if g := v.r.given("-e"); g != nil {
		name = "*." + g.value.Text
	}
	hidden := v.r.option("-H") || v.r.option("-u") || v.r.option("--hidden") || v.r.option("--unrestricted")
	for i, d := range dirs {
		d.Text = strings.TrimRight(d.Text, "/") + "/" + name
		d.Glob, d.deep = true, hidden
		items[i] = d
	}
	words := v.r.rest
	for i, a := range words {
		if a.Text == ";" {
			words = words[:i]
			break
		}
	}
	v.says = append(v.says, "For each file found: {inner}")
	v.r.inner, v.r.settled = false, false
	v.wrapped(replaceItems(words, "{}", items, true))
}

// option reports whether an option was given in exactly this spelling, whether
// a table knows it or not.
func (r *reading) option(spelling string) bool {
	for i := range r.flags {
		if r.flags[i].spelling == spelling {
			return true
		}
	}
	return slices.Contains(r.others, spelling)
}

// replaceItems puts items where the placeholder stands in words: as arguments
// of their own where it is a word, as text where it is a part of one. If it
// stands nowhere and add is set, they are added at the end.
func replaceItems(words []Arg, placeholder string, items []Arg, add bool) []Arg {
	out := make([]Arg, 0, len(words)+len(items))
	found := false
	for _, a := range words {
		switch {
		case placeholder != "" && a.Text == placeholder && !a.Unknown:
			out = append(out, items...)
			found = true
		case placeholder != "" && strings.Contains(a.Text, placeholder):
			found = true
			a.extra = &argExtra{why: "the words of the input become a part of " + short(a.Text), secret: max(a.secret(), secretIn(items))}
			if len(items) > 0 {
				a.Text = strings.ReplaceAll(a.Text, placeholder, items[0].Text)
				a.Unknown = a.Unknown || items[0].Unknown
				a.Glob = a.Glob || items[0].Glob
				a.many = a.many || items[0].many
				a.from = max(a.from, items[0].from)
			}
			out = append(out, a)
		default:
			out = append(out, a)
		}
	}
	if !found && add {
		out = append(out, items...)
	}
	return out
}
