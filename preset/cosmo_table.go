package preset

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A cosmoRow gives commands their level. A command is written as its name, its
// sub-commands and the options that it must have; | stands between words of
// which one is enough.
type cosmoRow struct {
	level    shell.Risk
	why      string
	effect   shell.Effects // that it must have as well; 0: none
	commands []string
}

// cosmoTable is the document's lists; the first row that fits counts.
var cosmoTable = []cosmoRow{
	{shell.Blocked, "destructive system command", 0, []string{"mkfs", "mkfs.*", "fdisk", "dd", "shutdown", "reboot", "halt"}},

	{shell.Dangerous, "privilege escalation", 0, []string{"sudo", "su"}},
	{shell.Dangerous, "permissions", 0, []string{"chmod", "chown"}},
	{shell.Dangerous, "global install", 0, []string{
		"npm|pnpm install|i|add|ci -g|--global", "npm|pnpm install|i|add --location", "pip|pip3 install --user",
	}},
	{shell.Dangerous, "force operation", shell.Irreversible, []string{"git push"}},
	{shell.Dangerous, "force operation", 0, []string{"git checkout --force", "git add --force"}},
	{shell.Dangerous, "system package manager", 0, []string{"brew install"}},

	{shell.Safe, "file inspection", 0, []string{"ls", "cat", "head", "tail", "wc", "tree", "file", "stat"}},
	{shell.Safe, "search", 0, []string{"grep", "rg", "find", "ag"}},
	{shell.Safe, "git read", 0, []string{"git status|log|diff|branch|blame"}},
	{shell.Safe, "gh read", 0, []string{"gh pr list", "gh issue view", "gh run list"}},
	{shell.Safe, "package manager read", 0, []string{"npm list|ls|outdated|audit"}},
	{shell.Safe, "system info", 0, []string{"pwd", "whoami", "date", "uname", "which", "env"}},

	{shell.Moderate, "git write", 0, []string{"git add|commit|push|checkout"}},
	{shell.Moderate, "package manager", 0, []string{
		"npm|pnpm install|i|add|ci|run|run-script|build|test|t|start",
	}},
	{shell.Moderate, "file operation inside the workspace", 0, []string{"mkdir", "touch", "cp", "mv", "rm", "ln", "rsync"}},
}

// cosmoSandboxed are the commands whose path arguments all have to be in the
// workspace, sources too.
var cosmoSandboxed = []string{"rm", "cp", "mv", "mkdir", "touch", "ln", "rsync"}

// cosmoScripts run a script that is their first operand.
var cosmoScripts = []string{"node", "python", "python2", "python3"}

// cosmoVerbose are commands for which -v is no question about the version.
var cosmoVerbose = []string{"chmod", "chown", "cat", "ls", "grep", "rg", "ag", "env", "sudo", "su", "bash", "sh", "pip", "tar"}

// cosmoProtected are folders in which nothing is changed.
var cosmoProtected = []string{"/usr", "/etc", "/System", "/var", "/bin", "/sbin", "/private/etc", "/private/var"}

// cosmoSecret are folders of the home in which nothing is even read.
var cosmoSecret = []string{".ssh", ".gnupg", ".aws"}

// cosmoRowFor returns the row for a command, or nil.
func cosmoRowFor(w *shell.Words, does shell.Effects) *cosmoRow {
	words := append([]string{w.Name}, w.Subs...)
	for i := range w.Operands {
		words = append(words, w.Operands[i].Text)
	}
	for i := range cosmoTable {
		row := &cosmoTable[i]
		if does&row.effect == row.effect && slices.ContainsFunc(row.commands, func(text string) bool { return cosmoFits(text, words, w.Options) }) {
			return row
		}
	}
	return nil
}

// cosmoFits reports whether a command, by its words and options, is the one that a
// row writes as text.
func cosmoFits(text string, words []string, options []shell.Option) bool {
	for want := range strings.FieldsSeq(text) {
		if want[0] == '-' {
			if !slices.ContainsFunc(options, func(o shell.Option) bool { return cosmoOption(want, &o) }) {
				return false
			}
			continue
		}
		if len(words) == 0 || !cosmoWord(want, words[0]) {
			return false
		}
		words = words[1:]
	}
	return true
}

func cosmoOption(want string, o *shell.Option) bool {
	for spelling := range strings.SplitSeq(want, "|") {
		if o.Is(spelling) {
			return true
		}
	}
	return false
}

func cosmoWord(want, word string) bool {
	for one := range strings.SplitSeq(want, "|") {
		if stem, ok := strings.CutSuffix(one, "*"); one == word || ok && strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}
