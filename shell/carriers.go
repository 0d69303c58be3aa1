package shell

import (
	"strings"
	"unicode"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// Programs that run commands which stand in a text of their own making: the
// commands of a debugger or an editor, a table of planned tasks, keys that are
// typed into a terminal.

// program is a text that tells a program what to do, in whatever language.
func (v *visit) program(k table.Kind, keys *table.KeyTable, a Arg) {
	switch k {
	case table.KindLines:
		v.lines(keys, a)
	case table.KindEx:
		v.lines(&table.KeysEx, a)
	case table.KindAddress:
		v.address(keys, a)
	case table.KindCrontab:
		v.crontab(a)
	case table.KindSelf:
		v.inside(a, v.r.name+" "+a.Text)
	case table.KindTyped:
		v.inside(a, strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\015`, "\n", "^M", "\n", "^J", "\n", "\r", "\n").Replace(a.Text))
	case table.KindFormat:
		v.format(a)
	default:
		v.code(k, a)
	}
}

// inside runs a part of an argument as a script.
func (v *visit) inside(a Arg, text string) {
	if text = strings.TrimSpace(text); text != "" {
		v.shell(Arg{Text: text, Unknown: a.Unknown && strings.Contains(text, "$"), Span: a.Span, from: a.from})
	}
}

// lines reads a program of one command a line. The names of the keys are how a
// command starts; behind a star, where in the line it may stand. What follows is
// of the kind that the first of them says.
func (v *visit) lines(keys *table.KeyTable, a Arg) {
	for _, line := range strings.Split(a.Text, "\n") {
		for line != "" {
			line = v.oneLine(keys, a, line)
		}
	}
}

// oneLine applies the first of the keys that a line has, and returns what is
// left behind a bracket that it opens.
func (v *visit) oneLine(keys *table.KeyTable, a Arg, line string) string {
	for i := range keys.All() {
		e := &keys.All()[i]
		name, text, ok := startOf(e, line)
		if !ok {
			continue
		}
		if e.Do != nil {
			v.apply(e.Do)
		}
		after := ""
		if open := strings.IndexAny(name, "({["); open >= 0 {
			text, after = upToClose(text, name[open])
		}
		if text = quotedText(strings.TrimSpace(text)); e.Kind != table.KindNone && text != "" {
			v.value(e.Kind, e.Keys, Arg{Text: text, Unknown: a.Unknown && strings.Contains(text, "$"), Span: a.Span, from: a.from}, false)
		}
		return after
	}
	return ""
}

// upToClose splits a text behind an open bracket at the one that closes it.
func upToClose(s string, open byte) (inside, after string) {
	closing := ")}]"[strings.IndexByte("({[", open)]
	for i, depth := 0, 1; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case closing:
			depth--
		}
		if depth == 0 {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// startOf returns which of the names a line has, and what stands behind it. A
// bare star is any line.
func startOf(e *table.Flag, line string) (name, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t:")
	for _, name := range e.Names {
		anywhere, star := strings.CutPrefix(name, "*")
		if !star {
			if rest, found := strings.CutPrefix(line, name); found && !joins(name, rest) {
				return name, rest, true
			}
			continue
		}
		if anywhere == "" {
			return name, line, line != ""
		}
		for from := 0; ; {
			at := strings.Index(line[from:], anywhere)
			if at < 0 {
				break
			}
			at += from
			from = at + len(anywhere)
			if rest := line[from:]; !joins(anywhere, rest) && !(isLetter(anywhere[0]) && at > 0 && isLetter(line[at-1])) {
				return name, rest, true
			}
		}
	}
	return "", "", false
}

// joins reports whether a name goes on in what follows it.
func joins(name, rest string) bool {
	return rest != "" && isLetter(name[len(name)-1]) && (isLetter(rest[0]) || rest[0] == '_' || rest[0] == '-')
}

func isLetter(c byte) bool { return c < unicode.MaxASCII && unicode.IsLetter(rune(c)) }

// quotedText takes away the quotes around a whole text.
func quotedText(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// address is one end of a connection: TYPE:VALUE,OPTION… Types have no case.
func (v *visit) address(keys *table.KeyTable, a Arg) {
	for _, end := range strings.Split(a.Text, "!!") { // one for each direction
		name, value, ok := strings.Cut(end, ":")
		if !ok {
			continue
		}
		if i := outsideQuotes(value, ','); i >= 0 {
			value = value[:i]
		}
		a.Text = quotedText(strings.ReplaceAll(value, `\`, ""))
		f := v.below()
		f.connected = true
		v.w.setting(v.st, f, v.c, keys, strings.ToUpper(strings.TrimSpace(name)), a)
	}
}

// outsideQuotes is where a character stands outside quotes, or -1.
func outsideQuotes(s string, c byte) int {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case s[i] == '"' || s[i] == '\'':
			quote = s[i]
		case s[i] == c:
			return i
		}
	}
	return -1
}

// crontab is a table of planned tasks: the time in five fields or a word with
// @, then the command, up to a percent sign.
func (v *visit) crontab(a Arg) {
	for _, line := range strings.Split(a.Text, "\n") {
		line = strings.TrimSpace(line)
		fields := 5
		if strings.HasPrefix(line, "@") {
			fields = 1
		}
		name, _, set := strings.Cut(line, "=")
		if line == "" || line[0] == '#' || set && isName(strings.TrimSpace(name)) {
			continue
		}
		for ; fields > 0 && line != ""; fields-- {
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			line = strings.TrimLeft(line[end:], " \t")
		}
		command := strings.ReplaceAll(line, `\%`, "\x00")
		command, _, _ = strings.Cut(command, "%") // what follows is its input
		v.inside(a, strings.ReplaceAll(command, "\x00", "%"))
	}
}

// format is a text with commands in it: #(cmd).
func (v *visit) format(a Arg) {
	v.text(a)
	for rest := a.Text; ; {
		_, inner, ok := strings.Cut(rest, "#(")
		if !ok {
			return
		}
		inner, rest = upToClose(inner, '(')
		v.inside(a, inner)
	}
}

// reads is what the table says about the standard input, if it is more than
// data.
func (v *visit) reads() *table.Slot {
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil && do.Stdin != nil {
			return do.Stdin
		}
	}
	t := v.r.tool()
	for i := v.r.nextHeld(0); i >= 0; i = v.r.nextHeld(i + 1) {
		if w := &t.Whens[i]; w.Do.Stdin != nil {
			return w.Do.Stdin
		}
	}
	return t.Do.Stdin
}

// typed notes that whoever types into the terminal of the program can run others: it
// is made for that, or takes commands from standard input, and nothing else is there.
func (v *visit) typed() {
	is := v.traits()
	if v.r.inner || v.insteads() || is&table.IsBatch != 0 {
		return
	}
	in := v.reads()
	takes := v.f.stdin == nil && in != nil && in.Kind != table.KindPatch && in.Kind != table.KindCrontab
	given := func(kind table.Kind) { takes = takes && kind != in.Kind && kind != table.KindScript } // then it does that
	for i := range v.r.flags {
		given(v.r.flags[i].flag.Kind)
	}
	for i := range v.r.args {
		given(v.r.slotAt(i))
	}
	v.c.Typed = v.c.Typed || is&table.IsTyped != 0 || takes
}

// input follows what the program reads on its standard input and takes for
// commands.
func (v *visit) input() {
	if v.f.stdin == nil || v.f.stdin.kind == streamEmpty || v.r.inner {
		return
	}
	in := v.reads()
	if in == nil || v.insteads() {
		return
	}
	stdin := *v.f.stdin
	if in.Kind == table.KindPatch {
		v.patchInput(stdin)
		return
	}
	if stdin.kind != streamText && in.Kind == table.KindShell {
		v.c.Effects |= Executes
		v.c.foreign(stdin)
	}
	switch {
	case stdin.text != "" && in.Kind == table.KindShell:
		f, st := v.below(), v.st.child()
		f.stdin = nil
		v.leave(st)
		v.c.Effects |= Executes
		v.w.script(st, f, stdin.text, v.c.Span, true)
	case stdin.text != "":
		v.value(in.Kind, in.Keys, Arg{Text: stdin.text, Span: v.c.Span}, false)
	case stdin.kind >= streamNetwork && !stdin.unpacked: // statements that somebody else has written
		v.c.Runs = max(v.c.Runs, stdin.kind.origin())
		v.c.doubt(Moderate, stdin.source())
	}
}

// givenProgram runs the program that an option names, with the operands as its
// arguments; behind a bare --, a shell.
func (v *visit) givenProgram() {
	program := Arg{Text: "sh"}
	found := v.r.has("--")
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.flag.Kind == table.KindScript && g.hasValue {
			program, found = g.value, true
		}
	}
	words := v.r.args
	for _, s := range v.r.shape() { // those in front are not for the program
		if !s.Repeat && len(words) > 0 {
			words = words[1:]
		}
	}
	if found {
		v.wrapped(append([]Arg{program}, words...))
	}
}

// chained cuts the words of a command at the first ";" that starts another one
// of the same program.
func chained(args []Arg) (first, rest []Arg) {
	for i := 1; i < len(args); i++ {
		text, ends := strings.CutSuffix(args[i].Text, ";")
		if !ends || strings.HasSuffix(text, `\`) {
			continue
		}
		first = args[:i:i]
		if text != "" {
			last := args[i]
			last.Text = text
			first = append(first, last)
		}
		if i+1 == len(args) {
			return first, nil
		}
		return first, append([]Arg{args[0]}, args[i+1:]...)
	}
	return args, nil
}

// transport is the command of a git repository that is reached through one:
// ext::CMD. A percent sign stands in front of what git fills in.
func (v *visit) transport(a Arg) bool {
	command, ok := strings.CutPrefix(a.Text, "ext::")
	if ok {
		v.inside(a, strings.NewReplacer("% ", " ", "%%", "%", "%s", "git-upload-pack", "%S", "upload-pack").Replace(strings.TrimSuffix(command, "%")))
	}
	return ok
}
