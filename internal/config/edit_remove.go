package config

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A cut is a part of a text that goes.
type cut struct{ from, to int }

// remove takes out the items that begin at these places.
func (e *editor) remove(gone map[mark]bool) ([]byte, error) {
	var cuts []cut
	for _, n := range e.nodes {
		if n.Kind != yaml.SequenceNode {
			continue
		}
		for i := 0; i < len(n.Content); i++ {
			first := i
			for i < len(n.Content) && gone[mark{n.Content[i].Line, n.Content[i].Column}] {
				i++
			}
			if i == first {
				continue
			}
			list, ok := e.cuts(n, first, i)
			if !ok {
				return nil, errByHand
			}
			cuts = append(cuts, list...)
		}
	}
	out := slices.Clone(e.text)
	for _, c := range slices.Backward(cuts) {
		out = slices.Delete(out, c.from, c.to)
	}
	return out, nil
}

// cuts returns what goes with the items of a list from first up to end.
func (e *editor) cuts(list *yaml.Node, first, end int) ([]cut, bool) {
	if isFlow(list) {
		c, ok := e.cutInBrackets(list, first, end)
		return []cut{c}, ok
	}
	var cuts []cut
	for i := first; i < end; i++ {
		from, ok := e.dash(list, i)
		if !ok {
			return nil, false
		}
		to := 0
		if i+1 < len(list.Content) {
			to, ok = e.dash(list, i+1)
		} else {
			to = e.after(list)
		}
		if !ok {
			return nil, false
		}
		to = e.back(to, max(from, list.Content[i].Line), list.Column-1)
		cuts = append(cuts, cut{e.start(from), e.start(to)})
	}
	return cuts, true
}

// dash returns the line on which the dash of an item is. It must be the first
// sign of its line, so that the line can go.
func (e *editor) dash(list *yaml.Node, i int) (int, bool) {
	top := list.Line
	if i > 0 {
		top = list.Content[i-1].Line + 1
	}
	for n := list.Content[i].Line; n >= top; n-- {
		line := e.line(n)
		if in := indent(line); in == list.Column-1 && bytes.HasPrefix(line[in:], []byte("-")) {
			return n, true
		}
	}
	return 0, false
}
