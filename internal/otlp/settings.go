package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings say where to send to, and how.
type Settings struct {
	URLs    map[Signal]string
	Headers http.Header
	Timeout time.Duration // of one request
	Plain   bool          // do not compress
	Roots   *x509.CertPool
	More    []Attr // of the resource
}

// The variables that the specification of the exporters has, as far as they make sense
// here. Those of one signal are for a URL only.
const (
	envURL         = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envLogs        = "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"
	envTraces      = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envHeaders     = "OTEL_EXPORTER_OTLP_HEADERS"
	envTimeout     = "OTEL_EXPORTER_OTLP_TIMEOUT"
	envCompression = "OTEL_EXPORTER_OTLP_COMPRESSION"
	envProtocol    = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envCertificate = "OTEL_EXPORTER_OTLP_CERTIFICATE"
	envService     = "OTEL_SERVICE_NAME"
	envResource    = "OTEL_RESOURCE_ATTRIBUTES"

	defaultTimeout = 10 * time.Second
)

// ErrNoURL says that nobody has said where to send to.
var ErrNoURL = errors.New("there is no URL to send to")

// A SettingError is a setting that is wrong.
type SettingError struct{ Name, Problem, Hint string }

func (e *SettingError) Error() string { return e.Name + ": " + e.Problem }

// Read reads the settings from what the command line says, which counts first, and
// from variables.
func Read(base string, headers []string, env func(string) string) (Settings, error) {
	s := Settings{Headers: http.Header{}, Timeout: defaultTimeout}
	for _, step := range []func() error{
		func() error { return s.urls(base, env) },
		func() error { return s.headers(envHeaders, strings.Split(env(envHeaders), ","), true) },
		func() error { return s.headers("--header", headers, false) },
		func() error { return s.timeout(env(envTimeout)) },
		func() error { return s.compression(env(envCompression)) },
		func() error { return s.certificate(env(envCertificate)) },
		func() error { return s.resource(env) },
	} {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *Settings) urls(base string, env func(string) string) error {
	s.URLs = map[Signal]string{}
	logs, traces, from := "", "", "--otlp"
	if base == "" {
		base, logs, traces, from = env(envURL), env(envLogs), env(envTraces), envURL
		if p := env(envProtocol); p == "grpc" && base+logs+traces != "" {
			return &SettingError{envProtocol, "it says grpc, and sayso speaks HTTP with JSON", "give the HTTP port of the collector, for example --otlp http://localhost:4318"}
		}
	}
	if base == "" && (logs == "" || traces == "") {
		return ErrNoURL
	}
	for _, one := range []struct {
		signal    Signal
		own, name string
	}{{Logs, logs, envLogs}, {Traces, traces, envTraces}} {
		name, whole := one.name, one.own
		if whole == "" {
			name, whole = from, base
		}
		u, err := url.Parse(whole)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return &SettingError{name, fmt.Sprintf("%q is no URL of a collector", whole), "for example http://localhost:4318"}
		}
		if one.own == "" {
			u = u.JoinPath("v1", string(one.signal))
		}
		s.URLs[one.signal] = u.String()
	}
	return nil
}

func (s *Settings) headers(from string, list []string, encoded bool) error {
	for _, one := range list {
		if strings.TrimSpace(one) == "" {
			continue
		}
		name, val, ok := strings.Cut(one, "=")
		name, val = strings.TrimSpace(name), strings.TrimSpace(val)
		if encoded && ok {
			if plain, err := url.PathUnescape(val); err == nil {
				val = plain
			}
		}
		if !ok || name == "" || strings.ContainsAny(name, " \t\r\n:\"") || strings.ContainsAny(val, "\r\n\x00") {
			return &SettingError{from, "a header is NAME=VALUE", "for example x-api-key=…"} // not the text: it may be a secret
		}
		s.Headers.Set(name, val)
	}
	return nil
}

func (s *Settings) timeout(text string) error {
	if text == "" {
		return nil
	}
	ms, err := strconv.ParseUint(text, 10, 31)
	if err != nil || ms == 0 {
		return &SettingError{envTimeout, fmt.Sprintf("%q is no number of milliseconds", text), "for example 10000"}
	}
	s.Timeout = time.Duration(ms) * time.Millisecond
	return nil
}

func (s *Settings) compression(text string) error {
	switch text {
	case "", "gzip":
	case "none":
		s.Plain = true
	default:
		return &SettingError{envCompression, fmt.Sprintf("there is no %q", text), "gzip or none"}
	}
	return nil
}

func (s *Settings) certificate(name string) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return &SettingError{envCertificate, err.Error(), "a file with certificates as PEM, by which that of the collector is checked"}
	}
	s.Roots = x509.NewCertPool()
	if !s.Roots.AppendCertsFromPEM(text) {
		return &SettingError{envCertificate, name + " has no certificate", "a file with certificates as PEM"}
	}
	return nil
}

func (s *Settings) resource(env func(string) string) error {
	for one := range strings.SplitSeq(env(envResource), ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		key, val, ok := strings.Cut(one, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(val))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			return &SettingError{envResource, fmt.Sprintf("%q is no attribute", one), "for example host.name=build-1,deployment.environment.name=ci"}
		}
		s.More = set(s.More, key, plain)
	}
	s.More = set(s.More, "service.name", env(envService))
	return nil
}

// Shown is where it is sent to, without what could be a secret.
func (s *Settings) Shown(signal Signal) string {
	u, err := url.Parse(s.URLs[signal])
	if err != nil {
		return "the collector"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Open reports whether what is sent can be read on its way.
func (s *Settings) Open() bool {
	for _, whole := range s.URLs {
		u, err := url.Parse(whole)
		if err != nil || u.Scheme != "http" {
			continue
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// transport is how requests go out: certificates are checked, proxies are those of
// the environment.
func (s *Settings) transport() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: cmp.Or(s.Timeout, defaultTimeout),
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        4,
		IdleConnTimeout:     time.Minute,
	}
}
