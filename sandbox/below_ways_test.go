//go:build linux

package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// TestPreviewBelow: what is there is not changed by a preview, nor by making the changes
// that it has shown; what is new is among those.
func TestPreviewBelow(t *testing.T) {
	for _, copied := range []bool{false, true} {
		for _, script := range changesBelow {
			t.Run(fmt.Sprint(copied, " ", strings.NewReplacer("/", "_").Replace(script)), func(t *testing.T) {
				t.Parallel()
				w := newEstate(t, script)
				before := w.guarded(t)
				s, err := preview(t, w.c, sandbox.PreviewOptions{Copy: copied})
				if err != nil || s.Report.Of(sandbox.Barred).State != sandbox.Enforced {
					t.Fatalf("%v %+v", err, s)
				}
				if err := s.apply(t); err != nil {
					t.Error(err)
				}
				if after := w.guarded(t); after != before {
					t.Errorf("there is\n%s\nand was\n%s", after, before)
				}
			})
		}
		w := newEstate(t, "echo x >services/web/.env")
		s, err := preview(t, w.c, sandbox.PreviewOptions{Copy: copied})
		if err != nil || !strings.HasPrefix(s.list(w.c.Dir), "added services/web/.env file") {
			t.Errorf("%v: %s", err, s.list(w.c.Dir))
		}
	}
}

// TestFlatBelow: without namespaces nothing holds what is there, which the report says, and
// what is made is undone.
func TestFlatBelow(t *testing.T) {
	if !withoutNamespaces(t) {
		return
	}
	w := newEstate(t, "rm more/.env; mkdir new; echo x >new/.env; echo x >services/web/.env; echo end") // the last may end it at once
	if err := os.Symlink("sub/main.go", w.c.Dir+"/more/.env"); err != nil {
		t.Fatal(err)
	}
	before := w.guarded(t)
	w.c.Required = false
	r := run(t, w.c)
	line := r.report.Of(sandbox.Barred)
	if after := w.guarded(t); after != before || len(r.Undone) != 2 || r.Ended == "" || line.State != sandbox.NotEnforced || !strings.Contains(line.Why, "what is there can be changed") {
		t.Errorf("there is\n%s\nand was\n%s\n%v %v", after, before, r, line)
	}
}

// TestToolsBelow: the tools that people use work in a workspace in which there is something
// to hold in many folders.
func TestToolsBelow(t *testing.T) {
	t.Parallel()
	w := newEstate(t, "")
	dir := w.c.Dir
	write(t, dir+"/services/api/go.mod", "module example.com/api\n\ngo 1.21\n")
	write(t, dir+"/services/api/main.go", "package main\n\nfunc main() { println(3) }\n")
	write(t, dir+"/services/api/package.json", `{"name":"api","version":"1.0.0"}`)
	write(t, dir+"/package/package.json", `{"name":"small","version":"1.0.0","main":"index.js","files":[".env","index.js"]}`)
	write(t, dir+"/package/index.js", "module.exports = () => 'from a package'\n")
	const git = "git -c user.name=a -c user.email=a@b "
	before := ""
	for _, one := range []struct{ needs, script, says string }{
		{"git", "git init -q repo && cd repo && mkdir -p a/b && echo A=1 >a/b/.env && echo 1 >a/b/f && git add -A && " + git + "commit -qm first && git checkout -qb other && echo 2 >a/b/f && mkdir c && echo x >c/.env && git add -A && " + git + "commit -qm second && git checkout -q -", ""},
		{"git", "git clone -q repo cloned && cat cloned/a/b/.env", "A=1"},
		{"git", "cd repo && mkdir c && git checkout -q other 2>&1; git status --short; git checkout -q - 2>&1; cat a/b/f", "1"},
		{"git", "cd repo && echo 3 >a/b/f && git stash -q && git stash pop -q && cat a/b/f && git checkout -q a/b/f && git gc -q && git fsck", "3"},
		{"git", "cd repo && git worktree add -q ../tree other && cat ../tree/c/.env", "x"},
		{"go", "cd services/api && go build -o api . && ./api 2>&1", "3"},
		{"npm", "cd services/api && npm install --offline --no-audit --no-fund --install-links=true ../../package 2>&1 && node -e \"console.log(require('small')())\"", "from a package"},
		{"make", "printf 'all:\\n\\tcp services/api/main.go services/web/made && mv services/web/made services/api/ && sed -i s/3/4/ services/api/made && cat services/api/made\\n' >Makefile; make -s", "println(4)"},
	} {
		if _, err := exec.LookPath(one.needs); err != nil || one.needs == "go" && warmCache() == "" {
			t.Logf("%s is not there", one.needs)
			continue
		}
		c := w.c
		c.Script, c.Network, c.Timeout = one.script, sayso.NetworkLoopback, 4*time.Minute
		c.Inherit = []string{"PATH", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOROOT"}
		c.Env = map[string]string{"HOME": "/tmp", "GOCACHE": "/tmp/cache", "GOPATH": "/tmp/go", "npm_config_cache": "/tmp/npm"}
		if cache := warmCache(); cache != "" {
			c.Env["GOCACHE"], c.Scratch = cache, []string{cache}
		}
		r := run(t, c)
		if r.Exit != 0 || !strings.Contains(r.out, one.says) || !r.report.Enforced() || len(r.Undone) > 0 {
			t.Errorf("%s: %v", one.script, r)
		}
		if now := w.guarded(t); before != "" && now != before {
			t.Errorf("%s: there is\n%s\nand was\n%s", one.script, now, before)
		}
		before = w.guarded(t)
	}
}
