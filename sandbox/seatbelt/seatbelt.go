// Package seatbelt writes a contract as a profile for the sandbox of macOS, for
//
//	sandbox-exec -f PROFILE PROGRAM ARGUMENT…
//
// It only writes: nothing here was run on macOS, so nothing here says that a contract is
// enforced. What such a profile cannot hold is returned beside it.
package seatbelt

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

//go:embed base.sb
var base string

//go:embed system.txt
var system string

// Profile returns the profile for a contract, with a folder for temporary files that is
// the run's own, and what it cannot hold. A path that cannot be written in a profile is an
// error: a profile without it would hold something else.
func Profile(c sayso.Contract, temp string) (text string, open []string, err error) {
	w := &writer{}
	w.line("(version 1)")
	w.line("(deny default)")
	w.text.WriteString(base)
	w.reads(c, temp)
	w.writes(c, temp)
	w.rule("deny file-read* file-write*", w.paths("subpath", c.Hidden)) // the last rule that fits counts
	open = w.network(c)
	for _, limit := range []struct {
		what string
		set  bool
	}{{"CPU time", c.CPU > 0}, {"memory", c.Memory > 0}, {"processes", c.Procs > 0}} {
		if limit.set {
			open = append(open, "the limit of "+limit.what)
		}
	}
	open = append(open, "processes that go on when the run has ended")
	return w.text.String(), open, w.err
}

// A writer writes rules. In a profile the last rule that fits counts.
type writer struct {
	text strings.Builder
	err  error
}

func (w *writer) line(text string) { w.text.WriteString(text + "\n") }

// rule writes one rule, for whatever fits one of these; none if there are none.
func (w *writer) rule(head string, filters []string) {
	if len(filters) == 0 {
		return
	}
	slices.Sort(filters)
	w.line("(" + head + "\n  " + strings.Join(slices.Compact(filters), "\n  ") + ")")
}

// paths are filters for paths.
func (w *writer) paths(kind string, lists ...[]string) (out []string) {
	for _, p := range slices.Concat(lists...) {
		out = append(out, "("+kind+" "+w.quote(p)+")")
	}
	return out
}

// quote writes a path as the profile wants it.
func (w *writer) quote(p string) string {
	clean := path.IsAbs(p) && path.Clean(p) == p
	if !clean || strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
		w.fail(fmt.Errorf("the path %q cannot be written in a profile", p))
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p) + `"`
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) reads(c sayso.Contract, temp string) {
	if len(c.Read) == 0 {
		w.line("(allow file-read*)")
		return
	}
	var all []string
	for line := range strings.Lines(system) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	w.rule("allow file-read*", w.paths("subpath", all, c.Read, c.Write, c.Scratch, []string{temp}))
	w.rule("allow file-read*", w.paths("literal", []string{"/", "/private", "/private/var"}))
}

// writes lets folders be written, and then takes out what is protected. Whoever could
// move a folder above a protected path away could make another in its place: so none of
// these can be removed or renamed.
func (w *writer) writes(c sayso.Contract, temp string) {
	w.rule("allow file-write*", w.paths("subpath", c.Write, c.Scratch, []string{temp}))
	w.rule("deny file-write*", w.barred(c))
	for _, root := range c.Write { // what is only watched may be made, also where its name is barred
		for _, filter := range w.expressions(c.Watched) {
			w.rule("allow file-write*", []string{"(require-all " + filter + " " + w.paths("subpath", []string{root})[0] + ")"})
		}
	}
	w.rule("deny file-write*", w.paths("subpath", c.Protected))
	var above []string
	for _, p := range c.Protected {
		for dir := path.Dir(p); slices.ContainsFunc(c.Write, func(root string) bool { return within(dir, root) }); dir = path.Dir(dir) {
			above = append(above, dir)
			if dir == "/" {
				break
			}
		}
	}
	w.rule("deny file-write-unlink", w.paths("literal", above))
}

// barred are filters for patterns of what nobody may make, but for what is in folders that
// are skipped.
func (w *writer) barred(c sayso.Contract) []string {
	out := w.expressions(c.Barred)
	for i, pattern := range c.Barred {
		top, rest, deep := strings.Cut(pattern, below)
		var names []string
		for _, name := range c.Skipped {
			if !slices.Contains(strings.Split(rest, "/"), name) { // else all that is named would be, too
				names = append(names, w.elements(quoted(name)))
			}
		}
		if deep && len(names) > 0 {
			out[i] = "(require-all " + out[i] + ` (require-not (regex #"^` + w.elements(top+below) + "(" + strings.Join(names, "|") + `)/")))`
		}
	}
	return out
}

// quoted is a name as a pattern for it.
func quoted(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// below stands in a pattern for any number of folders.
const below = "/**/"

// expressions are filters for patterns, and for all that is below what they name.
func (w *writer) expressions(patterns []string) (out []string) {
	for _, pattern := range patterns {
		if !path.IsAbs(pattern) {
			w.fail(fmt.Errorf("the pattern %q cannot be written in a profile", pattern))
		}
		out = append(out, `(regex #"^`+w.elements(pattern)+`(/.*)?$")`)
	}
	return out
}

// elements is the regular expression for a pattern, or the first elements of one.
func (w *writer) elements(pattern string) string {
	text, err := expression(pattern)
	if err != nil {
		w.fail(err)
	}
	return text
}

// within reports whether a path is a folder or below it.
func within(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

// expression is the regular expression for a pattern of a contract.
func expression(pattern string) (string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return "", fmt.Errorf("the pattern %q cannot be written in a profile", pattern)
	}
	for strings.Contains(pattern, below+"**/") {
		pattern = strings.ReplaceAll(pattern, below+"**/", below)
	}
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case strings.HasPrefix(pattern[i:], below):
			i += len(below) - 1
			out.WriteString("/(.*/)?")
		case b == '*':
			out.WriteString("[^/]*")
		case b == '?':
			out.WriteString("[^/]")
		case b == '[' || b == '"' || b < ' ' || b >= 0x7f: // sets, and what a profile cannot have in it
			return "", fmt.Errorf("the pattern %q cannot be written in a profile", pattern)
		case b == '\\':
			i++ // there is a next one: the pattern is a good one
			out.WriteString(literal(pattern[i]))
		default:
			out.WriteString(literal(b))
		}
	}
	return out.String(), nil
}

// literal is a character that stands for itself.
func literal(b byte) string {
	if strings.IndexByte(`.+*?()[]{}|^$\`, b) >= 0 {
		return `\` + string(b)
	}
	return string(b)
}

// network lets what may be reached be reached, and returns what it cannot hold.
func (w *writer) network(c sayso.Contract) (open []string) {
	switch c.Network {
	case sayso.NetworkAll:
		w.line("(allow network*)")
	case sayso.NetworkLoopback:
		w.line(`(allow network-bind network-inbound (local ip "localhost:*"))`)
		w.line(`(allow network-outbound (remote ip "localhost:*"))`)
	case sayso.NetworkNone:
	default: // a profile knows addresses, not names
		open = append(open, "hosts by their names: none can be reached")
	}
	return open
}
