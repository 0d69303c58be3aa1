//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// states are the state folders of tests.
var states sync.Map

func stateOf(t *testing.T) string {
	t.Helper()
	dir, ok := states.Load(t)
	if !ok {
		dir = inHome(t)
		states.Store(t, dir)
	}
	return dir.(string) //nolint:forcetypeassert // nothing else is in it
}

// lookouts are the lookouts of tests.
var lookouts sync.Map

func lookoutOf(t *testing.T) *sandbox.Lookout {
	t.Helper()
	l, known := lookouts.LoadOrStore(t, &sandbox.Lookout{})
	if !known {
		t.Cleanup(func() { _ = l.(*sandbox.Lookout).Close() })
	}
	return l.(*sandbox.Lookout) //nolint:forcetypeassert // nothing else is in it
}

// keep is a place that is kept for a test.
func keep(t *testing.T) *sandbox.Kept {
	t.Helper()
	k := &sandbox.Kept{Box: program}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// runKept runs a contract in a place that is kept.
func runKept(t *testing.T, k *sandbox.Kept, c sayso.Contract, options ...func(*sandbox.Options)) ran {
	t.Helper()
	return runKeptUntil(context.Background(), t, k, c, options...)
}

func runKeptUntil(ctx context.Context, t *testing.T, k *sandbox.Kept, c sayso.Contract, options ...func(*sandbox.Options)) ran {
	t.Helper()
	first := func(o *sandbox.Options) { o.Borrow, o.State, o.Lookout = k.Lend, stateOf(t), lookoutOf(t) }
	return runUntil(ctx, t, c, append([]func(*sandbox.Options){first}, options...)...)
}

// here names the place that a command runs in, and says whether it can use it as ever.
const here = `readlink /proc/self/ns/pid /proc/self/ns/mnt; echo x >/tmp/x && cat /tmp/x && rm /tmp/x`

// TestKept: commands of one contract run in one place, one after the other, each with
// its own environment, streams and result.
func TestKept(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	first := runKept(t, k, contract(dir, here))
	for n := range 5 {
		c := contract(dir, `echo "in $WHO"; cat; echo wrong >&2; exit `+itoa(n)+`; true`)
		c.Env = map[string]string{"WHO": itoa(n)}
		r := runKept(t, k, c, func(o *sandbox.Options) { o.Stdin = strings.NewReader("input " + itoa(n) + "\n") })
		if want := "in " + itoa(n) + "\ninput " + itoa(n) + "\n"; !r.Kept || !r.Ran || r.Exit != n || r.out != want || r.err != "wrong\n" || !r.report.Enforced() {
			t.Errorf("%v", r)
		}
	}
	c := contract(dir, "")
	c.Script, c.Argv = "", []string{"nowhere"}
	if r := runKept(t, k, c); !errors.Is(r.failure, sandbox.ErrNotFound) || r.Ran {
		t.Errorf("%v", r)
	}
	c.Argv = []string{"/etc/passwd"}
	if r := runKept(t, k, c); !errors.Is(r.failure, sandbox.ErrCannotRun) || r.Ran {
		t.Errorf("%v", r)
	}
	if last := runKept(t, k, contract(dir, here)); !last.Kept || last.out != first.out || first.Exit != 0 {
		t.Errorf("it was not one place: %v, and then %v", first, last)
	}
	if _, _, err := k.Run(t.Context(), sayso.Permit{}, sandbox.Options{}); !errors.Is(err, sayso.ErrNoPermit) {
		t.Errorf("without a permit: %v", err)
	}
}

// inHome is a folder that is seen inside, unlike those in /tmp.
func inHome(t *testing.T) string {
	t.Helper()
	base := os.Getenv("SAYSO_TEST_OUTSIDE")
	if base == "" {
		var err error
		if base, err = os.UserHomeDir(); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp(base, "kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// each does something to all threads of the first process.
func each(what string) string { return "for t in $(ls /proc/1/task); do " + what + "; done; true" } // some have rights that keep others from it

// attribute sets or gets an attribute of /tmp.
func attribute(how string) string {
	number := map[string]string{"set amd64": "188", "get amd64": "191", "set arm64": "5", "get arm64": "8"}[how+" "+runtime.GOARCH]
	return `perl -e '($f, $n, $v) = ("/tmp", "user.left", "x"); exit(syscall(` + number + `, $f, $n, $v, 1, 0) < 0)'`
}

// lefts are what a command may leave behind, and how the next one would see it.
var lefts = []struct{ leave, see, clean string }{
	{"(setsid sleep 300 >/dev/null 2>&1 </dev/null &) ; until pgrep sleep >/dev/null; do :; done", "pgrep -c sleep", "0\n"},
	{"(setsid sh -c 'while :; do (sleep 100 &); sleep 0.001; done' >/dev/null 2>&1 </dev/null &) ; sleep 0.05", "pgrep sleep || echo none", "none\n"},
	{"echo x >/tmp/left", "ls -A /tmp", ""},
	{"mkdir -p /tmp/a/b; chmod 0 /tmp/a", "ls -A /tmp", ""},
	{"echo x >/var/tmp/left", "ls -A /var/tmp", ""},
	{"echo x >/dev/shm/left", "ls -A /dev/shm", ""},
	{"chmod 700 /tmp", "stat -c %a /tmp", "1777\n"},
	{attribute("set"), attribute("get") + " && echo there", ""},
	{"chmod 0 /dev/pts/ptmx", "stat -c %a /dev/pts/ptmx", "666\n"},
	{"echo x >cache/left", "ls -A cache", "old\n"},
	{"rm cache/old", "ls -A cache", "old\n"},
	{"chmod 750 cache", "stat -c %a cache", "as before"},
	{"ipcmk -M 4096 >/dev/null", "tail -n +2 /proc/sysvipc/shm", ""},
	{"ipcmk -S 1 >/dev/null", "tail -n +2 /proc/sysvipc/sem", ""},
	{"ipcmk -Q >/dev/null", "tail -n +2 /proc/sysvipc/msg", ""},
	{"prlimit --pid 1 --nofile=64:64", "ulimit -n", "as before"},
	{"prlimit --pid 1 --fsize=0:0", "ulimit -f", "as before"},
	{each("renice -n 7 -p $t >/dev/null"), "nice", "as before"},
	{each("taskset -p 1 $t >/dev/null"), "taskset -p $$ | cut -d: -f2", "as before"},
	{each("ionice -c 3 -p $t"), "ionice -p $$", "as before"},
	{each("chrt -b -p 0 $t"), "chrt -p $$ | cut -d: -f2", "as before"},
	{"ulimit -n 32; umask 077; cd /; export LEFT=1; exec 9</etc/passwd", "ulimit -n; umask; pwd; echo $LEFT; ls /proc/self/fd | wc -l", "as before"},
	{`python3 -c "
import socket
s = socket.create_server(('127.0.0.1', 4321))
c = socket.create_connection(('127.0.0.1', 4321))
a, _ = s.accept()
a.close(); c.close()"`, "grep -c :10E1 /proc/net/tcp", "0\n"},
}

// TestKeptLeavesNothing: what one command leaves behind, the next one does not see.
func TestKeptLeavesNothing(t *testing.T) {
	for _, one := range lefts {
		t.Run(strings.NewReplacer("/", "_", "\n", " ").Replace(one.leave[:min(30, len(one.leave))]), func(t *testing.T) {
			t.Parallel()
			dir := inHome(t)
			write(t, dir+"/cache/old", "old\n")
			of := func(script string) sayso.Contract {
				c := contract(dir, script)
				c.Scratch, c.Write, c.Network = []string{dir + "/cache"}, nil, sayso.NetworkLoopback
				return c
			}
			k := keep(t)
			want := one.clean
			if want == "as before" {
				want = runKept(t, k, of(one.see)).out
			}
			// In the same command it is seen, unless it is about another process.
			if r := run(t, of(one.leave+"\n"+one.see)); r.out == want && !strings.Contains(one.leave, "/proc/1") && !strings.Contains(one.leave, "--pid 1") {
				t.Errorf("it cannot be seen: %v", r)
			}
			if r := runKept(t, k, of(one.leave)); !r.Kept || r.Exit != 0 {
				t.Fatalf("%v", r)
			}
			if r := runKept(t, k, of(one.see)); !r.Kept || r.out != want {
				t.Errorf("the next one sees it, want %q: %v", want, r)
			}
		})
	}
}

// TestKeptBelowTemp: nothing is left in folders of /tmp either that a workspace is in.
func TestKeptBelowTemp(t *testing.T) {
	above, err := os.MkdirTemp("/tmp", "above")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(above) })
	dir := above + "/in/workspace"
	write(t, dir+"/file", "x")
	k := keep(t)
	for range 2 {
		if r := runKept(t, k, contract(dir, "cat ../left; echo x >../left && echo made")); !r.Kept || r.out != "made\n" {
			t.Errorf("%v", r)
		}
		if r := runKept(t, k, contract(dir, "ls ..; ls ../..")); !r.Kept || r.out != "workspace\nin\n" {
			t.Errorf("%v", r)
		}
	}
}

// TestKeptLimits: time, output and other limits count for each command by itself.
func TestKeptLimits(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	c := contract(dir, "sleep 60")
	c.Timeout, c.Grace = 300*time.Millisecond, 0
	if r := runKept(t, k, c); !r.Kept || !r.TimedOut || r.Signal != 9 {
		t.Errorf("%v", r)
	}
	c = contract(dir, "trap 'echo asked; exit 3' TERM; while :; do sleep 0.02; done")
	c.Timeout, c.Grace = 3*time.Second, time.Minute
	if r := runKept(t, k, c); !r.Kept || !r.TimedOut || r.Exit != 3 || r.out != "asked\n" {
		t.Errorf("%v", r)
	}
	c = contract(dir, "head -c 100000 /dev/zero")
	c.Output = 1000
	if r := runKept(t, k, c); !r.Kept || r.Output != 100000 || len(r.out) > 1100 {
		t.Errorf("%d bytes came: %v", len(r.out), r.Result)
	}
	c = contract(dir, "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done")
	c.CPU = 3 * time.Second
	for range 4 { // together they would be above it
		if r := runKept(t, k, c); !r.Kept || r.Exit != 0 {
			t.Errorf("%v", r)
		}
	}
	c.Script, c.CPU = "while :; do :; done", time.Second
	if r := runKept(t, k, c); r.Ended == "" && r.Signal == 0 {
		t.Errorf("%v", r)
	}
	if r := runKept(t, k, contract(dir, "echo fine")); !r.Kept || r.out != "fine\n" {
		t.Errorf("%v", r)
	}
}

// TestKeptSignals: signals reach the command, and who does not want it any more ends
// it with all that it has started.
func TestKeptSignals(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	signals := make(chan os.Signal, 1)
	out := &notify{word: "ready", said: make(chan struct{})}
	go func() { <-out.said; signals <- unix.SIGHUP }()
	r := runKept(t, k, contract(dir, "trap 'exit 7' HUP; echo ready; while :; do sleep 0.02; done"), func(o *sandbox.Options) { o.Stdout, o.Signals = out, signals })
	if !r.Kept || r.Exit != 7 {
		t.Errorf("%v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out = &notify{word: "ready", said: make(chan struct{})}
	go func() { <-out.said; cancel() }()
	c := contract(dir, "setsid sleep 300 & echo ready; sleep 300")
	c.Grace = 0
	result, _, err := k.Run(ctx, permit(t, c), sandbox.Options{Stdout: out})
	if err != nil || !result.Kept || result.Signal != 9 {
		t.Errorf("%+v %v", result, err)
	}
	if r := runKept(t, k, contract(dir, "pgrep sleep || echo none")); !r.Kept || r.out != "none\n" {
		t.Errorf("%v", r)
	}
}

// A notify says when a word was written to it.
type notify struct {
	word string
	said chan struct{}
	once sync.Once
}

func (n *notify) Write(p []byte) (int, error) {
	if strings.Contains(string(p), n.word) {
		n.once.Do(func() { close(n.said) })
	}
	return len(p), nil
}

// TestKeptChanges: another contract, or other files under the same names, mean another
// place.
func TestKeptChanges(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	c := contract(dir, here)
	c.Protected = []string{dir + "/.env", dir + "/.git/config"}
	write(t, dir+"/.git/config", "[core]\n")
	for name, change := range map[string]func(){
		"network": func() { c.Network = sayso.NetworkLoopback },
		"limit":   func() { c.Procs = 500 },
		"root":    func() { write(t, dir+"/sub/x", ""); c.Write = []string{dir + "/sub"}; c.Protected = nil },
		"replaced": func() {
			write(t, dir+"/other", "[core]\n")
			if err := os.Rename(dir+"/other", dir+"/.git/config"); err != nil {
				t.Fatal(err)
			}
		},
		"made": func() { write(t, dir+"/.env", "A=1\n") },
	} {
		c.Write, c.Protected = []string{dir}, []string{dir + "/.env", dir + "/.git/config"}
		last := runKept(t, k, c).out
		if again := runKept(t, k, c); !again.Kept || again.out != last {
			t.Errorf("%s: it is not kept: %v", name, again)
		}
		change()
		if r := runKept(t, k, c); !r.Kept || r.out == last || r.out == "" {
			t.Errorf("%s: it is still the same: %v", name, r)
		}
	}
	c.Script, c.Write, c.Protected = "echo B=2 >>.env || echo refused; echo x >>.git/config || echo refused", []string{dir}, []string{dir + "/.env", dir + "/.git/config"}
	if r := runKept(t, k, c); !r.Kept || r.out != "refused\nrefused\n" {
		t.Errorf("%v", r)
	}
}

// TestKeptEnds: a place that has gone is made again, and none stays when it is closed.
func TestKeptEnds(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	first := runKept(t, k, contract(dir, here))
	boxes := childrenNamed(t, "sayso-box")
	if len(boxes) == 0 {
		t.Fatal("there is no place")
	}
	for _, pid := range boxes {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	if r := runKept(t, k, contract(dir, here)); r.Exit != 0 || r.out == first.out || r.failure != nil {
		t.Errorf("%v", r)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if r := runKept(t, k, contract(dir, "echo fine")); r.Kept || r.out != "fine\n" {
		t.Errorf("after the end: %v", r)
	}
}

// childrenNamed are the children of this process with a name.
func childrenNamed(t *testing.T, name string) (pids []int) {
	t.Helper()
	out, err := exec.Command("pgrep", "-x", "-P", itoa(os.Getpid()), name).Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		n := 0
		for _, d := range strings.TrimSpace(line) {
			n = 10*n + int(d-'0')
		}
		pids = append(pids, n)
	}
	return pids
}

// TestKeptTogether: commands that run at the same time all run, and do not see each
// other.
func TestKeptTogether(t *testing.T) {
	dir := inHome(t)
	k := keep(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			c := contract(dir, "echo "+itoa(n)+" >/tmp/x; sleep 0.1; cat /tmp/*; pgrep -c sh")
			if r := runKept(t, k, c); r.out != itoa(n)+"\n1\n" {
				t.Errorf("%d: %v", n, r)
			}
		})
	}
	all.Wait()
}
