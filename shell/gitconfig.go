package shell

import (
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// gitAlias follows an alias that was defined on the command line.
func (v *visit) gitAlias() {
	r := &v.r
	if len(r.subs) > 0 && r.subs[0].Text == "config" && len(r.args) >= 2 && v.c.Effects.Has(Writes) {
		a := r.args[1] // a setting, as with git -c
		a.Text = r.args[0].Text + "=" + a.Text
		v.key(&table.KeysGitConfig, a)
	}
	if g := r.given("--git-dir"); g != nil && g.hasValue && v.c.Effects&(Writes|Deletes|Irreversible) != 0 {
		v.w.touch(v.outer, v.c, g.value, Write, true)
	}
	if g := r.given("--file"); g != nil && g.hasValue && len(r.subs) > 0 && r.subs[0].Text == "config" && v.c.Effects.Has(Writes) {
		v.touch(g.value, Write, false)
	}
	if v.c.Effects.Has(Writes) && r.has("--global") && v.w.at.Home != "" {
		v.touch(Arg{Text: v.w.at.Home + "/.gitconfig"}, Write, false)
	}
	v.cleans()
	v.cleans()
	v.gitTree()
	if len(v.w.written) > 0 || v.w.at.Written != nil {
		v.hooks()
	}
	settings := v.gitVariables()
	for _, a := range settings {
		before := v.c.Effects
		if v.key(&table.KeysGitConfig, a); v.c.Effects != before { // nobody who means well writes it so
			v.c.Risk = min(v.c.Risk, Dangerous)
		}
	}
	if r.noSub == "" || len(r.args) == 0 {
		return
	}
	for i := range r.flags {
		settings = append(settings, r.flags[i].value)
	}
	for _, a := range settings {
		if v.runsAlias(a) {
			return
		}
	}
}

// runsAlias follows the alias that a setting of git defines, if it is the one
// that is called.
func (v *visit) runsAlias(setting Arg) bool {
	name, value, _ := strings.Cut(setting.Text, "=")
	alias, ok := strings.CutPrefix(strings.ToLower(name), "alias.")
	if !ok || !strings.EqualFold(alias, v.r.noSub) {
		return false
	}
	v.plain = ""
	v.says = append([]string{"Through a git alias: {inner}"}, v.says...)
	text, ok := strings.CutPrefix(value, "!")
	if !ok {
		text = "git " + value
	}
	v.shell(Arg{Text: text + " " + quoteArgs(v.r.args[1:]), Unknown: setting.Unknown})
	return true
}

// gitVariables are the settings that git takes from the variables
// GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n, as with git -c.
func (v *visit) gitVariables() (out []Arg) {
	if len(v.c.Assigns) == 0 && len(v.outer.vars) == 0 {
		return nil
	}
	for n := range maxUnrolled {
		key, ok := v.environmentOf("GIT_CONFIG_KEY_" + strconv.Itoa(n))
		value, set := v.environmentOf("GIT_CONFIG_VALUE_" + strconv.Itoa(n))
		if !ok || !set {
			break
		}
		value.Text, value.Unknown = key.Text+"="+value.Text, value.Unknown || key.Unknown
		out = append(out, value)
	}
	return out
}

// environmentOf is the value of a variable that the program gets, as far as the
// script says it.
func (v *visit) environmentOf(name string) (Arg, bool) {
	for _, a := range v.c.Assigns {
		if a.Name == name {
			return a.Value, true
		}
	}
	if known, ok := v.outer.get(name); ok && known.exported && len(known.value) == 1 {
		return known.value[0], true
	}
	return Arg{}, false
}
