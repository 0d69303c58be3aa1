package shell_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestConstants: a name that stands for one file is that file; one that may get
// another value anywhere is not known.
func TestConstants(t *testing.T) {
	tests := []struct {
		program, code string
		writes        string // the files that it writes; ?: it cannot be known
	}{
		{"python3 -", "p = 'a.py'\ns = open(p).read()\nopen(p, 'w').write(s)", "a.py"},
		{"python3 -", "p='a.py'; s=open(p).read(); open(p,'w').write(s)", "a.py"},
		{"python3 -", "from pathlib import Path\np = Path('a.md')\nt = p.read_text()\np.write_text(t.replace('a', 'b'))", "a.md"},
		{"python3 -", "import pathlib\np = pathlib.Path('/etc/x')\np.write_text('')", "/etc/x"},
		{"python3 -", "for f in ['a.go', 'b.go']:\n    t = open(f).read()\n    open(f, 'w').write(t)", "a.go b.go"},
		{"python3 -", "p = '/etc/passwd'\nopen(p, 'w').write('x')", "/etc/passwd"},
		{"python3 -", "p = 'a'\nwith open(p, 'w') as f:\n    f.write('x')", "a"},
		{"node -", "const f = 'a.json';\nconst j = JSON.parse(fs.readFileSync(f, 'utf8'));\nfs.writeFileSync(f, JSON.stringify(j));", "a.json"},
		{"ruby -", "p = 'a.rb'\nFile.open(p, 'w')", "a.rb"},

		{"python3 -", "p = 'a'\np = '/etc/x'\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\np += '/../../x'\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\n[p] = ['/etc/x']\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\n(p,) = ('/etc/x',)\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nq, p = 1, '/etc/x'\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\np, q = '/etc/x', 1\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nfor p in x:\n    open(p, 'w')", "?"},
		{"python3 -", "p = 'a'\ndef f(p):\n    open(p, 'w')\nf('/etc/x')", "?"},
		{"python3 -", "p = 'a'\nf = lambda p: open(p, 'w')\nf('/etc/x')", "?"},
		{"python3 -", "p = 'a'\nwith x as p:\n    open(p, 'w')", "?"},
		{"python3 -", "p = 'a' + x\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a' if x else y\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nprint((p := '/etc/x'))\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nfrom x import p\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nglobal p\nopen(p, 'w')", "?"},
		{"python3 -", "p = 'a'\nopen(p + x, 'w')", "?"},
		{"python3 -", "for f in ['a', b]:\n    open(f, 'w')", "?"},
		{"node -", "let f = 'a';\nf = g();\nfs.writeFileSync(f, '')", "?"},
		{"node -", "let f = 'a';\n({f} = {f: '/etc/x'});\nfs.writeFileSync(f, '')", "?"},
		{"node -", "const f = 'a';\nfunction g(f) { fs.writeFileSync(f, '') }\ng('/etc/x')", "?"},
		{"node -", "const f = 'a';\nx.map((f) => fs.writeFileSync(f, ''))", "?"},
		{"node -", "const f = 'a';\nx.map(f => fs.writeFileSync(f, ''))", "?"},
		{"node -", "const f = 'a';\nx({ m(f) { fs.writeFileSync(f, '') } })", "?"},
		{"node -", "const f = 'a';\ntry { g() } catch (f) { fs.writeFileSync(f, '') }", "?"},
	}
	for _, test := range tests {
		a, err := shell.Analyze(test.program+" <<'EOF'\n"+test.code+"\nEOF\n", shell.Place{Dir: "/w", Home: "/home/dev"})
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		seen := map[string]bool{}
		for _, p := range a.Commands[0].Paths {
			if p.Access == shell.Write && !seen[p.Raw] {
				seen[p.Raw] = true
				files = append(files, p.Raw)
			}
		}
		got := strings.Join(files, " ")
		if len(a.Commands[0].Opaque) > 0 {
			got = "?"
		}
		if got != test.writes {
			t.Errorf("%s:\n%s\nwrites %q, want %q (%v)", test.program, test.code, got, test.writes, a.Commands[0].Opaque)
		}
	}
}

// TestConstantCommands: what a program runs by a name is followed.
func TestConstantCommands(t *testing.T) {
	for code, want := range map[string]shell.Risk{
		"import os\ncmd = 'rm -rf /'\nos.system(cmd)":             shell.Blocked,
		"import os\ncmd = 'ls'\nos.system(cmd)":                   shell.Moderate,
		"import os\nfor c in ['ls', 'rm -rf /']:\n  os.system(c)": shell.Blocked,
	} {
		a, err := shell.Analyze("python3 - <<'EOF'\n"+code+"\nEOF\n", shell.Place{Dir: "/w", Home: "/home/dev"})
		if err != nil || a.Risk > want {
			t.Errorf("%s: %v, %v", code, a.Risk, err)
		}
	}
}
