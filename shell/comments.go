package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxMends is how often a text is mended; one more comment may come to light
// each time.
const maxMends = 4

// withoutLongComments blanks the backslash at the end of a comment. The parser
// takes the next line for a part of the same command; for a shell the comment
// ends there. The text keeps its length, and so its positions.
func withoutLongComments(src string) string {
	if strings.IndexByte(src, '#') < 0 || !strings.Contains(src, "\\\n") {
		return src
	}
	for range maxMends {
		text := []byte(src)
		listed, _ := comments(src)
		for _, c := range listed {
			if at := strings.LastIndexByte(c.Text, '\\'); at >= 0 && strings.TrimRight(c.Text[at+1:], "\n") == "" {
				text[int(c.Hash.Offset())+1+at] = ' '
			}
		}
		if string(text) == src {
			break
		}
		src = string(text)
	}
	return src
}

// withoutFalseComments returns src with a backslash in front of each # that the
// parser takes for a comment although it stands inside a word, as in "a"#: a
// shell goes on reading commands there, so what follows must be looked at. It
// is src itself where there is none.
func withoutFalseComments(src string) string {
	if !hashInWord(src) {
		return src
	}
	for range maxMends {
		var out strings.Builder
		done := 0
		list, inWord := comments(src)
		for _, c := range list {
			if at := int(c.Hash.Offset()); at > 0 && at < len(src) && src[at] == '#' && (inWord[at] || !endsWord(src[at-1])) {
				out.WriteString(src[done:at] + `\`)
				done = at
			}
		}
		if done == 0 {
			break
		}
		src = out.String() + src[done:]
	}
	return src
}

// comments returns the comments of src, in order, and where a part of a word
// ends in a bracket: $(a)# goes on, unlike (a)#.
func comments(src string) (list []*syntax.Comment, inWord map[int]bool) {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := p.Parse(strings.NewReader(src), "")
	if err != nil {
		return nil, nil
	}
	inWord = map[int]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			list = append(list, n)
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob, *syntax.ArrayExpr:
			inWord[int(n.End().Offset())] = true
		}
		return true
	})
	slices.SortFunc(list, func(a, b *syntax.Comment) int { return int(a.Hash.Offset()) - int(b.Hash.Offset()) })
	return list, inWord
}

// hashInWord reports whether a # stands behind something that does not end a
// word, or may not. Most command lines have none, and need no second look.
func hashInWord(src string) bool {
	for i := 0; ; i++ {
		at := strings.IndexByte(src[i:], '#')
		if at < 0 {
			return false
		}
		if i += at; i > 0 && (src[i-1] == ')' || !endsWord(src[i-1])) {
			return true
		}
	}
}

// endsWord reports whether a # behind c starts a comment. A carriage return is
// a part of a word.
func endsWord(c byte) bool { return strings.IndexByte(" \t\n;&|()<>", c) >= 0 }
