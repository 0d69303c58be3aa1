package bench

import "fmt"

// An Engine is one way to express rules.
type Engine struct {
	Name  string
	About string // how the rules are expressed

	// Table says that it is no rule engine any more but a look-up table that
	// the author of the policy made by hand for rules of one shape. Reported
	// apart.
	Table bool

	// Build compiles the first n rules of a kind.
	Build func(k Kind, n int) (Policy, error)
}

// A Policy turns a question into the input of the engine, and returns the
// decision on it. Only the latter is measured.
type Policy func(Question) (Decide, error)

// Decide says whether a rule matches.
type Decide func() (bool, error)

// Engines are all ways that are measured.
func Engines() []Engine {
	return []Engine{
		{Name: "sayso", About: "RuleSet.Find, rules that allow", Build: buildSayso},
		{Name: "sayso-deny", About: "RuleSet.Find, rules that deny", Build: buildSaysoDeny},
		{Name: "cedar", About: "PolicySet, a policy a rule, literals in its scope", Build: buildCedar},
		{Name: "opa", About: "prepared query, a rule body a rule, indexed", Build: buildOPA},
		{Name: "casbin", About: "Enforcer, a policy line a rule, == and keyMatch", Build: buildCasbin},
		{Name: "cel", About: "a program a rule, until one says yes", Build: buildCEL},
		{Name: "cel-or", About: "one program, the rules joined by ||", Build: buildCELOr},
		{Name: "cedar-table", About: "one policy, resource in a group of entities", Table: true, Build: buildCedarTable},
		{Name: "opa-table", About: "one rule, the key looked up in data", Table: true, Build: buildOPATable},
		{Name: "casbin-table", About: "one policy line, the key in a role", Table: true, Build: buildCasbinTable},
		{Name: "cel-table", About: "one program, key in a list that becomes a set", Table: true, Build: buildCELTable},
	}
}

// A Case is where in the policy the answer is found.
type Case struct {
	Name  string
	match bool
}

// Cases are both of them: exactly one rule matches, in the middle of the
// policy, which is the average place for an engine that stops there; or none
// does.
var Cases = []Case{{"one", true}, {"none", false}}

// Decide returns the decision of a policy of n rules on the case's question,
// after making sure that it is right.
func (c Case) Decide(p Policy, k Kind, n int) (Decide, error) {
	at := n
	if c.match {
		at = n / 2
	}
	return p.Checked(Matching(k, at), c.match)
}

// Checked returns the decision on a question, after making sure that it is
// right.
func (p Policy) Checked(q Question, want bool) (Decide, error) {
	decide, err := p(q)
	if err != nil {
		return nil, err
	}
	got, err := decide()
	if err != nil {
		return nil, err
	}
	if got != want {
		return nil, fmt.Errorf("%q: got %t, want %t", q.Text, got, want)
	}
	return decide, nil
}
