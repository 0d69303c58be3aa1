package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/mcpgate"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// hubPatience is how long is waited for servers that begin, or that list something.
// Clients wait ten seconds and longer for both together.
const hubPatience = 4 * time.Second

// mcpGates are the gateways that clients use as one.
type mcpGates struct {
	std      IO
	gates    []*mcpGate
	several  bool // they come from a file, and names tell them apart
	patience time.Duration
}

func newMCPGates(o *mcpOptions, std IO) (*mcpGates, error) {
	all := &mcpGates{std: std, several: o.servers != "", patience: o.patience}
	list := []*mcpOptions{o}
	if all.several {
		var err error
		if list, err = o.fromFile(); err != nil {
			return nil, err
		}
	}
	for _, one := range list {
		g, err := newMCPGate(one, std)
		if err != nil {
			return nil, err
		}
		all.gates = append(all.gates, g)
	}
	return all, nil
}

// service is what serves one client.
func (a *mcpGates) service(session string) mcpgate.Service {
	if !a.several {
		return a.gates[0].gateway(session)
	}
	h := &mcpgate.Hub{Patience: a.patience, Version: build.This().Version, Log: a.log}
	for _, g := range a.gates {
		h.Gateways = append(h.Gateways, g.gateway(session))
	}
	return h
}

func (a *mcpGates) log(format string, args ...any) {
	printf(a.std.Err, "sayso: note: "+format+"\n", args...)
}

// trusted reports what must not be started. The client is told, too, when it begins.
func (a *mcpGates) trusted(ctx context.Context) {
	for _, g := range a.gates {
		if err := g.trusted(ctx); err != nil {
			report(err, a.std)
		}
	}
}

func (a *mcpGates) end() {
	for _, g := range a.gates {
		g.end()
	}
}

// fromFile reads the servers of a file in the form that agents have them. A mistake in
// one of them is the reason why it is missing; the others can be used.
func (o *mcpOptions) fromFile() ([]*mcpOptions, error) {
	text, err := local.Machine{}.ReadFile(local.Real(o.servers), maxPolicy)
	if err != nil {
		return nil, fmt.Errorf("read the MCP servers: %w", err)
	}
	if _, err := jsontext.Parse(text); err != nil {
		return nil, fmt.Errorf("%s: %w", o.servers, err)
	}
	var file, list map[string]json.RawMessage // by their exact names, as agents have them
	if err = json.Unmarshal(text, &file); err == nil {
		err = json.Unmarshal(file["mcpServers"], &list)
	}
	if err != nil || len(list) == 0 {
		return nil, &hintedError{o.servers + " names no MCP servers", `it wants {"mcpServers": {NAME: {"command": …, "args": […], "env": {…}}}}, or "type": "http" with "url" and "headers"`}
	}
	var out []*mcpOptions
	var names []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		one := &mcpOptions{name: name, agent: o.agent, session: o.session, wait: o.wait, headers: map[string]string{}, env: map[string]string{}, texts: map[string]string{}}
		off, err := one.entry(list[name])
		if err == nil && !off {
			err = one.check()
		}
		if err != nil {
			one.problem = fmt.Errorf("the MCP server %s in %s: %w", shell.Shown(name), o.servers, err)
			one.argv, one.url = []string{"none"}, "" // it is not started
		}
		if !off {
			out, names = append(out, one), append(names, name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: all MCP servers are disabled", o.servers)
	}
	if err := mcpgate.HubNames(names); err != nil {
		return nil, &hintedError{fmt.Sprintf("%s: the names of the MCP servers: %v", o.servers, err), "rename it there; rules and trust go by that name"}
	}
	return out, nil
}

// entry reads what a file has of one server, and whether it is switched off.
func (o *mcpOptions) entry(raw json.RawMessage) (off bool, err error) {
	var f map[string]json.RawMessage
	if err := json.Unmarshal(raw, &f); err != nil {
		return false, err
	}
	kind, command, dir, headers := "", "", "", map[string]string{}
	for _, field := range []struct {
		name string
		to   any
	}{{"disabled", &off}, {"type", &kind}, {"command", &command}, {"args", &o.argv}, {"env", &o.env}, {"url", &o.url}, {"headers", &headers}, {"cwd", &dir}} {
		if text, ok := f[field.name]; ok {
			if err := json.Unmarshal(text, field.to); err != nil {
				return false, fmt.Errorf("%s: %w", field.name, err)
			}
		}
	}
	switch {
	case off:
		return true, nil
	case (command == "") == (o.url == ""):
		return false, errors.New("it wants a command or a url, and not both")
	case o.url != "" && !slices.Contains([]string{"", "http", "streamable-http", "streamableHttp"}, kind), command != "" && kind != "" && kind != "stdio":
		return false, fmt.Errorf("sayso speaks to no server of the type %s; it knows stdio and http", shell.Shown(kind))
	case dir != "":
		return false, errors.New("cwd: servers are started where the gateway is; take it out")
	case strings.Contains(strings.Join(append([]string{command, o.url}, o.argv...), "\n"), "${"):
		return false, errors.New("variables are put into env and headers only; write out what stands in the command, its arguments and the url")
	case o.url != "" && len(o.argv)+len(o.env) > 0:
		return false, errors.New("args and env go with a command")
	}
	if command != "" {
		o.argv = append([]string{command}, o.argv...)
		return false, o.lookThrough(command)
	}
	return false, o.sendAlong(headers)
}

// lookThrough takes what stands behind a gateway of its own: one is enough.
func (o *mcpOptions) lookThrough(command string) error {
	s := preset.MCPServer{Name: o.name, Type: "stdio", Command: command, Args: o.argv[1:]}
	if !isGateway(s) {
		return nil
	}
	inner, ok := gatewayOptions(s)
	if !ok || inner.listen != "" {
		return errors.New("it is a gateway itself; name here what that starts")
	}
	o.more = o.env // as that gateway would have got it
	o.argv, o.url, o.headers, o.env = inner.argv, inner.url, inner.headers, inner.env
	for name, variable := range o.headers {
		if value, ok := o.more[variable]; ok {
			o.texts[name] = value
		}
	}
	return nil
}

// variableIn is where a variable is put into a text: ${NAME} or ${NAME:-DEFAULT}.
var variableIn = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// sendAlong takes the headers of a file. Trust is in which variable each one sends.
func (o *mcpOptions) sendAlong(headers map[string]string) error {
	for name, text := range headers {
		found := variableIn.FindAllStringSubmatch(text, -1)
		if len(found) > 1 {
			return fmt.Errorf("the header %s has more than one variable", shell.Shown(name))
		}
		o.texts[name] = text
		if len(found) == 1 {
			if err := o.header(name + "=" + found[0][1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// filled is a text with the values of its variables.
func filled(text string) (string, error) {
	var err error
	out := variableIn.ReplaceAllStringFunc(text, func(part string) string {
		m := variableIn.FindStringSubmatch(part)
		value, ok := os.LookupEnv(m[1])
		switch {
		case ok:
			return value
		case m[2] != "":
			return strings.TrimPrefix(m[2], ":-")
		}
		err = errors.Join(err, fmt.Errorf("the variable %s is not set", m[1]))
		return ""
	})
	if rest := variableIn.ReplaceAllString(text, ""); err == nil && strings.Contains(rest, "${") {
		err = fmt.Errorf("%s is no variable that sayso knows; want ${NAME} or ${NAME:-DEFAULT}", shell.Shown(rest[strings.Index(rest, "${"):]))
	}
	return out, err
}

// variables are what a file sets for a server.
func (g *mcpGate) variables() (out []string, err error) {
	for _, set := range []map[string]string{g.more, g.server.Env} {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if set[name] == "" {
				continue // it is named, and has the value that it has here
			}
			value, err := filled(set[name])
			if err != nil {
				return nil, fmt.Errorf("env: %s: %w", name, err)
			}
			out = append(out, name+"="+value)
		}
	}
	return out, nil
}
