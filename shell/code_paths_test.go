package shell_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestPathExpressions: a program that puts the name of a file together changes
// that file; what it cannot be known to be is never silent.
func TestPathExpressions(t *testing.T) {
	tests := []struct {
		program, code string
		changes       string // the files that it writes or deletes; ?: it cannot be known
	}{
		{"python3 -", "from pathlib import Path\nPath('/etc/x').write_text('a')", "/etc/x"},
		{"python3 -", "import pathlib\npathlib.Path('a/b.json').write_bytes(data)", "/w/a/b.json"},
		{"python3 -", "Path('a').unlink()", "/w/a"},
		{"python3 -", "Path('a').rename('b')", "/w/a /w/b"},
		{"python3 -", "Path('a').rename(name)", "/w/a ?"},
		{"python3 -", "Path('a').open('w').write('x')", "/w/a"},
		{"python3 -", "Path('a').open().read()", ""},
		{"python3 -", "Path('a').open(mode='w')", "/w/a"},
		{"python3 -", "t = Path('a').read_text().replace('x', 'y')", ""},
		{"python3 -", "(Path.home() / '.x' / 'y').write_text('')", "/home/dev/.x/y"},
		{"python3 -", "(Path('a') / 'b').touch()", "/w/a/b"},
		{"python3 -", "Path('a', 'b').mkdir()", "/w/a/b"},
		{"python3 -", "Path.home().joinpath('.x', 'y').write_text('')", "/home/dev/.x/y"},
		{"python3 -", "Path('~/.x').expanduser().write_text('')", "/home/dev/.x"},
		{"python3 -", "base = Path.home()\np = base / '.x'\np.write_text('')", "/home/dev/.x"},
		{"python3 -", "base = Path.home()\nbase = Path('.')\n(base / '.x').write_text('')", ""},
		{"python3 -", "open(os.path.expanduser('~/.x'), 'w')", "/home/dev/.x"},
		{"python3 -", "open(os.path.join(os.environ['HOME'], '.x'), 'a')", "/home/dev/.x"},
		{"python3 -", "open(os.path.join('src', 'a.py'), 'w')", "/w/src/a.py"},
		{"python3 -", "open(os.path.join(d, 'a.py'), 'w')", "?"},
		{"python3 -", "open(os.environ.get('HOME') + '/.x', 'w')", "/home/dev/.x"},
		{"python3 -", "open(f\"{os.environ['HOME']}/.x\", 'w')", "/home/dev/.x"},
		{"python3 -", "open(f'{d}/.x', 'w')", "?"},
		{"python3 -", "m = 'w'\nopen('a', m)", "/w/a"},
		{"python3 -", "shutil.copy('x', os.path.join(os.path.expanduser('~'), '.x'))", "/home/dev/.x /w/x"},
		{"python3 -", "os.chdir('/srv')\nopen('x', 'w')", "/srv/x"},
		{"python3 -", "os.remove(os.path.join('.a', 'b'))", "/w/.a/b"},
		{"python3 -", "print('/'.join(['a', 'b']))", ""},
		{"node -", "fs.writeFileSync(`${process.env.HOME}/.x`, '')", "/home/dev/.x"},
		{"node -", "fs.writeFileSync(`${dir}/.x`, '')", "?"},
		{"node -", "fs.writeFileSync(require('os').homedir() + '/.x', '')", "/home/dev/.x"},
		{"node -", "const path = require('path');\nfs.unlinkSync(path.join(process.env.HOME, '.a', 'b'))", "/home/dev/.a/b"},
		{"node -", "process.chdir('/srv'); fs.writeFileSync('x', '')", "/srv/x"},
		{"ruby -", "File.write(File.join(Dir.home, '.x'), '')", "/home/dev/.x"},
		{"ruby -", "Pathname.new('a').write('x')", "/w/a"},
		{"ruby -", "File.write(\"#{Dir.home}/.x\", '')", "/home/dev/.x"},
		{"php", "<?php file_put_contents(getenv('HOME') . '/.x', '');", "/home/dev/.x"},
		{"php", "<?php file_put_contents(\"$dir/.x\", '');", "?"},
		{"lua -", "io.open(os.getenv('HOME') .. '/.x', 'w')", "/home/dev/.x"},
	}
	for _, test := range tests {
		a, err := shell.Analyze(test.program+" <<'EOF'\n"+test.code+"\nEOF\n", shell.Place{Dir: "/w", Home: "/home/dev"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, want := range strings.Fields(test.changes) {
			for _, p := range a.Commands[0].Paths {
				if p.Access > shell.Read && p.Abs == want {
					got = append(got, want)
					break
				}
			}
		}
		if len(a.Commands[0].Opaque) > 0 {
			got = append(got, "?")
		}
		if s := strings.Join(got, " "); s != test.changes {
			t.Errorf("%s: %q changes %q, want %q\n%+v", test.program, test.code, s, test.changes, a.Commands[0].Paths)
		}
	}
}

// TestPathExpressionsEnd: expressions without end are left, not followed.
func TestPathExpressionsEnd(t *testing.T) {
	for _, code := range []string{
		"p = 'a'\nopen(" + strings.Repeat("p + ", 20_000) + "p, 'w')",
		"p = 'aaaaaaaa'\nopen(" + strings.Repeat("p + ", 5_000) + "p, 'w')",
		"open(" + strings.Repeat("(", 20_000) + "'a'" + strings.Repeat(")", 20_000) + ", 'w')",
		"open(" + strings.Repeat("str(", 10_000) + "'a'" + strings.Repeat(")", 10_000) + ", 'w')",
	} {
		a, err := shell.Analyze("python3 - <<'EOF'\n"+code+"\nEOF\n", shell.Place{Dir: "/w", Home: "/home/dev"})
		if err == nil && len(a.Commands) > 0 && len(a.Commands[0].Opaque) == 0 && len(a.Commands[0].Paths) == 0 {
			t.Errorf("%.40s… does nothing", code)
		}
	}
}
