package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
)

func buildSayso(k Kind, n int) (Policy, error)     { return saysoPolicy(k, n, sayso.Allow) }
func buildSaysoDeny(k Kind, n int) (Policy, error) { return saysoPolicy(k, n, sayso.Deny) }

func saysoPolicy(k Kind, n int, e sayso.Effect) (Policy, error) {
	rules := make([]sayso.Rule, n)
	for i := range rules {
		rules[i] = sayso.Rule{Effect: e, Text: Rule(k, i)}
	}
	set, err := sayso.NewRuleSet(rules)
	if err != nil {
		return nil, err
	}
	return func(q Question) (Decide, error) {
		c, err := saysoCase(q)
		if err != nil {
			return nil, err
		}
		part := &c.Facts.Parts[0]
		return func() (bool, error) { return set.Find(e, c, part) != nil, nil }, nil
	}, nil
}

// saysoCase analyses the call of which the question is. It has one part.
func saysoCase(q Question) (*sayso.Case, error) {
	call := sayso.Call{Agent: "claude", Root: "/home/me/proj", Home: "/home/me"}
	input := map[string]string{}
	switch q.Kind {
	case Command, Script:
		call.Tool, input["command"] = "Bash", q.Text
	case Host:
		call.Tool, input["url"], input["prompt"] = "WebFetch", "https://"+q.Text+"/v1", "look"
	case Tool, Method:
		call.Tool = "mcp__" + strings.ReplaceAll(q.Text, "/", "__")
	default:
		call.Tool, input["file_path"], input["content"] = "Write", call.Root+"/"+q.Text, "text"
	}
	var err error
	if call.Input, err = json.Marshal(input); err != nil {
		return nil, err
	}
	var analyzer sayso.Analyzer
	facts := analyzer.Analyze(call)
	if facts.Err != nil || len(facts.Parts) != 1 {
		return nil, fmt.Errorf("%s: %d parts, %w", q.Text, len(facts.Parts), facts.Err)
	}
	return &sayso.Case{Call: call, Facts: facts, Session: sayso.Session{Now: time.Now()}}, nil
}
