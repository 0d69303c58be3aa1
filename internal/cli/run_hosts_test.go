package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/cli"
)

// testNetwork lets every host lead to a server of a test, and to nobody else.
func testNetwork(std *cli.IO) {
	server := os.Getenv("SAYSO_TEST_SERVER")
	const host = "203.0.113.7"
	std.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(host)}, nil
	}
	std.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		if server == "" || to.String() != host+":80" {
			return nil, errors.New("nobody is there")
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", server)
	}
}

// getter is a program that gets a page of a host that its text does not name.
const getter = `import urllib.request, urllib.error
try:
    print(urllib.request.urlopen("http://" + open("name").read().strip() + "/").read().decode())
except urllib.error.HTTPError as e:
    print(e.code, e.read().decode())
`

// online is a desk with an internet of its own.
func online(t *testing.T, policy string) (d desk, run func(script string) string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("hosts are told apart on Linux")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "hello from %s\n", r.Host) }))
	t.Cleanup(server.Close)
	d = newDesk(t)
	for name, text := range map[string]string{d.dir + "/get.py": getter, d.dir + "/name": "other.example", d.home + "/.config/sayso/policy.yaml": policy} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return d, func(script string) string {
		cmd := d.command(script, "SAYSO_TEST_SERVER="+strings.TrimPrefix(server.URL, "http://"))
		out, err := cmd.CombinedOutput()
		return fmt.Sprintf("%s%v", out, err)
	}
}

// TestRunHosts: a command reaches the hosts that it names or that are listed, and what
// else the policy says.
func TestRunHosts(t *testing.T) {
	for name, one := range map[string]struct{ policy, script, want, not string }{
		"named":           {"{}", "sayso run -- curl -s http://good.example/", "hello from good.example", "asked"},
		"option":          {"{}", "sayso run --host other.example -- python3 get.py", "hello from other.example", "waits"},
		"nothing":         {"{}", "sayso run -- python3 get.py", "Error", "hello"}, // it was not known to need any
		"listed":          {"sandbox: {hosts: ['*.example']}", "sayso run -- python3 get.py", "hello from other.example", "waits"},
		"none":            {"sandbox: {hosts: []}", "sayso run -- curl -s http://good.example/; echo", "", "hello"},
		"allowed":         {"allow: [fetch(other.example)]", "sayso run --network hosts -- python3 get.py", "hello from other.example", "waits"},
		"denied":          {"deny: [fetch(other.example)]", "sayso run --network hosts -- python3 get.py", "403 sayso: ", "waits"},
		"nobody answers":  {"{}", "sayso run --network hosts --wait 50ms -- python3 get.py", "403 sayso: nobody answered", "hello"},
		"not in the list": {"sandbox: {hosts: [good.example]}", "sayso run --wait 50ms -- curl -s http://other.example/", "nobody answered", "hello"},
		"wider":           {"sandbox: {hosts: [good.example]}", "sayso run --host other.example -- true", "the policy names the hosts", "hello"},
		"two words":       {"{}", "sayso run --network none --host other.example -- true", "--host wants --network hosts", "hello"},
		"no host":         {"{}", "sayso run --host 'a b' -- true", "is no host", "hello"},
		"as a shell":      {"{}", "sayso sh --network=hosts --wait=50ms -c 'python3 get.py'", "403 sayso: nobody answered", "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, run := online(t, one.policy)
			if got := run(one.script); !strings.Contains(got, one.want) || strings.Contains(got, one.not) {
				t.Errorf("%q, want %q and not %q", got, one.want, one.not)
			}
		})
	}
}

// TestRunHostAsked: a connection to a host that is not listed waits until somebody
// answers elsewhere; all of it is recorded.
func TestRunHostAsked(t *testing.T) {
	for verb, want := range map[string]string{"approve": "hello from other.example", "deny": "403 sayso: a person said no"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			d, run := online(t, "{}")
			done := make(chan string)
			go func() { done <- run("sayso run --explain --network hosts -- python3 get.py") }()
			id := d.waiting()
			if list := d.run("sayso approve"); !strings.Contains(list, "| for: python3 get.py") || !strings.Contains(list, "| url: connect://other.example:80") {
				t.Errorf("the question says neither who wants it nor what: %s", list)
			}
			d.run("sayso " + verb + " " + id)
			got := <-done
			for _, text := range []string{want, "it wants to reach other.example:80; it waits for an answer: sayso approve", "enforced      network: network namespace, proxy: hosts listed: 0, others are asked about"} {
				if !strings.Contains(got, text) {
					t.Errorf("%q, want %q", got, text)
				}
			}
			log := d.run("sayso log --json --kind connect")
			note := map[string]string{"approve": "made: other.example:80 (203.0.113.7), which was asked about", "deny": "not made: other.example:80: a person said no"}[verb]
			if !strings.Contains(log, note) {
				t.Errorf("%q, want %q", log, note)
			}
			if all := d.run("sayso log --tool fetch"); !strings.Contains(all, "connect://other.example:80") {
				t.Errorf("%s", all)
			}
		})
	}
}

// TestRunHostTakenBack: a question about a host is not left in the queue when the run is
// over.
func TestRunHostTakenBack(t *testing.T) {
	t.Parallel()
	d, run := online(t, "{}")
	if out := run("sayso run --network hosts -- python3 get.py & until sayso approve | grep -q other.example; do sleep 0.1; done; kill $!; wait $!"); !strings.Contains(out, "it waits for an answer") {
		t.Fatal(out)
	}
	if left := d.run("sayso approve"); strings.Contains(left, "other.example") {
		t.Errorf("%s", left)
	}
}

// TestRemotes: the hosts of a repository's remotes can be reached by a push, and shown
// before.
func TestRemotes(t *testing.T) {
	t.Parallel()
	d, run := online(t, "{}")
	config := "[remote \"a\"]\n\turl = git@ssh.example:me/x.git\n\tpushurl = https://push.example/x\n[remote \"b\"]\n\turl = ssh://git@other.example:2222/x\n[remote \"c\"]\n\turl = /srv/x.git\n"
	if err := os.WriteFile(d.dir+"/.git/config", []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	got := run("sayso run --json --wait 50ms -- git push a main; sayso log --json --kind prompt")
	if !strings.Contains(got, `"hosts":["other.example:2222","push.example","ssh.example:22"]`) {
		t.Errorf("%s", got)
	}
}
