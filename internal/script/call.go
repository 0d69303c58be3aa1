package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// fields are what a value of a script has.
type fields = starlark.StringDict

func object(name string, f fields) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String(name), f)
}

// callValue is what a script sees of a call: everything that the other stages
// see, and nothing else.
func callValue(c *sayso.Case) (starlark.Value, error) {
	if len(c.Call.Input) > MaxCall {
		return nil, fmt.Errorf("the call is larger than %d MiB", MaxCall>>20)
	}
	input, err := fromJSON(c.Call.Input)
	if err != nil {
		return nil, err
	}
	f := c.Facts
	mode := c.Session.Mode
	if mode == "" {
		mode = "default"
	}
	out := fields{
		"tool": starlark.String(c.Call.Tool), "kind": starlark.String(f.Class), "input": input,
		"cwd": starlark.String(c.Call.Dir), "root": starlark.String(c.Call.Root), "home": starlark.String(c.Call.Home),
		"mode": starlark.String(mode), "agent": starlark.String(c.Call.Agent), "subagent": starlark.String(c.Call.Subagent),
		"agent_mode": starlark.String(c.Session.AgentMode),
		"server":     starlark.String(f.Server), "mcp_tool": starlark.String(f.Tool),
		"risk": starlark.String(f.Risk.String()), "read_only": starlark.Bool(f.ReadOnly), "sentence": starlark.String(f.Sentence),
		"session": object("session", fields{"id": starlark.String(c.Session.ID), "turn": starlark.MakeInt(c.Session.Turn), "tainted": starlark.String(c.Session.Tainted)}),
	}
	if c.Call.Dir == "" {
		out["cwd"] = out["root"]
	}
	addParts(out, f)
	call := object("call", out)
	call.Freeze()
	return call, nil
}

// addParts adds what the parts of a call do: the commands, and all paths, hosts,
// effects and unknowns together.
func addParts(out fields, f *sayso.Facts) {
	var commands, paths []starlark.Value
	var hosts, opaque []string
	var effects shell.Effects
	for i := range f.Parts {
		p := &f.Parts[i]
		of := pathValues(f, p.Paths)
		paths = append(paths, of...)
		effects |= p.Effects
		hosts = union(hosts, p.Hosts)
		opaque = union(opaque, p.Opaque)
		if p.Command != nil {
			commands = append(commands, commandValue(p, of))
		}
	}
	out["commands"], out["paths"] = starlark.NewList(commands), starlark.NewList(paths)
	out["hosts"], out["opaque"], out["effects"] = texts(hosts), texts(opaque), texts(effects.Names())
}

func commandValue(p *sayso.Part, paths []starlark.Value) starlark.Value {
	c := p.Command
	argv := make([]string, len(c.Args))
	known := true
	for i, a := range c.Args {
		argv[i] = a.Text
		known = known && !a.Unknown
	}
	env := starlark.NewDict(len(c.Assigns))
	for _, a := range c.Assigns {
		_ = env.SetKey(starlark.String(a.Name), starlark.String(a.Value.Text)) // a string has a hash
	}
	return object("command", fields{
		"argv": texts(argv), "known": starlark.Bool(known), "text": starlark.String(p.Text), "env": env, "cwd": starlark.String(c.Dir),
		"effects": texts(p.Effects.Names()), "risk": starlark.String(p.Risk.String()), "sentence": starlark.String(p.Sentence),
		"paths": starlark.NewList(paths), "hosts": texts(p.Hosts), "opaque": texts(p.Opaque), "elsewhere": starlark.Bool(c.Elsewhere),
	})
}

// classNames are the names of what is special about a path.
var classNames = []struct {
	class shell.PathClass
	name  string
}{
	{shell.Secret, "secret"},
	{shell.OfSystem, "system"},
	{shell.Startup, "startup"},
	{shell.Device, "device"},
	{shell.Temporary, "temporary"},
	{shell.Remade, "remade"},
	{shell.Guard, "guard"},
	{shell.Shadowing, "program"},
}

func pathValues(f *sayso.Facts, paths []shell.Path) []starlark.Value {
	out := make([]starlark.Value, len(paths))
	for i, p := range paths {
		real := p.Real
		if real == "" {
			real = p.Abs
		}
		var classes []string
		for _, c := range classNames {
			if (f.Place.Class(p.Abs)|f.Place.Class(real))&c.class != 0 {
				classes = append(classes, c.name)
			}
		}
		inside := p.Abs != "" && f.Place.Inside(p.Abs) && f.Place.Inside(real)
		out[i] = object("path", fields{
			"raw": starlark.String(p.Raw), "abs": starlark.String(p.Abs), "real": starlark.String(real), "access": starlark.String(p.Access.String()),
			"classes": texts(classes), "inside": starlark.Bool(inside), "glob": starlark.Bool(p.Glob), "recursive": starlark.Bool(p.Recursive),
		})
	}
	return out
}

func texts(list []string) starlark.Value {
	values := make([]starlark.Value, len(list))
	for i, s := range list {
		values[i] = starlark.String(s)
	}
	return starlark.NewList(values)
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// fromJSON makes a value of the input of a call.
func fromJSON(raw json.RawMessage) (starlark.Value, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return starlark.NewDict(0), nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("the input of the call: %w", err)
	}
	return fromGo(v, 0)
}

func fromGo(v any, depth int) (starlark.Value, error) {
	if depth > maxDepth {
		return nil, errors.New("the input of the call is nested too deep")
	}
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if n, ok := new(big.Int).SetString(v.String(), 10); ok && len(v) <= 100 {
			return starlark.MakeBigInt(n), nil
		}
		f, err := v.Float64()
		return starlark.Float(f), err
	case []any:
		list := make([]starlark.Value, len(v))
		for i := range v {
			one, err := fromGo(v[i], depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = one
		}
		return starlark.NewList(list), nil
	case map[string]any:
		return fromMap(v, depth)
	}
	return starlark.None, nil
}

func fromMap(m map[string]any, depth int) (starlark.Value, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dict := starlark.NewDict(len(m))
	for _, k := range keys {
		one, err := fromGo(m[k], depth+1)
		if err != nil {
			return nil, err
		}
		if err := dict.SetKey(starlark.String(k), one); err != nil {
			return nil, err
		}
	}
	return dict, nil
}
