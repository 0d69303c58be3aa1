package config

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// salvage reads what can be read of a text that is not YAML as a whole, key by
// key, so that a mistake at one place loses no rule that denies at another. What
// it finds may only tighten.
func (s *source) salvage() []*yaml.Node {
	var found []*yaml.Node
	for _, p := range s.pieces() {
		text := s.text[s.start(p.first):s.start(p.end)]
		docs, err := documents(text)
		switch {
		case err == nil:
			found = append(found, shifted(docs, p.first-1)...)
		case p.key != "ask" && p.key != "deny":
		default:
			if list := readList(slices.Concat(text, []byte("]"))); list != nil { // a bracket is not closed
				found = append(found, shifted(list, p.first-1)...)
				continue
			}
			found = append(found, s.salvageItems(p)...)
		}
	}
	return found
}

// readList reads a text that is one key with a list, or returns nil.
func readList(text []byte) []*yaml.Node {
	docs, err := documents(text)
	if err != nil || len(docs) != 1 || len(docs[0].Content) != 1 {
		return nil
	}
	if pair := docs[0].Content[0].Content; len(pair) != 2 || pair[1].Kind != yaml.SequenceNode {
		return nil
	}
	return docs
}

// A piece is a key of the document with all that belongs to it: lines from first
// up to end.
type piece struct {
	key        string
	first, end int
}

// pieces splits the text where a known key stands at the start of a line.
func (s *source) pieces() []piece {
	var list []piece
	known := keysOf[document]()
	for n := 1; n <= len(s.starts); n++ {
		word, _, ok := bytes.Cut(s.line(n), []byte(":"))
		key := strings.Trim(string(word), `"'`)
		if !ok || !slices.Contains(known, key) {
			continue
		}
		if len(list) > 0 {
			list[len(list)-1].end = n
		}
		list = append(list, piece{key, n, len(s.starts) + 1})
	}
	return list
}

// salvageItems reads the items of a list one by one.
func (s *source) salvageItems(p piece) []*yaml.Node {
	var found []*yaml.Node
	depth, item := -1, 0
	for n := p.first + 1; n <= p.end; n++ {
		line := s.line(n)
		in := indent(line)
		if n < p.end && (!bytes.HasPrefix(line[in:], []byte("-")) || depth >= 0 && in != depth) {
			continue
		}
		if item > 0 {
			found = append(found, s.salvageItem(p.key, item, n)...)
		}
		depth, item = in, n
	}
	return found
}

// salvageItem reads an item, or as many of its first lines as can be read. It
// does not try for long.
func (s *source) salvageItem(key string, first, end int) []*yaml.Node {
	for try := range 16 {
		if end-try <= first {
			break
		}
		text := slices.Concat([]byte(key+":\n"), s.text[s.start(first):s.start(end-try)])
		if list := readList(text); list != nil {
			return shifted(list, first-2)
		}
	}
	return nil
}

// shifted moves nodes down by so many lines.
func shifted(nodes []*yaml.Node, by int) []*yaml.Node {
	for _, n := range nodes {
		n.Line += by
		shifted(n.Content, by)
	}
	return nodes
}
