package sayso

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A Mode is one of the ways in which a preset may judge calls.
type Mode struct {
	Name   string
	Symbol string // shown beside a prompt; may be empty
	Doc    string // one sentence

	// Command is what a user types to the agent to switch to the mode, such
	// as /guardian; empty: nothing.
	Command string

	// Unattended says that nobody is asked in this mode: what asks is denied,
	// whoever asked, also a policy that stands in front of the preset.
	Unattended bool

	// Clears says that whoever switches to the mode takes back what was
	// approved for the session: see [Engine.ClearGrants].
	Clears bool
}

// A Preset is a way of judging calls: a plan for each of its modes. All else
// has a default.
type Preset struct {
	Name  string
	Doc   string
	Modes []Mode // the first is the default
	Plan  func(mode string) (Plan, error)

	// Describe gives risk and explanation in the preset's own terms. Nil:
	// those of the analysis.
	Describe func(c *Case) (shell.Risk, string)

	// Suggest returns rules that would have allowed the call, the narrowest
	// first, in the preset's own language. Nil: in the language of [Rule].
	Suggest func(c *Case) []Suggestion

	// Keep says for how long a rule about the call could be kept, with every
	// decision; where that is nowhere, nothing is suggested. Nil: decisions do
	// not say it.
	Keep func(c *Case, d *Decision) []Scope

	// Choices are the answers that a person is offered. Nil: [PlainChoices].
	Choices func(c *Case, d *Decision) []Choice

	// CheckRule says what is wrong with a rule that a person wants to keep
	// as a grant, where the preset has a language of its own for them: its
	// stages then read the texts in [Grants.List]. Nil: the language of
	// [Rule].
	CheckRule func(text string) error

	// ToolName returns what the preset calls a tool of another agent: rules
	// for read_file then count for that agent's Read, too. Nil, or no name:
	// the tool has the name that it has.
	ToolName func(tool string) string

	// StopOnNo says that a person's no ends the turn: what else is pending
	// is not run, not asked about, and the agent is told nothing to act on.
	StopOnNo bool

	// ClearAtEnd says that what was approved for a session ends when the agent
	// leaves it, and does not count when it is resumed. With the conversation
	// it ends in any case.
	ClearAtEnd bool
}

// Clears reports whether switching to a mode, or to several that count together,
// takes back what was approved for the session.
func (p Preset) Clears(mode string) bool {
	for _, m := range p.Modes {
		if m.Clears && slices.Contains(strings.Split(mode, "+"), m.Name) {
			return true
		}
	}
	return false
}

// ModeFor returns the mode that a user switches to by typing text to the agent.
func (p Preset) ModeFor(text string) (mode string, ok bool) {
	for _, m := range p.Modes {
		if m.Command != "" && m.Command == strings.TrimSpace(text) {
			return m.Name, true
		}
	}
	return "", false
}

// For returns the plan for a mode; the empty name stands for the default. Modes
// that are joined by + count together: no call is judged more leniently than
// by each of them.
func (p Preset) For(mode string) (Plan, error) {
	if p.Plan == nil || len(p.Modes) == 0 {
		return nil, fmt.Errorf("preset %q has no plan", p.Name)
	}
	if mode == "" {
		mode = p.Modes[0].Name
	}
	if strings.Contains(mode, "+") {
		return p.together(strings.Split(mode, "+"))
	}
	var names []string
	for _, m := range p.Modes {
		if m.Name == mode {
			plan, err := p.Plan(mode)
			if err == nil && m.Unattended {
				plan = Plan{Unattended(plan...)}
			}
			return plan, err
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("preset %s has no mode %q: want one of %s", p.Name, mode, strings.Join(names, ", "))
}

// together returns the plan for several modes.
func (p Preset) together(names []string) (Plan, error) {
	var stages []Stage
	for _, name := range names {
		plan, err := p.For(name)
		if err != nil {
			return nil, err
		}
		stages = append(stages, wrapped{name, plan, func(_ *Case, v Verdict) Verdict {
			if !v.Speaks() {
				v = Decide(Deny, CodeNobody, nobodySpoke)
			}
			return v
		}})
	}
	all := Strictest("modes", stages...)
	for _, m := range p.Modes {
		if m.Unattended && slices.Contains(names, m.Name) {
			all = Unattended(all)
		}
	}
	return Plan{all}, nil
}

// Fingerprint identifies calls that are the same but for their session: same
// tool, same input, same folder.
func (c *Call) Fingerprint() string {
	sum := sha256.Sum256([]byte(c.Tool + "\x00" + c.Dir + "\x00" + string(canonicalJSON(c.Input))))
	return hex.EncodeToString(sum[:])
}

// CodeFallback is the code of a denial that has become a question.
const CodeFallback Code = "fallback"

// DenialFallback turns a soft denial into a question if calls with the same
// fingerprint were denied so often before: in a row, or in total. A person, a
// rule or a guard that denies is never questioned.
func DenialFallback(inRow, inTotal int, stages ...Stage) Stage {
	return wrapped{"fallback", Plan(stages), func(c *Case, v Verdict) Verdict {
		if v.effect != Deny || !v.soft {
			return v
		}
		n := c.Session.Soft[c.Call.Fingerprint()]
		if n.Consecutive < inRow && n.Total < inTotal {
			return v
		}
		v.effect, v.code, v.firmness, v.soft, v.stage = Ask, CodeFallback, decides, false, ""
		v.reason = fmt.Sprintf("it was denied %d times; %s", n.Total, v.reason)
		return v
	}}
}
