//go:build linux

package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

// TestTools: the tools that people use work inside, with a workspace, protected paths
// and a loopback of their own.
func TestTools(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	ws := base + "/work"
	write(t, ws+"/go.mod", "module example.com/small\n\ngo 1.21\n")
	write(t, ws+"/main.go", "package main\n\nfunc main() { println(Sum(1, 2)) }\n")
	write(t, ws+"/sum.go", "package main\n\nfunc Sum(a, b int) int { return a + b }\n")
	write(t, ws+"/sum_test.go", serverTest)
	write(t, ws+"/Makefile", "all: out.txt\nout.txt: main.go\n\twc -l <main.go >$@\n\tcat $@\n")
	write(t, ws+"/package/package.json", `{"name":"small","version":"1.0.0","main":"index.js"}`)
	write(t, ws+"/package/index.js", "module.exports = () => 'from a package'\n")
	write(t, ws+"/app/package.json", `{"name":"app","version":"1.0.0"}`)
	write(t, ws+"/c/hello.c", "#include <stdio.h>\nint main(void) { puts(\"from C\"); return 0; }\n")
	for _, one := range []struct{ needs, script, says string }{
		{"git", "git init -q origin && cd origin && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && cd .. && git clone -q origin copy && git -C copy log --oneline", "first"},
		{"git", "cd copy && echo x >f && git add f && git -c user.name=a -c user.email=a@b commit -qm second && git push -q origin HEAD:other && git -C ../origin branch", "other"},
		{"go", "go build -o small . && ./small 2>&1", "3"},
		{"warm", "go test ./... 2>&1", "ok"},
		{"make", "make -s && make -s -j4", "3"},
		{"python3", `python3 -c 'import tempfile, subprocess, multiprocessing as m; q = m.get_context("fork").Queue(); p = m.get_context("fork").Process(target=q.put, args=("from a child",)); p.start(); print(q.get()); p.join(); print(tempfile.mkstemp()[1]); print(subprocess.check_output(["echo", "from python"]).decode())'`, "from python"},
		{"python3", `python3 -c 'import sqlite3; d = sqlite3.connect("x.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(a)"); d.execute("insert into t values(7)"); d.commit(); print(d.execute("select a from t").fetchone())'`, "(7,)"},
		{"sort", "seq 1 1000 | grep 7 | sort -r | head -n 3 | tr '\\n' ' '", "997 987 979"},
		{"npm", "cd app && npm install --offline --no-audit --no-fund ../package 2>&1 && node -e \"console.log(require('small')())\"", "from a package"},
		{"gcc", "cd c && gcc -o hello hello.c && ./hello", "from C"},
		{"script", "script -qc 'tty -s && echo a terminal' /dev/null", "a terminal"},
	} {
		if _, err := exec.LookPath(one.needs); err != nil && (one.needs != "warm" || warmCache() == "") {
			t.Logf("%s is not there", one.needs) // an ordinary user that has compiled nothing yet would take a minute
			continue
		}
		c := contract(ws, one.script)
		c.Network, c.Timeout = sayso.NetworkLoopback, 4*time.Minute
		c.Inherit = []string{"PATH", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOROOT", "PYENV_*"}
		c.Env = map[string]string{"HOME": "/tmp", "GOCACHE": "/tmp/cache", "GOPATH": "/tmp/go", "npm_config_cache": "/tmp/npm"}
		c.Protected = protectedNames(ws)
		if cache := warmCache(); cache != "" {
			c.Env["GOCACHE"], c.Scratch = cache, []string{cache}
		}
		if r := run(t, c); r.Exit != 0 || !strings.Contains(r.out, one.says) || !r.report.Enforced() {
			t.Errorf("%s: %v", one.script, r)
		}
	}
	if left, _ := filepath.Glob(ws + "/.*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// warmCache is where this user keeps what was compiled; it is only read.
func warmCache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	if _, err := os.Stat(cache + "/go-build"); err != nil {
		return ""
	}
	return cache + "/go-build"
}

// serverTest is a test that listens and connects, as many do.
const serverTest = `package main

import (
	"net"
	"testing"
)

func TestSum(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil || Sum(1, 2) != 3 {
		t.Fatal(err)
	}
	c.Close()
}
`
