package preset

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// denyPattern denies tools that are switched off, and commands that are blocked.
func (k *kosmo) denyPattern() sayso.Stage {
	return sayso.Func("deny_pattern", func(c *sayso.Case) sayso.Verdict {
		if k.denied[c.Tool()] {
			return sayso.Decide(sayso.Deny, "kosmokrator.denied_tool", "the tool "+shell.Shown(c.Tool())+" is disabled in project configuration (denied_tools)")
		}
		if !kosmoShell(c) {
			return sayso.Pass()
		}
		for i := range k.commands {
			if b := &k.commands[i]; b.matches(c) {
				return sayso.Decide(sayso.Deny, "kosmokrator.blocked_command", fmt.Sprintf("Command matches blocked pattern '%s'", b.text))
			}
		}
		return sayso.Pass()
	})
}

// A kosmoCommand is a pattern for commands, of two kinds at once: for the text,
// and for what a command is when its options are taken out of it.
type kosmoCommand struct {
	text    string
	glob    wildcard   // for the text, with single blanks
	name    wildcard   // the program, without its folder
	options []wildcard // those that must be given, in any order and spelling
	rest    wildcard   // the other words
}

func compileKosmoCommand(text string) kosmoCommand {
	words := strings.Fields(text)
	b := kosmoCommand{text: text, glob: compileWildcard(strings.Join(words, " "))}
	if len(words) == 0 {
		return b
	}
	b.name = compileWildcard(words[0][strings.LastIndexByte(words[0], '/')+1:])
	var rest []string
	for _, w := range words[1:] {
		if len(w) > 1 && w[0] == '-' {
			b.options = append(b.options, compileWildcard(w))
		} else {
			rest = append(rest, w)
		}
	}
	all := strings.Join(rest, " ")
	if strings.HasSuffix(text, "*") && !strings.HasSuffix(all, "*") {
		all += "*" // it goes on behind the name or the option
	}
	b.rest = compileWildcard(all)
	return b
}

// matches reports whether a command line, or any part of it, is meant.
func (b *kosmoCommand) matches(c *sayso.Case) bool {
	for i, line := range c.Facts.Lines {
		if b.glob.match(singleBlanks(line)) {
			return true
		}
		if i < len(c.Facts.Shell) && c.Facts.Shell[i].Opaque != "" && b.matchesPiece(line) {
			return true
		}
	}
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if b.glob.match(singleBlanks(p.Text)) || p.Command != nil && b.matchesCommand(c, p.Command) {
			return true
		}
	}
	return false
}

// matchesPiece looks at a text that is not read as a whole: a shell may still run
// what stands before the mistake.
func (b *kosmoCommand) matchesPiece(line string) bool {
	for piece := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|\n\r(){}`", r) }) {
		if b.glob.match(singleBlanks(piece)) {
			return true
		}
	}
	return false
}

func singleBlanks(text string) string { return strings.Join(strings.Fields(text), " ") }

// matchesCommand looks at a command after its quotes are removed.
func (b *kosmoCommand) matchesCommand(c *sayso.Case, cmd *shell.Command) bool {
	if len(cmd.Args) == 0 {
		return false
	}
	name := cmd.Args[0].Text[strings.LastIndexByte(cmd.Args[0].Text, '/')+1:]
	argv := []string{name}
	for _, a := range cmd.Args[1:] {
		argv = append(argv, a.Text)
	}
	if b.glob.match(singleBlanks(strings.Join(argv, " "))) {
		return true
	}
	if !b.name.match(name) {
		return false
	}
	words := kosmoWordsOf(cmd)
	if !words.gives(b.options) {
		return false
	}
	for _, spelled := range kosmoSpell(c, cmd, words.operands) {
		for _, text := range kosmoOrders(cmd, words.subs, spelled) {
			if b.rest.match(text) {
				return true
			}
		}
	}
	return false
}

// kosmoWords are the words of a command, sorted.
type kosmoWords struct {
	subs     []string
	options  []shell.Option
	operands []string
}

// kosmoWordsOf sorts the words of a command. Where no table knows the program,
// what begins with a dash is an option.
func kosmoWordsOf(cmd *shell.Command) kosmoWords {
	w := cmd.Words()
	out := kosmoWords{subs: w.Subs, options: w.Options}
	for _, a := range w.Operands {
		if !w.Known && len(a.Text) > 1 && a.Text[0] == '-' {
			out.options = append(out.options, shell.Option{Names: []string{a.Text}})
			continue
		}
		out.operands = append(out.operands, a.Text)
	}
	return out
}

// gives reports whether all of the options are given.
func (w *kosmoWords) gives(options []wildcard) bool {
	for _, o := range options {
		if !w.has(o) && !w.hasLetters(string(o)) {
			return false
		}
	}
	return true
}

func (w *kosmoWords) has(option wildcard) bool {
	for i := range w.options {
		given := &w.options[i]
		for _, name := range given.Names {
			if option.match(name) || given.Has && (option.match(name+"="+given.Value) || option.match(name+given.Value)) {
				return true
			}
		}
	}
	return false
}

// hasLetters looks for -rf as -r and -f, and in an option that nobody has taken
// apart.
func (w *kosmoWords) hasLetters(option string) bool {
	if strings.HasPrefix(option, "--") || strings.ContainsAny(option, "*?=") {
		return false
	}
	for _, letter := range option[1:] {
		if !w.has(wildcard{'-', letter}) && !w.bundled(letter) {
			return false
		}
	}
	return true
}

func (w *kosmoWords) bundled(letter rune) bool {
	for i := range w.options {
		name := w.options[i].Names[0]
		if len(w.options[i].Names) == 1 && len(name) > 2 && name[1] != '-' && strings.ContainsRune(name[1:], letter) {
			return true
		}
	}
	return false
}

// kosmoSpell returns the operands in each way in which they may be written: as
// they are, with paths clean, absolute, from where the command runs, below ~, and
// a folder for all that is in it.
func kosmoSpell(c *sayso.Case, cmd *shell.Command, operands []string) [][]string {
	abs := map[string]string{}
	for _, p := range cmd.Paths {
		if p.Abs != "" {
			abs[p.Raw] = p.Abs
		}
	}
	ways := []func(text, name string) string{
		func(text, _ string) string { return text },
		func(text, _ string) string { return cleanAbs(text) },
		func(_, name string) string { return name },
		func(_, name string) string { return kosmoFrom(cmd.Dir, name) },
		func(_, name string) string { return kosmoTilde(c.Call.Home, name) },
		func(text, _ string) string { return kosmoFolder(text) },
		func(_, name string) string { return kosmoFolder(name) },
	}
	var out [][]string
	for i, spell := range ways {
		one := make([]string, len(operands))
		for j, text := range operands {
			name, ok := abs[text]
			if !ok {
				name = text
			}
			one[j] = spell(text, name)
		}
		if i == 0 || !slices.Equal(one, operands) {
			out = append(out, one)
		}
	}
	return out
}

// cleanAbs cleans an absolute path and leaves other words as they are.
func cleanAbs(text string) string {
	if strings.HasPrefix(text, "/") {
		return path.Clean(text)
	}
	return text
}

// kosmoFrom is a path as seen from a folder.
func kosmoFrom(folder, name string) string {
	if rest, ok := kosmoBelow(name, folder); ok && folder != "" {
		return rest
	}
	return name
}

func kosmoTilde(home, name string) string {
	if home == "" {
		return name
	}
	if name == path.Clean(home) {
		return "~"
	}
	if rest, ok := kosmoBelow(name, home); ok {
		return "~/" + rest
	}
	return name
}

// kosmoFolder is the folder of which a name means all that is in it: / for /*.
func kosmoFolder(name string) string {
	folder, ok := strings.CutSuffix(name, "/*")
	if ok && folder == "" {
		return "/"
	}
	return folder
}

// maxReordered is how many operands are tried in another order; more than these
// make no command that anybody would write.
const maxReordered = 64

// kosmoOrders returns the words behind the name: as given, with each setting
// (if=/dev/zero) in front, and, for a command that deletes several files, each of
// them alone.
func kosmoOrders(cmd *shell.Command, subs, operands []string) []string {
	all := append(append([]string{}, subs...), operands...)
	out := []string{strings.Join(all, " ")}
	if len(operands) < 2 {
		return out
	}
	for i, text := range operands[:min(len(operands), maxReordered)] {
		if strings.Contains(text, "=") && i > 0 {
			moved := append(append([]string{}, subs...), text)
			moved = append(append(moved, operands[:i]...), operands[i+1:]...)
			out = append(out, strings.Join(moved, " "))
		}
	}
	if cmd.Effects.Has(shell.Deletes) {
		for _, text := range operands {
			out = append(out, strings.Join(append(append([]string{}, subs...), text), " "))
		}
	}
	return out
}
