package preset

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// An agent has no business at the page on which a person answers. What lets
// somebody in there is not where an agent can find it; that its calls do not even
// reach the page is a second wall.

// reachesPage returns the address of the page of sayso if a part talks to it, or
// may: it names the port, or does not say which port of this machine it means.
func reachesPage(c *sayso.Case, p *sayso.Part, guarded []string) (address string, sure bool) {
	for _, one := range guarded {
		address, ok := strings.CutPrefix(one, "tcp://")
		if !ok {
			continue
		}
		if namesPort(c, p, address[strings.LastIndexByte(address, ':')+1:]) {
			return address, true
		}
		if anyPort(p) {
			return address, false
		}
	}
	return "", false
}

// namesPort reports whether a part that may talk to somebody names a port.
func namesPort(c *sayso.Case, p *sayso.Part, port string) bool {
	switch {
	case p.Command == nil && (c.Facts.Class == sayso.ClassMCP || c.Facts.Class == sayso.ClassUnknown || c.Facts.Class == sayso.ClassFetch):
		return valueNames(c.Call.Input, port)
	case p.Effects&shell.Network == 0:
		return false
	case p.Command == nil:
		return holdsPort(p.Text, port, ":")
	}
	for _, a := range p.Command.Args[min(1, len(p.Command.Args)):] {
		before := ":"
		if strings.ContainsAny(a.Text, " ('\"\n") { // a program, or a list of options: it may stand anywhere
			before = ""
		}
		if a.Text == port || holdsPort(a.Text, port, before) {
			return true
		}
	}
	_, tcp, found := strings.Cut(p.Text, "/dev/tcp/")
	return found && holdsPort(tcp, port, "/")
}

// holdsPort reports whether a number stands in a text, behind a sign if that is
// not empty.
func holdsPort(text, port, before string) bool {
	want, err := strconv.Atoi(port)
	if err != nil {
		return false
	}
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && text[j] >= '0' && text[j] <= '9' {
			j++
		}
		if j == i {
			i++
			continue
		}
		n, err := strconv.Atoi(text[i:j])
		if err == nil && n == want && (before == "" || strings.HasSuffix(text[:i], before)) {
			return true
		}
		i = j
	}
	return false
}

// valueNames reports whether a value in the input of a tool names a port: as a
// number, or in an address.
func valueNames(input json.RawMessage, port string) bool {
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch v := token.(type) {
		case json.Number:
			if v.String() == port {
				return true
			}
		case string:
			if v == port || holdsPort(v, port, ":") {
				return true
			}
		}
	}
}

// anyPort reports whether a command talks to this machine at a port that cannot
// be known.
func anyPort(p *sayso.Part) bool {
	if p.Command == nil || p.Effects&shell.Network == 0 {
		return false
	}
	here := false
	for _, h := range p.Hosts {
		here = here || h == "localhost" || strings.HasSuffix(h, ".localhost") || strings.HasPrefix(h, "127.") || h == "0.0.0.0" || h == "::1" || h == "::"
	}
	if !here {
		return false
	}
	for _, a := range p.Command.Args {
		if a.Unknown && (strings.Contains(a.Text, ":*") || a.Text == "*") {
			return true
		}
	}
	return false
}
