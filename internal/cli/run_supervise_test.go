//go:build linux

package cli_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// build is a workspace whose build does more than its command says.
func build(t *testing.T, policy, makefile string) desk {
	t.Helper()
	d := newDesk(t)
	for name, text := range map[string]string{d.dir + "/Makefile": makefile, d.home + "/.config/sayso/policy.yaml": policy} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestRunSupervise: what a build starts is decided by the same policy, with the words
// that it has then, and recorded.
func TestRunSupervise(t *testing.T) {
	for name, one := range map[string]struct {
		policy, makefile string
		want, not        []string
		options          string // other ones
	}{
		"guard":   {"{}", "all:\n\t-@sh ./hidden\n\t@echo end of it\n", []string{"sayso: not allowed inside: ", "rm -rf /home/x/../..: ", "(guard.destroy)", "end of it", "not started: "}, []string{"removed"}, ""},
		"rule":    {"deny: ['bash(uname *)']", "all:\n\t-@uname -s\n\t@echo end of it\n", []string{"not allowed inside: ", "uname -s", "end of it"}, []string{"Linux"}, ""},
		"ask":     {"{}", "all:\n\t-@git push\n\t@echo end of it\n", []string{"it wants to run ", "git push; it waits for an answer", "nobody answered", "end of it"}, nil, ""},
		"link":    {"deny: ['bash(uname *)']", "all:\n\t@ln -s `command -v uname` other\n\t-@./other -s\n\t@echo end of it\n", []string{"not allowed inside: ", "uname -s", "end of it"}, []string{"Linux"}, ""},
		"told":    {"deny: ['bash(uname *)']", "all:\n\t@cp `command -v uname` other\n\t-@bash -c 'exec -a uname ./other -s'\n\t@echo end of it\n", []string{"not allowed inside: ", "uname -s", "end of it"}, []string{"Linux"}, ""},
		"script":  {"deny: ['bash(uname *)']", "all:\n\t@printf '#!/usr/bin/uname -s\\n' >s; printf '#! ./s\\n' >t; chmod +x s t\n\t-@./s\n\t-@./t\n\t-@env -i ./t\n\t@echo end of it\n", []string{"not allowed inside: /usr/bin/uname -s ", "/s: the rule", "/t: the rule", "end of it"}, []string{"Linux", "extra operand"}, ""},
		"long":    {"{}", "all:\n\t-@python3 -c 'import os; os.execv(\"/bin/echo\", [\"echo\"] + [\"long\" * 25000] * 12)' 2>/dev/null\n\t@echo end of it\n", []string{"not allowed inside: /bin/echo: what it is started with cannot be read", "end of it", "not started: /bin/echo"}, []string{"longlong"}, ""},
		"unknown": {"{}", "all:\n\t@cp /bin/echo ./strange\n\t@./strange -o is known to nobody\n", []string{"-o is known to nobody", "started: "}, []string{"not allowed"}, ""},
		"strict":  {"{}", "all:\n\t-@ischroot first\n\t-@ischroot second\n\t@echo end of it\n", []string{"it wants to run ", "ischroot first; it waits for an answer", "ischroot second: nobody answered", "end of it", "not started: "}, []string{"second; it waits"}, "--supervise=strict"},
		"words":   {"{}", "all:\n\t-@git frob one\n\t-@git frob two\n\t@echo end of it\n", []string{"one; it waits for an answer", "two; it waits for an answer", "end of it"}, []string{"not a git command"}, "--supervise=strict"},
		"policy":  {"sandbox: {programs: strict}", "all:\n\t-@ischroot first\n\t-@ischroot second\n\t@echo end of it\n", []string{"ischroot first; it waits for an answer", "ischroot second: nobody answered", "end of it"}, []string{"second; it waits"}, "--explain"},
		"session": {"{}", "all:\n\t-@ischroot first\n\t-@ischroot second\n\t@echo end of it\n", []string{"ischroot first: ", "ischroot second: ", "end of it"}, []string{"not allowed", "it waits", "not started"}, "--supervise --session abc"},
		"steps":   {"deny: ['bash(uname *)']", "all:\n\t-@uname -s\n\t@echo end of it\n", []string{"not allowed inside: ", "uname -s", "end of it"}, []string{"Linux"}, "--supervise --stepwise -c make"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := build(t, one.policy, one.makefile)
			if err := os.WriteFile(d.dir+"/hidden", []byte("a=rm; b=/home; $a -rf $b/x/../.. && echo removed\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			options := cmp.Or(one.options, "--supervise")
			if !strings.Contains(options, "make") {
				options += " -- make"
			}
			out := d.run("sayso run --wait 50ms " + options + " 2>&1; sayso log --kind exec")
			for _, want := range one.want {
				if !strings.Contains(out, want) {
					t.Errorf("there is no %q:\n%s", want, out)
				}
			}
			for _, not := range one.not {
				if strings.Contains(out, not) {
					t.Errorf("there is %q:\n%s", not, out)
				}
			}
		})
	}
}

// TestRunSuperviseAsks: a process inside waits for a person, and goes on when they say
// yes.
func TestRunSuperviseAsks(t *testing.T) {
	t.Parallel()
	d := build(t, "ask: ['bash(uname *)']", "all:\n\t@uname -s\n")
	out := d.run(`sayso run --supervise --wait 60s -- make >out 2>err & run=$!
		for i in $(seq 600); do grep -q 'sayso approve' err 2>/dev/null && break; sleep 0.1; done
		sayso approve "$(sed -n 's/.*sayso approve //p' err)" >said 2>&1; wait $run; echo "status $?"; cat out err said`)
	if !strings.Contains(out, "status 0") || !strings.Contains(out, "Linux") {
		t.Errorf("%s", out)
	}
}

// TestRunSuperviseStrict: a program of which nothing is known waits for a person once,
// also where several are started at the same time.
func TestRunSuperviseStrict(t *testing.T) {
	t.Parallel()
	d := build(t, "{}", "all: a b c\na b c:\n\t-@ischroot $@; echo $@\n")
	out := d.run(`sayso run --supervise=strict --wait 60s -- make -j3 >out 2>err & run=$!
		for i in $(seq 600); do grep -q 'sayso approve' err 2>/dev/null && break; sleep 0.1; done
		sayso approve "$(sed -n 's/.*sayso approve //p' err | head -n 1)" >said 2>&1; wait $run; echo "status $?"; sort out; cat err said; echo "asked $(grep -c 'it waits' err)"`)
	if !strings.Contains(out, "status 0\na\nb\nc\n") || !strings.Contains(out, "asked 1\n") || strings.Contains(out, "not allowed inside") {
		t.Errorf("%s", out)
	}
}

// TestRunSuperviseKilled: without the one that decides, nothing inside goes on.
func TestRunSuperviseKilled(t *testing.T) {
	t.Parallel()
	d := build(t, "ask: ['bash(uname *)']", "all:\n\t@sh ./hidden\n")
	if err := os.WriteFile(d.dir+"/hidden", []byte("while :; do echo x >>alive; sleep 0.05; done & u=uname; $u -s; wait\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := d.run(`sayso run --supervise --wait 60s -- make >out 2>err & run=$!
		for i in $(seq 600); do grep -q 'sayso approve' err 2>/dev/null && [ -s alive ] && break; sleep 0.1; done
		kill -9 $run; wait $run 2>/dev/null; sleep 0.3; a=$(wc -c <alive); sleep 0.5; b=$(wc -c <alive); [ "$a" = "$b" ] && echo all ended`)
	if !strings.Contains(out, "all ended") {
		t.Errorf("%s", out)
	}
}
