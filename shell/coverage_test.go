package shell

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

var coveragePlace = Place{Dir: "/home/dev/app", Home: "/home/dev"}

func riskOf(t *testing.T, src string) Risk {
	t.Helper()
	a, err := Analyze(src, coveragePlace)
	if err != nil {
		t.Fatal(err)
	}
	return a.Risk
}

// TestEverySecret: reading any file that the tables call a secret is dangerous.
func TestEverySecret(t *testing.T) {
	fill := strings.NewReplacer("/**", "/x", "**/", "/srv/", "*", "x", "?", "x")
	var files []string
	for _, name := range pathsSecret.names {
		files = append(files, "/srv/"+name)
	}
	for _, ending := range pathsSecret.endings {
		files = append(files, "/srv/x"+ending)
	}
	for _, g := range pathsSecret.globs {
		files = append(files, "/srv/"+fill.Replace(g.pattern))
	}
	for _, d := range pathsSecret.deep {
		files = append(files, fill.Replace(d.pattern))
	}
	for _, list := range [][]string{pathsSecret.home, pathsSecret.dotHome} {
		for _, p := range list {
			files = append(files, "/home/dev/"+fill.Replace(p))
		}
	}
	for _, p := range pathsSecret.rooted {
		files = append(files, fill.Replace(p))
	}
	if len(files) < 100 {
		t.Fatalf("only %d secrets", len(files))
	}
	for _, f := range files {
		if strings.HasPrefix(f, "/dev/") || pathsHarmless.match(f, "/home/dev") {
			continue
		}
		if got := riskOf(t, Quote([]string{"cat", f})); got > Dangerous {
			t.Errorf("cat %s is %v", f, got)
		}
	}
}

// TestEveryWrapper: no option of a wrapper hides the command behind it.
func TestEveryWrapper(t *testing.T) {
	n := 0
	for _, name := range []string{
		"sudo", "doas", "env", "nohup", "nice", "ionice", "time", "timeout", "stdbuf", "setsid", "flock", "xargs", "chroot", "unshare", "nsenter", "strace",
		"watch", "taskset", "chrt", "prlimit", "setarch", "cgexec", "systemd-run", "caffeinate", "command", "exec", "firejail", "bwrap",
	} {
		tool := table.Find(name)
		if tool == nil {
			t.Errorf("%s is not known", name)
			continue
		}
		if !tool.Is(table.IsWrapping) {
			continue
		}
		var r reading
		r.start(name, tool)
		need, _, _ := r.beforeCommand()
		operands := strings.Repeat(" 5", need)
		flags := tool.Flags()
		for i := range flags {
			f := &flags[i]
			for _, spelling := range f.Names {
				if f.Kind == table.KindCmd || f.Kind == table.KindShell || f.Do != nil && (f.Do.Instead || f.Do.Args != nil) || spelling == "-" || spelling[0] == '+' {
					continue
				}
				value := ""
				if f.Kind != table.KindNone && !f.Attached {
					value = strings.Repeat(" 1", int(f.Skip)+1)
				}
				n++
				if got := riskOf(t, name+" "+spelling+value+operands+" rm -rf /"); got > Dangerous {
					t.Errorf("%s %s%s%s rm -rf / is %v", name, spelling, value, operands, got)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d options were tried", n)
	}
}

// TestWrappedIsNotInBackground: what a wrapper in the background runs does not
// run in the background of the wrapper.
func TestWrappedIsNotInBackground(t *testing.T) {
	a, err := Analyze("nice sleep 1 &", coveragePlace)
	if err != nil || len(a.Commands) != 2 || !a.Commands[0].Background || a.Commands[1].Background {
		t.Errorf("%+v %v", a, err)
	}
}
