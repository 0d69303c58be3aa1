package script

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/sayso-dev/sayso"
)

// Codes of what a script says.
const (
	CodeAsk  sayso.Code = "script.ask"  // the script asks
	CodeDeny sayso.Code = "script.deny" // the script denies
)

// A Script is a policy script that was loaded. It may be used by several
// goroutines.
type Script struct {
	file   string
	decide *starlark.Function
}

// Load compiles a script and runs what stands outside its functions. The error
// names the file, the line and the column.
func Load(file string, text []byte) (*Script, error) {
	if len(text) > MaxSource {
		return nil, fmt.Errorf("%s: the script is larger than %d KiB", file, MaxSource>>10)
	}
	options := syntax.FileOptions{Set: true}
	tree, err := options.Parse(file, text, 0)
	if err != nil {
		return nil, plain(file, err)
	}
	var r rewriter
	r.statements(tree.Stmts)
	if r.err != nil {
		return nil, r.err
	}
	env := environment()
	program, err := starlark.FileProgram(tree, env.Has)
	if err != nil {
		return nil, plain(file, err)
	}
	thread, _ := newThread(file)
	globals, err := program.Init(thread, env)
	if err != nil {
		return nil, plain(file, err)
	}
	globals.Freeze()
	decide, ok := globals["decide"].(*starlark.Function)
	if !ok {
		return nil, fmt.Errorf("%s: it has no function decide(call)", file)
	}
	if decide.NumParams() != 1 || decide.HasVarargs() || decide.HasKwargs() {
		return nil, fmt.Errorf("%s: decide takes one argument, the call", decide.Position())
	}
	return &Script{file, decide}, nil
}

// Stage is [Load] for those that know only stages.
func Stage(file string, text []byte) (sayso.Stage, error) {
	s, err := Load(file, text)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Name returns the name of the stage.
func (s *Script) Name() string { return "script" }

// Check runs the script on a call. The verdict asks, denies or passes; an error
// says where in the script something went wrong.
func (s *Script) Check(ctx context.Context, c *sayso.Case) (sayso.Verdict, error) {
	thread, m := newThread(s.file)
	defer context.AfterFunc(ctx, func() { thread.Cancel("the time is up") })()
	err := s.run(thread, m, c)
	switch {
	case m.said != nil && m.said.effect == sayso.Deny: // whatever happened afterwards
		return sayso.Decide(sayso.Deny, CodeDeny, m.said.reason()), nil
	case err != nil:
		return sayso.Verdict{}, err
	case m.said != nil:
		return sayso.Decide(sayso.Ask, CodeAsk, m.said.reason()).Immune(), nil
	}
	return sayso.Pass(), nil
}

func (s *Script) run(thread *starlark.Thread, m *meter, c *sayso.Case) error {
	call, err := callValue(c)
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	result, err := starlark.Call(thread, s.decide, starlark.Tuple{call}, nil)
	if err != nil {
		return plain(s.file, err)
	}
	switch v := result.(type) {
	case starlark.NoneType:
		return nil
	case *verdict:
		m.say(v)
		return nil
	}
	return fmt.Errorf("%s: decide returned %s: want what ask(why) or deny(why) returns, or nothing", s.decide.Position(), kind(result))
}

func kind(v starlark.Value) string {
	if b, ok := v.(starlark.Bool); ok {
		return b.String()
	}
	return "a value of the type " + v.Type()
}

// plain makes one line of an error of Starlark, with its place.
func plain(file string, err error) error {
	var parse syntax.Error
	var names resolve.ErrorList
	var run *starlark.EvalError
	switch {
	case errors.As(err, &parse):
		return fmt.Errorf("%s: %s", parse.Pos, shown(parse.Msg))
	case errors.As(err, &names) && len(names) > 0:
		return fmt.Errorf("%s: %s", names[0].Pos, shown(names[0].Msg))
	case errors.As(err, &run):
		for i := range run.CallStack {
			if at := run.CallStack.At(i).Pos; at.Line > 0 {
				return fmt.Errorf("%s: %s", at, shown(strings.TrimPrefix(run.Msg, "Starlark computation cancelled: ")))
			}
		}
	}
	return fmt.Errorf("%s: %s", file, shown(err.Error()))
}
