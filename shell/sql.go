package shell

import "strings"

// sql looks at statements: what they read, change, or cannot bring back.
func (v *visit) sql(a Arg) {
	if a.Unknown && !a.plain {
		v.c.Effects |= Writes
		v.c.doubt(Dangerous, "the statement cannot be known: "+short(a.Text))
	}
	for _, statement := range sqlStatements(a.Text, sqlStandard) {
		v.statement(statement)
	}
	// The dialects do not agree where a quote or a comment ends. What one of
	// them would run counts.
	for _, way := range [...]sqlWay{sqlBackslash, sqlBare} {
		if way == sqlBare && !strings.Contains(a.Text, "$$") && !strings.Contains(a.Text, "/*!") && !strings.Contains(a.Text, "--") && !strings.Contains(a.Text, "[") {
			continue
		}
		for _, statement := range sqlStatements(a.Text, way) {
			v.statement(statement)
		}
	}
}

// A sqlWay is how quotes and comments are read.
type sqlWay uint8

const (
	sqlStandard  sqlWay = iota
	sqlBackslash        // a backslash in quotes escapes
	sqlBare             // neither quotes nor comments are
)

// statement applies one statement, given as its words outside quotes.
func (v *visit) statement(words []string) {
	if len(words) == 0 {
		return
	}
	first := words[0]
	if strings.HasPrefix(first, ".") || strings.HasPrefix(first, `\`) {
		v.metaCommand(first, words[1:])
		return
	}
	switch strings.ToUpper(first) {
	case "SHOW", "DESCRIBE", "DESC":
		v.c.Effects |= Reads
		return
	}
	where := false
	var worst *flag
	for _, word := range words {
		upper := strings.ToUpper(word)
		where = where || upper == "WHERE"
		for i := range keysSql {
			e := &keysSql[i]
			if matchAny(e.names, upper) && (worst == nil || i < worstIndex(worst)) {
				worst = e
			}
		}
	}
	if worst == nil {
		v.c.Effects |= Reads
		return
	}
	v.apply(worst.do)
	if !where && (strings.EqualFold(first, "UPDATE") || strings.EqualFold(first, "DELETE")) {
		v.c.Effects |= Irreversible
		v.c.Risk = min(v.c.Risk, Dangerous)
	}
	if worst.do.does&Writes != 0 {
		v.changesFile()
	}
}

// worstIndex is the place of an entry: the table has the worst first.
func worstIndex(e *flag) int {
	for i := range keysSql {
		if &keysSql[i] == e {
			return i
		}
	}
	return len(keysSql)
}

// changesFile records that a database kept in a file is written.
func (v *visit) changesFile() {
	args := v.r.tool().do.args
	if len(args) > 0 && args[0].kind == kindRead && len(v.r.args) > 0 {
		v.touch(v.r.args[0], Write, false)
	}
}

// metaCommand is a command of the client itself: .shell, \! …
func (v *visit) metaCommand(name string, rest []string) {
	text := strings.Join(rest, " ")
	if cmd, ok := strings.CutPrefix(strings.Trim(text, `'"`), "|"); ok {
		v.shell(Arg{Text: cmd, Span: v.c.Span})
		v.c.Risk = min(v.c.Risk, Dangerous)
		return
	}
	if len(name) > 2 && (strings.HasPrefix(".shell", name) || strings.HasPrefix(".system", name)) {
		name = ".shell" // abbreviated
	}
	switch name {
	case ".shell", ".system", `\!`:
		v.shell(Arg{Text: text, Span: v.c.Span})
		v.c.Risk = min(v.c.Risk, Dangerous)
	case ".output", ".once", ".excel", ".save", ".backup", ".dump-to", `\o`, `\w`, ".log", ".clone":
		if len(rest) > 0 && rest[0] != "stdout" {
			v.touch(Arg{Text: strings.Trim(rest[len(rest)-1], `'"`)}, Write, false)
		}
	case ".read", `\i`, `\ir`, ".load", ".import", ".restore":
		v.c.Effects |= Executes
		v.c.Risk = min(v.c.Risk, Moderate)
		if len(rest) > 0 {
			v.touch(Arg{Text: strings.Trim(rest[0], `'"`)}, Read, false)
		}
		if name != ".read" && name != `\i` && name != `\ir` {
			v.changesFile()
		}
	case `\copy`:
		v.c.Effects |= Writes
		v.c.Risk = min(v.c.Risk, Moderate)
		if strings.Contains(strings.ToLower(text), "program") {
			v.c.doubt(Dangerous, "it runs a program: "+short(text))
		}
	default:
		v.c.Effects |= Reads
	}
}

// sqlStatements splits text into statements and those into words, leaving out
// comments and what stands in quotes.
func sqlStatements(text string, way sqlWay) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	meta := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case (c == '\'' || c == '"' || c == '`') && way == sqlBare && !meta:
			flush()
		case (c == '\'' || c == '"' || c == '`') && !meta:
			flush()
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && way == sqlBackslash {
					i++
				}
			}
		case c == '-' && strings.HasPrefix(text[i:], "--") && !meta && way != sqlBare:
			flush()
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && strings.HasPrefix(text[i:], "/*") && way != sqlBare:
			flush()
			if end := strings.Index(text[i+2:], "*/"); end >= 0 {
				i += end + 3
			} else {
				i = len(text)
			}
		case c == ';' && !meta || c == '\n' && meta:
			flush()
			out = append(out, words)
			words, meta = nil, false
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c == '(' || c == ')' || c == ',' || c == '=') && !meta:
			flush()
		default:
			if word.Len() == 0 && len(words) == 0 && (c == '.' || c == '\\') {
				meta = true
			}
			word.WriteByte(c)
		}
	}
	flush()
	return append(out, words)
}
