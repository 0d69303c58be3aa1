package lint

import (
	"encoding/json"
	"strings"

	"github.com/sayso-dev/sayso"
)

// maxSamples is how many calls are made for a rule. A pattern with more signs
// than that allows is not compared with others.
const maxSamples = 64

// samples returns calls that a rule is about. Exact says that a rule which
// matches all of them, or all that this one matches, matches whatever it does.
func (s *subject) samples(keys []string) (calls []sayso.Call, exact bool) {
	switch {
	case strings.HasPrefix(s.pattern, "{") && json.Valid([]byte(s.pattern)):
		return []sayso.Call{{Tool: s.tool, Input: json.RawMessage(s.pattern)}}, true
	case s.pattern == "":
		return s.anyCall(), true
	}
	switch s.class {
	case sayso.ClassShell, sayso.ClassBackground:
		texts, exact := commandSamples(s.pattern)
		return each(texts, shellCall), exact
	case sayso.ClassRead, sayso.ClassGrep, sayso.ClassList:
		names, exact := pathSamples(s.pattern)
		return each(names, readCall), exact
	case sayso.ClassWrite, sayso.ClassEdit, sayso.ClassPatch, sayso.ClassNotebook, sayso.ClassMove, sayso.ClassDelete:
		names, exact := pathSamples(s.pattern)
		return append(each(names, writeCall), each(names, deleteCall)...), exact
	case sayso.ClassFetch:
		return each(hostSamples(s.pattern), fetchCall), true
	case sayso.ClassMCP:
		return mcpSamples(s.pattern, keys)
	}
	return nil, false
}

// anyCall is for rules without a pattern: the tool itself, and calls of the
// kinds that rules have most.
func (s *subject) anyCall() []sayso.Call {
	calls := []sayso.Call{{Tool: strings.ReplaceAll(s.tool, "*", made), Input: json.RawMessage("{}")}}
	for _, text := range []string{made, made + "a " + made + "b " + made + "c"} {
		calls = append(calls, shellCall(text))
	}
	for _, name := range []string{made, "//" + made + "/" + made} {
		calls = append(calls, readCall(name), writeCall(name), deleteCall(name))
	}
	return append(calls, fetchCall(made+".test"))
}

// made is a word that nobody has thought of.
const made = "qzw"

func each(texts []string, call func(string) sayso.Call) []sayso.Call {
	out := make([]sayso.Call, len(texts))
	for i, t := range texts {
		out[i] = call(t)
	}
	return out
}

func callWith(tool string, input map[string]any) sayso.Call {
	text, _ := json.Marshal(input) // texts can be written
	return sayso.Call{Tool: tool, Input: text}
}

func shellCall(text string) sayso.Call { return callWith("bash", map[string]any{"command": text}) }

func readCall(name string) sayso.Call {
	return callWith("Read", map[string]any{"file_path": onDisk(name)})
}

func writeCall(name string) sayso.Call {
	return callWith("Write", map[string]any{"file_path": onDisk(name), "content": ""})
}

func deleteCall(name string) sayso.Call {
	return callWith("delete_file", map[string]any{"path": onDisk(name)})
}

func fetchCall(host string) sayso.Call {
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	return callWith("fetch", map[string]any{"url": host})
}

// onDisk is the path that a pattern without signs means.
func onDisk(name string) string {
	switch {
	case strings.HasPrefix(name, "//"):
		return name[1:]
	case strings.HasPrefix(name, "~/"):
		return home + name[1:]
	}
	return root + "/" + name
}

func hostSamples(pattern string) []string {
	pattern = strings.TrimPrefix(pattern, "domain:")
	if !strings.Contains(pattern, "*") {
		return []string{pattern}
	}
	if pattern == "*" {
		return []string{made + ".test", made + "a." + made + "b.test"}
	}
	return []string{strings.Replace(pattern, "*", made, 1), strings.Replace(pattern, "*", made+"a."+made+"b", 1)}
}

// mcpKeys are the arguments that rules about MCP tools look at: all of them are
// given in the calls, because what is not there may be meant by any rule.
func mcpKeys(rules []sayso.Rule) []string {
	var keys []string
	for i := range rules {
		tool, pattern, _ := strings.Cut(strings.TrimSuffix(rules[i].Text, ")"), "(")
		if class, _ := sayso.RuleClass(tool); class != sayso.ClassMCP {
			continue
		}
		words, _ := splitWords(pattern)
		for j := 1; j < len(words); j++ {
			key, _, _ := strings.Cut(words[j].written(), "=")
			keys = append(keys, key)
		}
	}
	return keys
}

// mcpSamples are calls of an MCP tool: server/tool name=value.
func mcpSamples(pattern string, keys []string) ([]sayso.Call, bool) {
	words, ok := splitWords(pattern)
	if !ok || len(words) == 0 {
		return nil, false
	}
	input := map[string]any{}
	names, exact := product(words[0].choices())
	for _, k := range keys {
		nest(input, strings.Split(k, "."), made)
	}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w.some(), "=")
		exact = exact && !strings.ContainsAny(w.written(), "*?") // only one value is tried
		nest(input, strings.Split(key, "."), value)
	}
	var calls []sayso.Call
	for _, name := range names {
		server, tool, has := strings.Cut(name, "/")
		if !has {
			tool = made
		}
		calls = append(calls, callWith("mcp__"+server+"__"+tool, input))
	}
	return calls, exact
}

// nest puts a value below nested keys.
func nest(object map[string]any, key []string, value string) {
	for _, k := range key[:len(key)-1] {
		inner, ok := object[k].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[k] = inner
		}
		object = inner
	}
	object[key[len(key)-1]] = value
}

// product puts together one choice of each: all combinations, or, where they are
// too many, the first, the second and the last of each.
func product(choices [][]string) (texts []string, exact bool) {
	n := 1
	for _, c := range choices {
		if n *= len(c); n > maxSamples {
			return diagonal(choices), false
		}
	}
	texts = []string{""}
	for _, c := range choices {
		var longer []string
		for _, t := range texts {
			for _, one := range c {
				longer = append(longer, t+one)
			}
		}
		texts = longer
	}
	return texts, true
}

func diagonal(choices [][]string) []string {
	var out []string
	for i := range 3 {
		var b strings.Builder
		for _, c := range choices {
			b.WriteString(c[min(i, len(c)-1)])
		}
		out = append(out, b.String())
	}
	return out
}
