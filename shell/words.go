package shell

import "github.com/sayso-dev/sayso/shell/internal/table"

// Words are the arguments of a command as its table reads them.
type Words struct {
	Name     string   // of the program, without its folder
	Subs     []string // the sub-commands
	Options  []Option // as given, in order
	Operands []Arg    // what is neither
	Known    bool     // a table knows the program; else everything is an operand
}

// An Option is one option that was given. Combined ones (-rf) are taken apart.
type Option struct {
	Names []string // all its spellings; only the one that was used if no table has it
	Value string
	Has   bool // it has a value
}

// Is reports whether the option has that spelling.
func (o *Option) Is(spelling string) bool {
	for _, n := range o.Names {
		if n == spelling {
			return true
		}
	}
	return false
}

// Words reads the arguments of a command. They are read again at each call; a
// caller that needs them more than once keeps them.
func (c *Command) Words() Words {
	if len(c.Args) == 0 {
		return Words{}
	}
	name := baseName(c.Args[0].Text)
	out := Words{Name: name}
	w := walker{}
	t, args := w.tool(name, c.Args, false)
	if t == nil || t.Use == table.UseFind {
		out.Operands = c.Args[1:]
		return out
	}
	var r reading
	r.read(t, args)
	out.Known = true
	for _, s := range r.subs {
		out.Subs = append(out.Subs, s.Text)
	}
	for i := range r.flags {
		g := &r.flags[i]
		out.Options = append(out.Options, Option{Names: g.flag.Names, Value: g.value.Text, Has: g.hasValue})
	}
	for _, name := range r.others {
		out.Options = append(out.Options, Option{Names: []string{name}})
	}
	out.Operands = append(append([]Arg{}, r.args...), r.rest...)
	return out
}
