package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// subNames are the other names that programs have for one of their
// sub-commands, so that a rule for one name is a rule for all of them. Only what
// means exactly the same stands here: a rule may allow.
var subNames = map[string]map[string]string{
	"npm": {
		"i": "install", "in": "install", "ins": "install", "inst": "install", "insta": "install", "instal": "install", "isnt": "install", "isnta": "install",
		"isntal": "install", "isntall": "install", "add": "install", "t": "test", "tst": "test", "run-script": "run", "rum": "run", "urn": "run",
		"un": "uninstall", "unlink": "uninstall", "remove": "uninstall", "rm": "uninstall", "r": "uninstall", "up": "update", "upgrade": "update",
		"udpate": "update", "x": "exec", "ln": "link", "ls": "list", "la": "list", "ll": "list", "innit": "init", "create": "init", "c": "config",
		"clean-install": "ci", "ic": "ci", "install-clean": "ci", "isntall-clean": "ci", "it": "install-test", "v": "view", "info": "view", "show": "view", "s": "search",
	},
	"pnpm":     {"i": "install", "rm": "remove", "un": "remove", "uninstall": "remove", "up": "update", "upgrade": "update", "t": "test", "tst": "test", "run-script": "run", "ls": "list"},
	"bun":      {"i": "install", "a": "add", "rm": "remove", "c": "create"},
	"cargo":    {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test", "rm": "remove"},
	"rails":    {"g": "generate", "d": "destroy", "c": "console", "s": "server", "t": "test", "r": "runner", "db": "dbconsole"},
	"composer": {"i": "install", "u": "update", "upgrade": "update", "r": "require", "rm": "remove", "uninstall": "remove"},
	"helm":     {"ls": "list", "del": "uninstall", "delete": "uninstall", "un": "uninstall"},
	"brew":     {"rm": "uninstall", "remove": "uninstall", "ls": "list"},
	"svn":      {"ci": "commit", "co": "checkout", "up": "update", "st": "status", "di": "diff", "del": "delete", "rm": "delete", "remove": "delete", "mv": "move", "ren": "move", "rename": "move", "sw": "switch"},
	"hg":       {"ci": "commit", "co": "update", "up": "update", "checkout": "update", "st": "status"},
}

// subName is the first name of a sub-command.
func subName(program, sub string) string {
	if name, ok := subNames[program][sub]; ok {
		return name
	}
	return sub
}

// plainWords are the words behind the name of a command, with the first name of
// its sub-command.
func plainWords(c *shell.Command) []shell.Arg {
	args := c.Args[1:]
	if len(args) == 0 || args[0].Unknown || len(args[0].Text) > 16 {
		return args
	}
	name, ok := subNames[programName(c.Args[0].Text)][args[0].Text]
	if !ok {
		return args
	}
	out := append([]shell.Arg{}, args...)
	out[0].Text = name
	return out
}

// programName is the name of a program without its folder and without the ending
// that Windows has for programs.
func programName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = strings.ToLower(name[:len(name)-4])
	}
	return name
}
