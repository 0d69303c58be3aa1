package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/api"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/web"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/store"
)

// serveAPI serves programs until ctx, or their input, ends.
func (o *serveOptions) serveAPI(ctx context.Context, given map[string]bool, std IO) error {
	for name := range given {
		switch {
		case name == "stdio" && !o.api, name == "answers" && o.stdio, name == "api" && !o.stdio, name == "addr" && o.api, name == "json":
		case name == "answers" && !o.api:
			return &usageError{"--answers wants --stdio", "sayso help serve tells what it does"}
		default:
			return &usageError{"--" + name + " does not go with the others", "sayso help serve tells which do"}
		}
	}
	a := &apiBackend{std: std}
	if o.stdio {
		if o.answers {
			if err := byPerson("an answer"); err != nil {
				return err
			}
		}
		return a.service().Lines(ctx, std.In, std.Out, o.answers)
	}
	if err := byPerson("the API"); err != nil {
		return err
	}
	if given["addr"] {
		if err := o.check(); err != nil {
			return err
		}
		if host, _, _ := net.SplitHostPort(o.addr); !net.ParseIP(host).IsLoopback() {
			return &usageError{"--addr: the API is served on this machine's loopback alone", "for example: --addr 127.0.0.1:0"}
		}
	}
	return o.listenAPI(ctx, a.service(), given["addr"], std)
}

// listenAPI serves the socket, and the port if there is one.
func (o *serveOptions) listenAPI(ctx context.Context, s *api.Service, port bool, std IO) error {
	socket, done, err := apiSocket(ctx)
	if err != nil {
		return err
	}
	defer done()
	person := rand.Text() + rand.Text()
	told := map[string]any{"socket": socket.Addr().String(), "answers": person, "pid": os.Getpid()}
	servers := []*http.Server{{Handler: s.Handler(api.Tokens{Person: person}, nil)}}
	listeners := []net.Listener{socket}
	if port {
		listener, err := net.Listen("tcp", o.addr)
		if err != nil {
			return fmt.Errorf("listen on %s: %w", o.addr, err)
		}
		agent, addr := rand.Text()+rand.Text(), listener.Addr().String()
		_, number, _ := net.SplitHostPort(addr) // it has one
		told["url"], told["token"] = "http://"+addr, agent
		servers = append(servers, &http.Server{Handler: s.Handler(api.Tokens{Agent: agent, Person: person}, api.Hosts{addr, net.JoinHostPort("localhost", number)})})
		listeners = append(listeners, listener)
	}
	if err := writeJSON(told, std.Out); err != nil {
		return err
	}
	failed := make(chan error, len(servers))
	for i, server := range servers {
		server.ReadHeaderTimeout = 10 * time.Second
		server.BaseContext = func(net.Listener) context.Context { return ctx } // so that what waits ends, too
		go func() { failed <- server.Serve(listeners[i]) }()
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = nil
	}
	for _, server := range servers {
		err = errors.Join(err, server.Close())
	}
	return err
}

// apiSocket opens the socket of the state folder, which only the user reaches.
func apiSocket(ctx context.Context) (net.Listener, func(), error) {
	state, err := local.State()
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(state.Dir, "api.sock")
	if err := private.Make(state.Dir); err != nil {
		return nil, nil, err
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	lock, err := private.Lock(short, name+".lock")
	if err != nil && short.Err() != nil {
		return nil, nil, &hintedError{"sayso serve --api runs already, at " + name, "use that, or end it first"}
	}
	if err != nil {
		return nil, nil, err
	}
	_ = os.Remove(name) // of one that was killed
	listener, err := net.Listen("unix", name)
	if err == nil {
		err = os.Chmod(name, 0o600) // the folder is the user's alone already
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("listen on %s: %w", name, err), lock.Close())
	}
	return listener, func() {
		_ = listener.Close() // the server has closed it already
		_ = lock.Close()
	}, nil
}

// An apiBackend decides for programs.
type apiBackend struct{ std IO }

func (a *apiBackend) service() *api.Service {
	return &api.Service{Decide: a.decide, Authorize: a.authorize, Note: a.note, Waiting: a.waiting, Answer: a.answer}
}

// loaded is the policy for a call, and the call where it would be made.
func (a *apiBackend) loaded(call sayso.Call) (loaded, sayso.Call, error) {
	call.Home, _ = os.UserHomeDir() // without one, ~ stays unresolved
	call.Root = local.Real(local.Root(call.Dir))
	policy, err := load(call.Root, call.Home, a.std)
	if err == nil {
		call.Server = policy.server(call.Root, call)
	}
	return policy, call, err
}

func (a *apiBackend) decide(ctx context.Context, call sayso.Call) (sayso.Decision, error) {
	policy, call, err := a.loaded(call)
	if err != nil {
		return sayso.Decision{}, err
	}
	return policy.engine.Check(ctx, call, sayso.Session{Now: time.Now(), Mode: policy.mode, Surface: policy.surface, Grants: policy.grants}), nil
}

func (a *apiBackend) authorize(ctx context.Context, call sayso.Call, wait time.Duration, own bool, opened func(sayso.Request)) (sayso.Decision, error) {
	policy, call, err := a.loaded(call)
	if err != nil {
		return sayso.Decision{}, err
	}
	e := policy.engine
	e.Journal, e.Sessions = homeJournal{}, homeSessions{}
	if call.Session == call.ID { // it has none, and nothing is to be remembered of it
		e.Sessions = &store.Memory{}
	}
	if err := e.Sessions.Update(ctx, call.Session, func(st *sayso.SessionState) error {
		st.Surface = policy.surface
		return nil
	}); err != nil {
		return sayso.Decision{}, err
	}
	kept := &keeping{counts: e.Grants} // where new ones go is opened with the first question
	e.Grants = kept
	done := func() {}
	defer func() { done() }()
	via, nobody := heard(policy.Approve)
	mayOwn, _ := asks(policy.Approve)
	mayOwn = mayOwn && own
	if mayOwn && policy.Approve.Via != nil {
		via = append(via, throughClient)
	}
	if !nobody || mayOwn {
		e.Approver = sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
			d, end, err := openDesk(ctx, throughClient, a.std.key(nil))
			if err != nil {
				return sayso.Answer{}, err
			}
			done, kept.GrantStore = end, d.Grants
			timeout := cmp.Or(wait, policy.Approve.Timeout)
			if limit := policy.Approve.Timeout; limit > 0 {
				timeout = min(timeout, limit)
			}
			q := &approve.Queue{Store: d.Approvals, Timeout: timeout, Via: via, Opened: opened}
			return q.Approve(ctx, r)
		})
	}
	_, d, err := e.Authorize(ctx, call)
	return d, err
}

func (a *apiBackend) note(ctx context.Context, call sayso.Call, result sayso.Result) error {
	e := sayso.Engine{Journal: homeJournal{}}
	return e.Note(ctx, call, sayso.Record{Kind: sayso.RecordResult, Result: &result})
}

// waiting lists what waits. Where nothing was ever kept, nothing does.
func (a *apiBackend) waiting(ctx context.Context) (list []sayso.Request, err error) {
	err = atDeskIn(ctx, a.std.key(nil), func(ctx context.Context, d *manage.Desk) (err error) {
		list, err = d.Approvals.Waiting(ctx)
		return err
	})
	return list, err
}

// answer answers a request: for the user of the program that has asked, or for whoever
// has the token, which counts like the page.
func (a *apiBackend) answer(ctx context.Context, r sayso.Request, given api.Answer, own bool) error {
	err := atDeskIn(ctx, a.std.key(nil), func(ctx context.Context, d *manage.Desk) error {
		d.Channel = web.Channel
		if own {
			d.Channel, d.By = throughClient, cmp.Or(r.Call.Agent, "the program")+"'s user"
		}
		_, err := d.Answer(ctx, r, given.Yes, given.Choice)
		return err
	})
	switch {
	case errors.Is(err, sayso.ErrChannel):
		return &api.Error{Code: api.Forbidden, Message: err.Error() + "; approve.via of the policy names where: " + strings.Join(r.Via, ", ")}
	case errors.Is(err, sayso.ErrNotFound), errors.Is(err, sayso.ErrAnswered), errors.Is(err, sayso.ErrLate):
		return &api.Error{Code: api.NotFound, Message: err.Error()}
	case errors.Is(err, sayso.ErrChoice), errors.Is(err, sayso.ErrContract):
		return &api.Error{Code: api.Usage, Message: err.Error()}
	}
	return err
}
