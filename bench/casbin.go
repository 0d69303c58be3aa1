package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/casbin/casbin/v3"
	"github.com/casbin/casbin/v3/model"
)

// casbinModels have no more in them than the kind needs. keyMatch compares what
// stands before the *, which is far quicker than globMatch; hosts are turned
// round for it.
var casbinModels = map[Kind]struct{ fields, matcher string }{
	Command: {"program, sub", "r.program == p.program && r.sub == p.sub"},
	Host:    {"host", "keyMatch(r.host, p.host)"},
	Tool:    {"server, tool", "r.server == p.server && r.tool == p.tool"},
	Path:    {"path", "keyMatch(r.path, p.path)"},
	Name:    {"name", "r.name == p.name"},
	Script:  {"program, sub, task", "r.task == p.task && r.program == p.program && r.sub == p.sub"},
	Method:  {"server, tool", "r.tool == p.tool && r.server == p.server"},
	Deep:    {"path, name", "r.name == p.name && keyMatch(r.path, p.path)"},
}

func casbinRule(k Kind, i int) []string {
	switch k {
	case Command:
		return []string{fmt.Sprintf("prog%d", i), "sub"}
	case Host:
		return []string{fmt.Sprintf("example.host%d.*", i)}
	case Tool:
		return []string{fmt.Sprintf("server%d", i), "tool"}
	case Path:
		return []string{fmt.Sprintf("src/pkg%d/*", i)}
	case Script:
		return []string{"npm", "run", fmt.Sprintf("task%d", i)}
	case Method:
		return []string{"github", fmt.Sprintf("tool%d", i)}
	case Deep:
		return []string{"src/*", fmt.Sprintf("name%d.txt", i)}
	}
	return []string{fmt.Sprintf("name%d.txt", i)}
}

func casbinRequest(q Question) []any {
	switch q.Kind {
	case Command:
		return []any{q.Program(), q.Sub()}
	case Host:
		labels := strings.Split(q.Text, ".")
		slices.Reverse(labels)
		return []any{strings.Join(labels, ".")}
	case Tool, Method:
		return []any{q.Server(), q.Tool()}
	case Path:
		return []any{q.Text}
	case Script:
		return []any{q.Program(), q.Sub(), q.Task()}
	case Deep:
		return []any{q.Text, q.Base()}
	}
	return []any{q.Base()}
}

func buildCasbin(k Kind, n int) (Policy, error) {
	m := casbinModels[k]
	e, err := casbinEnforcer(m.fields, m.fields, "", m.matcher)
	if err != nil {
		return nil, err
	}
	lines := make([][]string, n)
	for i := range lines {
		lines[i] = casbinRule(k, i)
	}
	if _, err := e.AddPolicies(lines); err != nil {
		return nil, err
	}
	return func(q Question) (Decide, error) {
		request := casbinRequest(q)
		return func() (bool, error) { return e.Enforce(request...) }, nil
	}, nil
}

// buildCasbinTable has the rules as members of a role.
func buildCasbinTable(k Kind, n int) (Policy, error) {
	e, err := casbinEnforcer("key", "role", "[role_definition]\ng = _, _\n", "g(r.key, p.role)")
	if err != nil {
		return nil, err
	}
	if _, err := e.AddPolicy("allowed"); err != nil {
		return nil, err
	}
	members := make([][]string, n)
	for i := range members {
		members[i] = []string{Key(k, i), "allowed"}
	}
	if _, err := e.AddGroupingPolicies(members); err != nil {
		return nil, err
	}
	return func(q Question) (Decide, error) {
		key := q.Key()
		return func() (bool, error) { return e.Enforce(key) }, nil
	}, nil
}

func casbinEnforcer(request, policy, roles, matcher string) (*casbin.Enforcer, error) {
	m, err := model.NewModelFromString(fmt.Sprintf("[request_definition]\nr = %s\n[policy_definition]\np = %s\n%s"+
		"[policy_effect]\ne = some(where (p.eft == allow))\n[matchers]\nm = %s\n", request, policy, roles, matcher))
	if err != nil {
		return nil, err
	}
	return casbin.NewEnforcer(m)
}
