package seatbelt_test

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox/seatbelt"
)

var update = flag.Bool("update", false, "write the golden files anew")

var workspace = sayso.Contract{
	Argv: []string{"make"}, Dir: "/Users/me/repo",
	Write:     []string{"/Users/me/repo"},
	Hidden:    []string{"/Users/me/.local/state/sayso"},
	Protected: []string{"/Users/me/repo/.git/hooks", "/Users/me/repo/.git/config", "/Users/me/repo/.sayso.yaml"},
	Barred:    []string{"/Users/me/repo/.env*"},
	Watched:   []string{"/Users/me/repo/.env.example"},
}

func with(c sayso.Contract, change func(*sayso.Contract)) sayso.Contract {
	change(&c)
	return c
}

// TestGolden: each kind of contract has the profile that was looked at.
func TestGolden(t *testing.T) {
	for name, c := range map[string]sayso.Contract{
		"workspace": workspace,
		"readonly":  {Argv: []string{"ls"}, Dir: "/Users/me/repo"},
		"narrow": with(workspace, func(c *sayso.Contract) {
			c.Read, c.Scratch = []string{"/Users/me/repo", "/Users/me/go"}, []string{"/Users/me/Library/Caches/go-build"}
		}),
		"loopback": with(workspace, func(c *sayso.Contract) { c.Network, c.Procs, c.Memory = sayso.NetworkLoopback, 10, 1<<30 }),
		"hosts":    with(workspace, func(c *sayso.Contract) { c.Network, c.Hosts = sayso.NetworkHosts, []string{"example.com"} }),
		"all":      with(workspace, func(c *sayso.Contract) { c.Network = sayso.NetworkAll }),
		"below": with(workspace, func(c *sayso.Contract) {
			c.Barred, c.Watched = []string{"/Users/me/repo/**/.env*", "/Users/me/repo/**/.git/hooks"}, []string{"/Users/me/repo/**/.env*example"}
			c.Skipped = []string{".git", "node_modules", "a+*"}
		}),
		"odd names": {Argv: []string{"x"}, Dir: "/", Write: []string{`/Users/me/a "b" \c (d) ü`}, Protected: []string{`/Users/me/a "b" \c (d) ü/x.y`}, Barred: []string{`/a+b/.env\**/?.$`}},
	} {
		t.Run(name, func(t *testing.T) {
			text, open, err := seatbelt.Profile(c, "/private/var/folders/t/run")
			if err != nil {
				t.Fatal(err)
			}
			text += "; not held: " + strings.Join(open, "; ") + "\n"
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".sb")
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || text != string(want) {
				t.Errorf("%v: got\n%swant\n%s", err, text, want)
			}
			balanced(t, text)
		})
	}
}

// balanced fails if the parentheses of a profile do not match, outside of strings and
// comments.
func balanced(t *testing.T, text string) {
	t.Helper()
	depth, quoted := 0, false
	for line := range strings.Lines(text) {
		for i := 0; i < len(line); i++ {
			switch b := line[i]; {
			case quoted && b == '\\' && !strings.Contains(line, "#\""):
				i++
			case b == '"':
				quoted = !quoted
			case quoted:
			case b == ';':
				i = len(line)
			case b == '(':
				depth++
			case b == ')':
				depth--
			}
			if depth < 0 {
				t.Fatalf("too many are closed in %s", line)
			}
		}
		if quoted {
			t.Fatalf("a string does not end in %s", line)
		}
	}
	if depth != 0 {
		t.Errorf("%d are not closed", depth)
	}
}

// TestRefused: what cannot be written is an error, not a profile that holds less.
func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*sayso.Contract){
		"a relative path":          func(c *sayso.Contract) { c.Write = []string{"repo"} },
		"a path that is not clean": func(c *sayso.Contract) { c.Protected = []string{"/Users/me/repo/../x"} },
		"a line end":               func(c *sayso.Contract) { c.Write = []string{"/a\n(allow default)"} },
		"a control character":      func(c *sayso.Contract) { c.Read = []string{"/a\x1b"} },
		"a byte that is no text":   func(c *sayso.Contract) { c.Write = []string{"/a\xff"} },
		"a quote in a pattern":     func(c *sayso.Contract) { c.Barred = []string{`/a/"x*`} },
		"a set in a pattern":       func(c *sayso.Contract) { c.Barred = []string{`/a/[x]`} },
		"a bad pattern":            func(c *sayso.Contract) { c.Barred = []string{`/a/\`} },
		"a relative pattern":       func(c *sayso.Contract) { c.Barred = []string{`.env*`} },
	} {
		t.Run(name, func(t *testing.T) {
			if text, _, err := seatbelt.Profile(with(workspace, change), "/private/tmp/run"); err == nil {
				t.Errorf("it is written:\n%s", text)
			}
		})
	}
}

// FuzzPattern: the expression for a pattern fits what the pattern fits, and what is below.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{{"/repo/.env*", "/repo/.env.local"}, {"/r/a?c", "/r/a.c/x"}, {`/r/\*`, "/r/*"}, {"/a.b", "/axb"}, {"/a|b", "/a"}, {"/r/**/.env*", "/r/a/b/.env/c"}, {"/r/**/a/b", "/r/b"}, {"/r/**/**/b", "/r/b"}, {"/**/b", "/b"}, {"/**/**", "/r/b"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		c := sayso.Contract{Write: []string{"/w"}, Barred: []string{pattern}}
		text, _, err := seatbelt.Profile(c, "/t")
		if err != nil || strings.Contains(name, "\n") || !utf8.ValidString(name) || !path.IsAbs(name) || path.Clean(name) != name {
			return
		}
		_, rest, _ := strings.Cut(text, `(regex #"`)
		expression, _, _ := strings.Cut(rest, `")`)
		re, err := regexp.Compile(expression)
		if err != nil {
			t.Fatalf("%q becomes %q: %v", pattern, expression, err)
		}
		want := false
		for at := name; !want && at != "/"; at = path.Dir(at) {
			if want, err = c.Matches(pattern, at); err != nil {
				return
			}
		}
		if got := re.MatchString(name); got != want && name != "/" {
			t.Errorf("%q with %q: %v, want %v (%s)", pattern, name, got, want, expression)
		}
	})
}
