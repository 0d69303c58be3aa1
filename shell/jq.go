package shell

import "strings"

// jqFiles touches the files that a program of yq reads by itself: load("x.yml"),
// load_str(".env"). A name that is worked out cannot be followed: the table has
// such a program for more than a look at data.
func (v *visit) jqFiles(program string) {
	for rest := program; ; {
		_, after, ok := strings.Cut(rest, "load")
		if !ok {
			return
		}
		rest = after
		name, args, ok := strings.Cut(after, "(")
		if !ok || name != "" && (name[0] != '_' || strings.ContainsAny(name, " \t\n|")) {
			continue
		}
		args = strings.TrimLeft(args, " \t\n")
		if file, _, ok := strings.Cut(strings.TrimPrefix(args, `"`), `"`); ok && args[0] == '"' {
			v.touchOnce(Arg{Text: file}, Read)
		}
	}
}
