package otlp

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// variables are an environment.
func variables(list map[string]string) func(string) string {
	return func(name string) string { return list[name] }
}

// client sends to a server, and notes how long it would wait.
func client(t *testing.T, base string, env map[string]string) (*Client, *[]time.Duration) {
	t.Helper()
	s, err := Read(base, nil, variables(env))
	if err != nil {
		t.Fatal(err)
	}
	s.Timeout = time.Minute
	var waits []time.Duration
	return &Client{Settings: s, Agent: "sayso/test", GiveUp: time.Minute, Sleep: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}}, &waits
}

// TestRequest: a request is what the specification says.
func TestRequest(t *testing.T) {
	for _, compression := range []string{"", "none"} {
		var got *http.Request
		var body string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			in := io.Reader(r.Body)
			if r.Header.Get("Content-Encoding") == "gzip" {
				in, _ = gzip.NewReader(r.Body)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Error(err)
			}
			got, body = r, string(text)
			io.WriteString(w, "{}") //nolint:errcheck // the client would say so
		}))
		defer server.Close()
		c, _ := client(t, server.URL+"/in/", map[string]string{envCompression: compression, envHeaders: "X-Key=a%20b, x-more=2"})
		if part, err := c.Send(t.Context(), Traces, []byte(`{"a":1}`)); err != nil || part != (Partial{}) {
			t.Fatalf("%+v, %v", part, err)
		}
		h := got.Header
		if got.Method != "POST" || got.URL.Path != "/in/v1/traces" || body != `{"a":1}` || h.Get("Content-Type") != "application/json" || h.Get("X-Key") != "a b" || h.Get("X-More") != "2" || h.Get("User-Agent") != "sayso/test" || (h.Get("Content-Encoding") == "gzip") != (compression == "") {
			t.Errorf("%s %s %v %s", got.Method, got.URL, h, body)
		}
	}
}

// TestRetry: what may be sent again is, after the time that the collector wants; what
// must not is not.
func TestRetry(t *testing.T) {
	future := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
	for name, test := range map[string]struct {
		status  []int
		after   string
		body    string
		sent    int // 0: until it gives up
		problem string
		waits   func([]time.Duration) bool
	}{
		"taken":              {status: []int{200}, sent: 1},
		"busy":               {status: []int{429, 503, 200}, after: "7", sent: 3, waits: func(w []time.Duration) bool { return slices.Equal(w, []time.Duration{7e9, 7e9}) }},
		"until then":         {status: []int{503, 200}, after: future, sent: 2, waits: func(w []time.Duration) bool { return w[0] > time.Second && w[0] <= 20*time.Second }},
		"longer and longer":  {status: []int{502, 504, 502, 200}, sent: 4, waits: func(w []time.Duration) bool { return w[0] >= 5e8 && w[0] < 1e9 && w[2] >= 2e9 && w[2] < 4e9 }},
		"for too long":       {status: []int{503}, problem: "503 Service Unavailable", waits: func(w []time.Duration) bool { return len(w) >= 5 && len(w) <= 8 }},
		"longer than we try": {status: []int{429}, after: "3600", sent: 1, problem: "429 Too Many Requests"},
		"bad":                {status: []int{400, 200}, body: `{"code":3,"message":"no such \u001b[2Jfield"}`, sent: 1, problem: "400 Bad Request: no such"},
		"broken":             {status: []int{500, 200}, body: "oops", sent: 1, problem: "500 Internal Server Error: oops"},
		"too large":          {status: []int{413, 200}, sent: 1, problem: "413 "},
		"elsewhere":          {status: []int{307, 200}, sent: 1, problem: "307 "},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.after != "" {
					w.Header().Set("Retry-After", test.after)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status[min(sent, len(test.status)-1)])
				io.WriteString(w, test.body) //nolint:errcheck // the client would say so
				sent++
			}))
			defer server.Close()
			c, waits := client(t, server.URL, nil)
			_, err := c.Send(t.Context(), Logs, []byte("{}"))
			if sent != test.sent && test.sent > 0 {
				t.Errorf("sent %d times, want %d", sent, test.sent)
			}
			var refused *RefusedError
			switch {
			case test.problem == "" && err != nil:
				t.Error(err)
			case test.problem != "" && (!errors.As(err, &refused) || !strings.HasPrefix(err.Error(), server.URL+"/v1/logs: "+test.problem) || strings.Contains(err.Error(), "\x1b")):
				t.Errorf("got %v, want %s", err, test.problem)
			}
			if test.waits != nil && !test.waits(*waits) {
				t.Errorf("waits %v", *waits)
			}
		})
	}
}

// TestAway: a collector that does not listen is tried again, and said to be away
// without what is secret in its URL.
func TestAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close() //nolint:errcheck // nobody may listen
	c, waits := client(t, "http://ada:hunter2@"+address+"?key=hunter3", nil)
	told := 0
	c.Told = func(why error, _ time.Duration) {
		if told++; strings.Contains(why.Error(), "hunter") {
			t.Errorf("told %v", why)
		}
	}
	_, err = c.Send(t.Context(), Logs, []byte("{}"))
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Status != 0 || strings.Contains(err.Error(), "hunter") || !strings.Contains(err.Error(), address) || !strings.Contains(refused.Hint(), "4318") {
		t.Errorf("got %v", err)
	}
	if len(*waits) < 4 || told != len(*waits) {
		t.Errorf("waits %v, told %d times", *waits, told)
	}
}

// TestCertificate: who cannot prove who they are gets nothing, and is not tried again.
func TestCertificate(t *testing.T) {
	got := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got++ }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of what is tested
	server.StartTLS()
	defer server.Close()
	c, waits := client(t, server.URL, nil)
	_, err := c.Send(t.Context(), Logs, []byte("{}"))
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Hint(), envCertificate) || got != 0 || len(*waits) != 0 {
		t.Errorf("got %v, %d requests, waits %v", err, got, *waits)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ = client(t, server.URL, map[string]string{envCertificate: file})
	if _, err := c.Send(t.Context(), Logs, []byte("{}")); err != nil || got != 1 {
		t.Errorf("got %v, %d requests", err, got)
	}
}

// TestPartial: what a collector has not taken is told, in either form of a number.
func TestPartial(t *testing.T) {
	for body, want := range map[string]Partial{
		``:                      {},
		`{}`:                    {},
		`{"partialSuccess":{}}`: {},
		`not JSON`:              {},
		`{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too old"}}`: {3, "too old"},
		`{"partialSuccess":{"rejectedSpans":2,"errorMessage":"too\nlong"}}`:      {2, "too long"},
		`{"partialSuccess":{"errorMessage":"use https"}}`:                        {0, "use https"},
	} {
		if got := partial([]byte(body)); got.Rejected != want.Rejected || !strings.HasPrefix(got.Message, want.Message[:min(3, len(want.Message))]) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
}

// TestRead: settings come from the command line, then from variables, and what is wrong
// is said without what may be a secret.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		base    string
		headers []string
		env     map[string]string
		logs    string
		traces  string
		problem string
	}{
		{problem: "there is no URL"},
		{base: "http://h:4318", logs: "http://h:4318/v1/logs", traces: "http://h:4318/v1/traces"},
		{base: "https://h/otlp/", env: map[string]string{envURL: "http://other", envLogs: "http://third", envProtocol: "grpc"}, logs: "https://h/otlp/v1/logs", traces: "https://h/otlp/v1/traces"},
		{env: map[string]string{envURL: "http://h", envLogs: "http://l/x", envProtocol: "http/protobuf"}, logs: "http://l/x", traces: "http://h/v1/traces"},
		{env: map[string]string{envURL: "http://h:4317", envProtocol: "grpc"}, problem: envProtocol},
		{env: map[string]string{envLogs: "http://l/x"}, problem: "there is no URL"},
		{base: "localhost:4318", problem: "--otlp: \"localhost:4318\" is no URL"},
		{base: "ftp://h", problem: "is no URL"},
		{base: "http://h", headers: []string{"hunter2"}, problem: "--header: a header is NAME=VALUE"},
		{base: "http://h", headers: []string{"a=b\nhunter2: c"}, problem: "--header: a header is NAME=VALUE"},
		{base: "http://h", env: map[string]string{envHeaders: "hunter2"}, problem: envHeaders},
		{base: "http://h", env: map[string]string{envTimeout: "10s"}, problem: envTimeout},
		{base: "http://h", env: map[string]string{envCompression: "zstd"}, problem: envCompression},
		{base: "http://h", env: map[string]string{envCertificate: "/nowhere"}, problem: envCertificate},
		{base: "http://h", env: map[string]string{envResource: "host.name"}, problem: envResource},
	} {
		s, err := Read(test.base, test.headers, variables(test.env))
		if test.problem != "" {
			if err == nil || !strings.Contains(err.Error(), test.problem) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if err != nil || s.URLs[Logs] != test.logs || s.URLs[Traces] != test.traces {
			t.Errorf("%+v: %v, %v", test, s.URLs, err)
		}
	}
	s, err := Read("http://h", []string{"x-key=mine"}, variables(map[string]string{envHeaders: "X-Key=theirs", envTimeout: "250", envResource: "host.name=a%2Cb", envService: "gate"}))
	if err != nil || s.Headers.Get("X-Key") != "mine" || s.Timeout != 250*time.Millisecond || !s.Open() {
		t.Errorf("%+v, %v", s, err)
	}
	var names []string
	for _, a := range NewSender("v1", s.More).Resource.Attributes {
		names = append(names, a.Key+"="+*a.Value.Text)
	}
	if got := strings.Join(names, " "); got != "service.name=gate service.version=v1 host.name=a,b" {
		t.Errorf("resource %s", got)
	}
	for base, open := range map[string]bool{"http://localhost:1": false, "http://127.0.0.1": false, "http://[::1]:2": false, "https://h": false, "http://10.0.0.1": true} {
		if s, err := Read(base, nil, variables(nil)); err != nil || s.Open() != open {
			t.Errorf("%s can be read: %v, %v", base, s.Open(), err)
		}
	}
}
