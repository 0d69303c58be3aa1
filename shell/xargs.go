package shell

import (
	"strconv"
	"strings"
)

// xargs runs a command with the words of its input.
func (v *visit) xargs() {
	r := &v.r
	words := r.rest
	if !r.inner {
		return
	}
	r.inner, r.settled, v.w.items = false, false, true
	placeholder := ""
	for i := range r.flags {
		g := &r.flags[i]
		switch g.spelling {
		case "-I", "-J":
			placeholder = g.value.Text
		case "-i", "--replace":
			placeholder = "{}"
			if g.value.Text != "" {
				placeholder = g.value.Text
			}
		}
	}
	for _, group := range v.groups(placeholder != "") {
		v.wrapped(replaceItems(words, placeholder, group, placeholder == ""))
	}
}

// groups is what xargs gives to each command it starts.
func (v *visit) groups(replace bool) [][]Arg {
	r := &v.r
	if v.f.stdin == nil || v.f.stdin.kind != streamText || r.has("-a") {
		items := v.items()
		if r.has("-a") {
			items = []Arg{v.itemsOfFiles()}
		}
		if replace && len(items) <= maxUnrolled {
			return single(items)
		}
		return [][]Arg{items}
	}
	text := v.f.stdin.text
	size := 0
	var items []Arg
	switch {
	case r.has("-0") && !r.has("-d"):
		items = splitItems(text, "\x00")
	case r.has("-0") && r.has("-d"): // the last one counts
		return [][]Arg{{unknownItem}}
	case r.has("-d"):
		items = splitItems(text, unescape(r.given("-d").value.Text))
	case replace || r.has("-L") || r.has("-l"):
		items = splitItems(strings.TrimRight(text, "\n"), "\n")
		for i := range items {
			items[i].Text = strings.TrimLeft(items[i].Text, " \t")
			if replace && strings.ContainsAny(items[i].Text, `'"\`) { // quotes are read here, too
				items[i].Text = joinArgs(quotedItems(strings.ReplaceAll(items[i].Text, " ", `\ `)))
			}
		}
		if !replace { // the words of so many lines
			return v.lineGroups(items)
		}
	default:
		items = quotedItems(text)
	}
	if replace {
		size = 1
	} else if g := r.given("-n"); g != nil {
		size, _ = strconv.Atoi(g.value.Text)
	}
	if r.has("-E") || r.has("-s") || size < 0 {
		return [][]Arg{{unknownItem}}
	}
	if size == 0 {
		return [][]Arg{items}
	}
	var out [][]Arg
	for len(items) > 0 {
		if len(out) == maxUnrolled {
			return append(out, []Arg{unknownItem})
		}
		n := min(size, len(items))
		out = append(out, items[:n])
		items = items[n:]
	}
	return out
}

func single(items []Arg) [][]Arg {
	out := make([][]Arg, len(items))
	for i := range items {
		out[i] = items[i : i+1]
	}
	return out
}

// lineGroups is xargs -L 1; more lines at once are not followed one by one.
func (v *visit) lineGroups(lines []Arg) [][]Arg {
	if g := v.r.given("-L"); g != nil && g.value.Text != "1" || len(lines) > maxUnrolled {
		return [][]Arg{{unknownItem}}
	}
	var out [][]Arg
	for _, l := range lines {
		if strings.TrimSpace(l.Text) != "" {
			out = append(out, quotedItems(l.Text))
		}
	}
	return out
}

// splitItems separates text at a delimiter, which may also end it.
func splitItems(text, delim string) []Arg {
	if delim == "" {
		return []Arg{unknownItem}
	}
	var out []Arg
	for _, part := range strings.Split(strings.TrimSuffix(text, delim), delim) {
		if len(out) == maxWords {
			return append(out, unknownItem)
		}
		out = append(out, Arg{Text: part})
	}
	return out
}

// quotedItems separates text at blanks, but for quotes and backslashes.
func quotedItems(text string) []Arg {
	var out []Arg
	var word strings.Builder
	open := false
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			open = true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				out = append(out, Arg{Text: word.String()})
				word.Reset()
				open = false
				if len(out) == maxWords {
					return append(out, unknownItem)
				}
			}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		out = append(out, Arg{Text: word.String()})
	}
	return out
}

// unknownItem stands for the words that xargs reads and nobody knows.
var unknownItem = Arg{Text: "{items}", Unknown: true, many: true, item: true}

// items is what xargs or parallel reads from standard input.
func (v *visit) items() []Arg {
	if v.f.stdin == nil {
		return []Arg{unknownItem}
	}
	switch s := v.f.stdin; s.kind {
	case streamText:
		return splitItems(strings.TrimRight(s.text, "\n"), "\n")
	case streamItems:
		return s.items
	}
	item := unknownItem
	item.item = false // it comes from somewhere, and nobody knows what it is
	item.from = v.f.stdin.kind
	if v.f.stdin.secret != 0 {
		item.extra = &argExtra{secret: v.f.stdin.secret}
	}
	return []Arg{item}
}

// itemsOfFiles are the words in the files that xargs -a is told to read.
func (v *visit) itemsOfFiles() Arg {
	item := unknownItem
	for _, p := range v.c.Paths {
		for _, text := range v.w.textOfFile(p.Abs) {
			if text.kind >= streamNetwork {
				item.from = max(item.from, text.kind)
			}
		}
	}
	if secret := v.w.secretAmong(v.c.Paths); secret != 0 {
		item.extra = &argExtra{secret: secret}
	}
	return item
}

// parallel puts its words together, with each item, and gives them to a shell.
func (v *visit) parallel() {
	r := &v.r
	words := r.rest
	r.inner, r.settled, v.w.items = false, false, true
	var items []Arg
	given := false
	for i, a := range words {
		if strings.HasPrefix(a.Text, ":::") {
			given = true
			if a.Text == ":::" || a.Text == ":::+" {
				for _, it := range words[i+1:] {
					if !strings.HasPrefix(it.Text, ":::") {
						items = append(items, it)
					}
				}
			} else {
				items = []Arg{unknownItem}
			}
			words = words[:i]
			break
		}
	}
	if !given {
		items = v.items()
	}
	if len(words) == 0 {
		v.parallelScripts(items)
		return
	}
	if len(items) > maxUnrolled {
		items = append(items[:maxUnrolled], unknownItem)
	}
	for _, item := range items {
		v.parallelOne(words, item)
	}
}

func (v *visit) parallelScripts(items []Arg) {
	if v.f.stdin != nil && v.f.stdin.kind == streamText {
		v.runs(*v.f.stdin)
		return
	}
	for _, it := range items {
		v.shell(it)
	}
}

func (v *visit) parallelOne(words []Arg, item Arg) {
	replaced := make([]Arg, 0, len(words)+1)
	found, changed := false, v.r.has("--colsep")
	for _, a := range words {
		for _, mark := range [...]string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}", "{3}", "{#}", "{%}"} {
			if strings.Contains(a.Text, mark) {
				a.Text = strings.ReplaceAll(a.Text, mark, item.Text)
				a.Unknown = a.Unknown || item.Unknown
				a.from = max(a.from, item.from)
				found = true
				changed = changed || mark != "{}" && mark != "{1}"
			}
		}
		replaced = append(replaced, a)
	}
	if !found {
		replaced = append(replaced, item)
	}
	if plainWords(replaced) {
		v.wrapped(replaced)
		return
	}
	a := Arg{Text: joinArgs(replaced), Unknown: changed} // a shell reads it again
	for _, r := range replaced {
		a.Unknown = a.Unknown || r.Unknown
		a.from = max(a.from, r.from)
	}
	v.shell(a)
	if !v.r.has("--colsep") {
		v.wrapped(replaced) // as it was meant
	}
}
