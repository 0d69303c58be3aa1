package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// withoutFalseComments returns src with a backslash in front of each # that the
// parser takes for a comment although it stands inside a word, as in "a"#: a
// shell goes on reading commands there, so what follows must be looked at. It
// is src itself where there is none.
func withoutFalseComments(src string) string {
	if !hashInWord(src) {
		return src
	}
	for range 16 {
		at := falseComment(src)
		if at < 0 {
			return src
		}
		src = src[:at] + `\` + src[at:]
	}
	return src
}

// hashInWord reports whether a # stands behind something that does not end a
// word. Most command lines have none, and need no second look.
func hashInWord(src string) bool {
	for i := 0; ; i++ {
		at := strings.IndexByte(src[i:], '#')
		if at < 0 {
			return false
		}
		if i += at; i > 0 && !endsWord(src[i-1]) {
			return true
		}
	}
}

// endsWord reports whether a # behind c starts a comment.
func endsWord(c byte) bool { return strings.IndexByte(" \t\n\r;&|(<>", c) >= 0 }

// falseComment returns where the first comment is that is none, or -1.
func falseComment(src string) int {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := p.Parse(strings.NewReader(src), "")
	if err != nil {
		return -1
	}
	found := -1
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && found < 0 {
			if at := int(c.Hash.Offset()); at > 0 && at < len(src) && src[at] == '#' && !endsWord(src[at-1]) {
				found = at
			}
		}
		return found < 0
	})
	return found
}
