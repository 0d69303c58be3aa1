package shell

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// sentence says what the command does, and where its output goes.
func (v *visit) sentence() string {
	s := v.does()
	if v.alters != "" && strings.HasPrefix(s, "Ask ") {
		if s += ", which does more than ask"; !strings.Contains(s, v.alters) {
			s += ": " + short(v.alters)
		}
	}
	if v.c.Effects.Has(Writes) || v.also != "" || len(v.c.Redirects) > 0 { // most sentences are whole
		s += v.optionsWrite(s) + v.also + outputTo(v.c.Redirects, v.c.Paths)
	}
	if v.w.items {
		s = strings.ReplaceAll(s, unknownItem.Text, "the item")
	}
	return s
}

// optionsWrite names the files that options write, unless the sentence does.
func (v *visit) optionsWrite(s string) string {
	if !v.c.Effects.Has(Writes) || v.r.help {
		return ""
	}
	more := ""
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.flag.Kind != table.KindWrite || strings.Contains(s, short(g.value.Text)) {
			continue
		}
		for _, p := range v.c.Paths { // not /dev/null and the like
			if p.Access == Write && p.Raw == g.value.Text && !strings.Contains(more, p.Raw) {
				more += ", writing to " + short(p.Raw)
				break
			}
		}
	}
	return more
}

// outputTo names the files that redirections write.
func outputTo(redirects []Redirect, paths []Path) string {
	for _, r := range redirects {
		if host := socketOf(r.Target); host != "" {
			return connectedTo(r.Op, host)
		}
		if r.Op != ">" && r.Op != ">>" && r.Op != "&>" && r.Op != "&>>" && r.Op != ">|" {
			continue
		}
		for _, p := range paths { // not /dev/null and the like
			if p.Access == Write && p.Raw == r.Target.Text {
				if strings.HasSuffix(r.Op, ">>") {
					return ", adding the output to " + short(p.Raw)
				}
				return ", writing the output to " + short(p.Raw)
			}
		}
	}
	return ""
}

// connectedTo names the host that a redirection connects to: > /dev/tcp/HOST/PORT.
func connectedTo(op, host string) string {
	switch op {
	case "<":
		return ", reading what " + short(host) + " sends"
	case "<>":
		return ", connected to " + short(host)
	}
	return ", sending the output to " + short(host)
}

// does fills the first template whose placeholders all have a value.
func (v *visit) does() string {
	if v.plain != "" && !v.r.inner {
		return v.plain
	}
	for _, s := range v.says {
		if text, ok := v.fill(s); ok {
			return text
		}
	}
	if len(v.says) > 0 && v.insteads() { // what the command does otherwise would be wrong
		return v.unfilled(v.says[0])
	}
	for i := len(v.r.chain) - 1; i >= 0; i-- {
		for _, s := range v.r.chain[i].Says {
			if text, ok := v.fill(s); ok {
				return text
			}
		}
	}
	return "Run command: " + short(joinArgs(v.c.Args))
}

func (v *visit) fill(template string) (string, bool) {
	open := strings.IndexByte(template, '{')
	if open < 0 {
		return v.withOperands(template), true
	}
	out := v.w.text[:0]
	for open >= 0 {
		out = append(out, template[:open]...)
		length := strings.IndexByte(template[open:], '}')
		filled := len(out)
		if out = v.placeholder(out, template[open+1:open+length]); len(out) == filled {
			v.w.text = out
			return "", false
		}
		template = template[open+length+1:]
		open = strings.IndexByte(template, '{')
	}
	v.w.text = append(out, template...)
	return string(v.w.text), true
}

// withOperands adds the operands to a sentence that names none of them, unless
// one of them chooses what the program does, so that the sentence says it.
func (v *visit) withOperands(s string) string {
	if len(v.r.args) == 0 || v.r.inner || v.r.help || v.traits()&(table.IsWrapper|table.IsInterpreter|table.IsShell) != 0 || v.r.tool().Chooses() {
		return s
	}
	if v.r.args[0].Text == "-" || v.r.args[0].item {
		return s
	}
	out := append(append(v.w.text[:0], s...), ": "...)
	v.w.text = v.listed(out, 0, len(v.r.args))
	return string(v.w.text)
}

// unfilled is a sentence without the operands that it wants to name.
func (v *visit) unfilled(s string) string {
	if at := strings.LastIndex(s, ": {"); at > 0 {
		s = s[:at]
	}
	for {
		if text, ok := v.fill(s); ok {
			return text
		}
		start := strings.LastIndexByte(s, '{')
		_, after, _ := strings.Cut(s[start:], "}")
		s = s[:start] + "…" + after
	}
}

// placeholder appends what stands for a placeholder, if there is something.
func (v *visit) placeholder(out []byte, name string) []byte {
	args := v.r.args
	switch name {
	case "args":
		return v.listed(out, 0, len(args))
	case "words":
		return append(out, short(joinArgs(args))...)
	case "plain":
		return v.plainWords(out)
	case "subs":
		return append(out, short(joinArgs(v.r.subs))...)
	case "arg1", "arg2", "arg3":
		if i := int(name[3] - '1'); i < len(args) {
			return append(out, v.shown(i)...)
		}
	case "last":
		if len(args) > 0 {
			return append(out, v.shown(len(args)-1)...)
		}
	case "init":
		if len(args) > 1 {
			return v.listed(out, 0, len(args)-1)
		}
	case "rest":
		if len(args) > 1 {
			return v.listed(out, 1, len(args))
		}
	case "cmd":
		return append(out, v.r.name...)
	case "sub":
		if n := len(v.r.subs); n > 0 {
			return append(out, short(v.r.subs[n-1].Text)...)
		}
	case "inner":
		return append(out, v.innerSentence()...)
	default:
		if g := v.r.given(name); g != nil {
			return v.values(out, g)
		}
	}
	return out
}

// values appends the value of an option: the last one, but all of them if they
// are commands, which run one after the other.
func (v *visit) values(out []byte, last *given) []byte {
	k := last.flag.Kind
	if k != table.KindShell && k != table.KindEx && k != table.KindLines && k != table.KindSQL && !k.IsCode() {
		return append(out, short(last.value.Text)...)
	}
	for i := range v.r.flags {
		if g := &v.r.flags[i]; g.flag == last.flag {
			out = append(out, short(g.value.Text)...)
			if g != last {
				out = append(out, ", then "...)
			}
		}
	}
	return out
}

// plainWords appends the operands that are no settings: make CC=clang all.
func (v *visit) plainWords(out []byte) []byte {
	from := len(out)
	for _, a := range v.r.args {
		if isAssignment(a.Text) {
			continue
		}
		if len(out) > from {
			out = append(out, ", "...)
		}
		out = append(out, short(a.Text)...)
	}
	return out
}

// innerSentence joins the sentences of the commands that this one runs.
func (v *visit) innerSentence() string {
	var parts []string
	for i := v.index + 1; i < len(v.w.commands); i++ {
		c := v.w.commands[i]
		if c.Via == v.index && c.Sentence != "" && !c.Nested && (c.Elsewhere || v.traits()&table.IsElsewhere == 0) {
			c.folded = true
			if n := len(parts); n == 0 || parts[n-1] != c.Sentence {
				parts = append(parts, c.Sentence)
			}
		}
	}
	return strings.Join(parts, ", then ")
}

// shown is an argument as a sentence has it.
func (v *visit) shown(i int) string {
	a := v.r.args[i]
	switch {
	case a.proc() != nil:
		return "the output of a command"
	case a.Text == ".":
		if s := slotFor(v.r.shape(), i, len(v.r.args)); s == nil || s.Kind >= table.KindList && s.Kind <= table.KindCd || v.r.chain[0].Use == table.UseFind {
			return "the current folder"
		}
	}
	return short(a.Text)
}

// listed appends operands for a sentence: the first few, and how many more.
func (v *visit) listed(out []byte, from, to int) []byte {
	const most = 4
	for i := from; i < to; i++ {
		if i-from == most && to-from > most+1 {
			out = append(out, " and "...)
			out = strconv.AppendInt(out, int64(to-from-most), 10)
			return append(out, " more"...)
		}
		if i > from {
			out = append(out, ", "...)
		}
		out = append(out, v.shown(i)...)
	}
	return out
}

// short makes text fit for a sentence.
func short(s string) string { return cleaned(s, 80) }

// cleaned is text on one line, of at most so many characters, without anything
// that could change how a terminal or a person reads it.
func cleaned(s string, most int) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			clean = false
			break
		}
	}
	if clean && len(s) <= most {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), most) + len("…"))
	n := 0
	for i, r := range s {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case r >= 0x20 && r < 0x7f:
			b.WriteByte(byte(r))
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError || !unicode.IsPrint(r) || blank(r):
			b.WriteString("\\x" + hex(s[i:]))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// blank reports whether a character that counts as printable shows nothing.
func blank(r rune) bool {
	return r == 0x115f || r == 0x1160 || r == 0x2800 || r == 0x3164 || r == 0xffa0
}

// hex writes the first rune of s as hexadecimal digits.
func hex(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size <= 1 {
		r = rune(s[0])
	}
	const digits = "0123456789abcdef"
	var out []byte
	for r > 0 || len(out) < 2 {
		out = append([]byte{digits[r&15]}, out...)
		r >>= 4
	}
	return string(out)
}

func redirectSentence(c *Command) string {
	for _, p := range c.Paths {
		if p.Access == Write {
			return "Write to " + short(p.Raw)
		}
	}
	for _, p := range c.Paths {
		return "Read " + short(p.Raw)
	}
	return "Redirect input or output"
}

// Shown makes text fit to be shown to a person: on one line, not too long, and
// without anything that could change how a terminal or a reader takes it.
func Shown(text string) string { return short(text) }

// ShownWhole is Shown for text that must not be cut: all of it on one line.
func ShownWhole(s string) string { return cleaned(s, len(s)) }
