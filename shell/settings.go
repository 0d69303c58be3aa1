package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// key looks up KEY=VALUE.
func (v *visit) key(keys *table.KeyTable, a Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	if i := strings.IndexByte(name, ' '); i > 0 { // ssh -o 'ProxyCommand cmd'
		name, value = name[:i], a.Text[i+1:]
	}
	if a.Unknown && strings.HasPrefix(name, "$") {
		v.c.doubt(Dangerous, "a setting cannot be known: "+a.Text)
		return
	}
	a.Text = value
	if a.Unknown && !strings.Contains(value, "$") {
		a.Unknown = false
	}
	if keys == &table.KeysGitConfig && strings.EqualFold(name, "core.hookspath") && !a.Unknown {
		v.w.hookFolders = append(v.w.hookFolders, resolve(value, v.st.dir))
	}
	f := v.below()
	f.elsewhere = v.f.elsewhere // ssh -o ProxyCommand runs here
	v.w.setting(v.st, f, v.c, keys, name, a)
}

// settings applies what the environment variables in front of a command do.
// What they run is reported behind it.
func (w *walker) settings(st *state, f *frame, index int) {
	if index < 0 || index >= len(w.commands) {
		return
	}
	inner := *f
	inner.via = index
	c := w.commands[index]
	for _, a := range c.Assigns {
		if a.Name == "IFS" && len(c.Args) > 0 && c.Args[0].Text == "read" {
			continue // while IFS= read -r line
		}
		if len(c.Args) > 0 && baseName(c.Args[0].Text) == "git" && strings.HasPrefix(a.Name, "GIT_CONFIG_") && paired(c.Assigns, a.Name) {
			c.Suggest = false
			continue // as with git -c, and judged with the command
		}
		risk, effects := c.Risk, c.Effects
		w.variable(st, &inner, c, a.Name, a.Value)
		if (c.Risk != risk || c.Effects != effects) && len(c.Args) > 0 {
			c.Sentence = "With " + a.Name + " set: " + c.Sentence
		}
		if isSetting(a.Name) {
			c.Suggest = false
		}
	}
}

// paired reports whether a variable is one of a pair that holds a setting of git,
// or counts them.
func paired(assigns []Assign, name string) bool {
	other := name
	if n, ok := strings.CutPrefix(name, "GIT_CONFIG_KEY_"); ok {
		other = "GIT_CONFIG_VALUE_" + n
	} else if n, ok := strings.CutPrefix(name, "GIT_CONFIG_VALUE_"); ok {
		other = "GIT_CONFIG_KEY_" + n
	} else if name != "GIT_CONFIG_COUNT" {
		return false
	}
	return slices.ContainsFunc(assigns, func(a Assign) bool { return a.Name == other && !a.Value.Unknown })
}

// variable applies what an environment variable does: by its name, and by the
// words of its value.
func (w *walker) variable(st *state, f *frame, c *Command, name string, value Arg) {
	w.setting(st, f, c, &table.KeysEnvironment, name, value)
	if !hasWords(name) {
		return
	}
	for _, word := range settingWords(value.Text) {
		text := word
		if strings.HasPrefix(word, "-") { // the value of an option
			_, text, _ = strings.Cut(word, "=")
		}
		w.setting(st, f, c, &table.KeysEnvironmentWords, name+"="+word, Arg{Text: text})
	}
	if name == "PATH" && (value.Text == "" || strings.Contains(":"+value.Text+":", "::")) { // the current folder
		w.setting(st, f, c, &table.KeysEnvironmentWords, "PATH=", Arg{})
	}
}

// settingWords splits the value of a variable at blanks and at what separates the
// items of lists. A word that starts with a quote ends with the next one.
func settingWords(s string) (out []string) {
	const separators = " \t\n:,|"
	for s = strings.TrimLeft(s, separators); s != ""; s = strings.TrimLeft(s, separators) {
		if s[0] == '\'' || s[0] == '"' {
			if word, rest, ok := strings.Cut(s[1:], s[:1]); ok {
				out, s = append(out, word), rest
				continue
			}
		}
		end := strings.IndexAny(s, separators)
		if end < 0 {
			end = len(s)
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out
}

// hasWords reports whether the words of the value of a variable count.
func hasWords(name string) bool {
	for i := range table.KeysEnvironmentWords.All() {
		for _, pattern := range table.KeysEnvironmentWords.All()[i].Names {
			if before, _, _ := strings.Cut(pattern, "="); matchWord(before, name) {
				return true
			}
		}
	}
	return false
}

// isSetting reports whether programs take a variable for a setting.
func isSetting(name string) bool {
	if !strings.ContainsFunc(name, func(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' }) {
		return false // like most loop variables; TestSettingNames holds the table to it
	}
	for i := range table.KeysEnvironment.All() {
		if matchAny(table.KeysEnvironment.All()[i].Names, name) {
			return table.KeysEnvironment.All()[i].Do != nil || table.KeysEnvironment.All()[i].Kind != table.KindNone
		}
	}
	return false
}

// setting applies what a table of keys says about NAME=VALUE.
func (w *walker) setting(st *state, f *frame, c *Command, keys *table.KeyTable, name string, value Arg) {
	for i := range keys.All() {
		e := &keys.All()[i]
		for _, pattern := range e.Names {
			if matchWord(pattern, name) || foldedMatch(pattern, name) {
				w.applySetting(st, f, c, e, value)
				return
			}
		}
	}
}

// foldedMatch compares without regard to case where the table has a dot: the
// settings of git are such.
func foldedMatch(pattern, name string) bool {
	return strings.IndexByte(pattern, '.') >= 0 && matchWord(strings.ToLower(pattern), strings.ToLower(name))
}

func (w *walker) applySetting(st *state, f *frame, c *Command, e *table.Flag, value Arg) {
	v := visit{w: w, f: f, c: c, st: st, outer: st, index: f.via}
	v.r.start("", &table.Tool{})
	if e.Kind == table.KindShell { // LESSOPEN='|cmd', credential.helper='!cmd'
		value.Text = strings.TrimLeft(value.Text, "|!-")
	}
	if e.Kind == table.KindShell && (e.Do == nil || e.Do.Risk != table.LevelDangerous) && w.shows(st, value) {
		if value.Text != "" {
			v.follow(value) // PAGER=cat runs, and the command is as safe as before
		}
		return
	}
	if e.Kind == table.KindURL {
		v.servers(e, value)
		return
	}
	if e.Do != nil {
		v.apply(e.Do)
	}
	if e.Kind == table.KindNone || e.Kind == table.KindText {
		return
	}
	v.value(e.Kind, e.Keys, value, false)
}

// servers is a setting that names hosts, or none: GOPROXY=https://x,direct.
func (v *visit) servers(e *table.Flag, value Arg) {
	named := value.Unknown
	for _, text := range strings.FieldsFunc(value.Text, func(r rune) bool { return strings.ContainsRune(" ,|", r) }) {
		if value.Unknown || strings.ContainsAny(text, ".:/") {
			one := value
			one.Text, named = text, true
			v.target(table.KindURL, one)
		}
	}
	if e.Do != nil && named {
		v.apply(e.Do)
	}
}

// shows reports whether a command that a setting names only shows something,
// or is none at all.
func (w *walker) shows(st *state, value Arg) bool {
	if value.Unknown {
		return false
	}
	if value.Text == "" {
		return true
	}
	probe := walker{at: w.at, room: 16, trail: new(trail)}
	probe.at.Machine = nil
	probe.script(&state{dir: st.dir}, &frame{via: -1, pipeLen: 1}, value.Text, Span{}, true)
	for _, c := range probe.commands {
		if c.Risk != Safe || c.Effects&^Reads != 0 {
			return false
		}
	}
	return probe.opaque == ""
}
