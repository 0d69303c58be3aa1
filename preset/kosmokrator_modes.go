package preset

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// modeOverride is what the permission mode makes of a tool that has an Ask rule.
func (k *kosmo) modeOverride(mode string) sayso.Stage {
	return sayso.Func("mode_override", func(c *sayso.Case) sayso.Verdict {
		switch {
		case !c.Leaning.Speaks():
			return sayso.Pass() // no Ask rule
		case mode == Prometheus:
			return sayso.Decide(sayso.Allow, "kosmokrator.prometheus", "Prometheus approves every call that would ask")
		case mode == Guardian:
			return k.guardian(c)
		}
		return sayso.Decide(sayso.Ask, "kosmokrator.argus", "Argus asks about every call of a tool that requires approval")
	})
}

// guardian tells safe calls from risky ones, without running or asking anything.
func (k *kosmo) guardian(c *sayso.Case) sayso.Verdict {
	safe := func(reason string) sayso.Verdict {
		return sayso.Decide(sayso.Allow, "kosmokrator.guardian.safe", reason)
	}
	risky := func(reason string) sayso.Verdict {
		return sayso.Decide(sayso.Ask, "kosmokrator.guardian.risky", reason)
	}
	switch tool := c.Tool(); {
	case slices.Contains(kosmoAlwaysSafe, tool):
		return safe("the tool " + tool + " is always safe")
	case slices.Contains(kosmoProjectWrites, tool):
		if name, out := k.outside(c); out {
			return risky("the path " + shell.Shown(name) + " is outside the project root")
		}
		if kosmoOwnFile(c) {
			return risky("the file decides what the agent may do")
		}
		return safe("the path is inside the project root")
	case slices.Contains(kosmoShellTools, tool):
		if why := k.risk(c); why != "" {
			return risky(why)
		}
		return safe("the command matches one of guardian_safe_commands")
	}
	return risky("nothing is known to make calls of " + shell.Shown(c.Tool()) + " safe")
}

// kosmoOwnFile reports whether the call touches the user's own configuration, which
// is below an allowed path: an agent does not loosen it silently.
func kosmoOwnFile(c *sayso.Case) bool {
	if c.Call.Home == "" {
		return false
	}
	own := fspath.Fold(path.Join(c.Call.Home, kosmoUserFile))
	for i := range c.Facts.Parts {
		for _, touched := range c.Facts.Parts[i].Paths {
			if fspath.Fold(touched.Abs) == own || fspath.Fold(touched.Real) == own {
				return true
			}
		}
	}
	return false
}

// risk says why a command is not known to be safe; empty: it is.
func (k *kosmo) risk(c *sayso.Case) string {
	if len(c.Facts.Lines) == 0 {
		return "there is no command"
	}
	for _, line := range c.Facts.Lines {
		if sign, ok := kosmoMetacharacter(line); ok {
			return "the command contains the shell metacharacter " + sign
		}
		if why := k.unsafe(c, line); why != "" {
			return why
		}
	}
	return ""
}

// kosmoMetacharacter finds a sign that may join, redirect or expand commands,
// quoted or not.
func kosmoMetacharacter(line string) (string, bool) {
	i := strings.IndexAny(line, kosmoMetacharacters)
	switch {
	case i < 0:
		return "", false
	case line[i] == '\n' || line[i] == '\r':
		return "newline", true
	}
	return line[i : i+1], true
}

// unsafe says why no safe pattern covers the line; empty: one does. What the
// document calls risky must be named by the pattern itself.
func (k *kosmo) unsafe(c *sayso.Case, line string) string {
	risky, why := kosmoRiskyIn(c), "the command does not match a safe pattern"
	for _, p := range k.patterns {
		switch {
		case !p.match(line):
		case risky == "" || strings.HasPrefix(p.fixed(), risky):
			return ""
		default:
			why = "the command is risky: " + risky + " requires approval"
		}
	}
	return why
}

// kosmoRiskyCommands match the risky commands with whatever else is given. They are
// made when they are first needed.
var kosmoRiskyCommands = func() []kosmoCommand {
	kosmoCompiled.Do(func() {
		for _, text := range kosmoRisky {
			for _, pattern := range []string{text, text + " *"} {
				one := compileKosmoCommand(pattern)
				one.text = text
				kosmoCompiled.risky = append(kosmoCompiled.risky, one)
			}
		}
	})
	return kosmoCompiled.risky
}

var kosmoCompiled struct {
	sync.Once
	risky []kosmoCommand
}

func kosmoRiskyIn(c *sayso.Case) string {
	for _, risky := range kosmoRiskyCommands() {
		if risky.matches(c) {
			return risky.text
		}
	}
	return ""
}

// kosmoAgentMode holds agents that plan or answer, and subagents that look
// around, to what they are there for, whatever the permission mode is.
func kosmoAgentMode() sayso.Stage {
	return sayso.Func("agent_mode", func(c *sayso.Case) sayso.Verdict {
		if reason := kosmoMode(c); reason != "" {
			return sayso.Decide(sayso.Deny, "kosmokrator.agent_mode", reason)
		}
		if reason := kosmoSubagent(c); reason != "" {
			return sayso.Decide(sayso.Deny, "kosmokrator.subagent", reason)
		}
		return sayso.Pass()
	})
}

// kosmoMode says why the mode of the agent forbids the call; empty: it does not.
func kosmoMode(c *sayso.Case) string {
	tool := c.Tool()
	switch mode := sayso.AgentMode(strings.ToLower(string(c.Session.AgentMode))); {
	case mode == "" || mode == sayso.EditMode:
		return ""
	case mode != sayso.PlanMode && mode != sayso.AskMode:
		return "the agent mode " + shell.Shown(string(mode)) + " is not known: want edit, plan or ask"
	case kosmoOnlyReads(c):
		return ""
	case mode == sayso.PlanMode && slices.Contains(kosmoShellTools, tool):
		return "the tool " + tool + " is not available: there is no shell in Plan mode"
	case mode == sayso.PlanMode:
		return "the tool " + shell.Shown(tool) + " is not available in Plan mode"
	case !slices.Contains(kosmoShellTools, tool):
		return "the tool " + shell.Shown(tool) + " is not available in Ask mode"
	}
	if why := kosmoMutative(c); why != "" {
		return "Command blocked in Ask mode (read-only): " + why
	}
	return ""
}

// kosmoOnlyReads reports whether a tool writes no file and executes nothing: one
// of those that the document has, or another that is known to.
func kosmoOnlyReads(c *sayso.Case) bool {
	return slices.Contains(kosmoReading, c.Tool()) || c.Facts != nil && c.Facts.Err == nil && c.Facts.ReadOnly && !kosmoShell(c)
}

// kosmoSubagent says why a subagent of its kind may not make the call.
func kosmoSubagent(c *sayso.Case) string {
	if c.Call.Subagent == "" || strings.EqualFold(c.Call.Subagent, "general") || kosmoOnlyReads(c) {
		return ""
	}
	return "the tool " + shell.Shown(c.Tool()) + " is not available to a subagent of the kind " + shell.Shown(c.Call.Subagent) + ", which is limited to read-only tools"
}

// kosmoLooks are the effects of commands that change nothing.
const kosmoLooks = shell.Reads | shell.Network | shell.LongRunning | shell.Secrets

// kosmoMutative says why a command line may change something; empty: it only
// looks.
func kosmoMutative(c *sayso.Case) string {
	if c.Facts == nil || c.Facts.Err != nil {
		return "it cannot be read"
	}
	for _, line := range c.Facts.Lines {
		if sign, ok := kosmoMetacharacter(line); ok {
			return "it contains the shell operator " + sign
		}
	}
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		switch {
		case len(p.Opaque) > 0:
			return "what it does cannot be known"
		case slices.Contains(kosmoMutativePrograms, program(p)):
			return program(p) + " manages containers or processes"
		case p.Effects&^kosmoLooks != 0:
			return "it does more than look (" + strings.Join((p.Effects&^kosmoLooks).Names(), ", ") + ")"
		}
	}
	return ""
}
