package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// homes are the ways in which programs ask for the home folder, without blanks.
var homes = [...]string{
	`os.Getenv("HOME")`, `os.ExpandEnv("$HOME")`,
	`os.environ["HOME"]`, `os.environ.get("HOME")`, `os.getenv("HOME")`, `os.path.expanduser("~")`, `Path.home()`, `pathlib.Path.home()`, `Path("~").expanduser()`,
	`process.env.HOME`, `process.env["HOME"]`, `os.homedir()`, `homedir()`, `require("os").homedir()`, `require("node:os").homedir()`,
	`Dir.home`, `Dir.home()`, `ENV["HOME"]`, `ENV.fetch("HOME")`, `$ENV{HOME}`, `getenv("HOME")`, `$_SERVER["HOME"]`, `$HOME`,
	`env::var("HOME").unwrap()`, `std::env::var("HOME").unwrap()`, `dirs::home_dir().unwrap()`, `System.getProperty("user.home")`, `System.getenv("HOME")`,
}

// home reports whether the first of the arguments that were just read, as they
// stand in the program, is the home folder.
func (s *codeScanner) home(arguments string) bool {
	text := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n':
			return -1
		case '\'', '`':
			return '"'
		}
		return r
	}, arguments)
	text = strings.TrimPrefix(text, "(")
	for _, h := range homes {
		if rest, ok := strings.CutPrefix(text, h); ok && (rest == "" || rest[0] == ')' || rest[0] == ',' || rest[0] == ';') {
			return true
		}
	}
	return false
}

// joined reports whether what stands between two literals makes one of them.
func (s *codeScanner) joined(between string) bool {
	between = strings.TrimSpace(between)
	switch s.kind {
	case table.KindPython, table.KindRuby:
		return between == "" || between == "+" || between == `\`
	case table.KindPerl, table.KindPHP:
		return between == "."
	case table.KindLua:
		return between == ".."
	case table.KindNode, table.KindCompiled, table.KindMongo, table.KindPowerShell, table.KindOtherCode:
		return between == "+"
	}
	return false
}
