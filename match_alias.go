package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// subNames are the other names that programs have for one of their
// sub-commands, so that a rule for one name is a rule for all of them. Only what
// means exactly the same stands here: a rule may allow. Each of the others stands
// between blanks.
var subNames = [...]struct{ program, name, others string }{
	{"npm", "install", " i in ins inst insta instal isnt isnta isntal isntall add "},
	{"npm", "test", " t tst "},
	{"npm", "run", " run-script rum urn "},
	{"npm", "uninstall", " un unlink remove rm r "},
	{"npm", "update", " up upgrade udpate "},
	{"npm", "exec", " x "},
	{"npm", "link", " ln "},
	{"npm", "list", " ls la ll "},
	{"npm", "init", " innit create "},
	{"npm", "config", " c "},
	{"npm", "ci", " clean-install ic install-clean isntall-clean "},
	{"npm", "install-test", " it "},
	{"npm", "view", " v info show "},
	{"npm", "search", " s "},
	{"pnpm", "install", " i "},
	{"pnpm", "remove", " rm un uninstall "},
	{"pnpm", "update", " up upgrade "},
	{"pnpm", "test", " t tst "},
	{"pnpm", "run", " run-script "},
	{"pnpm", "list", " ls "},
	{"bun", "install", " i "},
	{"bun", "add", " a "},
	{"bun", "remove", " rm "},
	{"bun", "create", " c "},
	{"cargo", "build", " b "},
	{"cargo", "check", " c "},
	{"cargo", "doc", " d "},
	{"cargo", "run", " r "},
	{"cargo", "test", " t "},
	{"cargo", "remove", " rm "},
	{"rails", "generate", " g "},
	{"rails", "destroy", " d "},
	{"rails", "console", " c "},
	{"rails", "server", " s "},
	{"rails", "test", " t "},
	{"rails", "runner", " r "},
	{"rails", "dbconsole", " db "},
	{"composer", "install", " i "},
	{"composer", "update", " u upgrade "},
	{"composer", "require", " r "},
	{"composer", "remove", " rm uninstall "},
	{"helm", "list", " ls "},
	{"helm", "uninstall", " del delete un "},
	{"brew", "uninstall", " rm remove "},
	{"brew", "list", " ls "},
	{"svn", "commit", " ci "},
	{"svn", "checkout", " co "},
	{"svn", "update", " up "},
	{"svn", "status", " st "},
	{"svn", "diff", " di "},
	{"svn", "delete", " del rm remove "},
	{"svn", "move", " mv ren rename "},
	{"svn", "switch", " sw "},
	{"hg", "commit", " ci "},
	{"hg", "update", " co up checkout "},
	{"hg", "status", " st "},
}

// subName is the first name of a sub-command.
func subName(program, sub string) string {
	if sub == "" || strings.Contains(sub, " ") {
		return sub
	}
	for i := range subNames {
		if n := &subNames[i]; n.program == program && strings.Contains(n.others, " "+sub+" ") {
			return n.name
		}
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
	name := subName(programName(c.Args[0].Text), args[0].Text)
	if name == args[0].Text {
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
