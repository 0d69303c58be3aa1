//go:build linux

package shell_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/shell"
)

// The differential tests run scripts for real and compare what happened with
// what the analysis said would. This file does so for the commands that start:
// a script runs where every program is a recorder, and each recorded command
// has to be among those of the analysis.
//
// The scripts are in testdata/differential: argv-*.txt for this file and
// files-*.txt for the other. A line "---" separates two scripts. A script may
// start with a comment that names it, with "#IGNORE why" if the analysis is
// known to be wrong about it, and with "#NEEDS tool".

const (
	scriptTime    = 10 * time.Second
	mostOpaque    = 0.15 // share of scripts that are only right because something is opaque
	mostIgnored   = 0.02
	fewestArgv    = 750
	fewestFiles   = 400
	recorderLog   = "recorder.log"
	recorderBuild = "./internal/recorder"
)

// recorded are the names under which recorders are installed.
var recorded = strings.Fields(`
	awk basename bash cat cut dash dirname env expr find flock git grep head ionice ls nice nohup perl python3 sed seq
	setsid sh sort stdbuf tail tar timeout tr uniq wc xargs
	alpha beta gamma delta omega fail fail2
	apt-get aws cargo chmod chown cmake cp curl date dd diff docker go gzip helm install java jq kubectl ln make mkdir
	mktemp mv node npm npx openssl pip psql rm rmdir rsync scp ssh stat sudo systemctl tee terraform touch uname unzip
	wget whoami yarn`)

// A diffScript is one script of the data files.
type diffScript struct {
	name   string
	text   string
	ignore string
	needs  string // a tool that not every machine has
}

func (s *diffScript) skipWithout(t *testing.T) {
	if _, err := exec.LookPath(s.needs); s.needs != "" && err != nil {
		t.Fatalf("%s is not installed: make setup installs what the tests need", s.needs)
	}
}

func readScripts(t *testing.T, pattern string, fewest int) []diffScript {
	t.Helper()
	files, err := filepath.Glob("testdata/differential/" + pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var out []diffScript
	ignored, seen := 0, map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(f), ".txt")
		for i, part := range strings.Split("\n"+string(text), "\n---\n") {
			s := parseScript(base, i+1, strings.TrimPrefix(part, "\n"))
			if other, ok := seen[s.text]; ok || strings.TrimSpace(s.text) == "" {
				t.Errorf("%s is empty or repeats %s", s.name, other)
			}
			seen[s.text] = s.name
			if s.ignore != "" {
				ignored++
			}
			out = append(out, s)
		}
	}
	if len(out) < fewest {
		t.Errorf("%d scripts, want at least %d", len(out), fewest)
	}
	if float64(ignored) > mostIgnored*float64(len(out)) {
		t.Errorf("%d of %d scripts are ignored, want at most %.0f %%", ignored, len(out), mostIgnored*100)
	}
	return out
}

func parseScript(file string, n int, text string) diffScript {
	s := diffScript{name: fmt.Sprintf("%s/%d", file, n), text: text}
	for {
		line, rest, _ := strings.Cut(s.text, "\n")
		if why, ok := strings.CutPrefix(line, "#IGNORE "); ok {
			s.ignore = why
		} else if tool, ok := strings.CutPrefix(line, "#NEEDS "); ok {
			s.needs = tool
		} else if title, ok := strings.CutPrefix(line, "# "); ok {
			s.name += " " + title
		} else {
			return s
		}
		s.text = rest
	}
}

// A verdict says why a recorded command counts as reported, the worst last.
type verdict int

const (
	exact  verdict = iota // with the same words
	wild                  // through a word that said it is a pattern or unknown
	opaque                // only through a command that said it cannot be known
	missed
)

func (v verdict) String() string { return [...]string{"exact", "pattern", "opaque", "missed"}[v] }

// A tally counts the verdicts of scripts that run in parallel.
type tally struct {
	sync.Mutex
	name  string
	count [missed + 1]int
}

func (c *tally) add(v verdict) {
	c.Lock()
	defer c.Unlock()
	c.count[v]++
}

func (c *tally) report(t *testing.T) {
	total := 0
	for _, n := range c.count {
		total += n
	}
	t.Logf("%s: %d scripts: %d exact, %d through patterns, %d opaque, %d missed", c.name,
		total, c.count[exact], c.count[wild], c.count[opaque], c.count[missed])
	if float64(c.count[opaque]) > mostOpaque*float64(total) {
		t.Errorf("%d of %d scripts are covered only because something is opaque, want at most %.0f %%",
			c.count[opaque], total, mostOpaque*100)
	}
}

// settle compares the outcome of a script with what its data file says of it.
func (c *tally) settle(t *testing.T, s diffScript, worst verdict, problems []string) {
	c.add(worst)
	switch {
	case s.ignore != "" && len(problems) == 0:
		t.Errorf("the deviation is gone, remove the line #IGNORE %s\n%s", s.ignore, s.text)
	case s.ignore == "" && len(problems) > 0:
		t.Errorf("%s: %s\n%s", c.name, s.text, strings.Join(problems, "\n"))
	}
}

func TestDifferentialArgv(t *testing.T) {
	scripts := readScripts(t, "argv-*.txt", fewestArgv)
	recorder := filepath.Join(realTempDir(t), "recorder")
	if out, err := exec.Command("go", "build", "-o", recorder, recorderBuild).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	blind, seeing := tally{name: "without a Machine"}, tally{name: "with a Machine"}
	t.Run("scripts", func(t *testing.T) {
		for _, s := range scripts {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				root := realTempDir(t)
				prepareArgv(t, root, recorder)
				at := shell.Place{Dir: root + "/ws", Home: root + "/home"}
				without := analyze(t, s.text, at)
				at.Machine = osMachine{}
				with := analyze(t, s.text, at) // before the script changes anything
				calls := record(t, root, s.text)
				worst, problems := compareCalls(without, calls)
				blind.settle(t, s, worst, problems)
				worst, problems = compareCalls(with, calls)
				seeing.settle(t, s, worst, problems)
			})
		}
	})
	blind.report(t)
	seeing.report(t)
}

func analyze(t *testing.T, script string, at shell.Place) *shell.Analysis {
	t.Helper()
	defer func() {
		if r := recover(); r != nil { // one script, not all of the test
			t.Fatalf("%s\npanic: %v", script, r)
		}
	}()
	a, err := shell.Analyze(script, at)
	if err != nil {
		t.Fatalf("%s\n%v", script, err)
	}
	return a
}

// argvFiles is what the scripts find in their folder.
var argvFiles = map[string]string{
	"ws/a.txt": "1\n", "ws/b.txt": "2\n", "ws/c.log": "3\n", "ws/with space.txt": "4\n", "ws/.hidden": "5\n",
	"ws/list.txt":    "red\ngreen apple\nblue\n",
	"ws/pairs.txt":   "k1 v1\nk2 v2 extra\n",
	"ws/src/main.go": "package main\n", "ws/src/util.go": "package main\n", "ws/src/sub/deep.c": "int x;\n",
	"ws/docs/readme.md": "# hi\n", "ws/build/.keep": "",
	"ws/lib.sh":       "LIB=loaded\nfromlib() { alpha lib \"$@\"; }\nbeta sourced \"$1\"\n",
	"ws/run.sh":       "#!/bin/sh\ngamma run \"$@\"\n",
	"ws/package.json": `{"scripts":{"build":"alpha build","test":"beta test"}}`,
	"home/.profile":   "", "home/notes/n.txt": "n\n",
}

// prepareArgv fills root: bin holds the recorders, ws is the working folder.
// The recorders are hard links, which keep the name they are started under.
func prepareArgv(t *testing.T, root, recorder string) {
	t.Helper()
	writeFiles(t, root, argvFiles)
	writeFiles(t, root, map[string]string{recorderLog: "", "bin/.keep": "", "home/bin/.keep": ""})
	if err := os.Chmod(root+"/ws/run.sh", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("src", root+"/ws/link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"../ws/tool", "../ws/src/tool", "../home/bin/mine"}, recorded...) {
		if err := os.Link(recorder, filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A call is a program that was started.
type call struct {
	Argv []string
	Dir  string
}

// record runs a script among recorders and returns what it started.
func record(t *testing.T, root, script string) []call {
	t.Helper()
	bash := realTool(t, "bash")
	runScript(t, root, "PATH="+root+"/bin", bash, "--norc", "--noprofile", "-c", script)
	log, err := os.ReadFile(filepath.Join(root, recorderLog))
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	for line := range bytes.Lines(log) {
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("log: %v: %s", err, line)
		}
		calls = append(calls, c)
	}
	if len(calls) == 0 {
		t.Errorf("%s\nstarts nothing and so tests nothing", script)
	}
	return calls
}

// compareCalls judges a script by the worst of its calls.
func compareCalls(a *shell.Analysis, calls []call) (verdict, []string) {
	worst := exact
	var problems []string
	for _, c := range calls {
		v := judgeCall(a, c)
		if worst = max(worst, v); v == missed {
			problems = append(problems, fmt.Sprintf("ran %q in %s\nreported:%s", c.Argv, c.Dir, listCommands(a)))
		}
	}
	return worst, problems
}

// judgeCall looks for the command of the analysis that comes nearest.
func judgeCall(a *shell.Analysis, c call) verdict {
	best := missed
	if a.Opaque != "" {
		best = opaque
	}
	for i := range a.Commands {
		cmd := &a.Commands[i]
		switch {
		case matchArgs(cmd.Args, c.Argv) && inFolder(cmd, c):
			if !slices.ContainsFunc(cmd.Args, unknownWord) {
				return exact
			}
			best = min(best, wild)
		case coversAll(a, i) || len(cmd.Opaque) > 0 && cmd.Args[0].Text == c.Argv[0]:
			best = min(best, opaque)
		}
	}
	return best
}

func unknownWord(a shell.Arg) bool { return a.Unknown || a.Glob }

// inFolder reports whether the paths of the command were seen from the folder
// in which it ran. A program that is told to change to another one is not
// looked at: the recorder does not do that.
func inFolder(cmd *shell.Command, c call) bool {
	if slices.Contains(c.Argv, "-C") {
		return true
	}
	for _, p := range cmd.Paths {
		if p.Abs == "" || p.Glob || path.IsAbs(p.Raw) {
			continue
		}
		here := func(q shell.Path) bool {
			return q.Raw == p.Raw && (q.Abs == "" || unlinked(q.Abs) == unlinked(path.Join(c.Dir, p.Raw)))
		}
		if !slices.ContainsFunc(cmd.Paths, here) {
			return false
		}
	}
	return true
}

// unlinked follows the links in the folder of a file.
func unlinked(file string) string {
	if dir, err := filepath.EvalSymlinks(path.Dir(file)); err == nil {
		return path.Join(dir, path.Base(file))
	}
	return file
}

// coversAll reports whether a command said that anything may follow from it:
// an opaque one that runs code or calls itself again, or one that runs a file
// and does not say what is in it. The arguments of any other opaque command
// are in doubt, but not what else runs.
func coversAll(a *shell.Analysis, i int) bool {
	cmd := &a.Commands[i]
	if len(cmd.Opaque) > 0 {
		again := func(c shell.Command) bool { return c.Via != i && len(c.Args) > 0 && c.Args[0].Text == cmd.Args[0].Text }
		return len(cmd.Args) == 0 || cmd.Effects.Has(shell.Executes) ||
			cmd.Effects.Has(shell.LongRunning) && slices.ContainsFunc(a.Commands[:i], again)
	}
	runsFile := cmd.Effects.Has(shell.Executes) &&
		slices.ContainsFunc(cmd.Paths, func(p shell.Path) bool { return p.Access == shell.Read })
	return runsFile && !slices.ContainsFunc(a.Commands, func(c shell.Command) bool { return c.Via == i })
}

// matchArgs matches words with arguments: an unknown one stands for any number
// of words, a pattern for any number that match it.
func matchArgs(args []shell.Arg, words []string) bool {
	if len(args) == 0 {
		return len(words) == 0
	}
	a := args[0]
	if !unknownWord(a) {
		return len(words) > 0 && sameWord(a.Text, words[0]) && matchArgs(args[1:], words[1:])
	}
	if matchArgs(args[1:], words) {
		return true
	}
	return len(words) > 0 && (a.Unknown || matchGlob(a.Text, words[0])) && matchArgs(args, words[1:])
}

// sameWord ignores the number of a process substitution, which the shell picks.
func sameWord(a, b string) bool {
	return a == b || strings.HasPrefix(a, "/dev/fd/") && strings.HasPrefix(b, "/dev/fd/")
}

// matchGlob is path.Match with a star that also crosses folders: what find
// finds below one is reported as one pattern. Where the name alone is told,
// as to -execdir, it is enough that the name matches.
func matchGlob(pattern, word string) bool {
	flat := strings.NewReplacer("/", "\x00")
	whole, err := path.Match(flat.Replace(pattern), flat.Replace(word))
	name, _ := path.Match(path.Base(pattern), strings.TrimPrefix(word, "./"))
	return word == pattern || whole || name || err != nil
}

func listCommands(a *shell.Analysis) string {
	var b strings.Builder
	for i := range a.Commands {
		c := &a.Commands[i]
		b.WriteString("\n ")
		for _, w := range c.Args {
			fmt.Fprintf(&b, " %q", w.Text)
			if w.Unknown || w.Glob {
				b.WriteString("…")
			}
		}
		if len(c.Opaque) > 0 {
			fmt.Fprintf(&b, " opaque %q", c.Opaque)
		}
	}
	return b.String()
}
