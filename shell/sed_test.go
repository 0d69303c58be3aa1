package shell_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/shell"
)

// quoted is a word in single quotes.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// TestSed: what a script does beside editing, in every sed that would run it.
func TestSed(t *testing.T) {
	for script, want := range map[string]shell.Risk{
		// Brackets, in which a delimiter is a character.
		`s/[]/]/p;a /;e rm -rf ~`:                 shell.Blocked,
		`s/[^]/]/p;a /;e rm -rf ~`:                shell.Blocked,
		`s/[^]/]/p;a /w /home/dev/.bashrc`:        shell.Dangerous,
		`s/[[:alpha:]/]/p;a /w /home/dev/.bashrc`: shell.Dangerous,
		`s/[[.a.]/]/p;a /w /home/dev/.bashrc`:     shell.Dangerous,
		`s/[[=a=]/]/p;a /w /home/dev/.bashrc`:     shell.Dangerous,
		`s,[,],p;a ,w /home/dev/.bashrc`:          shell.Dangerous,
		"s/[\\]/a/;w /home/dev/.bashrc\n#]/x/":    shell.Dangerous,
		`/[/]/w /home/dev/.bashrc`:                shell.Dangerous,
		`\,[,],w /home/dev/.bashrc`:               shell.Dangerous,
		`/[]/]/,/[^/]/!{p;w /home/dev/.bashrc`:    shell.Dangerous,
		`s/[/x/;w /home/dev/.bashrc`:              shell.Dangerous, // where brackets are not known
		`y/[/]/;w /home/dev/.bashrc`:              shell.Dangerous,
		`y/[/]/x/;w /home/dev/.bashrc`:            shell.Dangerous,

		// Ends of commands.
		`s\a\b\;w /home/dev/.bashrc`:            shell.Dangerous,
		`s/a/b/ w /home/dev/.bashrc`:            shell.Dangerous,
		`s/a/b/gpw /home/dev/.bashrc`:           shell.Dangerous,
		"s/x/y/\t2 e":                           shell.Dangerous,
		`s/x/y/Ige;p`:                           shell.Dangerous,
		":}a\\\nw /home/dev/.bashrc":            shell.Dangerous,
		"b}a\\\nw /home/dev/.bashrc":            shell.Dangerous,
		`:a w /home/dev/.bashrc`:                shell.Dangerous,
		`{b};w /home/dev/.bashrc`:               shell.Dangerous,
		`p w /home/dev/.bashrc`:                 shell.Dangerous,
		`l5w /home/dev/.bashrc`:                 shell.Dangerous,
		"a\nw /home/dev/.bashrc":                shell.Dangerous,
		"a\\ \nw /home/dev/.bashrc":             shell.Dangerous,
		"a x\\\\\nw /home/dev/.bashrc":          shell.Dangerous,
		"p\\\nw /home/dev/.bashrc":              shell.Dangerous,
		"#x\rw /home/dev/.bashrc":               shell.Dangerous,
		"#n\nw /home/dev/.bashrc":               shell.Dangerous,
		`1 ! { w /home/dev/.bashrc`:             shell.Dangerous,
		`0~3,~4W/home/dev/.bashrc`:              shell.Dangerous,
		`$!R /home/dev/.ssh/id_rsa`:             shell.Dangerous,
		`r /home/dev/.ssh/id_rsa`:               shell.Dangerous,
		"1{2{e rm -rf ~\n}}":                    shell.Blocked,
		strings.Repeat(`s/[/]/w/`, 2000):        shell.Dangerous,
		"s/x/y/\n" + strings.Repeat("w f\n", 9): shell.Moderate,

		"p;#x\\\n];\nw /home/dev/.bashrc": shell.Dangerous,

		// Ordinary scripts.
		`s/[^/]*$//`:                     shell.Safe,
		`s#/[^/]*$##;s/[][]//g`:          shell.Safe,
		`s/\([^/]*\)\/\([^/]*\)/\2 \1/p`: shell.Safe,
		`s/[/]/_/g`:                      shell.Safe,
		`:a;N;$!ba;s/\n/ /g`:             shell.Safe,
		`/a/,/b/{/c/!d;=;n}`:             shell.Safe,
		"1i\\\nw x\\\ne y\n2d":           shell.Safe,
		`$a e rm -rf ~`:                  shell.Safe,
		`y/abc/xyz/;p # w x`:             shell.Safe,
		`s/a/b/w out.txt`:                shell.Moderate,
	} {
		for _, command := range [...]string{"sed " + quoted(script) + " f", "sed -n -e " + quoted(script) + " f", "sed -E --expression=" + quoted(script) + " f"} {
			if a := analysis(t, command); a.Risk != want {
				t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
			}
		}
	}
}

// TestSedPieces: several -e are one script.
func TestSedPieces(t *testing.T) {
	for command, want := range map[string]shell.Risk{
		`sed -e 'a\' -e 'w /home/dev/.bashrc' f`:          shell.Safe,
		`sed -e 'a x\' -e 'w /home/dev/.bashrc' f`:        shell.Safe,
		`sed -e '1i\' -e 'hello' f`:                       shell.Safe,
		`sed -e :a -e '$!N;s/\n//;ta' f`:                  shell.Safe,
		`sed -e 'a x' -e 'w /home/dev/.bashrc' f`:         shell.Dangerous,
		`sed -e p -e p -e 'e rm -rf ~' f`:                 shell.Blocked,
		`sed -e 'a\' -f x.sed -e 'w /home/dev/.bashrc' f`: shell.Dangerous,
		`sed -e 's/a\' -e 'b/c/;w /home/dev/.bashrc' f`:   shell.Dangerous,
		`sed -e p -e "$x" f`:                              shell.Moderate,
	} {
		if a := analysis(t, command); a.Risk != want {
			t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
		}
	}
}

// TestSmallLanguages: the longest scripts of the kinds that could be quadratic
// come to an end.
func TestSmallLanguages(t *testing.T) {
	for _, unit := range []string{
		"sed s/[/]/w/", "sed b;", "sed /w", "sed a\\\n", "sed \\\n", "sed [/", "awk getline ", "awk (1)/", "awk /[/", "awk if(1)/", "awk (1)/[/",
		"awk \"a\"|getline;", "node ((", "node \"\"+", "node \"${\"", "php array_map(", "python3 f\"{", "perl system(\"", "sqlite3 attach \"x\";", "sqlite3 (x", "mysql x\\! ",
	} {
		name, text, _ := strings.Cut(unit, " ")
		options := map[string]string{"node": "-e", "php": "-r", "python3": "-c", "perl": "-e", "sqlite3": "a.db", "mysql": "-e"}[name]
		src := name + " " + options + " " + quoted(strings.Repeat(text, (shell.MaxLength-100)/len(text)))
		if _, err := shell.Analyze(src, corpusPlace); err != nil {
			t.Errorf("%s: %v", unit, err)
		}
	}
}

// TestSedDifferential runs scripts with the sed of this machine and looks
// whether one that is called safe has written a file.
func TestSedDifferential(t *testing.T) {
	parts := strings.Split("[ ] [^ [] [^] [[:alpha:] [[.a.] \\ \\\\ / / / , s/ s, y/ \\, a x p g ; ; } { ! # a\\ i b : t \\] 1 $ I", " ")
	parts = append(parts, "w F", "w F\n", "w F\n", "\n", " ", "a ", "\\\n", "p;a ")
	runDifferential(t, "sed", "", "", parts)
}

// runDifferential puts programs together at random and runs them in a folder of
// their own. They can do no more than write files there.
func runDifferential(t *testing.T, program, before, after string, parts []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs programs")
	}
	binary, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%v: make setup installs it", err)
	}
	dir, random, written := t.TempDir(), rand.New(rand.NewPCG(1, 2)), 0
	for range 400 {
		script := before
		for range 1 + random.IntN(10) {
			script += parts[random.IntN(len(parts))]
		}
		script += after
		if strings.HasPrefix(script, "-") || !writesFile(t, binary, dir, script) {
			continue
		}
		written++
		if a := analysis(t, program+" "+quoted(script)+" in"); a.Risk == shell.Safe {
			t.Errorf("%s %q writes a file%s", program, script, detail(a))
		}
	}
	if written == 0 {
		t.Error("no program wrote a file: there was nothing to compare")
	}
}

func writesFile(t *testing.T, binary, dir, script string) bool {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("a/b]x\"[,|;\nzz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, script, "in")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() }) // it may loop
	_ = cmd.Run()                                                             // most are refused
	timer.Stop()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return len(entries) > 1
}
