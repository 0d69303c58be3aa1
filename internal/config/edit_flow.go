package config

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// addKeyInBraces puts a list with a rule into a mapping in braces.
func (e *editor) addKeyInBraces(list, rule string) []byte {
	text := list + ": [" + quoted(rule, true) + "]"
	if len(e.root.Content) > 0 {
		if e.root.Content[0].Style&yaml.DoubleQuotedStyle != 0 {
			text = strconv.Quote(list) + ": [" + strconv.Quote(rule) + "]" // it may be JSON
		}
		text += ", "
	}
	at := e.offset(mark{e.root.Line, e.root.Column}) + 1
	return e.splice(at, at, text)
}

// addInBrackets puts a rule at the end of a list in brackets.
func (e *editor) addInBrackets(key, list *yaml.Node, rule string) []byte {
	text := quoted(rule, true)
	if key.Style&yaml.DoubleQuotedStyle != 0 {
		text = strconv.Quote(rule)
	}
	at := e.offset(mark{list.Line, list.Column}) + 1
	if n := len(list.Content); n > 0 {
		at, text = e.flowEnd(list.Content[n-1]), ", "+text
	}
	return e.splice(at, at, text)
}

// cutInBrackets returns what goes with the items of a list in brackets. The
// comma behind an item and the comment behind that go with it.
func (e *editor) cutInBrackets(list *yaml.Node, first, end int) (cut, bool) {
	start := func(i int) int { return e.offset(mark{list.Content[i].Line, list.Content[i].Column}) }
	if end < len(list.Content) {
		return cut{start(first), start(end)}, true
	}
	c := cut{start(first), e.flowEnd(list.Content[end-1])}
	if first > 0 {
		before := e.flowEnd(list.Content[first-1])
		if strings.TrimSpace(string(e.text[before:c.from])) == "," && !bytes.Contains(e.text[before:c.from], []byte("\n")) {
			c.from = before
		}
	}
	rest := bytes.TrimLeft(e.text[c.to:], " \r\n")
	if bytes.HasPrefix(rest, []byte(",")) {
		c.to = len(e.text) - len(rest) + 1
	}
	return c, c.from <= c.to
}

// flowEnd returns where a node inside brackets or braces ends. The text is known
// to be YAML.
func (e *editor) flowEnd(n *yaml.Node) int {
	at := e.offset(mark{n.Line, n.Column})
	switch {
	case n.Kind != yaml.ScalarNode:
		at++
		if last := len(n.Content) - 1; last >= 0 {
			at = e.flowEnd(n.Content[last])
		}
		for at < len(e.text) && e.text[at] != ']' && e.text[at] != '}' {
			if e.text[at] == '#' {
				at += max(0, bytes.IndexByte(e.text[at:], '\n'))
			}
			at++
		}
		return min(at+1, len(e.text))
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for at++; at < len(e.text) && e.text[at] != '"'; at++ {
			if e.text[at] == '\\' {
				at++
			}
		}
		return min(at+1, len(e.text))
	case n.Style&yaml.SingleQuotedStyle != 0:
		for at++; at < len(e.text) && (e.text[at] != '\'' || bytes.HasPrefix(e.text[at:], []byte("''"))); at++ {
			if e.text[at] == '\'' {
				at++
			}
		}
		return min(at+1, len(e.text))
	}
	return e.plainEnd(at)
}

// plainEnd returns where text without quotes inside brackets ends.
func (e *editor) plainEnd(at int) int {
	from := at
	for at < len(e.text) && !strings.ContainsRune(",[]{}", rune(e.text[at])) {
		if e.text[at] == '#' && at > from && strings.IndexByte(" \t\n", e.text[at-1]) >= 0 {
			break
		}
		at++
	}
	return from + len(bytes.TrimRight(e.text[from:at], " \t\r\n"))
}

// quoted writes a text as YAML, with quotes only where it needs them.
func quoted(text string, flow bool) string {
	before, behind := "- ", "\n"
	if flow {
		before, behind = "[", "]"
	}
	for _, written := range []string{text, "'" + strings.ReplaceAll(text, "'", "''") + "'"} {
		docs, err := documents([]byte(before + written + behind))
		if err != nil || len(docs) != 1 || strings.ContainsFunc(text, func(r rune) bool { return hidden(r) || r == '\n' || r == '\r' }) {
			continue
		}
		if n := docs[0].Content[0].Content; len(n) == 1 && n[0].Kind == yaml.ScalarNode && n[0].Tag == "!!str" && n[0].Value == text && n[0].Anchor == "" {
			return written
		}
	}
	return strconv.QuoteToASCII(text)
}
