package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
)

// Tokens say who a client is.
type Tokens struct {
	Agent  string // what programs must send; empty: they need none, because the system says who they are
	Person string // what whoever answers must send
}

// Hosts are the names under which the API is reached; empty: any, on a socket.
type Hosts []string

// Handler serves the protocol over HTTP: each method is a path, its parameters the
// body. Pages in browsers are refused.
func (s *Service) Handler(tokens Tokens, hosts Hosts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		role, err := tokens.role(r, hosts)
		if err != nil {
			fail(w, err)
			return
		}
		c := &client{Service: s, role: role}
		method, ok := strings.CutPrefix(r.URL.Path, "/v1/")
		read := method == "events" || method == "requests"
		switch {
		case !ok || !slices.Contains(Methods, method):
			fail(w, &Error{NotFound, "there is no " + r.URL.Path})
		case read != (r.Method == http.MethodGet) || !read && r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case method == "events":
			c.events(w, r)
		default:
			c.answerHTTP(w, r, method)
		}
	})
}

// Methods are those that are reached over HTTP.
var Methods = []string{"decide", "authorize", "result", "requests", "answer", "events"}

// errToken is for a token that is missing or wrong.
var errToken = &Error{Forbidden, "the token is missing or wrong"}

// role is what a request may do.
func (t Tokens) role(r *http.Request, hosts Hosts) (Role, error) {
	if len(hosts) > 0 && !slices.Contains(hosts, r.Host) {
		return Agent, &Error{Forbidden, "this is not the host that it is for"}
	}
	if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return Agent, &Error{Forbidden, "no page in a browser may use this"}
	}
	given, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case sent && t.Person != "" && subtle.ConstantTimeCompare([]byte(given), []byte(t.Person)) == 1:
		return Person, nil
	case sent && t.Agent != "" && subtle.ConstantTimeCompare([]byte(given), []byte(t.Agent)) == 1:
		return Agent, nil
	case t.Agent == "" && r.Header.Get("Authorization") == "":
		return Agent, nil
	}
	return Agent, errToken
}

func (c *client) answerHTTP(w http.ResponseWriter, r *http.Request, method string) {
	params, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		fail(w, &Error{Usage, errBody.Error()})
		return
	}
	result, err := c.do(r.Context(), method, params)
	if err != nil {
		fail(w, err)
		return
	}
	text, err := json.Marshal(result)
	if err != nil {
		fail(w, err)
		return
	}
	_, _ = w.Write(append(text, '\n')) // or nobody reads it
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	told := failure(err)
	status := map[string]int{Usage: http.StatusBadRequest, Forbidden: http.StatusForbidden, NotFound: http.StatusNotFound}[told.Code]
	switch {
	case errors.Is(err, errToken):
		status = http.StatusUnauthorized
	case status == 0:
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]*Error{"error": told}) // or nobody reads it
}

const (
	lookEvery = 400 * time.Millisecond // for what waits
	aliveTime = 15 * time.Second       // a comment is sent, so that a reader who is gone is noticed
)

// events tells a person what waits, what does not any more, and what was decided
// here, as server-sent events.
func (c *client) events(w http.ResponseWriter, r *http.Request) {
	if c.role != Person {
		fail(w, errPeople)
		return
	}
	ch := make(chan Event, 64)
	c.Service.mu.Lock()
	if c.watch == nil {
		c.watch = map[chan Event]bool{}
	}
	c.watch[ch] = true
	c.Service.mu.Unlock()
	defer func() {
		c.Service.mu.Lock()
		delete(c.watch, ch)
		c.Service.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(text string) bool {
		_, err := io.WriteString(w, text)
		return err == nil && http.NewResponseController(w).Flush() == nil
	}
	open := map[string]bool{}
	look, alive := time.NewTicker(lookEvery), time.NewTicker(aliveTime)
	defer look.Stop()
	defer alive.Stop()
	for ok := send(": here\n\n"); ok; {
		select {
		case <-r.Context().Done():
			return
		case e := <-ch:
			ok = send(sse(e))
		case <-alive.C:
			ok = send(": here\n\n")
		case <-look.C:
			for _, e := range c.changes(r.Context(), open) {
				ok = ok && send(sse(e))
			}
		}
	}
}

// changes are what has come to wait, and what waits no longer.
func (c *client) changes(ctx context.Context, open map[string]bool) (out []Event) {
	list, err := c.Waiting(ctx)
	if err != nil {
		return nil // the next look may tell
	}
	for id := range open {
		if !slices.ContainsFunc(list, func(r sayso.Request) bool { return r.ID == id }) {
			delete(open, id)
			out = append(out, Event{Event: "closed", ID: id})
		}
	}
	for i := range list {
		if !open[list[i].ID] {
			open[list[i].ID] = true
			out = append(out, Event{Event: "ask", Request: &list[i]})
		}
	}
	return out
}

func sse(e Event) string {
	text, err := json.Marshal(e)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("data: %s\n\n", text)
}
