package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// opaRule has a form that OPA's rule index understands.
func opaRule(k Kind, i int) string {
	switch k {
	case Command:
		return fmt.Sprintf(`allow if { input.program == "prog%d"; input.sub == "sub" }`, i)
	case Host:
		return fmt.Sprintf(`allow if endswith(input.host, ".host%d.example")`, i)
	case Tool:
		return fmt.Sprintf(`allow if { input.server == "server%d"; input.tool == "tool" }`, i)
	case Path:
		return fmt.Sprintf(`allow if startswith(input.path, "src/pkg%d/")`, i)
	case Script:
		return fmt.Sprintf(`allow if { input.task == "task%d"; input.program == "npm"; input.sub == "run" }`, i)
	case Method:
		return fmt.Sprintf(`allow if { input.tool == "tool%d"; input.server == "github" }`, i)
	case Deep:
		return fmt.Sprintf(`allow if { input.base == "name%d.txt"; startswith(input.path, "src/") }`, i)
	}
	return fmt.Sprintf(`allow if input.base == "name%d.txt"`, i)
}

func buildOPA(k Kind, n int) (Policy, error) {
	var text strings.Builder
	text.WriteString("package rules\n\ndefault allow := false\n\n")
	for i := range n {
		text.WriteString(opaRule(k, i) + "\n")
	}
	return opaPolicy(text.String(), nil)
}

// buildOPATable has the rules in the store.
func buildOPATable(k Kind, n int) (Policy, error) {
	keys := map[string]any{}
	for i := range n {
		keys[Key(k, i)] = true
	}
	return opaPolicy("package rules\n\ndefault allow := false\n\nallow if data.keys[input.key]\n", keys)
}

// opaPolicy prepares the query. The input is given as OPA's own values, so that
// nothing is converted.
func opaPolicy(text string, keys map[string]any) (Policy, error) {
	ctx := context.Background()
	store := inmem.NewFromObjectWithOpts(map[string]any{"keys": keys}, inmem.OptReturnASTValuesOnRead(true), inmem.OptRoundTripOnWrite(false))
	query, err := rego.New(rego.Query("data.rules.allow"), rego.Module("rules.rego", text), rego.Store(store)).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	return func(q Question) (Decide, error) {
		facts := map[string]string{"key": q.Key()}
		switch q.Kind {
		case Command, Script:
			facts["program"], facts["sub"], facts["task"] = q.Program(), q.Sub(), q.Task()
		case Host:
			facts["host"] = q.Text
		case Tool, Method:
			facts["server"], facts["tool"] = q.Server(), q.Tool()
		default:
			facts["path"], facts["base"] = q.Text, q.Base()
		}
		input := ast.NewObject()
		for name, value := range facts {
			input.Insert(ast.StringTerm(name), ast.StringTerm(value))
		}
		return func() (bool, error) {
			result, err := query.Eval(ctx, rego.EvalParsedInput(input))
			return result.Allowed(), err
		}, nil
	}, nil
}
