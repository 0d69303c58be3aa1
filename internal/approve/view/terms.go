package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// terms is the contract, row by row. The first nine rows are always there.
func terms(c *sayso.Contract, what []Line, o Options) []Row {
	row := func(name string, texts ...string) Row {
		r := Row{Name: name}
		for _, t := range texts {
			r.Lines = append(r.Lines, Line{{t, Plain}})
		}
		return r
	}
	mode := "read-only"
	if len(c.Write) > 0 {
		mode = "read-write below " + joined(c.Write, o)
	}
	if len(c.Read) > 0 {
		mode += "; reads only below " + joined(c.Read, o)
	}
	list := []Row{
		{Name: "command", Lines: what},
		row("working directory", path(c.Dir, o)),
		row("workspace", mode),
		row("protected paths", orNone(each(c.Protected, o))...),
		row("environment overrides", orNone(environment(c))...),
		row("timeout", lasts(c.Timeout, c.Grace)),
		row("output limit", size(c.Output)),
		row("network policy", network(c, o)),
		row("required", map[bool]string{true: "yes: it does not run where this cannot be enforced", false: "no: it also runs where this cannot be enforced"}[c.Required]),
	}
	if c.Script == "" && len(c.Argv) == 0 {
		list = append(list, row("tool", Safe(c.Tool)))
	}
	if c.Shell != "" {
		list = append(list, row("shell", Safe(c.Shell)))
	}
	if len(c.Inherit) > 0 {
		list = append(list, row("inherited variables", each(c.Inherit, Options{})...))
	}
	if len(c.Hidden) > 0 {
		list = append(list, row("not seen", each(c.Hidden, o)...))
	}
	if len(c.Barred) > 0 {
		list = append(list, row("ended if it makes", patterns(c.Barred, o)...))
	}
	if len(c.Watched) > 0 {
		list = append(list, row("told if it is made", patterns(c.Watched, o)...))
	}
	if len(c.Skipped) > 0 {
		list = append(list, row("every folder but", joined(c.Skipped, Options{})))
	}
	if len(c.Scratch) > 0 {
		list = append(list, row("gone at the end", each(c.Scratch, o)...))
	}
	if c.Preview {
		list = append(list, row("preview", "nothing of what it changes stays"))
	}
	if c.Changes != "" {
		list = append(list, row("changes", "made as the preview has shown them, without running anything: "+Safe(c.Changes)))
	}
	if c.CPU > 0 {
		list = append(list, row("CPU time", c.CPU.String()))
	}
	if c.Memory > 0 {
		list = append(list, row("memory", size(c.Memory)))
	}
	if c.Procs > 0 {
		list = append(list, row("processes", fmt.Sprintf("at most %d", c.Procs)))
	}
	return list
}

// where is the contract in one line.
func where(c *sayso.Contract, o Options) string {
	parts := []string{"in " + path(c.Dir, o), "network: " + network(c, o)}
	switch {
	case len(c.Write) == 0:
		parts = append(parts, "writes nothing")
	case len(c.Write) == 1 && c.Write[0] == c.Dir:
		parts = append(parts, "writes only there")
	default:
		parts = append(parts, "writes only below "+joined(c.Write, o))
	}
	if c.Timeout > 0 {
		parts = append(parts, short(c.Timeout))
	}
	return strings.Join(parts, " · ")
}

// path is a path that sayso names, with the home folder as ~.
func path(p string, o Options) string {
	if rest, ok := strings.CutPrefix(p, o.Home+"/"); ok && o.Home != "" {
		return "~/" + Safe(rest)
	}
	if p == o.Home && p != "" {
		return "~"
	}
	return Safe(p)
}

func each(list []string, o Options) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = path(p, o)
	}
	return out
}

func joined(list []string, o Options) string { return strings.Join(each(list, o), ", ") }

// patterns are those of a contract, with a line for all that are for every folder of
// another.
func patterns(list []string, o Options) (out []string) {
	lines := map[string]int{}
	var others []string
	for _, pattern := range list {
		top, name, deep := strings.Cut(pattern, "/**/")
		at, known := lines[top]
		switch {
		case !deep:
			others = append(others, pattern)
		case known:
			out[at] += ", " + Safe(name)
		default:
			lines[top] = len(out)
			out = append(out, "in every folder of "+path(top, o)+": "+Safe(name))
		}
	}
	if len(others) > 0 {
		out = append(out, joined(others, o))
	}
	return out
}

func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{"none"}
	}
	return list
}

func environment(c *sayso.Contract) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		out = append(out, Safe(name)+"="+Safe(c.Env[name]))
	}
	return out
}

func network(c *sayso.Contract, o Options) string {
	switch c.Network {
	case sayso.NetworkNone:
		return "none"
	case sayso.NetworkLoopback:
		return "this machine only"
	case sayso.NetworkHosts:
		list := orNone(each(c.Hosts, Options{}))
		if at := slices.Index(c.Hosts, shell.Remotes); at >= 0 {
			if known := remotes(c, o); len(known) > 0 {
				list[at] += " (now " + strings.Join(known, ", ") + ")"
			}
		}
		return strings.Join(list, ", ")
	case sayso.NetworkAll:
		return "everything"
	}
	return Safe(string(c.Network))
}

func lasts(timeout, grace time.Duration) string {
	switch {
	case timeout <= 0:
		return "none"
	case grace > 0:
		return short(timeout) + ", then " + short(grace) + " to end by itself"
	}
	return short(timeout)
}

// short is a duration without what is nought in it.
func short(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}

func size(n int64) string {
	switch {
	case n <= 0:
		return "none"
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
