package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/sayso-dev/sayso/shell"
)

// A Client sends requests to a collector, and again where that makes sense.
type Client struct {
	Settings Settings
	Agent    string        // what the User-Agent header says
	GiveUp   time.Duration // after which a request is not sent again; 0: never

	// Told is told that a request is sent again, why, and after what time; nil:
	// nobody is.
	Told func(why error, wait time.Duration)

	// Sleep waits; nil: it really does.
	Sleep func(ctx context.Context, d time.Duration) error

	http *http.Client
}

// How long is waited before a request is sent again: the first time, and at most,
// unless the collector wants more.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second
	mostAfter = time.Hour // also if it wants more
	mostBody  = 1 << 20   // that is read of an answer
)

// A RefusedError is a request that could not be sent, or was not taken.
type RefusedError struct {
	URL    string
	Status int // of the answer; 0: there was none
	Reason string
	Err    error // why there was none

	after time.Duration // that the collector wants to be left alone; below 0: it does not say
}

func (e *RefusedError) Error() string {
	if e.Status == 0 {
		return e.URL + ": " + e.Reason
	}
	text := fmt.Sprintf("%s: %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func (e *RefusedError) Unwrap() error { return e.Err }

// again are the answers after which a request is sent again, by the specification;
// after all others it must not be.
var again = map[int]bool{
	http.StatusTooManyRequests: true, http.StatusBadGateway: true,
	http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
}

// hints are what to do about answers.
var hints = map[int]string{
	http.StatusUnauthorized:          "give what it wants with --header NAME=VALUE, or in " + envHeaders,
	http.StatusForbidden:             "give what it wants with --header NAME=VALUE, or in " + envHeaders,
	http.StatusNotFound:              "is it the URL without /v1/logs, of the port for OTLP over HTTP (mostly 4318)?",
	http.StatusMethodNotAllowed:      "is it the URL without /v1/logs, of the port for OTLP over HTTP (mostly 4318)?",
	http.StatusRequestEntityTooLarge: "let it take larger requests, or give a smaller --batch",
	http.StatusUnsupportedMediaType:  "it must take OTLP over HTTP with JSON",
	http.StatusBadRequest:            "sayso log export --dry-run shows what is sent",
}

// Hint is what to do about it.
func (e *RefusedError) Hint() string {
	switch {
	case e.Status >= 300 && e.Status < 400:
		return "give the URL that it leads to: sayso does not follow, as it may send secrets in headers"
	case e.Status != 0:
		return hints[e.Status]
	case e.certificate():
		return "name the certificate that signs for it in " + envCertificate
	}
	return "does the collector listen there, on its port for OTLP over HTTP (mostly 4318)?"
}

// certificate reports whether the other end could not prove who it is.
func (e *RefusedError) certificate() bool {
	var c *tls.CertificateVerificationError
	return errors.As(e.Err, &c)
}

func (e *RefusedError) retryable() bool {
	if e.Status != 0 {
		return again[e.Status]
	}
	var header tls.RecordHeaderError
	return !e.certificate() && !errors.As(e.Err, &header)
}

// A Partial is what a collector has not taken, and why.
type Partial struct {
	Rejected int64
	Message  string
}

// Send sends a request until it is taken, or is not to be sent again.
func (c *Client) Send(ctx context.Context, signal Signal, body []byte) (Partial, error) {
	if c.http == nil {
		c.http = &http.Client{Transport: c.Settings.transport(), Timeout: c.Settings.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	packed, err := c.pack(body)
	if err != nil {
		return Partial{}, err
	}
	wait, waited := firstWait, time.Duration(0)
	for {
		part, err := c.once(ctx, signal, packed)
		var refused *RefusedError
		if err == nil || ctx.Err() != nil || !errors.As(err, &refused) || !refused.retryable() {
			return part, err
		}
		pause := wait/2 + rand.N(wait/2) //nolint:gosec // so that many do not come at once
		if refused.after >= 0 {
			pause = refused.after
		}
		if c.GiveUp > 0 && waited+pause > c.GiveUp {
			return part, err
		}
		if c.Told != nil {
			c.Told(err, pause)
		}
		if err := c.sleep(ctx, pause); err != nil {
			return part, err
		}
		waited += pause
		wait = min(2*wait, mostWait)
	}
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (c *Client) pack(body []byte) ([]byte, error) {
	if c.Settings.Plain {
		return body, nil
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// once sends a request once.
func (c *Client) once(ctx context.Context, signal Signal, packed []byte) (Partial, error) {
	shown := c.Settings.Shown(signal)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Settings.URLs[signal], bytes.NewReader(packed))
	if err != nil {
		return Partial{}, &RefusedError{URL: shown, Reason: "it is no URL", Err: err}
	}
	r.Header.Set("User-Agent", c.Agent)
	for name, values := range c.Settings.Headers {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	if !c.Settings.Plain {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		var u *url.Error // it would show the URL with all that is in it
		if errors.As(err, &u) {
			err = u.Err
		}
		return Partial{}, &RefusedError{URL: shown, Reason: shell.Shown(err.Error()), Err: err, after: -1}
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBody))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return Partial{}, &RefusedError{URL: shown, Status: answer.StatusCode, Reason: reason(text), after: retryAfter(answer.Header.Get("Retry-After"), time.Now())}
	}
	if err != nil { // it was taken, or was it? The same ids tell
		return Partial{}, &RefusedError{URL: shown, Reason: shell.Shown(err.Error()), Err: err, after: -1}
	}
	return partial(text), nil
}

// reason is why a request was not taken, as far as the answer says so.
func reason(body []byte) string {
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &status) == nil && status.Message != "" {
		return shell.Shown(status.Message)
	}
	return shell.Shown(string(body[:min(len(body), 200)]))
}

// partial is what an answer says was not taken. One that says nothing, or nothing that
// can be read, has taken all.
func partial(body []byte) Partial {
	var answer struct {
		Partial struct {
			Logs    json.Number `json:"rejectedLogRecords"`
			Spans   json.Number `json:"rejectedSpans"`
			Message string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return Partial{}
	}
	logs, _ := answer.Partial.Logs.Int64() // none, if it is none
	spans, _ := answer.Partial.Spans.Int64()
	return Partial{Rejected: logs + spans, Message: shell.Shown(answer.Partial.Message)}
}

// retryAfter is how long a collector wants to be left alone: seconds, or a time;
// below 0: it does not say.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, mostAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), mostAfter)
	}
	return -1
}
