package shell

import "strings"

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
