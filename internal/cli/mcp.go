package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/mcpgate"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/preset"
)

const mcpUse = `sayso mcp [--name NAME] [--env NAME]… [--agent NAME] [--session ID]
                 [--wait TIME] [--listen HOST:PORT [--token FILE]]
                 -- COMMAND ARGUMENT…
       sayso mcp [--name NAME] --url URL [--header NAME=VARIABLE]… [OPTION…]
       sayso mcp --servers FILE [--patience TIME] [OPTION…]

Stands between an agent and an MCP server: put it in front of the command that the
agent's configuration has for the server. The server is started only if you trust
it in this workspace as it is (sayso trust add --server). Each call of a tool is
decided before the server sees it, asked about if need be, and recorded with its
result; what is not allowed the model reads as an error of the tool. What the server
says of its tools is kept: one that changes is asked about again.

  --name NAME     what rules call the server: mcp(NAME/TOOL); default: from what is
                  started
  --env NAME      pass this variable on to the server, although it loads other code
                  into programs, as NODE_OPTIONS and LD_PRELOAD can
  --url URL       the server is elsewhere, and speaks streamable HTTP
  --header NAME=VARIABLE
                  send it this header, with the value of an environment variable
  --servers FILE  all servers of a file in the form that agents have: {"mcpServers":
                  {NAME: {"command", "args", "env"} or {"type", "url", "headers"}}}.
                  Each is trusted, decided and recorded under its name as if it were
                  alone; its tools are called NAME__TOOL. One that cannot be used is
                  missing, and the client is told why
  --patience TIME how long to wait for servers of the file that begin, or that list
                  their tools (default: 4s)
  --listen HOST:PORT
                  be a server of streamable HTTP on this machine's loopback, and not
                  on standard input and output; port 0: any free one. Prints the
                  address and the token that clients must send
  --token FILE    the first line of a file that only you can read (default: a new
                  token each time)
  --wait TIME     how long to wait for an answer (default: as the policy says, or
                  5m); no answer denies
  --agent NAME    who asks (default: what the client calls itself)
  --session ID    the session of an agent that the calls belong to (default: one of
                  their own)

A question is put to the queue (sayso approve, sayso serve), and to the user of the
client if it can ask and approve.via of the policy names the agent, or nobody.

Exit status: 0 the client has ended, 1 error, 2 wrong usage.`

// mcpOptions are what mcp is called with.
type mcpOptions struct {
	name, url, listen, token string
	agent, session           string
	wait                     time.Duration
	headers                  map[string]string // name and variable
	env                      map[string]string // the names of variables
	argv                     []string

	servers  string // the file that names several
	patience time.Duration
	texts    map[string]string // headers of a server in the file, with variables
	more     map[string]string // variables of one, besides env
	problem  error             // why one cannot be used
}

// mcpFlags are the options, also as a configuration has them.
func mcpFlags() (*mcpOptions, *flag.FlagSet) {
	o := &mcpOptions{headers: map[string]string{}, env: map[string]string{}}
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	flags.StringVar(&o.name, "name", "", "")
	flags.StringVar(&o.url, "url", "", "")
	flags.StringVar(&o.listen, "listen", "", "")
	flags.StringVar(&o.token, "token", "", "")
	flags.StringVar(&o.agent, "agent", "", "")
	flags.StringVar(&o.session, "session", "", "")
	flags.DurationVar(&o.wait, "wait", 0, "")
	flags.StringVar(&o.servers, "servers", "", "")
	flags.DurationVar(&o.patience, "patience", 0, "")
	flags.Func("header", "", o.header)
	flags.Func("env", "", o.variable)
	return o, flags
}

// header reads a header and its variable.
func (o *mcpOptions) header(text string) error {
	name, variable, ok := strings.Cut(text, "=")
	if !ok || name == "" || variable == "" {
		return errors.New("want NAME=VARIABLE, for example Authorization=GITHUB_AUTHORIZATION")
	}
	o.headers[http.CanonicalHeaderKey(name)] = variable
	return nil
}

// variable reads the name of a variable.
func (o *mcpOptions) variable(name string) error {
	if name == "" || strings.Contains(name, "=") {
		return errors.New("want the name of a variable, for example NODE_OPTIONS")
	}
	o.env[name] = ""
	return nil
}

func mcpVerb(args []string, std IO) error {
	o, flags := mcpFlags()
	if helped, err := parseBefore(flags, mcpUse, args, std); helped || err != nil {
		return err
	}
	o.argv = flags.Args()
	if err := o.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	gates, err := newMCPGates(o, std)
	if err != nil {
		return err
	}
	defer gates.end()
	if o.listen != "" {
		return gates.listen(ctx, o)
	}
	gates.trusted(ctx)
	return gates.service(o.session).Serve(ctx, mcpgate.Lines(std.In, std.Out, func() error { return nil }))
}

// check looks for mistakes in the options.
func (o *mcpOptions) check() error {
	switch {
	case o.servers != "" && (o.name != "" || o.url != "" || len(o.argv)+len(o.env)+len(o.headers) > 0):
		return &usageError{"--servers goes with no other server", "the file says what is started, and under which names"}
	case o.patience != 0 && o.servers == "":
		return &usageError{"--patience goes with --servers", ""}
	case o.patience < 0:
		return &usageError{"--patience wants a time above 0", "for example: --patience 20s"}
	case o.servers == "" && (o.url == "") == (len(o.argv) == 0):
		return &usageError{"mcp wants the command of a server, or --url, or --servers", "for example: sayso mcp -- npx -y @modelcontextprotocol/server-filesystem ."}
	case o.url != "" && len(o.env) > 0:
		return &usageError{"--env goes with a command", "for a server elsewhere there is --header"}
	case o.url == "" && len(o.headers) > 0:
		return &usageError{"--header goes with --url", ""}
	case o.token != "" && o.listen == "":
		return &usageError{"--token goes with --listen", ""}
	case o.wait < 0:
		return &usageError{"--wait wants a time above 0", "for example: --wait 90s"}
	}
	if o.url != "" {
		if u, err := url.Parse(o.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return &usageError{fmt.Sprintf("--url: %q is no address of a server", o.url), "for example: https://mcp.example.com/mcp; secrets go into --header"}
		}
	}
	if o.listen != "" {
		host, port, err := net.SplitHostPort(o.listen)
		if host == "localhost" { // which might be looked up
			host = "127.0.0.1"
			o.listen = net.JoinHostPort(host, port)
		}
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return &usageError{fmt.Sprintf("--listen: %q is not on this machine's loopback", o.listen), "for example: --listen 127.0.0.1:0"}
		}
	}
	if o.servers != "" {
		o.patience = cmp.Or(o.patience, hubPatience)
		return nil
	}
	if o.name = cmp.Or(o.name, serverName(o.argv, o.url)); !goodServerName(o.name) {
		return &usageError{fmt.Sprintf("--name: %q is no name for a server", o.name), "want up to 64 letters, digits, dots, - and single _"}
	}
	return nil
}

// server is what is started, as it is trusted.
func (o *mcpOptions) server() preset.MCPServer {
	if o.url != "" {
		s := preset.MCPServer{Name: o.name, Type: "http", Command: o.url}
		for name, variable := range o.headers {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name+"="+variable] = ""
		}
		return s
	}
	return preset.MCPServer{Name: o.name, Type: "stdio", Command: o.argv[0], Args: o.argv[1:], Env: o.env}
}

// goodServerName reports whether rules and tool names can hold a name.
func goodServerName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.Contains(name, "__") && !strings.HasPrefix(name, "_") && !strings.HasSuffix(name, "_") &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
		})
}

// launchers start what their arguments name, behind these words.
var launchers = []string{"npx", "npm", "bunx", "bun", "pnpm", "yarn", "node", "deno", "uvx", "uv", "pipx", "python", "python3", "env", "exec", "run", "dlx", "x", "tool"}

// serverName is a name for a server by what is started: the package or the program,
// without what only says that it is a server.
func serverName(argv []string, address string) string {
	if u, err := url.Parse(address); address != "" && err == nil {
		return u.Hostname()
	}
	name := ""
	for _, word := range argv {
		name = strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && !slices.Contains(launchers, name) {
			break
		}
	}
	name, _, _ = strings.Cut(name, "@")
	for _, of := range []string{"mcp-server-", "server-", "mcp-"} {
		name = strings.TrimPrefix(name, of)
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, "-mcp-server"), "-mcp")
}

// listen serves clients over HTTP until ctx ends.
func (a *mcpGates) listen(ctx context.Context, o *mcpOptions) error {
	token := rand.Text() + rand.Text()
	if o.token != "" {
		var err error
		if token, err = tokenOf(o.token); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", o.listen, err)
	}
	front := &mcpgate.Front{Token: token, Addr: listener.Addr().String(), Log: a.log}
	front.Gateway = func() mcpgate.Service { return a.service(o.session) }
	handler, wait := front.Handler(ctx)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	told := map[string]any{"url": "http://" + front.Addr + mcpgate.Path, "pid": os.Getpid()}
	if o.token == "" {
		told["token"] = token
	}
	if err := writeJSON(told, a.std.Out); err != nil {
		return errors.Join(err, listener.Close())
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = server.Close()
		<-failed
	}
	wait()
	return err
}

// tokenOf reads a token.
func tokenOf(name string) (string, error) {
	file, err := private.Open(name, os.O_RDONLY)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := oneLine(io.LimitReader(file, 4<<10))
	if err == nil && len(text) < leastToken {
		err = &hintedError{fmt.Sprintf("the token is shorter than %d characters", leastToken), "for example: openssl rand -base64 24 > FILE"}
	}
	return text, err
}

// leastToken is how long a token must be.
const leastToken = 16

// kept is where it is kept what a server has said of its tools.
func keptTools(root string, s preset.MCPServer) (mcpgate.Kept, error) {
	state, err := local.State()
	return mcpgate.Kept{Dir: state.Dir, Root: root, Name: s.Name, Fingerprint: s.Fingerprint()}, err
}
