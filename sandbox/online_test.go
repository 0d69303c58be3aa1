//go:build linux

package sandbox_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1" //nolint:gosec // the registry of npm names packages by it
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/sandbox"
)

// shop is a server with a repository of git, and a package for each of the usual tools.
func shop(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	repository := t.TempDir()
	out, err := exec.Command("sh", "-c", "cd "+repository+` && git init -q --bare r.git && git init -q w && cd w && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git push -q ../r.git HEAD:main && git -C ../r.git symbolic-ref HEAD refs/heads/main && chmod -R a+rX ..`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	at, _ := exec.Command("git", "--exec-path").Output()
	mux.Handle("/git/", &cgi.Handler{
		Path: strings.TrimSpace(string(at)) + "/git-http-backend", Root: "/git", Dir: repository,
		Env: []string{"GIT_PROJECT_ROOT=" + repository, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	})
	give := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
	}
	give("/go/example.com/small/@v/list", "v1.0.0\n")
	give("/go/example.com/small/@v/v1.0.0.info", `{"Version":"v1.0.0"}`)
	give("/go/example.com/small/@v/v1.0.0.mod", "module example.com/small\n")
	give("/go/example.com/small/@v/v1.0.0.zip", zipped("example.com/small@v1.0.0/small.go", "package small\n\nconst From = \"from a module\"\n"))
	npm := packed("package/package.json", `{"name":"small","version":"1.0.0","main":"index.js"}`, "package/index.js", "module.exports = 'from a registry'\n")
	sum := sha1.Sum([]byte(npm)) //nolint:gosec // as above
	give("/npm/small", fmt.Sprintf(`{"name":"small","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"small","version":"1.0.0","dist":{"tarball":"http://good.example/npm/small-1.0.0.tgz","shasum":"%s"}}}}`, hex.EncodeToString(sum[:])))
	give("/npm/small-1.0.0.tgz", npm)
	mux.HandleFunc("/pip/small/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/pip/files/small-1.0.0-py3-none-any.whl">small-1.0.0-py3-none-any.whl</a>`)
	})
	give("/pip/files/small-1.0.0-py3-none-any.whl", zipped("small.py", "text = 'from an index'\n",
		"small-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1.0.0\n", "small-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "small-1.0.0.dist-info/RECORD", ""))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func zipped(files ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, _ := z.Create(files[i])         // a buffer takes everything
		_, _ = w.Write([]byte(files[i+1])) // as above
	}
	_ = z.Close() // as above
	return b.String()
}

func packed(files ...string) string {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	a := tar.NewWriter(g)
	for i := 0; i < len(files); i += 2 {
		_ = a.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))}) // a buffer takes everything
		_, _ = a.Write([]byte(files[i+1]))                                                        // as above
	}
	_, _ = a.Close(), g.Close() // as above
	return b.String()
}

// TestToolsOnline: the tools that people use get what they need from a host that is
// listed, by their own ways to find a proxy; and not from another one.
func TestToolsOnline(t *testing.T) {
	t.Parallel()
	server := shop(t)
	for _, one := range []struct{ needs, script, says string }{
		{"git", "git clone -q http://HOST/git/r.git copy && git -C copy log --oneline", "first"},
		{"go", "go mod init example.com/x 2>/dev/null && GOFLAGS=-mod=mod GONOSUMDB='*' GOPROXY=http://HOST/go go get example.com/small@v1.0.0 2>/dev/null && cat go.mod", "example.com/small v1.0.0"},
		{"npm", "npm init -y >/dev/null && npm install --fetch-retries=0 --no-audit --no-fund --registry=http://HOST/npm/ small >/dev/null && node -e \"console.log(require('small'))\"", "from a registry"},
		{"python3 -m pip", "python3 -m pip install -q --retries=0 --disable-pip-version-check --no-warn-script-location --root-user-action=ignore --trusted-host HOST --index-url http://HOST/pip --target lib small; PYTHONPATH=lib python3 -c 'import small; print(small.text)'", "from an index"},
		{"node", `node -e "require('http').get('http://HOST/npm/small', r => { r.setEncoding('utf8'); r.on('data', d => console.log(d)) })"`, `"latest":"1.0.0"`},
	} {
		if exec.Command("sh", "-c", one.needs+" --version || "+one.needs+" version").Run() != nil {
			t.Logf("%s is not there", one.needs)
			continue
		}
		hosts := []string{"good.example", "evil.example"}
		if one.needs != "git" && one.needs != "node" {
			hosts = hosts[:1] // the others take long to give up
		}
		for _, host := range hosts {
			c := withHosts(t.TempDir(), strings.ReplaceAll(one.script, "HOST", host), "good.example")
			c.Timeout = 2 * time.Minute
			c.Inherit = []string{"PATH", "GOROOT", "GOTOOLCHAIN", "PYENV_*"}
			c.Env = map[string]string{"HOME": "/tmp", "GOCACHE": "/tmp/cache", "GOPATH": "/tmp/go", "npm_config_cache": "/tmp/npm"}
			var reached atomic.Bool
			r := run(t, c, func(o *sandbox.Options) {
				o.Resolve = func(context.Context, string) ([]netip.Addr, error) {
					return []netip.Addr{netip.MustParseAddr("203.0.113.7")}, nil
				}
				o.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
					reached.Store(true)
					return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
				}
			})
			if good := host == "good.example"; good != (r.Exit == 0 && strings.Contains(r.out, one.says)) || reached.Load() != good {
				t.Errorf("%s, %s: %v", one.needs, host, r)
			}
		}
	}
}
