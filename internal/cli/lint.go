package cli

import (
	"errors"
	"io"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/lint"
	"github.com/sayso-dev/sayso/preset"
)

// A ruleFinding is one thing that lint has found, in the form of --json.
type ruleFinding struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Kind    string `json:"kind"` // error, script, dropped, or one of package lint
	Effect  string `json:"effect,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
}

func (f *ruleFinding) text() string {
	text := f.Problem
	if at := (sayso.Source{File: f.File, Line: f.Line, Column: f.Column}).String(); at != "" {
		text = at + ": " + text
	}
	if f.Remedy != "" {
		text += " (" + f.Remedy + ")"
	}
	return text
}

// ruleLint reports what is wrong or suspicious with the rules of a workspace, or
// of files that are named. The preset is that of the policy unless one is given.
func ruleLint(root, home, preset string, files []string, asJSON bool, std IO) error {
	var found []ruleFinding
	var err error
	if len(files) > 0 {
		found, err = fileFindings(files)
	} else {
		var p loaded
		p, err = loadAs(root, home, preset, "", std)
		if err == nil {
			found = findings(&p, std)
		}
	}
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = writeJSON(struct {
			OK       bool          `json:"ok"`
			Findings []ruleFinding `json:"findings"`
		}{len(found) == 0, found}, std.Out)
	case len(found) == 0:
		_, err = io.WriteString(std.Out, "nothing to report\n")
	}
	for i := range found {
		if !asJSON {
			printf(std.Out, "%s\n", found[i].text())
		}
	}
	if err == nil && len(found) > 0 {
		return statusError(exitError)
	}
	return err
}

// findings is all that can be said about a policy; never nil.
func findings(p *loaded, std IO) []ruleFinding {
	out := []ruleFinding{}
	for _, one := range split(p.Err) {
		out = append(out, mistake(one))
	}
	for _, err := range brokenScripts(p.Scripts, std) {
		out = append(out, ruleFinding{Kind: "script", Problem: err.Error()})
	}
	for _, d := range p.Dropped {
		out = append(out, ruleFinding{
			File: d.Source.File, Line: d.Source.Line, Column: d.Source.Column, Kind: "dropped", Problem: d.What + " does not count: " + d.Why,
			Remedy: d.Remedy,
		})
	}
	return append(out, aboutRules(p.Rules, capabilities(&p.Policy)...)...)
}

// capabilities are what is switched off, or asks, as rules.
func capabilities(p *config.Policy) []sayso.Rule {
	var out []sayso.Rule
	add := func(list []preset.Capability, effect sayso.Effect, word string) {
		for _, c := range list {
			out = append(out, sayso.Rule{Effect: effect, Text: capabilityRules[c], Because: "workspace: {" + string(c) + ": " + word + "}"})
		}
	}
	add(p.Off, sayso.Deny, "off")
	add(p.Ask, sayso.Ask, "ask")
	return out
}

var capabilityRules = map[preset.Capability]string{
	preset.CanRead: "read(**)", preset.CanWrite: "edit(**)", preset.CanDelete: "delete(**)", preset.CanShell: "bash", preset.CanNetwork: "fetch(*)",
	preset.CanMCP: "mcp",
}

// fileFindings looks at policy files, each for itself and as if it were trusted:
// what they say is to be judged before anybody trusts them.
func fileFindings(files []string) ([]ruleFinding, error) {
	out := []ruleFinding{}
	for _, name := range files {
		text, err := readPlain(name)
		if err != nil {
			return nil, err
		}
		f, err := config.Parse(name, text)
		if err == nil {
			err = config.CheckExamples(f, example)
		}
		for _, one := range split(err) {
			out = append(out, mistake(one))
		}
		out = append(out, aboutRules(f.Rules)...)
	}
	return out, nil
}

// aboutRules is what lint finds.
func aboutRules(rules []sayso.Rule, besides ...sayso.Rule) []ruleFinding {
	var out []ruleFinding
	for _, f := range lint.Rules(rules, time.Now(), besides...) {
		at := f.Rule.Source
		out = append(out, ruleFinding{at.File, at.Line, at.Column, f.Kind, f.Rule.Effect.String(), f.Rule.Text, f.Problem, f.Remedy})
	}
	return out
}

// mistake is an error of a policy file.
func mistake(err error) ruleFinding {
	var e *config.Error
	if errors.As(err, &e) {
		return ruleFinding{File: e.File, Line: e.Line, Column: e.Column, Kind: "error", Problem: e.Problem, Remedy: e.Hint}
	}
	return ruleFinding{Kind: "error", Problem: err.Error()}
}

// split takes joined errors apart.
func split(err error) []error {
	var joined interface{ Unwrap() []error }
	if err == nil {
		return nil
	}
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, split(e)...)
	}
	return out
}
