package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
)

// registries are where the usual tools get packages from, unless they are told otherwise.
var registries = []string{
	"registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "jsr.io", "npm.jsr.io", "pypi.org", "files.pythonhosted.org", "proxy.golang.org", "sum.golang.org", "storage.googleapis.com",
	"crates.io", "index.crates.io", "static.crates.io", "rubygems.org", "index.rubygems.org", "repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org",
	"packagist.org", "repo.packagist.org", "api.nuget.org", "hex.pm", "repo.hex.pm", "pub.dev", "registry-1.docker.io", "auth.docker.io", "production.cloudflare.docker.com", "ghcr.io",
}

// hosts is the network of a contract: what the policy lists, or else what the command is
// known to need. Every other host is asked about.
func (t *terms) hosts(c *sayso.Contract) (sayso.Network, []string) {
	switch {
	case t.listed != nil && len(t.listed) == 0:
		return sayso.NetworkLoopback, nil
	case t.listed != nil:
		return sayso.NetworkHosts, t.listed
	case c.Network == sayso.NetworkNone && t.o.network != string(sayso.NetworkHosts) && len(t.o.hosts) == 0:
		return sayso.NetworkLoopback, nil // its own: tests can listen, and nothing gets out
	}
	list := slices.Clone(t.o.hosts)
	for _, h := range c.Hosts {
		switch h {
		case shell.External: // nobody knows which
		case shell.Registries:
			list = append(list, registries...)
		case shell.Remotes:
			list = append(list, remotes(c.Dir)...)
		default:
			if _, err := readHost(h); err == nil {
				list = append(list, h, withPort(h, "22"))
			}
		}
	}
	slices.Sort(list)
	return sayso.NetworkHosts, slices.Compact(list)
}

func withPort(host, port string) string {
	if strings.Contains(host, "*") {
		return host
	}
	return net.JoinHostPort(host, port)
}

// readHost reads a host that may have a port.
func readHost(text string) (string, error) {
	host := text
	if h, port, err := net.SplitHostPort(text); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("%q is no port", port)
		}
		host = h
	}
	name := strings.TrimPrefix(strings.ToLower(host), "*.")
	if net.ParseIP(name) == nil && (name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "") {
		return "", fmt.Errorf("%q is no host", text)
	}
	return strings.ToLower(text), nil
}

// remotes are the hosts of the remote repositories of the one that a folder is in.
func remotes(dir string) (out []string) {
	root := local.Root(dir)
	folder := filepath.Join(root, ".git")
	if common := commonDir(root); common != "" {
		folder = common
	}
	text, err := local.Machine{}.ReadFile(filepath.Join(folder, "config"), 256<<10)
	if err != nil {
		return nil // there are none
	}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); ok && (key == "url" || key == "pushurl") {
			if h := remoteHost(strings.Trim(strings.TrimSpace(value), `"`)); h != "" {
				out = append(out, h)
			}
		}
	}
	return out
}

// remoteHost is the host of the address of a repository, with the port if it is not one
// of the usual; empty: it has none.
func remoteHost(address string) string {
	if before, _, ok := strings.Cut(address, ":"); ok && !strings.Contains(address, "://") && !strings.Contains(before, "/") { // git@example.com:name
		_, host, found := strings.Cut(before, "@")
		if !found {
			host = before
		}
		return valid(net.JoinHostPort(host, "22"))
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"ssh": "22", "git+ssh": "22", "git": "9418"}[u.Scheme]
	}
	if port == "" {
		return valid(u.Hostname())
	}
	return valid(net.JoinHostPort(u.Hostname(), port))
}

func valid(host string) string {
	text, err := readHost(host)
	if err != nil {
		return ""
	}
	return text
}

// mostConnections is how many connections of a run are recorded one by one.
const mostConnections = 1000

// connections lets hosts be asked about that are not listed, and records each connection
// of a run. The last result says how many were not recorded.
func (o *runOptions) connections(call sayso.Call, e *sayso.Engine, std IO) (ask func(context.Context, string, int) error, tell func(sandbox.Connection), left func() int) {
	var n atomic.Int64
	ask = func(ctx context.Context, host string, port int) error { return o.askHost(ctx, call, host, port, std) }
	tell = func(c sandbox.Connection) {
		if n.Add(1) > mostConnections {
			return
		}
		record := sayso.Record{Kind: sayso.RecordConnect, Note: shownConnection(c)}
		if err := e.Note(context.Background(), call, record); err != nil {
			fmt.Fprintf(std.Err, "sayso: error: a connection could not be recorded: %v\n", err)
		}
	}
	return ask, tell, func() int { return int(max(0, n.Load()-mostConnections)) }
}

// shownConnection is a connection in a line.
func shownConnection(c sandbox.Connection) string {
	to := net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	if c.Address != "" && c.Address != c.Host {
		to += " (" + c.Address + ")"
	}
	switch {
	case c.Err != nil:
		return "not made: " + to + ": " + c.Err.Error()
	case c.Listed:
		return "made: " + to + ", which is listed"
	}
	return "made: " + to + ", which was asked about"
}

// askHost decides about a host that is not listed, by the same policy as everything else.
// The command has the terminal, so that a person is asked through the queue.
func (o *runOptions) askHost(ctx context.Context, from sayso.Call, host string, port int, std IO) error {
	to := net.JoinHostPort(host, strconv.Itoa(port))
	var who struct{ Command string }
	_ = json.Unmarshal(from.Input, &who)                                                      // it was written here
	input, _ := json.Marshal(map[string]string{"url": "connect://" + to, "for": who.Command}) // strings can be written
	call := from
	call.ID, call.Tool, call.Input = rand.Text(), "fetch", input
	how, policy := o.ask, o.plain
	how.away = "it wants to reach " + to
	policy.engine.Analyzer.Tools = append(slices.Clone(policy.engine.Analyzer.Tools), sayso.Tool{Name: call.Tool, Class: sayso.ClassFetch, URLs: []string{"url"}}) // it also says for whom
	_, d, err := how.authorize(ctx, call, &policy, std)
	switch {
	case err != nil:
		return err
	case d.Effect != sayso.Allow:
		return errors.New(d.Reason)
	}
	return nil
}
