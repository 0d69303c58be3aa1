//go:build linux

package stepwise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/stepwise"
)

// A recorder runs commands without a sandbox, keeps what it was asked, and refuses what
// has a word in it.
type recorder struct {
	refuse string

	mu    sync.Mutex
	asked []string
}

var errRefused = errors.New("refused")

func (r *recorder) decide(text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, text)
	if r.refuse != "" && strings.Contains(text, r.refuse) {
		return errRefused
	}
	return nil
}

func (r *recorder) Allow(_ context.Context, a stepwise.Action) error { return r.decide(a.Text) }

func (r *recorder) Turn(context.Context) {}

func (r *recorder) Run(ctx context.Context, c stepwise.Command) (int, error) {
	if err := r.decide(stepwise.Line(c.Set, c.Argv)); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	case errors.As(err, &exit):
		return 141, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return 127, nil
	}
	return 0, err
}

// script is one in a folder of its own.
func script(t *testing.T, text string, steps stepwise.Steps, params ...string) (s *stepwise.Script, out *strings.Builder) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "two\n", "lib.sh": "greet() { echo \"hello $1\"; }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out = &strings.Builder{}
	return &stepwise.Script{
		Text: text, Params: params, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}, Stdout: out, Stderr: os.Stderr,
		Steps: steps, Files: stepwise.Files{Write: []string{dir}, Protected: []string{dir + "/.git/config"}},
	}, out
}

// asBash are scripts that do the same here and in bash.
var asBash = []string{
	`echo one; printf '%s-%s\n' a b; echo "$1 $# $@"`,
	`X="cat a.txt"; $X | sort | uniq | wc -l`,
	`cat a.txt | grep -v two | tr a-z A-Z | sort -r | head -1`,
	`f() { local x=$1; echo "f $x"; return 3; }; f 1; echo $?; f 2 || echo failed`,
	`for f in *.txt; do echo "$f $(wc -l <"$f")"; done`,
	`i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done; until true; do echo never; done`,
	`for ((i=0;i<3;i++)); do echo $i; done; for i in {1..3}; do echo $i; done`,
	`case abc in a*) echo starts;; *) echo other;; esac; [[ abc =~ b(.) ]] && echo "${BASH_REMATCH[1]}"`,
	`set -e; false || echo caught; if false; then :; fi; ! true; false; echo never`,
	`(set -u; echo ${X:-none}; echo $Y; echo never); echo end`,
	`printf '%5.2f|%-6s|%03d\n' 3.14159 ab 7; echo -ne 'a\tb\n'; echo -nx; printf '(%.0s' 1 2 3; echo`,
	`set -o pipefail; false | true; echo $?; true | false | true; echo $?`,
	`x=1; (x=2; echo $x); echo $x; echo y | { read x; echo "in $x"; }; echo $x`,
	`echo a | x=5; echo "${x:-unset}"; true | exit 7; echo $?`,
	`sleep 0.05 & wait; echo waited; (exit 5) & wait $!; echo $?`,
	`cat <<EOF
$1 $((2*21)) $(echo sub)
EOF
cat <<'EOF'
$1
EOF
cat <<<"word $1"`,
	`echo x >out.txt; echo y >>out.txt; cat <out.txt; cat nosuch 2>/dev/null || echo $?; { echo e >&2; } 2>err.txt; cat err.txt; ls nosuch >all.txt 2>&1; wc -l <all.txt; echo z &>both.txt; cat both.txt`,
	`a=(x y z); a+=(w); echo "${a[1]} ${#a[@]} ${a[@]:1:2}"; declare -A m; m[k]=v; echo ${m[k]}`,
	`s=hello; echo ${s^^} ${s:1:3} ${s/l/L} ${#s} ${s%lo} ${s#he} ${u:=def} $u`,
	`eval 'e=1; echo "eval $e"'; eval "echo a | tr a b"; . ./lib.sh; greet you`,
	`trap 'echo bye $?' EXIT; echo work; exit 3`,
	`trap 'echo error' ERR; false; echo on`,
	`export V=1; sh -c 'echo $V'; W=2 sh -c 'echo $W'; echo "${W:-none}"; unset V; sh -c 'echo ${V:-none}'`,
	`cd /; pwd; cd - >/dev/null; [ "$PWD" = "$HOME" ] && echo home`,
	`mkdir -p d/e; touch d/e/x; echo d/*/x; shopt -s globstar; echo **/x; echo nomatch*; echo "*"`,
	`exec 2>&1; echo to err >&2; exec echo replaced; echo never`,
	`yes | head -2; while :; do echo x; done | head -2; seq 100000 | head -1`,
	`nosuchcommand 2>/dev/null; echo $?; command -v sh >/dev/null && echo found; type greet >/dev/null 2>&1 || echo none`,
	`read a b <<<"1 2 3"; echo "$b"; IFS=: read -r p q <<<"x:y"; echo "$q"; while read -r l; do echo "<$l>"; done <a.txt`,
	`fact() { if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1-1))) )); fi; }; fact 6`,
	`getopts ab: o -b v; echo "$o $OPTARG"; set -- 1 2 3; shift; echo "$1 $#"; printf '%d%%\n' 5`,
	`kill() { echo "own $1"; }; kill 5; if ! grep -q nosuch a.txt; then echo no; fi; echo $((5 > 3 ? 1 : 0))`,
	`echo err >/dev/stderr; echo out >/dev/stdout; cat </dev/null; echo end >/dev/null`,
}

// TestAsBash: scripts do what they do in bash.
func TestAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range asBash {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			s, out := script(t, text, &recorder{}, "first", "second")
			s.Stderr = &strings.Builder{}
			status, err := s.Run(ctx)
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			other, _ := script(t, text, nil)
			cmd := exec.CommandContext(ctx, bash, "-c", text, "bash", "first", "second")
			cmd.Dir, cmd.Env = other.Dir, other.Env
			want, _ := cmd.Output()
			if out.String() != string(want) || status != cmd.ProcessState.ExitCode() {
				t.Errorf("%s\ngot %q, status %d\nbash: %q, status %d", text, out, status, want, cmd.ProcessState.ExitCode())
			}
		})
	}
}

// TestAsked: each command is decided with the words that it has when it is to run, each
// file that is opened and each folder that is listed; and in no other way does anything
// happen.
func TestAsked(t *testing.T) {
	for _, one := range []struct {
		text string
		want []string
	}{
		{`X='rm -f'; $X "a b" '$Y' ''`, []string{"rm -f 'a b' '$Y' ''"}},
		{`eval "$(echo cat a.txt)"`, []string{"echo cat a.txt", "cat a.txt"}},
		{`for f in b*; do cat "$f" >"out-$f"; done`, []string{"ls -a DIR", ": > out-b.txt", "cat b.txt"}},
		{`export A='x y'; B=2 env; unset A; env`, []string{"A='x y' B=2 env", "env"}},
		{`cat <a.txt >>"o u t"`, []string{": < a.txt", ": >> 'o u t'", "cat"}},
		{`. ./lib.sh; greet x`, []string{": < DIR/lib.sh", "echo 'hello x'"}},
		{`command cat a.txt; exec cat b.txt`, []string{"cat a.txt", "cat b.txt"}},
		{`builtin eval 'cat a.txt'`, []string{"cat a.txt"}},
		{`cd /; ./true`, []string{"cd /", "./true"}},
		{`trap 'cat a.txt' EXIT`, []string{"cat a.txt"}},
		{`x=$(<a.txt)`, []string{": < a.txt"}},
		{`shopt -s expand_aliases; alias ls='cat a.txt'
ls`, []string{"cat a.txt"}},
		{`PATH=.:$PATH; cat a.txt`, []string{"PATH=.:ORIGINAL cat a.txt"}},
		{`'a=b' c; 'if' d`, []string{"'a=b' c", "'if' d"}},
		{`mapfile -t l <a.txt; cat "${l[@]}"`, []string{": < a.txt", "cat one two three"}},
		{`echo $(cat a.txt | head -1) & wait`, []string{"cat a.txt", "head -1", "echo one"}},
	} {
		r := &recorder{}
		s, _ := script(t, one.text, r)
		s.Stderr = &strings.Builder{}
		if _, err := s.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", one.text, err)
		}
		for i, text := range r.asked {
			r.asked[i] = strings.ReplaceAll(strings.ReplaceAll(text, s.Dir, "DIR"), os.Getenv("PATH"), "ORIGINAL")
		}
		slices.Sort(r.asked)
		slices.Sort(one.want)
		if !slices.Equal(r.asked, one.want) {
			t.Errorf("%s\nasked %q\nwant  %q", one.text, r.asked, one.want)
		}
	}
}

// TestRefused: what is not allowed ends the script, wherever in it that is.
func TestRefused(t *testing.T) {
	for _, text := range []string{
		`touch no; touch after`,
		`touch no || touch after`,
		`touch no & wait; touch after`,
		`touch no & sleep 5; touch after`,
		`touch no | cat; touch after`,
		`cat a.txt | touch no; touch after`,
		`echo "$(touch no)"; touch after`,
		`(touch no); touch after`,
		`if touch no; then :; fi; touch after`,
		`f() { touch no; }; f; touch after`,
		`eval 'touch no'; touch after`,
		`trap 'touch after' EXIT; touch no`,
		`trap 'touch after' ERR; touch no`,
		`: >no; touch after`,
		`cat <no; touch after`,
		`echo no >/dev/null; touch after`,
		`cd no; touch after`,
		`set +e; ! touch no; touch after`,
		`while ! touch no; do touch after; done`,
		`x=no; touch $x; touch after`,
		`builtin eval command touch no; touch after`,
		`mkdir d; echo d/no*; cd d; exec touch no; touch after`,
	} {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		s, _ := script(t, text, &recorder{refuse: "no"})
		s.Stderr = &strings.Builder{}
		_, err := s.Run(ctx)
		stop()
		if !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", text, err)
		}
		for _, name := range []string{"no", "after", "d/no", "d/after"} {
			if _, err := os.Lstat(filepath.Join(s.Dir, name)); err == nil {
				t.Errorf("%s: it has made %s", text, name)
			}
		}
	}
}

// TestUnsupported: what the interpreter cannot do is told before anything has run.
func TestUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		"diff <(ls) <(ls)": "process substitution", "tee >(cat)": "process substitution", "coproc cat": "coproc", "kill -9 1": "kill", "umask 077": "umask", "jobs": "jobs",
		"exec 3>x": "descriptor 3", "echo >&3": ">&3", "cat <>x": "<>", "echo >|x": ">|", "echo {fd}>x": "descriptor {fd}", "trap : INT": "trap of INT", "wait -n": "wait -n", "printf -v x y": "printf -v",
		"if": "cannot read it", "cat <&3": "<&3", "f() { kill 1; }": "kill", "echo $(kill 1)": "kill",
	} {
		r := &recorder{}
		s, _ := script(t, "touch made\n"+text, r)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) || len(r.asked) > 0 {
			t.Errorf("%s: %v, asked %q", text, err, r.asked)
		}
	}
	for text, want := range map[string]string{"k=kill; $k 1": "kill", "f() { f; }; f": "too deep", "eval \"$(printf '(%.0s' {1..300})\"": "nested deeper"} {
		s, _ := script(t, text+"; touch after", &recorder{})
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := os.Lstat(s.Dir + "/after"); err == nil {
			t.Errorf("%s: it went on", text)
		}
	}
}

// TestMemory: a script that fills memory without starting anything is ended.
func TestMemory(t *testing.T) {
	for _, text := range []string{"x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "while :; do a+=(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{1..999}); done"} {
		s, _ := script(t, text, &recorder{})
		s.Memory = 64 << 20
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "too much memory") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFiles: the shell itself opens what its contract says, and nothing else, whatever
// leads there.
func TestFiles(t *testing.T) {
	outside := t.TempDir() + "/outside"
	if err := os.WriteFile(outside, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	others := []string{filepath.Dir(outside) + "/new", "/tmp/sayso-test-new", "/tmp/sh-interp-1", "/etc/sayso-test"}
	for _, name := range others {
		_ = os.Remove(name) // of an earlier run that has failed
	}
	for _, text := range []string{
		"echo x >" + outside, "echo x >>" + outside, "ln -s " + outside + " l; echo x >l", "ln -s " + filepath.Dir(outside) + " d; echo x >d/new", "ln -s nosuch l; echo x >l",
		"mkdir .git; echo x >.git/config", "mkdir .git; ln -s .git g; echo x >g/config", "cat </proc/self/environ", "cat </proc/$$/environ", "ln -s /proc/self/environ e; cat <e", "cat </dev/tty", "cat </dev/fd/5",
		"mkfifo p; echo x >p", "mkfifo p; cat <p", "echo x >/dev/mem", "cat </run/x", "echo x >/tmp/sh-interp-1", "echo x >$TMPDIR/sh-interp-1", "mkdir d; cat <d", "echo x >/var/tmp/x",
		"ln -s /tmp t; echo x >t/sayso-test-new", "echo x >../new", "echo x >/etc/sayso-test",
	} {
		s, out := script(t, text+"; echo \"status $?\"", &recorder{})
		s.Stderr = &strings.Builder{}
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		if _, err := s.Run(ctx); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		stop()
		if out.String() != "status 1\n" {
			t.Errorf("%s: %q", text, out)
		}
	}
	if now, err := os.ReadFile(outside); err != nil || string(now) != "secret\n" {
		t.Errorf("%q %v", now, err)
	}
	for _, name := range others {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// TestShared: temporary files are where the commands see them.
func TestShared(t *testing.T) {
	temp := t.TempDir()
	if err := os.MkdirAll(temp+"/tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	s, out := script(t, `echo x >/tmp/sayso-shared; cat </tmp/sayso-shared; [ -f /tmp/sayso-shared ] && echo /tmp/sayso-sh*; cd /tmp && pwd`, &recorder{})
	s.Files.Temp = temp
	if status, err := s.Run(context.Background()); err != nil || status != 0 || out.String() != "x\n/tmp/sayso-shared\n/tmp\n" {
		t.Errorf("%q %d %v", out, status, err)
	}
	if text, err := os.ReadFile(temp + "/tmp/sayso-shared"); err != nil || string(text) != "x\n" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Lstat("/tmp/sayso-shared"); err == nil {
		t.Error("it was made outside")
	}
}
