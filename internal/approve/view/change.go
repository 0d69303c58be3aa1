package view

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// instead are the arguments of tools that hold a text, with those that hold what
// comes instead of it.
var instead = map[string]string{
	"old_string": "new_string", "oldString": "newString", "old_str": "new_str", "old_text": "new_text", "TargetContent": "ReplacementContent",
}

// written are the arguments that hold text which is written.
var written = []string{
	"content", "contents", "file_text", "CodeContent", "insert_text", "new_source", "newCode", "code", "code_edit",
	"new_string", "newString", "new_str", "new_text", "ReplacementContent",
}

// patches are the arguments that hold changes with a sign before each line.
var patches = []string{"patch", "patchText", "input", "command", "diff"}

// A change shows the input of a tool that changes files.
type change struct {
	w     *writer
	o     Options
	facts *sayso.Facts
	part  string // the path that decided
}

// show returns what is changed, and the arguments that say something else.
func (c *change) show(values []leaf) (what []Line, also []Row) {
	what = c.files()
	at := map[string]int{} // where in the values each path is
	for i, l := range values {
		at[l.path] = i
	}
	used, second := map[string]bool{}, map[string]bool{}
	for _, l := range values {
		if other, paired := partner(values, at, l); paired && l.quoted {
			second[other.path] = true // it is shown with the first
		}
	}
	for _, l := range values {
		if !l.quoted || second[l.path] {
			continue
		}
		other, paired := partner(values, at, l)
		lines := c.lines(l, other, paired)
		if lines == nil {
			continue
		}
		if len(used) > 0 {
			what = append(what, Line{{"…", Note}})
		}
		what = append(what, lines...)
		used[l.path] = true
		if paired {
			used[other.path] = true
		}
	}
	paths := map[string]bool{}
	for _, p := range c.facts.Parts {
		if len(p.Paths) > 0 {
			paths[p.Paths[0].Raw] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(values), func(l leaf) bool { return used[l.path] || l.quoted && paths[l.text] })
	return what, c.w.rows(rest)
}

// partner is the value that comes instead of one.
func partner(values []leaf, at map[string]int, l leaf) (leaf, bool) {
	key, ok := instead[l.key]
	if !ok {
		return leaf{}, false
	}
	path := key
	if l.group != "" {
		path = l.group + "." + key
	}
	i, ok := at[path]
	return values[i], ok && values[i].quoted
}

// files are the files that are touched, one a line.
func (c *change) files() []Line {
	verbs := map[shell.Access]string{shell.List: "look at ", shell.Read: "read ", shell.Write: "write ", shell.Change: "change the permissions of ", shell.Delete: "delete "}
	var out []Line
	for i := range c.facts.Parts {
		p := &c.facts.Parts[i]
		if len(p.Paths) == 0 {
			continue
		}
		role := Command
		if p.Text == c.part {
			role = Decisive
		}
		one := p.Paths[0]
		path := &writer{role: role, strict: true}
		line := append(Line{{verbs[one.Access], Note}}, path.line(one.Raw, 0, nil)...)
		if one.Abs != one.Raw && one.Abs != "" {
			line = append(line, Span{" (" + Safe(one.Abs) + ")", Note})
		}
		c.w.hidden, c.w.alike = c.w.hidden+path.hidden, c.w.alike+path.alike
		out = append(out, line)
	}
	return out
}

// lines shows a value that is text of a file, with the one that comes instead of it
// if there is one. Nil: it is none.
func (c *change) lines(l, other leaf, paired bool) []Line {
	switch {
	case paired:
		return c.edits(compare(split(l.text), split(other.text)), false)
	case instead[l.key] != "": // nothing comes instead of it
		return nil
	case slices.Contains(written, l.key):
		return c.written(l.text)
	case slices.Contains(patches, l.key) && (l.key == "diff" || c.facts.Class == sayso.ClassPatch):
		return c.patch(l.text)
	}
	return nil
}

// written shows text that is written: what it changes, where it is known what
// was there before and that it comes instead of that.
func (c *change) written(text string) []Line {
	if c.o.Before != nil && c.facts.Class == sayso.ClassWrite && len(c.facts.Parts) == 1 && len(c.facts.Parts[0].Paths) > 0 {
		if before, ok := c.o.Before(c.facts.Parts[0].Paths[0].Abs); ok {
			return c.edits(compare(split(before), split(text)), true)
		}
	}
	return c.edits(compare(nil, split(text)), false)
}

// context is how many lines around a change are shown that stay.
const context = 3

// edits shows a comparison; in a whole file only the lines near a change.
func (c *change) edits(list []edit, file bool) []Line {
	out := []Line{}
	left := 0
	for i, e := range list {
		if file && e.op == ' ' && !slices.ContainsFunc(list[max(0, i-context):min(len(list), i+context+1)], func(o edit) bool { return o.op != ' ' }) {
			left++
			continue
		}
		out, left = c.stay(out, left), 0
		out = append(out, c.signed(e.op, e.text))
	}
	return c.stay(out, left)
}

// stay says how many lines are not shown because they stay as they are.
func (*change) stay(out []Line, n int) []Line {
	if n == 0 {
		return out
	}
	return append(out, Line{{"  [" + plural(n, "line that stays", "lines that stay") + "]", Note}})
}

func (c *change) signed(op byte, text string) Line {
	role := map[byte]Role{'+': Added, '-': Removed}[op]
	if role == Plain {
		role = Command
	}
	c.w.role = role
	line := c.w.line(text, 0, nil)
	c.w.role = Command
	sign := string(op) + " "
	if len(line) > 0 && line[0].Role == role {
		line[0].Text = sign + line[0].Text
		return line
	}
	return append(Line{{sign, role}}, line...)
}

// patch shows changes that have a sign before each line.
func (c *change) patch(text string) []Line {
	out := []Line{}
	for _, one := range split(text) {
		c.w.role = Command
		switch {
		case strings.HasPrefix(one, "+"):
			c.w.role = Added
		case strings.HasPrefix(one, "-"):
			c.w.role = Removed
		}
		out = append(out, c.w.line(one, 0, find(one, c.part)))
	}
	c.w.role = Command
	return out
}

// split is a text as lines.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
