package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// target is a host, a URL, or something on one.
func (v *visit) target(k table.Kind, a Arg) {
	c := v.c
	if a.Unknown && !a.plain {
		c.host(External)
		c.doubt(Moderate, "the host cannot be known: "+a.Text)
		if k == table.KindRemoteWrite { // no better than a host that is known
			v.sendsAway()
		}
		if (k == table.KindRemote || k == table.KindRemoteWrite) && !isRemote(a.Text) { // or a path of this machine
			v.local(k, a)
		}
		return
	}
	text := a.Text
	switch k {
	case table.KindRemote, table.KindRemoteWrite, table.KindRepo:
		if k == table.KindRepo && v.transport(a) {
			return
		}
		if !isRemote(text) {
			v.local(k, a)
			return
		}
	}
	if k == table.KindRemoteWrite {
		v.sendsAway()
	}
	if k == table.KindURL && strings.ContainsAny(text, "{[") {
		for _, one := range curlPatterns(text) {
			a.Text, a.Glob = one, a.Glob || strings.Contains(one, "*")
			v.url(a)
		}
		return
	}
	v.url(a)
}

// sendsAway marks a command that copies files to another machine.
func (v *visit) sendsAway() {
	v.c.Effects |= Publishes
	v.c.Risk = min(v.c.Risk, Dangerous)
}

// registryOf is the host that a container image comes from, if its name says so.
func registryOf(image string) (string, bool) {
	if _, rest, ok := strings.Cut(image, "://"); ok { // docker://HOST/NAME
		image = rest
	}
	host, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" || strings.HasPrefix(host, ".") {
		return "", false
	}
	return hostOf(host), true
}

// rerouted records the hosts that curl is told to connect to instead of those in
// the URLs: --resolve HOST:PORT:ADDRESS,… and --connect-to HOST:PORT:HOST:PORT.
func (v *visit) rerouted() {
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.spelling != "--resolve" && g.spelling != "--connect-to" {
			continue
		}
		parts := strings.SplitN(g.value.Text, ":", 3)
		if g.value.Unknown || len(parts) < 3 {
			v.c.doubt(Moderate, "the host cannot be known: "+g.value.Text)
			continue
		}
		for _, to := range strings.Split(parts[2], ",") {
			if to = strings.TrimSpace(to); to != "" && to != ":" {
				v.c.host(hostOf(to))
			}
		}
	}
}

// service notes that a URL is one of the services that control this machine or
// its containers, by port and path.
func (v *visit) service(address string) {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	v.w.setting(v.st, v.f, v.c, &table.KeysLocalService, rest, Arg{Text: rest})
}

// url is a place on a server, or a file of this machine.
func (v *visit) url(a Arg) {
	if file, ok := fileURL(a.Text); ok {
		a.Text = file
		v.touch(a, Read, false)
		return
	}
	scheme, _, _ := strings.Cut(a.Text, "://")
	switch scheme {
	case "unix", "npipe", "fd": // a service of this machine
		return
	case "tcp", "ssh":
		if (strings.HasPrefix(v.r.name, "docker") || strings.HasPrefix(v.r.name, "podman")) && v.c.Effects&^(Reads|Network|LongRunning) != 0 {
			v.c.Risk = min(v.c.Risk, Dangerous) // the containers of another machine
		}
	}
	host := hostOf(a.Text)
	if scheme == "s3" || scheme == "gs" || scheme == "az" { // the name of a store, not of a host
		host = External
	}
	if strings.Contains(host, "*") {
		host = External
		v.c.opaque("the host cannot be known: " + a.Text)
	}
	v.c.host(host)
	v.c.Risk = min(v.c.Risk, Moderate)
	if IsLoopback(host) {
		v.service(a.Text)
	}
}

// fileURL is the path in file:///x, file:/x and file://localhost/x, in any case.
// The scheme may be a pattern.
func fileURL(s string) (string, bool) {
	scheme, rest, ok := strings.Cut(strings.TrimLeft(s, " \t"), ":")
	if !ok || scheme == "" || !isOrMatches(strings.ToLower(scheme), "file") {
		return "", false
	}
	if host, found := strings.CutPrefix(rest, "//"); found {
		_, rest, _ = strings.Cut(host, "/")
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	return "/" + percentDecoded(rest), true
}

// percentDecoded replaces %2f and its like.
func percentDecoded(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// curlPatterns expands {a,b} in a URL as curl does, and makes a * of [a-z]. The
// brackets of an address stay: they hold no range.
func curlPatterns(s string) []string {
	var plain strings.Builder
	for i := 0; i < len(s); i++ {
		n := 0
		if s[i] == '[' {
			n = strings.IndexByte(s[i:], ']') + 1
		}
		if n > 0 && strings.IndexByte(s[i:i+n], '-') > 0 {
			plain.WriteByte('*')
			i += n - 1
			continue
		}
		plain.WriteByte(s[i])
	}
	out := []string{plain.String()}
	for i := 0; i < len(out) && len(out) < maxUnrolled; { // the first brace of one after the other
		start := strings.IndexByte(out[i], '{')
		end := strings.IndexByte(out[i][start+1:], '}') + start + 1
		if start < 0 || end <= start {
			i++
			continue
		}
		var each []string
		for _, choice := range strings.Split(out[i][start+1:end], ",") {
			each = append(each, out[i][:start]+choice+out[i][end+1:])
		}
		out = slices.Replace(out, i, i+1, each...)
	}
	if len(out) >= maxUnrolled { // too many to tell apart
		return []string{bracesToStars(plain.String())}
	}
	return out
}

// bracesToStars writes every {a,b} as a star.
func bracesToStars(s string) string {
	var out strings.Builder
	for {
		before, inside, ok := strings.Cut(s, "{")
		_, after, closed := strings.Cut(inside, "}")
		if !ok || !closed {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(before + "*")
		s = after
	}
}

// local is the side of a copy, or the name of a remote, on this machine.
func (v *visit) local(k table.Kind, a Arg) {
	switch k {
	case table.KindRemote:
		v.touch(a, Read, v.traits()&table.IsRecursive != 0)
	case table.KindRemoteWrite:
		v.touch(a, Write, v.traits()&table.IsRecursive != 0)
		if v.c.Effects.Has(Deletes) { // rsync --delete
			v.touch(a, Delete, true)
		}
	case table.KindRepo:
		if strings.ContainsAny(a.Text, "/~") {
			v.touch(a, Read, false)
		} else {
			v.c.host(Remotes)
		}
	}
}

// isRemote reports whether s names something on another host: a URL, or
// host:path.
func isRemote(s string) bool {
	if strings.Contains(s, "://") {
		return true
	}
	i := strings.IndexByte(s, ':')
	if i == 1 && len(s) > 2 && s[2] == '\\' { // C:\x; but c:/x may be a host
		return false
	}
	return i > 0 && strings.IndexByte(s[:i], '/') < 0
}

// hostOf returns the host of a URL, of user@host:path, or of host:port.
func hostOf(s string) string {
	s = strings.TrimPrefix(s, "git+")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
		if i := strings.IndexAny(s, "/?#"); i >= 0 {
			s = s[:i]
		}
	} else if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			return strings.ToLower(s[1:i])
		}
	}
	if i := strings.IndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	if s == "" {
		return External
	}
	return plainHost(strings.ToLower(strings.TrimSuffix(s, ".")))
}

// plainHost writes an address in the usual way that is written as one number,
// with fewer dots, or in another base: programs connect to it all the same.
func plainHost(s string) string {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return s
	}
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return s
	}
	var addr uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		last := i == len(parts)-1
		if err != nil || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return s
		}
		if last {
			addr = addr<<(8*(5-len(parts))) | n
		} else {
			addr = addr<<8 | n
		}
	}
	return fmt.Sprintf("%d.%d.%d.%d", addr>>24, addr>>16&255, addr>>8&255, addr&255)
}

// Host returns the host of a URL or of host:port, in lower case.
func Host(address string) string { return hostOf(address) }
