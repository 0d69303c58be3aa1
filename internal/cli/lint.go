package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/tools"
)

// ruleLint reports what is wrong or suspicious with the rules of a workspace.
func ruleLint(root, home string, std IO) error {
	p, err := load(root, home, std)
	if err != nil {
		return err
	}
	found := 0
	say := func(at, problem string) {
		found++
		fmt.Fprintf(std.Out, "%s: %s\n", at, problem)
	}
	for _, one := range split(p.Err) {
		found++
		fmt.Fprintln(std.Out, one)
	}
	for _, err := range brokenScripts(p.Scripts, std) {
		found++
		fmt.Fprintln(std.Out, err)
	}
	for _, d := range p.Dropped {
		say(d.Source.String(), d.What+" does not count: "+d.Why)
	}
	for i := range p.Rules {
		for _, problem := range suspicious(p.Rules, i) {
			say(p.Rules[i].Source.String(), problem)
		}
	}
	if found > 0 {
		return statusError(exitError)
	}
	_, err = io.WriteString(std.Out, "nothing to report\n")
	return err
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

// suspicious says what looks wrong with one rule among others.
func suspicious(rules []sayso.Rule, i int) []string {
	r := &rules[i]
	var out []string
	name, pattern, _ := strings.Cut(strings.TrimSuffix(r.Text, ")"), "(")
	if near, ok := tools.Nearest(name); ok && !ruleWord(name) {
		if _, known := tools.Lookup(name); !known && !strings.EqualFold(near, name) {
			out = append(out, fmt.Sprintf("%s: no tool is known as %s; did you mean %s?", r.Text, name, near))
		}
	}
	if !r.Until.IsZero() && r.Until.Before(time.Now()) {
		out = append(out, fmt.Sprintf("%s: it ended on %s", r.Text, r.Until.Format(time.DateOnly)))
	}
	for j := range rules {
		other := &rules[j]
		switch {
		case j == i || other.Text != r.Text || len(other.Except) > 0:
		case other.Effect < r.Effect:
			out = append(out, fmt.Sprintf("%s %s can never count: %s has the same rule to %s", r.Effect, r.Text, place1(other), other.Effect))
		case other.Effect == r.Effect && j < i:
			out = append(out, fmt.Sprintf("%s %s stands in %s already", r.Effect, r.Text, place1(other)))
		}
	}
	if r.Effect == sayso.Allow {
		out = append(out, broad(r.Text, name, pattern)...)
	}
	return out
}

func place1(r *sayso.Rule) string {
	if s := r.Source.String(); s != "" {
		return s
	}
	return "another place"
}

// ruleWord reports whether rules have a word of their own for a kind of tool.
func ruleWord(name string) bool {
	_, known := sayso.RuleClass(name)
	return known || name == "*" || strings.HasPrefix(name, "mcp__")
}

// broad says if a rule that allows lets more through than it looks: a command
// that runs others, or everything.
func broad(text, name, pattern string) []string {
	if name == "*" || (name == "bash" || name == "shell" || name == "Bash") && (pattern == "" || pattern == "*") {
		return []string{text + " allows every command"}
	}
	if name != "bash" && name != "shell" && name != "Bash" || !strings.HasSuffix(pattern, "*") {
		return nil
	}
	program, _, _ := strings.Cut(pattern, " ")
	a := sayso.Analyzer{}
	input := []byte(fmt.Sprintf(`{"command":%q}`, strings.TrimSuffix(pattern, "*")+" x"))
	f := a.Analyze(sayso.Call{Tool: "bash", Input: input, Root: "/workspace"})
	if f.Err == nil && len(f.Parts) > 0 && f.Parts[0].Command != nil && !f.Parts[0].Command.Suggest {
		return []string{fmt.Sprintf("%s allows more than it looks: %s runs other programs or code", text, program)}
	}
	return nil
}
