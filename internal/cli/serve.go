package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/private"
)

// defaultAddr is where the page is: what the keys of a telephone write for SAYS.
const defaultAddr = "127.0.0.1:7297"

const serveUse = `sayso serve [--json] [--addr HOST:PORT] [--passphrase]
       sayso serve --addr HOST:PORT --cert FILE --key FILE --password FILE
       sayso serve --api [--addr HOST:PORT]
       sayso serve --stdio [--answers]

Serves a web page on which you answer the calls that wait, see and change rules
and the default mode, take grants and trust back, and search the journal. It
prints a link that lets one browser in, once, within ten minutes; press Enter for
another one, and Ctrl+C to end.

  --addr HOST:PORT  where to listen (default: ` + defaultAddr + `; port 0: any free
                    one). Any other host than this machine's own loopback wants
                    --cert, --key and --password
  --cert FILE       the certificate, for TLS
  --key FILE        its key
  --password FILE   the first line of a file that only you can read: who knows
                    it can log in, besides those with a link; - is standard input
  --passphrase      the profile is under a passphrase: the first line of standard
                    input (default: its key is in profile.key in the config folder)
  --json            print address and links as one JSON object a line

An agent cannot serve it, nor reach it: run this in a terminal of your own.

Programs in other languages have calls decided by the API (docs/api.md):

  --stdio    serve the program that has started this, on standard input and output
  --answers  let it answer what it has asked itself, for its own user, if
             approve.via of the policy names the agent, or nobody
  --api      serve programs on the socket api.sock in the state folder, and with
             --addr also on that port of this machine's loopback. Prints where, the
             token that programs must send to the port, and the token of whoever
             answers: keep that to yourself

Exit status: 0 ended by you, 1 error, 2 wrong usage.`

// serveOptions say how the page is served.
type serveOptions struct {
	addr, cert, key, password string
	passphrase, asJSON        bool
	stdio, api, answers       bool
}

func serve(args []string, std IO) error {
	var o serveOptions
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", defaultAddr, "")
	flags.StringVar(&o.cert, "cert", "", "")
	flags.StringVar(&o.key, "key", "", "")
	flags.StringVar(&o.password, "password", "", "")
	flags.BoolVar(&o.passphrase, "passphrase", false, "")
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.BoolVar(&o.stdio, "stdio", false, "")
	flags.BoolVar(&o.api, "api", false, "")
	flags.BoolVar(&o.answers, "answers", false, "")
	rest, helped, err := parse(flags, serveUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"serve takes no argument", "sayso help serve lists the options"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.stdio || o.api || o.answers {
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		return o.serveAPI(ctx, given, std)
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := byPerson("the page"); err != nil {
		return err
	}
	return o.serve(ctx, std)
}

// check refuses to let others in who have no password, or could listen to it.
func (o *serveOptions) check() error {
	host, port, err := net.SplitHostPort(o.addr)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return &usageError{fmt.Sprintf("--addr: %q is no address", o.addr), "want HOST:PORT, for example " + defaultAddr}
	}
	if host == "localhost" { // which might be looked up
		host = "127.0.0.1"
		o.addr = net.JoinHostPort(host, port)
	}
	if (o.cert == "") != (o.key == "") {
		return &usageError{"--cert and --key go together", ""}
	}
	if o.password == "-" && o.passphrase {
		return &usageError{"standard input cannot be both the password and the passphrase", "put the password into a file that only you can read"}
	}
	ip := net.ParseIP(host)
	if ip != nil && ip.IsLoopback() {
		return nil
	}
	if o.cert == "" || o.password == "" {
		return &usageError{fmt.Sprintf("--addr: others can reach %s, so it wants TLS and a password", o.addr), "add --cert FILE --key FILE --password FILE, or listen on " + defaultAddr}
	}
	return nil
}

// serve serves the page until ctx ends.
func (o *serveOptions) serve(ctx context.Context, std IO) error {
	password, err := o.readPassword(std)
	if err != nil {
		return err
	}
	var phrase func() (string, error)
	if o.passphrase {
		phrase = sync.OnceValues(func() (string, error) { return oneLine(std.In) })
		if _, err := phrase(); err != nil {
			return err
		}
	}
	desk, done, err := openDesk(ctx, web.Channel, std.key(phrase))
	if err != nil {
		return err
	}
	defer done()
	listener, certificate, err := o.listen()
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the server has closed it already
	forget, err := announce(ctx, listener.Addr().String())
	if err != nil {
		return err
	}
	defer forget()
	records, _ := theJournal()
	first := newFirstIndex(records, std)
	go first.make(ctx)
	policies := &pagePolicies{desk: desk, phrase: phrase, std: std}
	home, _ := os.UserHomeDir() // without one paths are shown whole
	state, _ := local.State()   // at the desk there is one
	page, err := web.New(web.Config{
		Desk: desk, Journal: records, Policies: policies, URL: o.url(listener, certificate), Certificate: certificate, Password: password,
		Index: first.open, Reading: first.reading,
		Home: home, Before: before, Stamp: func() string { return stampOf(local.Database(state.Dir)) },
	})
	if err != nil {
		return err
	}
	return o.run(ctx, page, listener, std)
}

// run tells where the page is, and serves it.
func (o *serveOptions) run(ctx context.Context, page *web.Page, listener net.Listener, std IO) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := page.Server()
	server.BaseContext = func(net.Listener) context.Context { return ctx } // so that what is live ends, too
	if err := o.tell(page, listener, std); err != nil {
		return err
	}
	go page.Watch(ctx)
	go o.moreLinks(page, listener, std)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve the page: %w", err)
	case <-ctx.Done():
	}
	ending, over := context.WithTimeout(context.Background(), 3*time.Second)
	defer over()
	err := server.Shutdown(ending)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// tell prints a link that lets somebody in.
func (o *serveOptions) tell(page *web.Page, listener net.Listener, std IO) error {
	link, until := page.Link()
	if o.asJSON {
		return writeJSON(struct {
			Address string    `json:"address"`
			URL     string    `json:"url"`
			Login   string    `json:"login"`
			Until   time.Time `json:"until"`
			PID     int       `json:"pid"`
		}{listener.Addr().String(), page.URL, link, until, os.Getpid()}, std.Out)
	}
	err := printErr(std.Out, "%s\n", link)
	printf(std.Err, "sayso: note: the link lets one browser in, once, until %s; Enter prints another one, Ctrl+C ends it\n", until.Format("15:04"))
	return err
}

// moreLinks prints another link for each line that a person enters.
func (o *serveOptions) moreLinks(page *web.Page, listener net.Listener, std IO) {
	if !terminal(std.In) || o.passphrase || o.password == "-" {
		return
	}
	for {
		if _, err := oneLine(std.In); err != nil {
			return
		}
		if o.tell(page, listener, std) != nil {
			return
		}
	}
}

// listen opens the port.
func (o *serveOptions) listen() (net.Listener, *x509.Certificate, error) {
	var certificate *x509.Certificate
	var secure *tls.Config
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, nil, fmt.Errorf("read the certificate %s: %w", o.cert, err)
		}
		certificate = pair.Leaf
		secure = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	}
	listener, err := net.Listen("tcp", o.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, nil, &hintedError{o.addr + " is in use by another program", "end that, or choose another port with --addr; port 0 is any that is free"}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s: %w", o.addr, err)
	}
	if secure != nil {
		return tls.NewListener(listener, secure), certificate, nil
	}
	return listener, nil, nil
}

// url is where browsers find the page.
func (o *serveOptions) url(listener net.Listener, certificate *x509.Certificate) string {
	if certificate == nil {
		return "http://" + listener.Addr().String()
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String()) // it has both
	switch {
	case len(certificate.DNSNames) > 0:
		host = certificate.DNSNames[0]
	case len(certificate.IPAddresses) > 0:
		host = certificate.IPAddresses[0].String()
	}
	return "https://" + net.JoinHostPort(host, port)
}

// leastPassword is how long a password must be.
const leastPassword = 12

func (o *serveOptions) readPassword(std IO) (string, error) {
	in := std.In
	switch o.password {
	case "":
		return "", nil
	case "-":
	default:
		file, err := private.Open(o.password, os.O_RDONLY)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	text, err := oneLine(in)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if len(text) < leastPassword {
		return "", &hintedError{fmt.Sprintf("the password is shorter than %d characters", leastPassword), "for example: openssl rand -base64 24 > FILE"}
	}
	return text, nil
}

// announce notes the address of the page for the guards, which keep agents away
// from it, and makes sure that there is one page only.
func announce(ctx context.Context, address string) (forget func(), err error) {
	state, err := local.State()
	if err != nil {
		return nil, err
	}
	name := local.Page(state.Dir)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	file, err := private.Lock(short, name)
	if err != nil && short.Err() != nil {
		old, _ := local.Machine{}.ReadFile(name, 300) // then it is not told
		return nil, &hintedError{fmt.Sprintf("sayso serve runs already, at %s", old), "use that, or end it first"}
	}
	if err != nil {
		return nil, err
	}
	_, err = file.WriteAt([]byte(address+"\n"), 0)
	if err = errors.Join(err, file.Truncate(int64(len(address)+1))); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		_ = file.Truncate(0) // the guards then only deny more than they must
		_ = file.Close()
	}, nil
}

// before is what is in a file now, to show what a call would change.
func before(name string) (string, bool) {
	text, err := local.Machine{}.ReadFile(name, maxPolicy)
	return string(text), err == nil
}

// stampOf changes when a file may have changed. It does not open it: closing a
// database that this process has open would end its locks.
func stampOf(name string) string {
	info, err := os.Stat(name)
	if err != nil || time.Since(info.ModTime()) < 100*time.Millisecond {
		return "" // two changes at once have one time
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}
