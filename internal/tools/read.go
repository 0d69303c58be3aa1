package tools

import (
	"encoding/json"
	"strings"
	"time"
)

// An Input is what the arguments of a tool call say. Each part counts, whatever
// the class of the tool is.
type Input struct {
	// Commands are for a shell. There is more than one only where a tool takes
	// a list: each is run by itself, so joining them could change them.
	Commands   []string
	PowerShell bool     // they are for PowerShell, which reads most of them in another way
	Argv       []string // a program and its arguments, with no shell between
	Dir        string   // where it works; empty: where the agent is
	Paths      []Path   // those of a patch, too
	Patch      string
	URLs       []string
	Pattern    string // what is searched for, or a glob
	Text       string // what is written, said, or run in an interpreter

	// Programs are how a shell would run Text, where it is a program: lua -e. Of a
	// tool that nobody knows there are several, since the language is not told.
	Programs []string

	Description  string // why, in the model's words
	Server, Tool string // of an MCP tool
	Timeout      time.Duration
	Background   bool // it goes on running
	Escalated    bool // it asks to be let out of the agent's sandbox

	// Extra are the keys that are not known, sorted as they came. What they
	// hold was not looked at; one that is [Suspicious] may hide something.
	Extra []string
}

// A Path is a path as the tool was given it: relative ones are relative to
// Input.Dir.
type Path struct {
	Path   string
	Access Access
	Names  string // for Searches: a pattern for the files that are meant; empty: all
}

// Read takes the input of a call apart: a JSON object, or a JSON string that
// holds one; nothing and null are an empty object. An error (an [InputError] or a [PatchError]) means that it cannot
// be known what the agent would do: deny.
func (s Spec) Read(input json.RawMessage) (Input, error) {
	n, err := parseObject(string(input))
	if err == nil && n.kind == '"' {
		n, err = parseObject(n.text)
	}
	switch {
	case err != nil:
		return Input{}, err
	case n.kind != '{':
		return Input{}, &InputError{Problem: "not an object"}
	}
	r := reader{spec: s}
	r.in.Server, r.in.Tool = s.Server, s.Tool
	if len(s.args) == 0 {
		r.loose("", n)
		return r.in, r.err
	}
	r.object("", n)
	r.finish()
	return r.in, r.err
}

func parseObject(src string) (node, error) {
	if src == "" {
		return node{kind: '{'}, nil
	}
	n, err := parse(src)
	if n.kind == 'n' {
		n.kind = '{'
	}
	return n, err
}

// A reader fills an Input. It keeps the first error.
type reader struct {
	spec  Spec
	in    Input
	err   error
	args  []string
	globs []glob // they wait for their folder

	filters []string // patterns for the names of the files that are searched
	looks   bool     // the verb of an editor says that it only shows the file
	has     uint64   // the groups of kinds that were given
	taken   uint64   // the kinds of which there can be only one
}

func (r *reader) fail(key, problem string) {
	if r.err == nil {
		r.err = &InputError{Key: key, Problem: problem}
	}
}

// object reads the keys of n, whose own name is prefix.
func (r *reader) object(prefix string, n node) {
	var here uint64
	for i, k := range n.keys {
		key := prefix + k
		switch kind, known, inner := r.find(key); {
		case strings.ContainsAny(k, ".["): // it would look like a nested one
			r.in.Extra = append(r.in.Extra, key)
		case known:
			here |= 1 << kind.group()
			r.take(key, kind, n.kids[i])
		case inner == "[]":
			r.each(key, n.kids[i])
		case inner != "":
			if n.kids[i].kind != '{' {
				r.fail(key, "not an object")
				continue
			}
			r.object(key+".", n.kids[i])
		case r.miscased(key):
			r.fail(key, "in the wrong case")
		default:
			r.in.Extra = append(r.in.Extra, key)
		}
	}
	r.has |= here
	r.required(prefix, here)
}

// find looks for the key. If it is not known, but some are that are inside of it,
// inner says in what: a list or an object.
func (r *reader) find(key string) (what kind, known bool, inner string) {
	for k, kind := range r.spec.keys {
		rest, ok := strings.CutPrefix(k, key)
		switch {
		case !ok:
		case rest == "":
			return kind, true, ""
		case strings.HasPrefix(rest, "[]."):
			inner = "[]"
		case rest[0] == '.':
			inner = "."
		}
	}
	return 0, false, inner
}

// miscased reports whether key is a known one but for case: Go programs would
// take it for the known one.
func (r *reader) miscased(key string) bool {
	for known := range r.spec.keys {
		for dot := len(known); dot > 0; dot = strings.LastIndexByte(known, '.') {
			known = strings.TrimSuffix(known[:dot], "[]")
			if strings.EqualFold(known, key) {
				return true
			}
		}
	}
	return false
}

func (r *reader) each(key string, n node) {
	n = unpacked(n)
	if n.kind != '[' {
		r.fail(key, "not a list")
		return
	}
	for _, kid := range n.kids {
		if kid.kind != '{' {
			r.fail(key, "not a list of objects")
			return
		}
		r.object(key+"[].", kid)
	}
}

// required checks that an object has what it must have.
func (r *reader) required(prefix string, here uint64) {
	for key, kind := range r.spec.keys {
		if kind&must != 0 && here>>kind.group()&1 == 0 && isIn(prefix, key) {
			r.fail(key, "missing"+r.others(prefix, key, kind))
		}
	}
}

// others names the keys that would do as well as key.
func (r *reader) others(prefix, key string, kind kind) string {
	var names []string
	for k, other := range r.spec.keys {
		if other&must != 0 && other.group() == kind.group() && k != key && isIn(prefix, k) {
			names = append(names, k)
		}
	}
	if names == nil {
		return ""
	}
	return ", or " + strings.Join(names, ", ")
}

// isIn reports whether key is one of the object that prefix stands for, and not of
// one inside of it.
func isIn(prefix, key string) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && !strings.Contains(rest, ".")
}

// finish puts together what needs more than one key.
func (r *reader) finish() {
	r.joinArgs()
	r.reach()
	if (r.spec.Class == List || r.spec.Class == Grep) && len(r.in.Paths) == 0 {
		access := Lists
		if r.spec.Class == Grep {
			access = Searches
		}
		r.path("", ".", access)
	}
	r.filter()
	for i := range r.in.Paths {
		if p := &r.in.Paths[i]; r.looks && p.Access == Writes {
			p.Access = Reads
		}
	}
	r.patch()
	for key, kind := range r.spec.keys {
		_, isPath := kind.access()
		switch {
		case kind&must == 0:
		case isPath && len(r.in.Paths) == 0, kind.group() == kURL && len(r.in.URLs) == 0:
			r.fail(key, "missing")
		}
	}
}

// joinArgs makes an argument list of a program and its arguments.
func (r *reader) joinArgs() {
	if r.args == nil {
		return
	}
	// For one agent this is a program, for another a line for a shell: it must
	// be the same thing for both.
	if len(r.in.Commands) != 1 || strings.ContainsAny(r.in.Commands[0], " \t\r\n;&|<>()$`\"'\\*?[]{}#~=!%") {
		r.fail("command", "not the name of a program, but there are args")
		return
	}
	r.in.Argv = append(r.in.Commands, r.args...)
	r.in.Commands = nil
}

// patch adds the paths of the patch.
func (r *reader) patch() {
	if r.in.Patch == "" && (r.has>>kPatch&1 == 0 || len(r.in.Paths) > 0) {
		return // nothing is changed, in a file that is named
	}
	paths, err := PatchPaths(r.in.Patch)
	if err != nil && r.err == nil {
		r.err = err
	}
	for _, p := range paths {
		r.in.Paths = append(r.in.Paths, p.Paths()...)
	}
}
