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
	for _, way := range [...]sqlWay{sqlStandard, sqlBackslash} {
		f := sqlFiles{v: v, text: a.Text, way: way}
		f.read()
		if !strings.Contains(a.Text, `\`) {
			break
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
	v.metaInside(words)
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

// metaNames are the commands of the sqlite3 shell that do more than show
// something. It knows them by their first letters, too.
var metaNames = [...]string{
	".shell", ".system", ".output", ".once", ".excel", ".save", ".backup", ".log", ".clone", ".trace", ".iotrace",
	".read", ".load", ".import", ".restore", ".open",
}

// metaName is the full name of an abbreviated command.
func metaName(name string) string {
	if len(name) < 3 || name[0] != '.' {
		return name
	}
	for _, n := range metaNames {
		if n == name {
			return name
		}
	}
	for _, n := range metaNames {
		if strings.HasPrefix(n, name) {
			return n
		}
	}
	return name
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
	name = metaName(name)
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
	switch name {
	case ".shell", ".system", `\!`:
		v.shell(Arg{Text: text, Span: v.c.Span})
		v.c.Risk = min(v.c.Risk, Dangerous)
	case ".output", ".once", ".excel", ".save", ".backup", ".dump-to", `\o`, `\w`, `\g`, `\gx`, `\T`, ".log", ".clone", ".trace", ".iotrace":
		if len(words) > 0 && words[0] != "stdout" && !strings.HasPrefix(words[0], "(") {
			v.sqlFile(words[len(words)-1], Write)
		}
	case ".open":
		if len(words) > 0 {
			v.sqlFile(words[len(words)-1], Read)
			v.sqlFile(words[len(words)-1], Write)
		}
	case ".read", `\i`, `\ir`, `\.`, ".load", ".import", ".restore", `\include`:
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
	case `\copy`:
		v.c.Effects |= Writes
		v.c.Risk = min(v.c.Risk, Moderate)
		v.copies(words)
	default:
		v.c.Effects |= Reads
	}
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

// maxSQLFiles is how many files the statements of a command may name.
const maxSQLFiles = 256

// sqlFile records a file that a statement names.
func (v *visit) sqlFile(name string, access Access) {
	if rest, ok := strings.CutPrefix(name, "file:"); ok { // a URI of SQLite
		name, _, _ = strings.Cut(rest, "?")
		if strings.HasPrefix(name, "//") {
			name = "/" + strings.TrimLeft(name, "/")
		}
	}
	switch {
	case len(v.c.Paths) > maxSQLFiles:
		v.c.doubt(Dangerous, "the statements name too many files")
	case name == "" || name == ":memory:":
	case strings.Contains(name, "://"):
		v.c.host(hostOf(name))
		v.c.Risk = min(v.c.Risk, Moderate)
	default:
		s := codeScanner{v: v}
		a := s.path(name)
		a.Glob = strings.ContainsAny(name, "*?[")
		v.touchOnce(a, access)
	}
}

// sqlFiles finds the literals of statements that are names of files.
type sqlFiles struct {
	v    *visit
	text string
	way  sqlWay
	pos  int

	first string   // the first word of the statement
	last  string   // the word just before
	verb  string   // TO or FROM, if it was the last of them
	calls []string // the words in front of the brackets that are open
}

func (f *sqlFiles) read() {
	for f.pos < len(f.text) {
		switch c := f.text[f.pos]; {
		case c == '\'' || c == '"' || c == '`' || c == '$' && f.dollar() != "":
			f.literal(c)
		case strings.HasPrefix(f.text[f.pos:], "--") || strings.HasPrefix(f.text[f.pos:], "/*"):
			f.comment(c)
		case isNameStart(c) && c != '$':
			f.word()
		default:
			f.other(c)
			f.pos++
		}
	}
}

func (f *sqlFiles) other(c byte) {
	switch c {
	case '(':
		f.calls = append(f.calls, f.last)
		f.last = ""
	case ')':
		if len(f.calls) > 0 {
			f.calls = f.calls[:len(f.calls)-1]
		}
		f.last = ""
	case ';':
		f.first, f.last, f.verb, f.calls = "", "", "", f.calls[:0]
	case '|':
		if f.reads(f.call()) != 0 {
			f.v.c.doubt(Moderate, "which file the statement reads cannot be known")
		}
	case ' ', '\t', '\n', '\r', '=', '[', ']', ',':
	default:
		f.last = ""
	}
}

func (f *sqlFiles) comment(c byte) {
	end := "\n"
	if c == '/' {
		end = "*/"
	}
	if i := strings.Index(f.text[f.pos+2:], end); i >= 0 {
		f.pos += i + 2 + len(end)
		return
	}
	f.pos = len(f.text)
}

func (f *sqlFiles) word() {
	start := f.pos
	for f.pos < len(f.text) && (isNameStart(f.text[f.pos]) || f.text[f.pos] >= '0' && f.text[f.pos] <= '9') {
		f.pos++
	}
	word := strings.ToUpper(f.text[start:f.pos])
	if len(word) == 1 && f.pos < len(f.text) && f.text[f.pos] == '\'' { // E'…'
		return
	}
	if f.first == "" {
		f.first = word
	}
	if (word == "TO" || word == "FROM") && len(f.calls) == 0 {
		f.verb = word
	}
	f.last = word
}

// dollar is the $tag$ that starts a literal of PostgreSQL here, if one does.
func (f *sqlFiles) dollar() string {
	end := strings.IndexByte(f.text[f.pos+1:], '$')
	if end < 0 || end > 32 {
		return ""
	}
	tag := f.text[f.pos : f.pos+end+2]
	if name := tag[1 : len(tag)-1]; name != "" && !isName(name) {
		return ""
	}
	return tag
}

// literal reads a quoted text and judges it by the words before it.
func (f *sqlFiles) literal(quote byte) {
	text := ""
	if quote == '$' {
		tag := f.dollar()
		text, _, _ = strings.Cut(f.text[f.pos+len(tag):], tag)
		f.pos = min(f.pos+len(text)+2*len(tag), len(f.text))
	} else {
		text = f.quoted(quote)
	}
	if len(text) > maxPath {
		return
	}
	if access := f.access(quote, text); access != 0 {
		f.v.sqlFile(text, access)
		if f.first == "ATTACH" {
			f.v.sqlFile(text, Write)
		}
		f.v.c.Risk = min(f.v.c.Risk, accessEffects[access].risk())
	}
}

func (f *sqlFiles) quoted(quote byte) string {
	var b strings.Builder
	for f.pos++; f.pos < len(f.text); f.pos++ {
		c := f.text[f.pos]
		if c == '\\' && f.way == sqlBackslash && f.pos+1 < len(f.text) {
			f.pos++
			c = f.text[f.pos]
		} else if c == quote {
			if f.pos+1 >= len(f.text) || f.text[f.pos+1] != quote {
				break
			}
			f.pos++
		}
		b.WriteByte(c)
	}
	f.pos = min(f.pos+1, len(f.text))
	return b.String()
}

// access says how the file of a literal is touched; 0 if it is no file.
func (f *sqlFiles) access(quote byte, text string) Access {
	if access := f.reads(f.call()); access != 0 {
		return access
	}
	switch f.last {
	case "OUTFILE", "DUMPFILE", "INTO":
		return Write
	case "INFILE", "LOCATION", "LOAD":
		return Read
	case "FROM", "JOIN":
		if f.first != "COPY" && f.first != "RESTORE" && (quote != '\'' && !strings.Contains(text, "/") || !strings.ContainsAny(text, "/.")) {
			return 0 // a table
		}
		return Read
	}
	switch f.first {
	case "ATTACH":
		if f.last == "ATTACH" || f.last == "DATABASE" || f.last == "EXISTS" {
			return Read
		}
	case "EXPORT", "IMPORT":
		if f.last == "DATABASE" && f.first == "EXPORT" {
			return Write
		}
		if f.last == "DATABASE" {
			return Read
		}
	case "COPY", "BACKUP", "UNLOAD", "RESTORE":
		if f.last != "TO" && f.last != "DISK" {
			return 0
		}
		if f.verb == "FROM" {
			return Read
		}
		return Write
	}
	return 0
}

// call is the function that the innermost brackets belong to.
func (f *sqlFiles) call() string {
	if len(f.calls) == 0 {
		return ""
	}
	return f.calls[len(f.calls)-1]
}

// reads says how a function touches the files that it is given.
func (f *sqlFiles) reads(name string) Access {
	switch name {
	case "":
		return 0
	case "WRITEFILE", "LO_EXPORT":
		return Write
	case "LOAD_FILE", "READFILE", "PG_READ_FILE", "PG_READ_BINARY_FILE", "PG_LS_DIR", "PG_STAT_FILE", "LO_IMPORT", "LOAD_EXTENSION", "FSDIR", "LSDIR",
		"FILE", "GLOB", "ST_READ", "SNIFF_CSV", "PARQUET_METADATA", "PARQUET_SCHEMA", "OPENROWSET":
		return Read
	}
	if strings.HasPrefix(name, "READ_") || strings.HasSuffix(name, "_SCAN") {
		return Read
	}
	return 0
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
