package shell_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// ReadDir names what is in a folder of the fake machine.
func (m *fakeMachine) ReadDir(name string, _ int) ([]shell.Child, error) {
	m.asked++
	var out []shell.Child
	for at := range m.files {
		if at != name && path.Dir(at) == name {
			e, _ := m.Lstat(at)
			m.asked--
			out = append(out, shell.Child{Name: path.Base(at), Entry: e})
		}
	}
	return out, nil
}

// TestThroughLinks: a path leads where the kernel leads it, whatever it looks
// like.
func TestThroughLinks(t *testing.T) {
	machine := func() map[string]string {
		return map[string]string{
			"/home/dev/app/keys": "->/home/dev/.aws/sub", "/home/dev/.aws": "/", "/home/dev/.aws/sub": "/", "/home/dev/.aws/config": "x",
			"/home/dev/app/far": "->../other/deep", "/home/dev/other": "/", "/home/dev/other/deep": "/",
			"/home/dev/app/lib": "/", "/home/dev/app/lib/in": "->/home/dev/.aws", "/home/dev/app/round": "->round",
			"/home/dev/app/rc": "->/home/dev/.bashrc", "/home/dev/app/near": "->lib",
		}
	}
	tests := []struct {
		src  string
		want shell.Risk
	}{
		{"cat keys/../config", shell.Dangerous},
		{"cat ./keys/./../config", shell.Dangerous},
		{"cat lib/../keys/../config", shell.Dangerous},
		{"rm -rf far/../build", shell.Dangerous},
		{"echo x > far/../notes", shell.Dangerous},
		{"cd far && rm -rf ../build", shell.Dangerous},
		{"cd -P far/.. && rm -rf build", shell.Dangerous},
		{"git -C far/.. clean -n; make -C far/.. clean; tar xf a.tar -C far/..", shell.Dangerous},
		{"cat key*/../config", shell.Dangerous},
		{"cat k*/../config", shell.Dangerous},
		{"cat lib/i*/config", shell.Dangerous},
		{"cat */in/config", shell.Dangerous},
		{"cat l*/i*/config", shell.Dangerous},
		{"cat l[a-z]b/i?/config", shell.Dangerous},
		{"echo x >> r*c", shell.Dangerous},
		{"rm -rf f*/", shell.Dangerous},
		{"rm -rf f*/*", shell.Dangerous},
		{"cp notes r*", shell.Dangerous},
		{"ln -s ~/.aws q; cat q*/config", shell.Dangerous},
		{"ln -s ~/.aws/sub q; cat q/../config", shell.Dangerous},
		{"ln -s ~/.aws lib; cat lib/.aws/config", shell.Dangerous},
		{"ln -st lib ~/.aws; cat lib/.aws/config", shell.Dangerous},
		{"ln -s $(pick) q; cat q/config", shell.Moderate},
		// What stays where it looks like is judged as before.
		{"cd far/.. && rm -rf build", shell.Moderate},
		{"cat near/../README.md", shell.Safe},
		{"cat near/notes l*/notes", shell.Safe},
		{"rm -rf n*", shell.Moderate},
		{"cat round/x r*d/x", shell.Safe},
		{"ls k*/ l*/in", shell.Safe},
	}
	for _, tt := range tests {
		a, _ := onMachine(t, machine(), tt.src)
		if a.Risk != tt.want {
			t.Errorf("%s: risk %v, want %v\n%+v", tt.src, a.Risk, tt.want, a.Commands)
		}
	}
}

// TestManyMatches: what a pattern finds is looked at within bounds.
func TestManyMatches(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("/home/dev/app/d%d", i)] = "/"
		files[fmt.Sprintf("/home/dev/app/d%d/l", i)] = "->../x"
	}
	a, m := onMachine(t, files, "cat d*/l*")
	if a.Risk == shell.Safe || m.asked > 1200 {
		t.Errorf("risk %v after %d questions", a.Risk, m.asked)
	}
	if a, _ = onMachine(t, files, "cat d*"); a.Risk != shell.Safe {
		t.Errorf("one folder of many names: risk %v", a.Risk)
	}
}

// TestSecondNames: what gets another name in the same line stays what it is.
func TestSecondNames(t *testing.T) {
	tests := []struct {
		src  string
		want shell.Risk
	}{
		{"ln ~/.bashrc x; echo evil >> x", shell.Dangerous},
		{"sudo mount --bind / m; rm -rf m/home", shell.Blocked},
		{"sudo mount -o rw,bind / m; rm -rf m/etc", shell.Blocked},
		{"sudo mount -o ro /dev/sdb1 m; ls m", shell.Dangerous},
		{"ln -sT ~ d; rm -rf d/", shell.Blocked},
	}
	for _, tt := range tests {
		if got := analysis(t, tt.src); got.Risk != tt.want {
			t.Errorf("%s: risk %v, want %v", tt.src, got.Risk, tt.want)
		}
	}
}
