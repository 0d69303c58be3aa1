package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// staged follows a secret through the index of git: what is added to it, is sent
// with the next push.
func (v *visit) staged() {
	if v.r.name != "git" || len(v.r.subs) == 0 || v.c.Elsewhere {
		return
	}
	switch v.r.subs[0].Text {
	case "add", "stage", "commit", "update-index":
		if secret := v.w.secretAmong(v.c.Paths); secret != 0 {
			v.w.inIndex = secret
		}
		for _, a := range v.r.args { // of a commit they are no more than names
			if abs := resolve(a.Text, v.st.dir); !a.Unknown && v.w.secret(abs, a.Glob) {
				v.w.inIndex = v.w.number(abs)
			}
		}
	case "push", "send-email", "bundle":
		if v.w.inIndex != 0 && v.c.Effects&(Network|Publishes) != 0 {
			v.sendsOut(v.w.inIndex, "-")
		}
	}
}

// givesAway reports whether a word has the credentials of a service in it, and the
// program talks to another one.
func (v *visit) givesAway(a *Arg) bool {
	for _, name := range variablesIn(a.Text) {
		for i := range table.KeysTokenHosts.All() {
			if e := &table.KeysTokenHosts.All()[i]; matchAny(e.Names, name) {
				return !v.talksOnlyTo(e.Do.Hosts) || namesOther(a.Text, e.Do.Hosts)
			}
		}
	}
	return false
}

// namesOther reports whether a URL has another host than those behind what says who
// asks. That may hold anything, and so it is not known to be the host, but likely.
func namesOther(text string, patterns []string) bool {
	if _, rest, ok := strings.Cut(text, "://"); !ok || !strings.Contains(rest, "@") {
		return false
	}
	host := hostOf(text)
	return host != External && !strings.Contains(host, "$") && !IsLoopback(host) && !matchAny(patterns, host)
}

// talksOnlyTo reports whether every host that is known is one of those.
func (v *visit) talksOnlyTo(patterns []string) bool {
	for _, h := range v.c.Hosts {
		if h != External && !IsLoopback(h) && !matchAny(patterns, h) {
			return false
		}
	}
	return true
}

// variablesIn are the names of the variables that a word was made of.
func variablesIn(text string) []string {
	var out []string
	for _, part := range strings.Split(text, "$")[1:] {
		part = strings.TrimPrefix(part, "{")
		end := strings.IndexFunc(part, func(r rune) bool {
			return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
		if end < 0 {
			end = len(part)
		}
		out = append(out, strings.ToUpper(part[:end]))
	}
	return out
}
