package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// SuiteEnd is how the names of files with tests for a policy end.
const SuiteEnd = ".sayso-test.yaml"

// A Suite is a file with tests for a policy.
type Suite struct {
	Name   string
	Policy *File  // what stands in the file itself; nil: nothing does
	File   string // the policy file that it names, as written; empty: none
	Script string // the policy script that it names, as written; empty: none
	Cases  []Case
}

// A Case is a call with the decision that is expected.
type Case struct {
	Name  string // for people; never empty
	Line  int
	Tool  string
	Input json.RawMessage
	Mode  string // empty: that of the policy
	Dir   string // where the call is made, below the workspace; empty: there
	Files []string

	Expect              string // allow, ask or deny
	Code, Stage, Risk   string // where they matter
	Reason              string // a part of the reason, where it matters
	Tainted             string
	Subagent, AgentMode string
}

// suite is what can be written in a file with tests.
type suite struct {
	Policy suitePolicy `json:"policy"`
	Script string      `json:"script"`
	Mode   suiteMode   `json:"mode"`
	Files  []string    `json:"files"`
	Cases  []suiteCase `json:"cases"`
}

type suiteCase struct {
	caseKeys
	line int
}

type caseKeys struct {
	Name      string     `json:"name"`
	Command   string     `json:"command"`
	Tool      string     `json:"tool"`
	Input     suiteInput `json:"input"`
	Mode      suiteMode  `json:"mode"`
	Cwd       string     `json:"cwd"`
	Tainted   string     `json:"tainted"`
	Subagent  string     `json:"subagent"`
	AgentMode agentMode  `json:"agent_mode"`
	Expect    effectName `json:"expect"`
	Code      string     `json:"code"`
	Stage     string     `json:"stage"`
	Risk      riskName   `json:"risk"`
	Reason    string     `json:"reason"`
}

type (
	effectName string
	riskName   string
	agentMode  string
)

func (effectName) words() []string { return []string{"allow", "ask", "deny"} }
func (riskName) words() []string   { return []string{"safe", "moderate", "dangerous", "blocked"} }
func (agentMode) words() []string  { return []string{"edit", "plan", "ask"} }

// A suitePolicy is the name of a policy file, or a policy.
type suitePolicy struct {
	file   string
	policy *File
}

func (p *suitePolicy) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		p.file, _ = d.text(n, path)
		return
	}
	inner := &decoder{src: d.src, own: d.own, at: map[string]mark{}} // its keys are not those of the suite
	var doc document
	inner.value(n, value(&doc), "")
	p.policy, _ = inner.file(&doc)
	d.errs = append(d.errs, inner.errs...)
}

// A suiteMode is a mode of native: what another preset decides is tested with
// JSON lines.
type suiteMode string

func (suiteMode) words() []string { return modeWords }

// A suiteInput is the input of a tool.
type suiteInput json.RawMessage

func (in *suiteInput) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		d.want(n, path, "keys and values", "")
		return
	}
	var v any
	err := n.Decode(&v)
	if err == nil {
		*in, err = json.Marshal(v)
	}
	if err != nil {
		d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: it cannot be written as JSON: %v", label(path), err), "")
	}
}

func (c *suiteCase) read(d *decoder, n *yaml.Node, path string) {
	c.line = n.Line
	if n.Kind != yaml.MappingNode {
		d.want(n, path, "keys and values", "such as {command: git status, expect: allow}")
		return
	}
	before := len(d.errs)
	d.fields(n, reflect.ValueOf(&c.caseKeys).Elem(), path)
	if len(d.errs) > before {
		return
	}
	at := mark{n.Line, n.Column}
	switch {
	case (c.Command == "") == (c.Tool == ""):
		d.report(at, label(path)+": want a command, or a tool with its input", "")
	case c.Command != "" && c.Input != nil:
		d.report(at, label(path)+": a command has no input", "for another tool write tool and input")
	case c.Expect == "":
		d.report(at, label(path)+": want what is expected", "expect: allow, ask or deny")
	}
}

// ParseSuite reads a file with tests, as strictly as [Parse].
func ParseSuite(name string, text []byte) (*Suite, error) {
	d := &decoder{src: newSource(name, text), at: map[string]mark{}}
	var doc suite
	if d.src.check(d.report) {
		d.parseSuite(&doc)
	}
	if len(d.errs) == 0 && len(doc.Cases) == 0 {
		d.report(mark{1, 1}, "there are no cases", "cases: [{command: git status, expect: allow}]")
	}
	s := &Suite{Name: name, Policy: doc.Policy.policy, File: doc.Policy.file, Script: doc.Script}
	for _, c := range doc.Cases {
		s.Cases = append(s.Cases, c.public(&doc))
	}
	return s, join(d.errs)
}

func (d *decoder) parseSuite(doc *suite) {
	docs, err := documents(d.src.text)
	if err != nil {
		if len(d.errs) == 0 {
			d.report(d.src.syntax(err))
		}
		return
	}
	for i, n := range docs {
		if i > 0 {
			d.report(mark{n.Line, n.Column}, "a second document", "a file with tests is one document: remove the line with ---")
			return
		}
		d.plain(n)
		if len(n.Content) > 0 {
			d.value(n.Content[0], reflect.ValueOf(doc).Elem(), "")
		}
	}
}

func (c *suiteCase) public(doc *suite) Case {
	out := Case{
		Name: c.Name, Line: c.line, Tool: c.Tool, Input: json.RawMessage(c.Input), Mode: string(c.Mode), Dir: c.Cwd, Files: doc.Files,
		Expect: string(c.Expect), Code: c.Code, Stage: c.Stage, Risk: string(c.Risk), Reason: c.Reason,
		Tainted: c.Tainted, Subagent: c.Subagent, AgentMode: string(c.AgentMode),
	}
	if out.Mode == "" {
		out.Mode = string(doc.Mode)
	}
	if c.Command != "" {
		out.Tool = "bash"
		out.Input, _ = json.Marshal(map[string]string{"command": c.Command}) // a string can be written
	}
	if out.Input == nil {
		out.Input = json.RawMessage("{}")
	}
	if out.Name == "" {
		out.Name = c.Command
	}
	if out.Name == "" {
		out.Name = c.Tool + " " + string(out.Input)
	}
	return out
}
