package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// server is where a client connects to: a host, a URL, settings with host=…, or
// the socket of this machine. Asking one of another machine is no less than a
// download.
func (v *visit) server(k table.Kind, a Arg) {
	if a.Unknown && !a.plain {
		v.c.host(External)
		if k != table.KindDatabase || a.made { // psql "$DATABASE_URL" is the project's own, as far as can be told
			v.c.Risk = min(v.c.Risk, Moderate)
		}
		return
	}
	for _, one := range strings.Split(a.Text, ",") {
		host, ok := serverHost(one)
		if !ok && k == table.KindDatabase {
			continue // the name of a database
		}
		if host == "" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "%2f") || strings.HasPrefix(host, "%2F") {
			host = "localhost" // a socket
		}
		v.c.host(host)
		if !IsLoopback(host) {
			v.c.Risk = min(v.c.Risk, Moderate)
		}
	}
}

// serverHost is the host that a word names for a client, and whether it looks
// like more than a name.
func serverHost(text string) (string, bool) {
	if strings.Contains(text, "://") {
		return hostOf(text), true
	}
	for _, setting := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == '&' }) {
		if name, value, ok := strings.Cut(setting, "="); ok && (strings.EqualFold(name, "host") || strings.EqualFold(name, "hostaddr") || strings.EqualFold(name, "server")) {
			return hostOf(strings.Trim(value, `'"`)), true
		}
	}
	if strings.HasPrefix(text, "/") || strings.Contains(text, "=") {
		return "", false
	}
	return hostOf(text), strings.ContainsAny(text, "/:")
}

// usualHost is who a program talks to that names nobody.
func (v *visit) usualHost() string {
	for _, t := range v.r.chain {
		if slices.Contains(t.Do.Hosts, local) {
			return "localhost"
		}
	}
	if v.c.Effects.Has(Installs) {
		return Registries
	}
	return External
}

// local is the name in the tables for a server of this machine, if no other is
// given.
const local = "local"

// lookedUp is a name that is asked for, or the server that is asked: it may be
// preceded by an @. Types of records and the like have no dot.
func (v *visit) lookedUp(a Arg) {
	if a.Unknown || a.made {
		v.c.doubt(Moderate, "the name that is looked up tells others something: "+a.Text)
		return
	}
	dotted := func(a Arg) bool { return strings.ContainsAny(a.Text, ".:@") }
	if !dotted(a) && (slices.ContainsFunc(v.r.args, dotted) || a.Text == strings.ToUpper(a.Text)) {
		return
	}
	host := hostOf(strings.TrimPrefix(a.Text, "@"))
	v.c.host(host)
	if carriesData(host) {
		v.c.doubt(Moderate, "the name that is looked up may carry data: "+a.Text)
	}
}

// carriesData reports whether a name is longer than people make them: whoever
// answers for it is told all of it.
func carriesData(host string) bool {
	const label, whole = 32, 100
	for part := range strings.SplitSeq(host, ".") {
		if len(part) > label {
			return true
		}
	}
	return len(host) > whole
}

// image is a container image: one that names no registry comes from the usual
// one.
func (v *visit) image(a Arg) {
	registry, named := registryOf(a.Text)
	if a.Unknown {
		v.text(a)
		registry, named = Registries, false
	}
	switch {
	case v.r.tool().Do.Does.Has(table.Network):
		if !named {
			registry = Registries
		}
		v.c.host(registry)
	case named: // whether it is there already cannot be seen
		v.c.named(registry)
	}
}

// elsewhere handles a word in the place of a path that is no path: a URL.
func (v *visit) elsewhere(a Arg, access Access) bool {
	at := strings.Index(a.Text, "://")
	if at <= 0 || !isScheme(a.Text[:at]) {
		return false
	}
	if _, ok := fileURL(a.Text); ok {
		return false
	}
	v.url(a)
	if access != Read && access != List {
		v.c.Effects |= Publishes
		v.c.Risk = min(v.c.Risk, Dangerous)
	}
	return true
}

// isScheme reports whether a text can be what stands in front of a URL.
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}
