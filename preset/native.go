// Package preset holds the ways of judging calls that come with sayso: its own,
// [Native], and those of the documented systems that it unifies. Each is an
// ordinary user of the library.
package preset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A Policy is what people have configured for [Native].
type Policy struct {
	Rules *sayso.RuleSet
	Err   error        // why a part of the policy did not load; then nothing is allowed
	Off   []Capability // what the workspace may not do
	Ask   []Capability // what asks in the workspace, whatever rules allow
	Tools []sayso.Tool // those of the program that embeds sayso

	// Scripts are policy scripts. They see the whole call and may only tighten:
	// what they allow counts for nothing, and one that fails asks.
	Scripts []sayso.Stage

	// Guarded are files, and with /** behind them folders, that decide about
	// agents besides those that always do: where sayso and its state are. What
	// begins with tcp:// is the address of its page.
	Guarded []string
}

// The modes of Native.
const (
	Plan    = "plan"
	Careful = "careful"
	Default = "default"
	DontAsk = "dont-ask"
	Bypass  = "bypass"
)

// Native is sayso's own preset: what every part of a call does decides, deny
// comes before ask before allow, and some things are never silent.
func Native(p Policy) sayso.Preset {
	return sayso.Preset{
		Name: "native",
		Doc:  "judges every part of a call by what it does; deny > ask > allow",
		Modes: []sayso.Mode{
			{Name: Default, Doc: "work inside the workspace that can be undone is free, the rest asks"},
			{Name: Careful, Doc: "reading is free, every change asks", Clears: true},
			{Name: Plan, Doc: "reading only"},
			{Name: DontAsk, Doc: "nobody is there: what would ask is denied", Unattended: true},
			{Name: Bypass, Doc: "the mode does not ask; guards, rules and safety checks still do"},
		},
		Plan: func(mode string) (sayso.Plan, error) { return p.plan(mode), nil },
	}
}

func (p *Policy) plan(mode string) sayso.Plan {
	parts := sayso.Each("parts", sayso.Parts,
		p.guards(),
		p.capabilities(),
		sayso.DeniedBefore(),
		sayso.Rules("deny rules", p.Rules, sayso.Deny),
		p.lookAlikes(),
		readingOnly(mode), // behind what denies for good: its denials may turn into questions
		sayso.Rules("ask rules", p.Rules, sayso.Ask),
		p.asks(),
		p.unnamed(),
		safety(),
		taint(),
		sayso.ToolSays(p.Tools),
		sayso.Granted(),
		sayso.Rules("allow rules", p.Rules, sayso.Allow),
		byMode(mode),
	)
	if len(p.Scripts) > 0 { // beside the rest: they must not keep a rule from denying
		parts = sayso.Strictest("scripts and parts", append(p.scripts(), parts)...)
	}
	decide := sayso.DenialFallback(3, 20, sayso.Readable(), sayso.Offered("surface"), p.loads(), leaks(), parts)
	return sayso.Plan{decide}
}

// loads denies everything while the policy does not load: a rule that was lost
// might have denied this very call.
func (p *Policy) loads() sayso.Stage {
	return sayso.Func("policy", func(*sayso.Case) sayso.Verdict {
		err := p.Err
		if err == nil && p.Rules != nil {
			err = p.Rules.Err()
		}
		if err == nil {
			return sayso.Pass()
		}
		return NotLoaded(err)
	})
}

// NotLoaded denies because a policy does not load, and names all of its mistakes in
// one line.
func NotLoaded(err error) sayso.Verdict {
	return sayso.Decide(sayso.Deny, sayso.CodePolicy, "the policy does not load: "+strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (p *Policy) scripts() []sayso.Stage {
	out := make([]sayso.Stage, len(p.Scripts))
	for i, s := range p.Scripts {
		out[i] = scriptStage{s}
	}
	return out
}

// Script is the stage of a policy script, for [Policy]. One that does not load
// asks about every call.
func Script(name string, text []byte, load func(name string, text []byte) (sayso.Stage, error)) sayso.Stage {
	s, err := load(name, text)
	if err != nil {
		return failed{err}
	}
	return s
}

// failed is a script that does not load.
type failed struct{ err error }

func (failed) Name() string { return "script" }

func (f failed) Check(context.Context, *sayso.Case) (sayso.Verdict, error) {
	return sayso.Verdict{}, f.err
}

// CodeScriptError is the code of a question that is there because a policy
// script does not work.
const CodeScriptError sayso.Code = "script.error"

// A scriptStage is a policy script, which may pass, ask or deny. What it allows
// counts for nothing, and if it fails it asks.
type scriptStage struct{ sayso.Stage }

func (s scriptStage) Check(ctx context.Context, c *sayso.Case) (sayso.Verdict, error) {
	v, err := s.Stage.Check(ctx, c)
	if err != nil {
		return sayso.Decide(sayso.Ask, CodeScriptError, fmt.Sprintf("the policy script failed: %v", err)).Immune(), nil
	}
	if v.Speaks() && v.Effect() == sayso.Allow {
		return sayso.Pass(), nil
	}
	return v, nil
}

// readingOnly holds to reading whoever is there only to look: everybody in plan
// mode, agents that plan or answer, and some kinds of subagents.
func readingOnly(mode string) sayso.Stage {
	return sayso.Func("reading only", func(c *sayso.Case) sayso.Verdict {
		deny := func(code sayso.Code, reason string) sayso.Verdict {
			return sayso.Decide(sayso.Deny, code, reason).Soft()
		}
		agent := c.Session.AgentMode
		switch {
		case onlyReads(c.Part()) && !guessed(c, c.Part()) || onlyFetches(c.Part()) || onlyLooks(c.Part()) || passes(c.Facts.Class) || onlySets(c.Part()):
			return sayso.Pass()
		case mode == Plan:
			return deny("mode.plan", "in plan mode only reading is allowed")
		case agent != "" && agent != sayso.EditMode: // one that is not known is not there to change anything
			return deny("agent."+sayso.Code(agent), "the agent is in "+string(agent)+" mode, and this does more than read")
		case slices.Contains(readingSubagents, c.Call.Subagent):
			return deny("agent.subagent", "a subagent of the kind "+c.Call.Subagent+" only reads")
		}
		return sayso.Pass()
	})
}

// passes reports whether calls of a class are fine where only reading is: a mode
// is changed by a person, and another agent may do no more than this one.
func passes(class sayso.Class) bool {
	return class == sayso.ClassMode || class == sayso.ClassSubagent
}

// onlySets reports whether a part does no more than set variables of the shell
// that nothing runs by.
func onlySets(p *sayso.Part) bool {
	if p.Command == nil || p.Risk < shell.Moderate || len(p.Opaque) > 0 {
		return false
	}
	return len(p.Command.Args) == 0 && len(p.Command.Redirects) == 0 || program(p) == "export"
}

var readingSubagents = []string{"explore", "Explore", "plan", "Plan"}

// A Capability is something that calls in a workspace can do at all.
type Capability string

// The capabilities of a workspace.
const (
	CanRead    Capability = "read"
	CanWrite   Capability = "write"
	CanDelete  Capability = "delete"
	CanShell   Capability = "shell"
	CanNetwork Capability = "network"
	CanMCP     Capability = "mcp"
)

// capabilities denies what is switched off for the workspace.
func (p *Policy) capabilities() sayso.Stage {
	return sayso.Func("capabilities", func(c *sayso.Case) sayso.Verdict {
		for _, off := range p.Off {
			if uses(c, off) {
				return sayso.Decide(sayso.Deny, "capability."+sayso.Code(off), "the workspace has "+string(off)+" switched off")
			}
		}
		return sayso.Pass()
	})
}

// asks asks about what is set to ask for the workspace.
func (p *Policy) asks() sayso.Stage {
	return sayso.Func("capabilities that ask", func(c *sayso.Case) sayso.Verdict {
		for _, ask := range p.Ask {
			if uses(c, ask) {
				return sayso.Decide(sayso.Ask, "capability."+sayso.Code(ask), "the workspace asks before "+string(ask))
			}
		}
		return sayso.Pass()
	})
}

func uses(c *sayso.Case, what Capability) bool {
	e := c.Part().Effects
	switch what {
	case CanRead:
		return e&shell.Reads != 0
	case CanWrite:
		return e&(shell.Writes|shell.Permissions|shell.Installs) != 0
	case CanDelete:
		return e&shell.Deletes != 0
	case CanShell:
		return c.Part().Command != nil || c.Facts.Class == sayso.ClassShell || c.Facts.Class == sayso.ClassBackground
	case CanNetwork:
		return sends(c.Part()) || c.Facts.Class == sayso.ClassMCP
	case CanMCP:
		return c.Facts.Class == sayso.ClassMCP
	}
	return true // not known, and so taken for used
}
