package bench

import (
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

func celRule(k Kind, i int) string {
	switch k {
	case Command:
		return fmt.Sprintf(`program == "prog%d" && sub == "sub"`, i)
	case Host:
		return fmt.Sprintf(`host.endsWith(".host%d.example")`, i)
	case Tool:
		return fmt.Sprintf(`server == "server%d" && tool == "tool"`, i)
	case Path:
		return fmt.Sprintf(`path.startsWith("src/pkg%d/")`, i)
	case Script:
		return fmt.Sprintf(`task == "task%d" && program == "npm" && sub == "run"`, i)
	case Method:
		return fmt.Sprintf(`tool == "tool%d" && server == "github"`, i)
	case Deep:
		return fmt.Sprintf(`base == "name%d.txt" && path.startsWith("src/")`, i)
	}
	return fmt.Sprintf(`base == "name%d.txt"`, i)
}

func buildCEL(k Kind, n int) (Policy, error) {
	programs := make([]cel.Program, n)
	for i := range programs {
		var err error
		if programs[i], err = celProgram(celRule(k, i)); err != nil {
			return nil, err
		}
	}
	return celPolicy(programs), nil
}

func buildCELOr(k Kind, n int) (Policy, error) {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = celRule(k, i)
	}
	program, err := celProgram(strings.Join(terms, " || "))
	if err != nil {
		return nil, err
	}
	return celPolicy([]cel.Program{program}), nil
}

// buildCELTable has the rules in a list of constants, which cel-go makes a set.
func buildCELTable(k Kind, n int) (Policy, error) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Quote(Key(k, i))
	}
	program, err := celProgram("key in [" + strings.Join(keys, ", ") + "]")
	if err != nil {
		return nil, err
	}
	return celPolicy([]cel.Program{program}), nil
}

var celEnv = func() *cel.Env {
	options := []cel.EnvOption{cel.ParserExpressionSizeLimit(-1), cel.ParserRecursionLimit(-1), cel.ExpressionNodeLimit(-1)}
	for _, name := range []string{"program", "sub", "task", "host", "server", "tool", "path", "base", "key"} {
		options = append(options, cel.Variable(name, cel.StringType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		panic(err)
	}
	return env
}()

func celProgram(text string) (cel.Program, error) {
	checked, issues := celEnv.Compile(text)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return celEnv.Program(checked, cel.EvalOptions(cel.OptOptimize))
}

// celPolicy gives the facts as CEL's own values, so that nothing is converted.
func celPolicy(programs []cel.Program) Policy {
	return func(q Question) (Decide, error) {
		facts := map[string]any{"key": types.String(q.Key())}
		switch q.Kind {
		case Command, Script:
			facts["program"], facts["sub"], facts["task"] = types.String(q.Program()), types.String(q.Sub()), types.String(q.Task())
		case Host:
			facts["host"] = types.String(q.Text)
		case Tool, Method:
			facts["server"], facts["tool"] = types.String(q.Server()), types.String(q.Tool())
		default:
			facts["path"], facts["base"] = types.String(q.Text), types.String(q.Base())
		}
		input, err := cel.NewActivation(facts)
		if err != nil {
			return nil, err
		}
		return func() (bool, error) {
			for _, p := range programs {
				value, _, err := p.Eval(input)
				if err != nil {
					return false, err
				}
				if value == types.True {
					return true, nil
				}
			}
			return false, nil
		}, nil
	}
}
