package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// The operations that rewrite.go puts in the place of those of the language.
// Their names cannot be written in a script.
const (
	opField = "."  // x.name
	opKey   = "[]" // the key of a dictionary, which is hashed
	opSlice = ":"  // what a slice is taken of
	opCopy  = "*"  // what is copied by *args
)

// binary are the operators that pay first.
var binary = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX,
	syntax.LTLT, syntax.GTGT, syntax.IN, syntax.NOT_IN, syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE,
}

// assigning are the operators that also change what stands to their left.
var assigning = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR, syntax.SLASH_EQ: syntax.SLASH,
	syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT, syntax.AMP_EQ: syntax.AMP, syntax.PIPE_EQ: syntax.PIPE,
	syntax.CIRCUMFLEX_EQ: syntax.CIRCUMFLEX, syntax.LTLT_EQ: syntax.LTLT, syntax.GTGT_EQ: syntax.GTGT,
}

func binaryName(op syntax.Token) string { return "x " + op.String() + " y" }
func indexName(op syntax.Token) string  { return "x[i] " + op.String() + " y" }

type function func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// environment is all that a script can name.
func environment() starlark.StringDict {
	env := starlark.StringDict{"ask": starlark.NewBuiltin("ask", say), "deny": starlark.NewBuiltin("deny", say)}
	for name, v := range starlark.Universe {
		if b, ok := v.(*starlark.Builtin); ok {
			v = metered(b)
		}
		env[name] = v
	}
	env["getattr"] = starlark.NewBuiltin("getattr", getattr)
	add := func(name string, f function) { env[name] = starlark.NewBuiltin(name, f) }
	for _, op := range binary {
		add(binaryName(op), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return operate(meterOf(t), op, args[0], args[1])
		})
	}
	for with, op := range assigning {
		add(binaryName(with), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return assign(meterOf(t), op, args[0], args[1])
		})
		add(indexName(with), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, assignAt(meterOf(t), op, args)
		})
	}
	add(opField, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return field(args[0], string(args[1].(starlark.String)))
	})
	add(opKey, paid(looks))
	add(opSlice, paid(cuts))
	add(opCopy, paid(copies))
	return env
}

// paid returns its argument, after it has paid for it.
func paid(pay price) function {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return args[0], pay(meterOf(t), use{args: args})
	}
}

// operate is x op y.
func operate(m *meter, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := priceOf(m, op, x, y); err != nil {
		return nil, err
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		holds, err := starlark.Compare(op, x, y)
		return starlark.Bool(holds), err
	}
	v, err := starlark.Binary(op, x, y)
	if n, ok := v.(starlark.Int); ok && err == nil {
		if _, small := n.Int64(); !small && n.BigInt().BitLen() > maxBits {
			return nil, fmt.Errorf("a number has more than %d bits", maxBits)
		}
	}
	return v, err
}

// maxBits bounds numbers: the time to divide them grows with the square of it.
const maxBits = 4096

func priceOf(m *meter, op syntax.Token, x, y starlark.Value) error {
	both := use{args: starlark.Tuple{x, y}}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN:
		return looks(m, both)
	case syntax.PERCENT:
		if _, ok := x.(starlark.String); ok {
			return formats(m, use{recv: x, args: starlark.Tuple{y}})
		}
	case syntax.STAR:
		return priceOfTimes(m, x, y)
	}
	return copies(m, both)
}

// priceOfTimes pays for x * y: two numbers, or a number and what it repeats.
func priceOfTimes(m *meter, x, y starlark.Value) error {
	if _, ok := x.(starlark.Int); ok {
		x, y = y, x
	}
	n, err := m.size(x)
	if err != nil {
		return err
	}
	times, ok := y.(starlark.Int)
	if !ok {
		return copies(m, use{args: starlark.Tuple{x, y}}) // numbers with a fraction, or a mistake
	}
	if _, ok := x.(starlark.Int); ok {
		return copies(m, use{args: starlark.Tuple{x, y}})
	}
	count, ok := times.Int64()
	if !ok || count > int64(m.memory/n) {
		return errMemory
	}
	return m.make(n * max(1, int(count)))
}

// assign is x op= y, which extends a list or a dictionary in place.
func assign(m *meter, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	list, isList := x.(*starlark.List)
	from, iterable := y.(starlark.Iterable)
	dict, isDict := x.(*starlark.Dict)
	with, isMapping := y.(*starlark.Dict)
	switch {
	case op == syntax.PLUS && isList && iterable:
		return x, extend(m, list, from)
	case op == syntax.PIPE && isDict && isMapping:
		if err := extends(m, use{args: starlark.Tuple{y}}); err != nil {
			return nil, err
		}
		for _, pair := range with.Items() { // a copy: it may be itself
			if err := dict.SetKey(pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
		return x, nil
	}
	return operate(m, op, x, y)
}

func extend(m *meter, list *starlark.List, from starlark.Iterable) error {
	if err := extends(m, use{args: starlark.Tuple{from}}); err != nil {
		return err
	}
	var items []starlark.Value // first: it may be the list itself
	it := from.Iterate()
	for x := starlark.Value(nil); it.Next(&x); {
		items = append(items, x)
	}
	it.Done()
	for _, x := range items {
		if err := list.Append(x); err != nil {
			return err
		}
	}
	return nil
}

// assignAt is x[i] op= y.
func assignAt(m *meter, op syntax.Token, args starlark.Tuple) error {
	x, i, y := args[0], args[1], args[2]
	switch x := x.(type) {
	case *starlark.Dict:
		old, found, err := x.Get(i)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("key %s not in dict", i)
		}
		v, err := assign(m, op, old, y)
		if err != nil {
			return err
		}
		return x.SetKey(i, v)
	case *starlark.List:
		at, err := starlark.AsInt32(i)
		if at < 0 {
			at += x.Len()
		}
		if err != nil || at < 0 || at >= x.Len() {
			return fmt.Errorf("list index %s out of range", i)
		}
		v, err := assign(m, op, x.Index(at), y)
		if err != nil {
			return err
		}
		return x.SetIndex(at, v)
	}
	return fmt.Errorf("%s value does not support item assignment", x.Type())
}

// field is x.name. A method pays when it is called.
func field(x starlark.Value, name string) (starlark.Value, error) {
	has, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s", x.Type(), name)
	}
	v, err := has.Attr(name)
	if _, missing := err.(starlark.NoSuchAttrError); err == nil && v == nil || missing { //nolint:errorlint // it is returned bare
		return nil, fmt.Errorf("%s has no .%s: it has %s", nameOf(x), name, strings.Join(has.AttrNames(), ", "))
	}
	if b, ok := v.(*starlark.Builtin); ok {
		return metered(b), err
	}
	return v, err
}

// nameOf is what a value is called in errors.
func nameOf(x starlark.Value) string {
	if s, ok := x.(*starlarkstruct.Struct); ok {
		return string(s.Constructor().(starlark.String))
	}
	return x.Type()
}

func getattr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, otherwise starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &name, &otherwise); err != nil {
		return nil, err
	}
	v, err := field(x, name)
	if err != nil && otherwise != nil {
		return otherwise, nil
	}
	return v, err
}
