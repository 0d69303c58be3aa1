// Package mask takes secrets out of text before it is written down: tokens whose
// form is known, values that stand behind a name such as password, and words
// that are too random to be anything else.
//
// It errs on the side of masking. It uses no regular expressions, because the
// program that needs it lives for milliseconds.
package mask

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/internal/plainjson"
)

// hidden is what stands for a secret of so many bytes.
func hidden(n int) string { return "[masked:" + strconv.Itoa(n) + "]" }

// Text returns s without its secrets.
func Text(s string) string {
	m := masker{src: s}
	m.run()
	if m.done == 0 {
		return s
	}
	m.out.WriteString(s[m.done:])
	return m.out.String()
}

// JSON returns a value with the secrets of its strings taken out. The value of a
// key such as password is masked whatever it looks like. What is no JSON becomes
// a string.
func JSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if out, ok := flat(raw); ok {
		return out
	}
	return deep(raw)
}

func deep(raw json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		v = string(raw)
	}
	out, _ := json.Marshal(value(v, false)) // what was read can be written
	return out
}

// flat is JSON for what most calls have: an object of strings under plain names.
func flat(raw []byte) ([]byte, bool) {
	fields, ok := plainjson.Flat(raw)
	if !ok {
		return nil, false
	}
	out := append(make([]byte, 0, len(raw)+64), '{')
	for i, f := range fields {
		if secretName(f.Key) || Text(f.Key) != f.Key {
			return nil, false
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(plainjson.AppendText(out, f.Key, true), ':')
		if f.Value[0] != '"' {
			out = append(out, f.Value...)
			continue
		}
		s, err := f.Value.Text()
		if err != nil {
			return nil, false
		}
		out = plainjson.AppendText(out, Text(s), true)
	}
	return append(out, '}'), true
}

func value(v any, secret bool) any {
	switch v := v.(type) {
	case string:
		if secret && v != "" && !reference(v) {
			return hidden(len(v))
		}
		return Text(v)
	case float64:
		if secret {
			return hidden(0)
		}
	case []any:
		for i := range v {
			v[i] = value(v[i], secret)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[Text(key)] = value(inner, secretName(key))
		}
		return out
	}
	return v
}

// A masker goes through a text once, from left to right.
type masker struct {
	src  string
	pos  int
	done int // how much of src is in out
	out  strings.Builder
}

// hide masks src[from:to] and goes on behind it.
func (m *masker) hide(from, to int) {
	m.out.WriteString(m.src[m.done:from])
	m.out.WriteString(hidden(to - from))
	m.done, m.pos = to, to
}

func (m *masker) run() {
	for m.pos < len(m.src) {
		if wordByte(m.src[m.pos]) {
			m.word()
		} else {
			m.pos++
		}
	}
}

// key masks a private key as it stands in a file, if its first line begins at i.
func (m *masker) key(i int) bool {
	const private, end = "PRIVATE KEY-----", "-----END "
	const longest = 64 // of the first line
	body := strings.Index(m.src[i:min(i+longest, len(m.src))], private)
	if body < 0 {
		return false
	}
	from := i + body + len(private)
	to := len(m.src)
	if stop := strings.Index(m.src[from:], end); stop >= 0 {
		to = from + stop
	}
	if reference(m.src[from:to]) {
		m.pos = to
	} else {
		m.hide(from, to)
	}
	return true
}

// word looks at a run of the bytes that tokens are made of.
func (m *masker) word() {
	from := m.pos
	to := from
	for to < len(m.src) && wordByte(m.src[to]) {
		to++
	}
	word := m.src[from:to]
	m.pos = to
	if i := strings.Index(word, "-----BEGIN"); i >= 0 && m.key(from+i) {
		return
	}
	if at, n := knownToken(word); n > 0 {
		m.hide(from+at, from+at+n)
		return
	}
	if m.named(word, to) || m.userinfo(from, to) {
		return
	}
	for start, part := range pieces(word) {
		if random(part) {
			m.hide(from+start, from+start+len(part))
		}
	}
	m.pos = to
}

// named masks the value behind a name such as TOKEN=, --password or
// Authorization:, and reports whether there was one.
func (m *masker) named(word string, to int) bool {
	from, ok := m.valueAt(word, to)
	if !ok || !secretName(word) {
		return false
	}
	from, end := valueRange(m.src, from)
	if scheme := m.src[from:end]; authScheme(scheme) { // its value comes behind it
		from = end
		for from < len(m.src) && m.src[from] == ' ' {
			from++
		}
		from, end = valueRange(m.src, from)
	}
	if from == end || reference(m.src[from:end]) {
		return false
	}
	m.hide(from, end)
	return true
}

func authScheme(s string) bool {
	return strings.EqualFold(s, "bearer") || strings.EqualFold(s, "basic") || strings.EqualFold(s, "token")
}

// valueAt is where the value of a name that ends at to begins.
func (m *masker) valueAt(word string, to int) (int, bool) {
	i := to
	for i < len(m.src) && (m.src[i] == '"' || m.src[i] == '\'') { // "password": "x"
		i++
	}
	assigned := i < len(m.src) && (m.src[i] == '=' || m.src[i] == ':')
	if assigned {
		i++
	}
	spaced := i
	for i < len(m.src) && m.src[i] == ' ' {
		i++
	}
	switch {
	case assigned && m.src[spaced-1] == ':', assigned && i == spaced: // a space behind = ends the value
	case !assigned && strings.HasPrefix(word, "--") && i > spaced: // --password VALUE
	default:
		return 0, false
	}
	return i, i < len(m.src)
}

// valueRange is where the value at i is: inside the quotes, if it has some.
func valueRange(s string, i int) (from, to int) {
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		if n := strings.IndexByte(s[i+1:], s[i]); n >= 0 {
			return i + 1, i + 1 + n
		}
		return i + 1, len(s)
	}
	to = i
	for to < len(s) && strings.IndexByte(" \t\r\n\"';,&|<>(){}", s[to]) < 0 {
		to++
	}
	return i, to
}

// userinfo masks the password of https://user:password@host, where the word is
// the scheme or the user.
func (m *masker) userinfo(from, to int) bool {
	rest := m.src[to:]
	if !strings.HasPrefix(rest, ":") {
		return false
	}
	if strings.HasPrefix(rest, "://") { // the user comes next
		user, _, ok := strings.Cut(rest[3:], "@")
		if !ok || strings.ContainsAny(user, "/ \t\n\"'?#") {
			return false
		}
		name, password, ok := strings.Cut(user, ":")
		if !ok || password == "" || reference(password) {
			return false
		}
		at := to + 3 + len(name) + 1
		m.hide(at, at+len(password))
		return true
	}
	behind := from >= 3 && strings.HasPrefix(m.src[:from], "-u ") || strings.HasSuffix(m.src[:from], " -u ") || strings.HasSuffix(m.src[:from], "--user ")
	at, end := valueRange(m.src, to+1)
	if !behind || at == end || reference(m.src[at:end]) {
		return false
	}
	m.hide(at, end)
	return true
}

// reference reports whether a value only names where the secret is.
func reference(s string) bool {
	s = strings.Trim(s, `"'`)
	return s == "" || strings.HasPrefix(s, "$") || strings.HasPrefix(s, "[masked:") || strings.HasPrefix(s, "@") || strings.HasPrefix(s, "{{")
}
