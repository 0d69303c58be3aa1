package shell_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// deletedBy lists what a line deletes, as it is reported.
func deletedBy(a *shell.Analysis) []string {
	var out []string
	for i := range a.Commands {
		for _, p := range a.Commands[i].Paths {
			if p.Access == shell.Delete {
				out = append(out, p.Raw)
			}
		}
	}
	return out
}

// TestFindExpression: which files an action is for, by the grammar of find.
func TestFindExpression(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{". -name x -delete", "./x"},
		{". -name a -name 'b*' -delete", "./a"},
		{". -name a -o -name b -delete", "./b"},
		{". '(' -name a -o -name b ')' -delete", "./a ./b"},
		{". '(' -name a -or '(' -name b -a -type f ')' ')' -delete", "./a ./b"},
		{". ! -name x -delete", "./*"},
		{". -not -name x -delete", "./*"},
		{". ! ! -name x -delete", "./x"},
		{". ! '(' -type f -name y ')' -delete", "./*"},
		{". ! '(' ! -name y ')' -delete", "./y"},
		{". ! '(' ! -name y -o -type d ')' -delete", "./y"},
		{". -name x -o -delete", "./*"},
		{". -delete -name x", "."},
		{". -name x , -delete", "."},
		{". -name x -delete , -name y -delete", "./x ./y"},
		{". -path ./keep -prune -o -delete", "./*"},
		{". -path ./keep -prune -o -name '*.o' -delete", "./*.o"},
		{". -false -delete", ""},
		{". -name x -false -o -name y -delete", "./y"},
		{". -type f -delete", "./*"},
		{". -size +1M -newer ref -mtime +3 -delete", "./*"},
		{"build -delete", "build"},
		{"a b -name '*.o' -delete", "a/*.o b/*.o"},
		{"-name '*.o' -delete", "./*.o"},
		{". -path './build/*' -delete", "./build/*"},
		{". -path '*/gen/*.go' -delete", "./*/gen/*.go"},
		{". -path './b*/x' -delete", "./*/x"},
		{". -path './build*' -delete", "./build* ./build*/*"},
		{". -not -path './.git/*' -name '*.tmp' -delete", "./*.tmp"},
		{`. -regex '.*\.pyc' -delete`, "./*.pyc"},
		{`. -regex '.*\.\(a\|b\)' -delete`, "./*"},
		{"x -maxdepth 0 -delete", "x"},
		{"x -maxdepth 1 -name y -delete", "x/y"},
		{". -iname Thumbs.DB -delete", "./Thumbs.DB"},
		{"src -name src -delete", "src src/src"},
		{". -empty -delete", "./(empty)"},
		{". -rm", "."},
	} {
		if got := strings.Join(deletedBy(analysis(t, "find "+tt.expr)), " "); got != tt.want {
			t.Errorf("find %s\n got %s\nwant %s", tt.expr, got, tt.want)
		}
	}
}

// TestFindRisk: what find finds is judged by what it may be.
func TestFindRisk(t *testing.T) {
	checkRisks(t, map[string]shell.Risk{
		`find . ! \( -type f -name y \) -delete`:                                  shell.Dangerous,
		"find . -delete -name x":                                                  shell.Dangerous,
		"find . -path '*/*' -delete":                                              shell.Dangerous,
		"find -files0-from list -name x -delete":                                  shell.Dangerous,
		"find -L . -name x -delete":                                               shell.Dangerous,
		"find . -follow -name x -exec rm {} +":                                    shell.Dangerous,
		"find -L . -name '*.h' -exec grep -l x {} +":                              shell.Safe,
		"find . \"$x\" -delete":                                                   shell.Dangerous,
		"find . -name x \"$y\" -print":                                            shell.Dangerous,
		"find / -name x -fprintf /dev/stdout '/\\n' | xargs rm -r":                shell.Dangerous,
		"find . -ls | xargs rm":                                                   shell.Dangerous,
		"find . -name '*env' -exec cat {} \\;":                                    shell.Dangerous,
		"find . -name .en? -exec cat {} \\;":                                      shell.Dangerous,
		"find . -iname .ENV -exec cat {} \\;":                                     shell.Dangerous,
		"find . -name '.*' -exec cat {} \\;":                                      shell.Moderate,
		"find .env -exec cat {} \\;":                                              shell.Dangerous,
		"find /etc/shadow -exec cat {} \\;":                                       shell.Dangerous,
		"find / -name shadow -exec cat {} \\;":                                    shell.Dangerous,
		"find / -name '*dow' -exec cat {} \\;":                                    shell.Dangerous,
		"find / -path '/e*shadow' -exec cat {} \\;":                               shell.Dangerous,
		"find / -regex '.*/shadow' -exec cat {} \\;":                              shell.Dangerous,
		"find /etc -type f -exec cat {} +":                                        shell.Dangerous,
		"find ~ -name config.json -exec cat {} +":                                 shell.Dangerous,
		"find ~/.config -type f -exec cat {} +":                                   shell.Dangerous,
		"find . -path './secrets/*' -exec cat {} +":                               shell.Dangerous,
		"find . -path '*/secrets/*' -name '*.json' | xargs cat":                   shell.Dangerous,
		"find . -execdir cat .env \\;":                                            shell.Dangerous,
		"find . -name '*env' -execdir cat {} \\;":                                 shell.Dangerous,
		"find . -name config -exec cat {} +":                                      shell.Safe,
		"find . -name config.json -exec cat {} +":                                 shell.Safe,
		"find . -name '*config*' -exec grep -n x {} +":                            shell.Safe,
		"find . -name '*.json' -exec jq . {} \\;":                                 shell.Safe,
		"find . -type f -exec grep -l TODO {} +":                                  shell.Safe,
		"find /etc -name '*.conf' -exec grep x {} +":                              shell.Safe,
		"find . -name '*.go' -exec grep -l x {} + | xargs wc -l":                  shell.Safe,
		"find . -iname 'readme*' -exec head {} +":                                 shell.Safe,
		"find . -path ./node_modules -prune -o -name '*.ts' -print | xargs wc -l": shell.Safe,
		"find . -name '*.go' -exec sed -i s/a/b/ {} +":                            shell.Moderate,
		"find . -path './build/*' -delete":                                        shell.Moderate,
		"find . -iname .GIT -exec rm -rf {} +":                                    shell.Dangerous,
		"find . -path '*/.git/*' -delete":                                         shell.Dangerous,
		"find / -type f -delete":                                                  shell.Blocked,
		"find /home -name dev -exec rm -rf {} +":                                  shell.Blocked,
		"fd -H '^\\.env$' -x cat":                                                 shell.Dangerous,
		"fd 'e.v' -H -x cat":                                                      shell.Dangerous,
		"fd '\\.ts$' -x wc -l":                                                    shell.Safe,
	})
}

func checkRisks(t *testing.T, lines map[string]shell.Risk) {
	t.Helper()
	for src, want := range lines {
		if a := analysis(t, src); a.Risk != want {
			t.Errorf("%s: %v, want %v%s", src, a.Risk, want, detail(a))
		}
	}
}

// TestFindOracle: whatever the real find would delete is among what is
// reported, for expressions made at random.
func TestFindOracle(t *testing.T) {
	if out, err := exec.Command("find", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU") {
		t.Fatal("no GNU find: make setup installs it")
	}
	dir := t.TempDir()
	for _, f := range []string{"x", "y", "a.go", "b.txt", ".env", "a/x", "a/a.go", "a/b/y", "a/b/.env", "a/b/a/b.txt", "b/x", "b/c.go"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	at := shell.Place{Dir: dir, Home: "/home/dev"}
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		starts := []string{".", "a", "a b", "./a/", "", "b .", "x a/b"}[r.IntN(7)]
		words := findWords(r, 3)
		if i := slices.Index(words, "-delete"); i < 0 {
			words = append(words, "-delete")
		}
		a, err := shell.Analyze("find "+starts+" "+findQuoted(words), at)
		if err != nil {
			t.Fatal(err)
		}
		for _, real := range reallyDeleted(dir, strings.Fields(starts), words) {
			if !findReported(a, filepath.Join(dir, real)) {
				t.Fatalf("find %s %s deletes %s%s", starts, findQuoted(words), real, detail(a))
			}
		}
	}
}

// findWords makes an expression.
func findWords(r *rand.Rand, depth int) []string {
	var out []string
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			out = append(out, [][]string{nil, nil, {"-a"}, {"-o"}, {"-o"}, {","}}[r.IntN(6)]...)
		}
		if r.IntN(3) == 0 {
			out = append(out, []string{"!", "-not"}[r.IntN(2)])
		}
		if depth > 0 && r.IntN(3) == 0 {
			out = append(append(append(out, "("), findWords(r, depth-1)...), ")")
			continue
		}
		out = append(out, findTests[r.IntN(len(findTests))]...)
	}
	return out
}

var findTests = [][]string{
	{"-name", "x"},
	{"-name", "*.go"},
	{"-name", "a*"},
	{"-name", ".*"},
	{"-name", "*"},
	{"-name", "[ab].??*"},
	{"-iname", "X"},
	{"-path", "./a/*"},
	{"-path", "*/a/*"},
	{"-path", "*b*"},
	{"-path", "./a*y"},
	{"-path", "a/b"},
	{"-path", "*.txt"},
	{"-path", "./*/x"},
	{"-regex", `.*\.go`},
	{"-regex", `\./a/?b?.*`},
	{"-regex", ".*/x"},
	{"-regex", `.*\(x\|y\)`},
	{"-iregex", ".*[xy]"},
	{"-type", "f"},
	{"-type", "d"},
	{"-size", "-2"},
	{"-newer", "x"},
	{"-mtime", "-1"},
	{"-maxdepth", "0"},
	{"-maxdepth", "2"},
	{"-mindepth", "1"},
	{"-empty"},
	{"-true"},
	{"-false"},
	{"-prune"},
	{"-print"},
	{"-delete"},
	{"-delete"},
	{"-exec", "true", "{}", ";"},
	{"-executable"},
}

func findQuoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	return strings.Join(out, " ")
}

// reallyDeleted asks find what it would delete, by naming it instead; -delete
// looks at what is in a folder first.
func reallyDeleted(dir string, starts, words []string) []string {
	args := append(slices.Clone(starts), "-depth")
	for _, w := range words {
		switch w {
		case "-delete":
			args = append(args, "-printf", "deleted:%p\\n")
		case "-print":
			args = append(args, "-true")
		default:
			args = append(args, w)
		}
	}
	cmd := exec.Command("find", args...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		return nil // find refuses it
	}
	var out []string
	for _, line := range strings.Split(string(text), "\n") {
		if p, ok := strings.CutPrefix(line, "deleted:"); ok && p != "." {
			out = append(out, p)
		}
	}
	return out
}

// findReported says whether the deletion of a file is covered by what is reported.
func findReported(a *shell.Analysis, file string) bool {
	for i := range a.Commands {
		for _, p := range a.Commands[i].Paths {
			if p.Access == shell.Delete && findCovers(p, file) {
				return true
			}
		}
	}
	return false
}

func findCovers(p shell.Path, file string) bool {
	if !p.Glob {
		return p.Abs == file || p.Recursive && strings.HasPrefix(file, p.Abs+"/")
	}
	folder, base := filepath.Split(p.Abs)
	if base == "(empty)" {
		base = "*"
	}
	if base == "*" && file+"/" == folder { // with all there is in it, the folder may go, too
		return true
	}
	pattern := "(?i)^"
	for _, part := range strings.Split(strings.Trim(folder, "/"), "/") {
		if part == "*" {
			pattern += "(/.*)?"
		} else {
			pattern += "/" + findPattern(part)
		}
	}
	return regexp.MustCompile(pattern + "(/.*)?/" + findPattern(base) + "$").MatchString(file)
}

func findPattern(glob string) string {
	s := regexp.QuoteMeta(glob)
	return regexp.MustCompile(`\\\[.*?\\\]`).ReplaceAllString(strings.NewReplacer(`\*`, "[^/]*", `\?`, "[^/]").Replace(s), "[^/]")
}
