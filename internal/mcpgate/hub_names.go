package mcpgate

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/shell"
)

const (
	// joint is between the name of a server and that of its tool. No name of a server
	// has it, or ends so that where it stands could be doubted.
	joint = "__"
	// uriScheme is what addresses of resources begin with, and the name of their server
	// comes next. Without a slash behind it, programs leave the rest as it is.
	uriScheme = "sayso:"
	// longestName is how long a name may be with that of its server: models take no
	// longer ones, and refuse all tools because of one.
	longestName = 64
	// longestServer leaves room for the names of tools.
	longestServer = 32
)

// HubNames says what is wrong with names of servers that a client is to tell apart.
func HubNames(names []string) error {
	known := map[string]string{}
	for _, name := range names {
		if len(name) > longestServer || name == "" || !plainName(name) || strings.Contains(name, ".") || strings.Contains(name, joint) || strings.HasPrefix(name, "_") || strings.HasSuffix(name, "_") {
			return fmt.Errorf("%s cannot be in front of the names of tools; want up to %d letters, digits, - and single _ between them", shell.Shown(name), longestServer)
		}
		same := strings.ToLower(strings.ReplaceAll(name, "-", "_")) // some clients write them so
		if other, twice := known[same]; twice {
			return fmt.Errorf("%s and %s cannot be told apart by all clients; give one another name", other, name)
		}
		known[same] = name
	}
	return nil
}

// plainName reports whether all clients can hold a name, as the protocol has it.
func plainName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// full is what the client calls a tool or a prompt of the server.
func (p *spoke) full(name string) (string, error) {
	out := p.gate.Name + joint + name
	if !plainName(name) || len(out) > longestName {
		return "", fmt.Errorf("%s is no name that all clients can hold: want letters, digits, _ - and ., up to %d with that of the server", shell.Shown(out), longestName)
	}
	return out, nil
}

// named is the server whose name stands in front of another one.
func (h *hub) named(full, between string) (*spoke, string, error) {
	name, rest, ok := strings.Cut(full, between)
	for _, p := range h.spokes {
		if ok && p.gate.Name == name {
			return p, rest, nil
		}
	}
	return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("sayso: %s belongs to none of the MCP servers: %s", shell.Shown(full), strings.Join(h.names(), ", "))}
}

// ofURI is the server of a resource, and its address there.
func (h *hub) ofURI(uri string) (*spoke, string, error) {
	rest, ok := strings.CutPrefix(uri, uriScheme)
	if !ok {
		rest = ""
	}
	p, inner, err := h.named(rest, "/")
	if err != nil {
		err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("sayso: %s belongs to none of the MCP servers; addresses are written %sSERVER/ADDRESS", shell.Shown(uri), uriScheme)}
	}
	return p, inner, err
}

func (p *spoke) uri(inner string) string { return uriScheme + p.gate.Name + "/" + inner }

// own marks something as this server's: an id or a token that it has made up.
func (p *spoke) own(text string) string { return p.gate.Name + "/" + text }

// An object is one of a message. What is not changed in it stays as it is.
type object map[string]json.RawMessage

// objectOf reads an object. A key that stands there twice is an error: what is decided
// must be what is sent.
func objectOf(text json.RawMessage) (out object, err error) {
	if _, err := jsontext.Parse(text); err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &out)
	if err == nil && out == nil {
		err = fmt.Errorf("it is no object")
	}
	return out, err
}

// text is a field that is a text.
func (o object) text(name string) (out string, ok bool) {
	ok = o[name] != nil && json.Unmarshal(o[name], &out) == nil
	return out, ok
}

// set sets a field.
func (o object) set(name string, value any) {
	if text, err := json.Marshal(value); err == nil { // texts and objects can be written
		o[name] = text
	}
}

// change changes a field that is a text, if it is there.
func (o object) change(name string, to func(string) string) {
	if was, ok := o.text(name); ok {
		o.set(name, to(was))
	}
}

// inside changes a field that is an object, if it is there.
func (o object) inside(name string, do func(object)) {
	if inner, err := objectOf(o[name]); o[name] != nil && err == nil {
		do(inner)
		o.set(name, inner)
	}
}

// each changes the objects in a list, if it is there.
func (o object) each(name string, do func(object)) {
	var list []json.RawMessage
	if o[name] == nil || json.Unmarshal(o[name], &list) != nil {
		return
	}
	for i := range list {
		if inner, err := objectOf(list[i]); err == nil {
			do(inner)
			if text, err := json.Marshal(inner); err == nil {
				list[i] = text
			}
		}
	}
	o.set(name, list)
}
