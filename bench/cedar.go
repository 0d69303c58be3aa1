package bench

import (
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// cedarRule has the literals in the scope of the policy where that is the
// quickest: comparing what a host is in with a set, and a path by its beginning,
// beats a hierarchy of entities by four to one.
func cedarRule(k Kind, i int) string {
	switch k {
	case Command:
		return fmt.Sprintf(`permit(principal, action, resource == Program::"prog%d") when { context.sub == "sub" };`, i)
	case Host:
		return fmt.Sprintf(`permit(principal, action, resource) when { context.domains.contains("host%d.example") };`, i)
	case Tool:
		return fmt.Sprintf(`permit(principal, action, resource == Tool::"server%d/tool");`, i)
	case Path:
		return fmt.Sprintf(`permit(principal, action, resource) when { context.path like "src/pkg%d/*" };`, i)
	case Script:
		return fmt.Sprintf(`permit(principal, action, resource == Task::"task%d") when { context.program == "npm" && context.sub == "run" };`, i)
	case Method:
		return fmt.Sprintf(`permit(principal, action, resource == Tool::"github/tool%d");`, i)
	case Deep:
		return fmt.Sprintf(`permit(principal, action, resource == Name::"name%d.txt") when { context.path like "src/*" };`, i)
	}
	return fmt.Sprintf(`permit(principal, action, resource == Name::"name%d.txt");`, i)
}

func buildCedar(k Kind, n int) (Policy, error) {
	var text strings.Builder
	for i := range n {
		text.WriteString(cedarRule(k, i) + "\n")
	}
	set, err := cedar.NewPolicySetFromBytes("rules.cedar", []byte(text.String()))
	if err != nil {
		return nil, err
	}
	return func(q Question) (Decide, error) {
		req := cedar.Request{Principal: cedar.NewEntityUID("Agent", "claude"), Action: cedar.NewEntityUID("Action", "run")}
		context := cedar.RecordMap{}
		switch q.Kind {
		case Command:
			req.Resource = cedar.NewEntityUID("Program", cedar.String(q.Program()))
			context["sub"] = cedar.String(q.Sub())
		case Host:
			req.Resource = cedar.NewEntityUID("Host", cedar.String(q.Text))
			var domains []cedar.Value
			for _, d := range q.Above() {
				domains = append(domains, cedar.String(d))
			}
			context["domains"] = cedar.NewSet(domains...)
		case Script:
			req.Resource = cedar.NewEntityUID("Task", cedar.String(q.Task()))
			context["program"], context["sub"] = cedar.String(q.Program()), cedar.String(q.Sub())
		case Tool, Method:
			req.Resource = cedar.NewEntityUID("Tool", cedar.String(q.Text))
		case Path:
			req.Resource = cedar.NewEntityUID("File", cedar.String(q.Text))
			context["path"] = cedar.String(q.Text)
		case Name, Deep:
			req.Resource = cedar.NewEntityUID("Name", cedar.String(q.Base()))
			context["path"] = cedar.String(q.Text)
		}
		req.Context = cedar.NewRecord(context)
		entities := cedar.EntityMap{req.Resource: {UID: req.Resource}}
		return cedarDecide(set, entities, req), nil
	}, nil
}

// buildCedarTable has the rules in the entities: each key is in one group.
func buildCedarTable(k Kind, n int) (Policy, error) {
	set, err := cedar.NewPolicySetFromBytes("rules.cedar", []byte(`permit(principal, action, resource in Group::"allowed");`))
	if err != nil {
		return nil, err
	}
	group := cedar.NewEntityUIDSet(cedar.NewEntityUID("Group", "allowed"))
	entities := cedar.EntityMap{}
	for i := range n {
		uid := cedar.NewEntityUID("Key", cedar.String(Key(k, i)))
		entities[uid] = cedar.Entity{UID: uid, Parents: group}
	}
	return func(q Question) (Decide, error) {
		return cedarDecide(set, entities, cedar.Request{
			Principal: cedar.NewEntityUID("Agent", "claude"),
			Action:    cedar.NewEntityUID("Action", "run"),
			Resource:  cedar.NewEntityUID("Key", cedar.String(q.Key())),
		}), nil
	}, nil
}

func cedarDecide(set *cedar.PolicySet, entities cedar.EntityMap, req cedar.Request) Decide {
	return func() (bool, error) {
		decision, diagnostic := cedar.Authorize(set, entities, req)
		if len(diagnostic.Errors) > 0 {
			return false, fmt.Errorf("cedar: %v", diagnostic.Errors)
		}
		return decision == cedar.Allow, nil
	}
}
