package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// readInto gives variables the value of what is read: unknown, unless the
// input is known as patterns.
func (v *visit) readInto(args []Arg) {
	value := v.readValue()
	if s := v.f.stdin; s != nil && s.kind == streamItems && len(args) == 1 {
		value = oneOf(s.items)
	}
	if s := v.f.stdin; s != nil && s.secret != 0 {
		value.extra = &argExtra{secret: s.secret}
	}
	switch v.r.name {
	case "getopts":
		v.outer.setUnknown("OPTARG")
		v.outer.setUnknown("OPTIND")
	case "read":
		if len(args) == 0 {
			args = []Arg{{Text: "REPLY"}}
		}
	default:
		v.outer.setUnknown("MAPFILE")
		v.outer.taint("MAPFILE", value.secret())
	}
	for _, a := range args {
		v.give(a, value)
	}
}

// give sets a variable to what is read, or to something unknown.
func (v *visit) give(a, value Arg) {
	if !syntax.ValidName(a.Text) {
		return
	}
	v.w.setting(v.outer, v.below(), v.c, &table.KeysEnvironment, a.Text, Arg{Text: "$" + a.Text, Unknown: true})
	if value.Text == "" {
		value.Text = "$" + a.Text
	}
	v.outer.set(a.Text, value)
}

// readVar is the name of a variable that an option sets: read -a NAME.
func (v *visit) readVar(a Arg) { v.give(a, v.readValue()) }

// readValue is something unknown from the standard input.
func (v *visit) readValue() Arg {
	value := Arg{Unknown: true, many: true}
	if v.f.stdin != nil {
		value.from = v.f.stdin.kind
	}
	return value
}

// oneOf is any of the items: the item itself if there is one, a name without a
// slash if they all are such, unknown otherwise.
func oneOf(items []Arg) Arg {
	if len(items) == 1 {
		return items[0]
	}
	plain := len(items) > 0
	for _, it := range items {
		plain = plain && !strings.Contains(it.Text, "/") && (!it.Unknown || it.plain)
	}
	return Arg{Unknown: true, many: !plain, plain: plain}
}
