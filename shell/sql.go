package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

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
	for _, way := range [...]sqlWay{sqlStandard, sqlBackslash} {
		f := sqlFiles{v: v, text: a.Text, way: way}
		f.read()
		if !strings.Contains(a.Text, `\`) {
			break
		}
	}
}

// onlyAsks reports whether what feeds a database client is known, and nothing
// but statements that start like questions. What they do beyond that is found
// where they are read; commands of the client may stand anywhere behind a
// backslash, so there must be none.
func onlyAsks(in *stream) bool {
	if in == nil || in.kind != streamText || in.secret != 0 || strings.Contains(in.text, `\`) {
		return false
	}
	asks := false
	for _, words := range sqlStatements(in.text, sqlStandard) {
		if len(words) > 0 && !isQuestion(words[0]) {
			return false
		}
		asks = asks || len(words) > 0
	}
	return asks
}

func isQuestion(first string) bool {
	for i := range table.KeysSqlAsks.All() {
		for _, name := range table.KeysSqlAsks.All()[i].Names {
			if strings.EqualFold(name, first) {
				return true
			}
		}
	}
	return false
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
	v.metaInside(words)
	switch strings.ToUpper(first) {
	case "SYSTEM": // of the mysql client
		if len(words) > 1 {
			v.shell(Arg{Text: strings.Join(words[1:], " "), Span: v.c.Span})
			v.c.Risk = min(v.c.Risk, Dangerous)
		}
		return
	case "SHOW", "DESCRIBE", "DESC":
		v.c.Effects |= Reads
		return
	}
	where := false
	var worst *table.Flag
	for _, word := range words {
		upper := strings.ToUpper(word)
		where = where || upper == "WHERE"
		for i := range table.KeysSql.All() {
			e := &table.KeysSql.All()[i]
			if matchAny(e.Names, upper) && (worst == nil || i < worstIndex(worst)) {
				worst = e
			}
		}
	}
	if worst == nil {
		v.c.Effects |= Reads
		return
	}
	v.apply(worst.Do)
	if v.alters == "" && worst.Do.Does&(table.Writes|table.Deletes|table.Irreversible) != 0 {
		v.alters = strings.Join(words, " ")
	}
	if !where && (strings.EqualFold(first, "UPDATE") || strings.EqualFold(first, "DELETE")) {
		v.c.Effects |= Irreversible
		v.c.Risk = min(v.c.Risk, Dangerous)
	}
	if worst.Do.Does&table.Writes != 0 {
		v.changesFile()
	}
}

// worstIndex is the place of an entry: the table has the worst first.
func worstIndex(e *table.Flag) int {
	for i := range table.KeysSql.All() {
		if &table.KeysSql.All()[i] == e {
			return i
		}
	}
	return len(table.KeysSql.All())
}

// changesFile records that a database kept in a file is written.
func (v *visit) changesFile() {
	args := v.r.tool().Do.Args
	if len(args) > 0 && args[0].Kind == table.KindRead && len(v.r.args) > 0 {
		v.touchOnce(v.r.args[0], Write)
	}
}

// touchOnce touches a path, unless it was: statements are read in several ways.
func (v *visit) touchOnce(a Arg, access Access) {
	for i := range v.c.Paths {
		if p := &v.c.Paths[i]; p.Raw == a.Text && p.Access == access {
			return
		}
	}
	v.touch(a, access, false)
}

// copies is \copy TABLE FROM FILE, TO FILE, TO PROGRAM 'cmd', on this machine.
func (v *visit) copies(words []string) {
	access := Access(0)
	for i, word := range words {
		switch upper := strings.ToUpper(word); {
		case upper == "FROM":
			access = Read
		case upper == "TO":
			access = Write
		case upper == "PROGRAM" && access != 0:
			if i+1 < len(words) {
				v.shell(Arg{Text: words[i+1], Span: v.c.Span})
			}
			v.c.doubt(Dangerous, "it runs a program: "+short(strings.Join(words, " ")))
			return
		case access != 0 && upper != "STDIN" && upper != "STDOUT" && upper != "PSTDIN" && upper != "PSTDOUT":
			if !strings.HasSuffix(word, ")") { // the table of a query in brackets
				v.sqlFile(word, access)
			}
			if access == Write {
				return
			}
			access = 0
		}
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
