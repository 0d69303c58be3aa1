package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// metaInside finds the client's own commands that need not start a statement:
// mysql runs select 1 \! cmd.
func (v *visit) metaInside(words []string) {
	for i, word := range words {
		if at := strings.IndexByte(word, '\\'); at >= 0 && at+1 < len(word) {
			v.metaCommand(word[at:], words[i+1:])
			return
		}
	}
}

// metaAction finds a command of the client that does more than show something.
// The sqlite3 shell knows its own by their first letters, too.
func metaAction(name string) (full string, kind table.Kind) {
	for _, short := range [...]bool{false, len(name) > 2 && name[0] == '.'} {
		for i := range table.KeysSqlActions.All() {
			e := &table.KeysSqlActions.All()[i]
			for _, known := range e.Names {
				if known == name || short && strings.HasPrefix(known, name) {
					return known, e.Kind
				}
			}
		}
	}
	return name, table.KindNone
}

// metaWords splits the arguments of a command of the client, by quotes, too.
// Options are left out.
func metaWords(text string) []string {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t") {
		end := strings.IndexAny(text, " \t")
		word := text
		if quote := text[0]; quote == '\'' || quote == '"' {
			word, text, _ = strings.Cut(text[1:], text[:1])
		} else if end >= 0 {
			word, text = text[:end], text[end:]
		} else {
			text = ""
		}
		if !strings.HasPrefix(word, "-") {
			words = append(words, word)
		}
	}
	return words
}

// metaCommand is a command of the client itself: .shell, \! …
func (v *visit) metaCommand(name string, rest []string) {
	text := strings.Join(rest, " ")
	if cmd, ok := strings.CutPrefix(name, `\!`); ok {
		name, text = `\!`, cmd+" "+text
	}
	if name != `\!` && name[0] == '\\' {
		v.backQuoted(text)
	}
	name, kind := metaAction(name)
	words := metaWords(text)
	for _, word := range words {
		if cmd, ok := strings.CutPrefix(word, "|"); ok {
			if word == words[len(words)-1] || !strings.Contains(text, "'|") && !strings.Contains(text, `"|`) {
				_, cmd, _ = strings.Cut(strings.Trim(text, `'"`), "|") // the rest of the line
			}
			v.shell(Arg{Text: cmd, Span: v.c.Span})
			v.c.Risk = min(v.c.Risk, Dangerous)
			return
		}
	}
	switch kind {
	case table.KindShell:
		v.shell(Arg{Text: text, Span: v.c.Span})
		v.c.Risk = min(v.c.Risk, Dangerous)
	case table.KindWrite:
		if len(words) > 0 && words[0] != "stdout" && !strings.HasPrefix(words[0], "(") {
			v.sqlFile(words[len(words)-1], Write)
		}
	case table.KindReplace:
		if len(words) > 0 {
			v.sqlFile(words[len(words)-1], Read)
			v.sqlFile(words[len(words)-1], Write)
		}
	case table.KindScript:
		v.c.Effects |= Executes
		v.c.Risk = min(v.c.Risk, Moderate)
		for _, word := range words {
			v.sqlFile(word, Read)
			if name != ".restore" && (name != ".import" || len(words) < 3) { // the value of an option, or a database, may stand in front
				break
			}
		}
		if strings.HasPrefix(name, ".") && name != ".read" {
			v.changesFile()
		}
	case table.KindData:
		v.c.Effects |= Writes
		v.c.Risk = min(v.c.Risk, Moderate)
		v.copies(words)
	default:
		v.c.Effects |= Reads
		if !onlyShows(name) {
			v.c.doubt(Moderate, "what this command of the client does is not known: "+name)
		}
	}
}

// backQuoted runs what stands in back quotes behind a command of psql.
func (v *visit) backQuoted(text string) {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		v.shell(Arg{Text: parts[i], Span: v.c.Span})
		v.c.Risk = min(v.c.Risk, Dangerous)
	}
}

// onlyShows reports whether a command of the client shows something or changes
// how it is shown. The sqlite3 shell knows its commands by their first letters.
func onlyShows(name string) bool {
	for i := range table.KeysSqlMeta.All() {
		for _, known := range table.KeysSqlMeta.All()[i].Names {
			if matchWord(known, name) || len(name) > 2 && name[0] == '.' && strings.HasPrefix(known, name) {
				return true
			}
		}
	}
	return false
}
