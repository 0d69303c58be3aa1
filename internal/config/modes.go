package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// modes are the modes of native, the strictest first.
var modes = []string{preset.Plan, preset.DontAsk, preset.Careful, preset.Default, preset.Bypass}

// modeWords are the same in the order in which people learn them.
var modeWords = []string{preset.Plan, preset.Careful, preset.Default, preset.DontAsk, preset.Bypass}

// A modeList is what a preset has for modes.
type modeList struct {
	own   []string
	loose []string // that give up being asked: only a file of one's own may set them
	also  bool     // the words of native have a meaning in it, too
}

// presetModes are the modes of the presets.
var presetModes = map[string]modeList{
	"native":      {own: modeWords, loose: []string{preset.Bypass}},
	"cosmo":       {own: []string{preset.Default}},
	"kosmokrator": {own: []string{preset.Guardian, preset.Argus, preset.Prometheus}, loose: []string{preset.Prometheus}},
	"agentscope": {
		own: []string{
			preset.AgentScopeDefault, preset.AgentScopeAcceptEdits, preset.AgentScopeExplore, preset.AgentScopeBypass, preset.AgentScopeDontAsk,
		}, loose: []string{preset.AgentScopeBypass}, also: true,
	},
	"kodacode": {own: []string{preset.Auto, preset.ReadOnly, preset.FullAccess}, loose: []string{preset.FullAccess}},
	"cowork": {
		own:   []string{preset.Default, preset.Plan, preset.AcceptEdits, preset.DontAskOS, preset.BypassPermissions},
		loose: []string{preset.Bypass, preset.DontAskOS, preset.BypassPermissions}, also: true,
	},
}

// modesOf returns the modes that can be set for a preset; empty: native.
func modesOf(name string) []string {
	if name == "" {
		name = "native"
	}
	list := presetModes[name]
	if list.also {
		return union(slices.Clone(list.own), modeWords)
	}
	return list.own
}

// isLoose reports whether a mode gives up being asked.
func isLoose(name, mode string) bool {
	if name == "" {
		name = "native"
	}
	return mode == preset.Bypass || slices.Contains(presetModes[name].loose, mode)
}

// words are the modes of all presets.
func (modeName) words() []string {
	all := slices.Clone(modeWords)
	for _, name := range presetName("").words() {
		all = union(all, presetModes[name].own)
	}
	return all
}

// read reads any text: which modes there are depends on the preset, and that may
// stand behind it.
func (m *modeName) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.want(n, path, oneOf(modeWords), "")
		return
	}
	*m = modeName(n.Value)
	d.modes = append(d.modes, modeAt{n.Value, mark{n.Line, n.Column}})
}

// A modeAt is a mode where it was given.
type modeAt struct {
	text string
	at   mark
}

// checkModes reports the modes that the preset of a document does not have, and
// returns the one that was given last, if it has that.
func (d *decoder) checkModes(name string) string {
	last := ""
	for _, m := range d.modes {
		last = d.mode(m.text, name, m.at)
	}
	return last
}

// mode reports a mode that no preset has, or that the preset of the file does not
// have, and returns it or nothing.
func (d *decoder) mode(text, name string, at mark) string {
	known, which := modeName("").words(), modeWords
	if name != "" {
		known, which = modesOf(name), modesOf(name)
	}
	if slices.Contains(known, text) {
		return text
	}
	problem := fmt.Sprintf("mode: want %s, not %q", oneOf(which), text)
	if name != "" {
		problem += ", in preset " + name
	}
	d.report(at, problem, didYouMean(text, known))
	return ""
}

// tightens says which modes each mode is stricter than for every single call.
// That is less than the order of modes has: dont-ask denies where careful asks,
// but lets through edits that careful asks about, and plan lets through fetches.
var tightens = map[string][]string{
	preset.Plan:    {preset.Default, preset.Bypass},
	preset.DontAsk: {preset.Default, preset.Bypass},
	preset.Careful: {preset.Default, preset.Bypass},
	preset.Default: {preset.Bypass},
}

// together returns the modes that count where both are set: of two modes the
// stricter, and where neither is stricter for every call both of them, joined by
// + with the strictest first. Of the modes that only other presets have all
// count: those that are joined are never looser than one of them.
func together(a, b string) string {
	given := strings.Split(a+"+"+b, "+")
	set := slices.DeleteFunc(slices.Clone(modes), func(m string) bool { return !slices.Contains(given, m) })
	kept := slices.DeleteFunc(slices.Clone(set), func(m string) bool {
		return slices.ContainsFunc(set, func(other string) bool { return slices.Contains(tightens[other], m) })
	})
	for _, m := range given {
		if m != "" && !slices.Contains(modes, m) {
			kept = union(kept, []string{m})
		}
	}
	return strings.Join(kept, "+")
}

// fitting returns the files with the modes only that the preset has. A mode of
// native is simply not meant for another preset; one that only a third preset has
// is a mistake, unless the preset was chosen for one command.
func fitting(files []Layered, name string, chosen bool) (out []Layered, dropped []Dropped) {
	for _, l := range files {
		if mode := l.File.Mode; mode != "" && !slices.Contains(modesOf(name), mode) {
			f := *l.File
			f.Err = cmp.Or(f.Err, l.mayBypass(name))
			f.Mode = ""
			at := l.source("mode")
			if chosen || slices.Contains(modes, mode) {
				dropped = append(dropped, Dropped{What: "mode " + mode, Source: at, Why: "preset " + name + " has no such mode"})
			} else if f.Err == nil {
				f.Err = &Error{
					at.File, at.Line, at.Column, fmt.Sprintf("mode: preset %s has no mode %q: want %s", orNative(name), mode, oneOf(modesOf(name))),
					"set its preset, too, or another mode",
				}
			}
			l.File = &f
		}
		out = append(out, l)
	}
	return out, dropped
}

func orNative(name string) string {
	if name == "" {
		return "native"
	}
	return name
}

// presetOf returns the preset of the strongest file that may set it.
func presetOf(files []Layered) (string, sayso.Source) {
	for i := range files {
		if f := files[i].File; f.Preset != "" && f.Err == nil && files[i].Trusted {
			return f.Preset, files[i].source("preset")
		}
	}
	return "", sayso.Source{}
}
