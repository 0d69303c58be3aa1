package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
)

// rules makes the rules of a document.
func (d *decoder) rules(f *File, doc *document) {
	for _, list := range []struct {
		effect  sayso.Effect
		entries []entry
	}{{sayso.Allow, doc.Allow}, {sayso.Ask, doc.Ask}, {sayso.Deny, doc.Deny}} {
		for i := range list.entries {
			if e := &list.entries[i]; e.Rule != "" {
				f.Rules = append(f.Rules, e.rule(list.effect, f.Source(e.path)))
				f.addExamples(e)
			}
		}
	}
	for _, name := range sortedKeys(doc.MCP) {
		d.server(f, name, doc.MCP[name])
	}
	slices.SortStableFunc(f.Rules, func(a, b sayso.Rule) int {
		return cmp.Or(cmp.Compare(a.Source.Line, b.Source.Line), cmp.Compare(a.Source.Column, b.Source.Column))
	})
}

func (e *entry) rule(effect sayso.Effect, at sayso.Source) sayso.Rule {
	return sayso.Rule{
		Effect: effect, Text: string(e.Rule), Because: e.Because, Except: texts(e.Except),
		Match: e.Match, NotMatch: e.NotMatch, Until: e.Until.Time, Source: at,
	}
}

// server makes rules of what is said about an MCP server: github and get_*
// become mcp(github/get_*).
//
// A * alone means the tools that no milder list names: without that,
// {allow: [get_*], ask: ["*"]} would ask about everything, because ask is
// stronger than allow.
func (d *decoder) server(f *File, name string, s server) {
	path := join2("mcp", name)
	if strings.TrimSpace(name) == "" || strings.Contains(name, "/") {
		d.report(d.at[path], fmt.Sprintf("mcp: %q cannot be the name of a server", name), "for a / in it write ?")
		return
	}
	var milder []string
	for _, list := range []struct {
		effect sayso.Effect
		key    string
		tools  []string
	}{{sayso.Allow, "allow", s.Allow}, {sayso.Ask, "ask", s.Ask}, {sayso.Deny, "deny", s.Deny}} {
		var named []string
		for i, tool := range list.tools {
			r := sayso.Rule{
				Effect: list.effect, Text: "mcp(" + serverWord(name) + "/" + tool + ")",
				Source: f.Source(fmt.Sprintf("%s.%s[%d]", path, list.key, i)),
			}
			if err := compiles(r.Text, d.own); err != nil {
				d.report(mark{r.Source.Line, r.Source.Column}, err.Error(), ruleHint(err))
				continue
			}
			switch {
			case tool != "*":
				named = append(named, r.Text)
			case list.effect != sayso.Allow:
				r.Except = milder
			}
			f.Rules = append(f.Rules, r)
		}
		milder = append(slices.Clip(milder), named...)
	}
}

// serverWord quotes the name of a server where a rule would take it apart.
func serverWord(name string) string {
	if !strings.ContainsAny(name, " \t\n'\"()") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
