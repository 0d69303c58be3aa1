package preset

import (
	"slices"

	"github.com/sayso-dev/sayso"
)

// The modes of AgentScope.
const (
	AgentScopeDefault     = "default"
	AgentScopeAcceptEdits = "accept_edits"
	AgentScopeExplore     = "explore"
	AgentScopeBypass      = "bypass"
	AgentScopeDontAsk     = "dont_ask"
)

// An AgentScopeConfig is AgentScope's PermissionContext. The zero value is its
// default: the mode default, no rules and no working directories. No list has
// anything in it by default, so an empty one is the same as none.
type AgentScopeConfig struct {
	Mode string // empty: AgentScopeDefault

	// Rules, by the name of their tool.
	AllowRules, AskRules, DenyRules map[string][]AgentScopeRule

	// WorkingDirectories are the folders in which the mode accept_edits lets
	// files be changed, by their path. The folder that the agent runs in is
	// none of them unless it is listed.
	WorkingDirectories map[string]AgentScopeDirectory

	// Tools are custom tools: each may have a permission check, a read-only
	// check, rule matching and suggestions of its own. Those that analyse
	// calls need them too, see [sayso.Analyzer].
	Tools []sayso.Tool
}

// An AgentScopeRule is AgentScope's PermissionRule.
type AgentScopeRule struct {
	// ToolName is Bash, Read, Write, Edit or any other tool; empty: the one
	// that the rule is listed under.
	ToolName string `json:"tool_name"`

	// RuleContent says which calls are meant: for Bash a prefix, npm run:*,
	// or a whole command; for Read, Write and Edit a glob, src/**; for a
	// custom tool what its Matches understands; for every other tool the
	// input as JSON. [AgentScopeEvery] means every call of the tool.
	RuleContent string `json:"rule_content"`

	// Behavior is ALLOW, ASK or DENY; empty: that of the list it stands in.
	Behavior string `json:"behavior"`

	// Source is where the rule is from: userSettings, projectSettings,
	// session.
	Source string `json:"source"`
}

// String returns the rule as decisions and answers have it: Bash(npm run:*).
func (r AgentScopeRule) String() string {
	if r.RuleContent == AgentScopeEvery {
		return r.ToolName
	}
	return r.ToolName + "(" + r.RuleContent + ")"
}

// AgentScopeEvery is the content of a rule for every call of its tool. It is
// what the document writes as None.
const AgentScopeEvery = "*"

// An AgentScopeDirectory is AgentScope's AdditionalWorkingDirectory.
type AgentScopeDirectory struct {
	Path   string // empty: the key it is listed under
	Source string // userSettings, projectSettings, session
}

// Check says what is wrong with the configuration, or returns nil. A preset
// that is made of a wrong one denies everything.
func (cfg AgentScopeConfig) Check() error { return newAgentScope(cfg).err }

// AgentScope decides as AgentScope's permission system is documented to: deny
// and ask rules first, then what the tool itself thinks of the call, then allow
// rules, then the mode.
//
// What a tool asks is either a safety ask, which no allow rule silences
// ([sayso.Verdict.Immune], the document's bypass_immune), or a regular one,
// which an allow rule may answer. A person who is asked may accept one of the
// suggested rules, which then allows later calls of the session.
func AgentScope(cfg AgentScopeConfig) sayso.Preset {
	a := newAgentScope(cfg)
	modes := slices.Clone(agentScopeModes)
	for i, m := range modes {
		if m.Name == cfg.Mode { // the one that is configured is the default
			modes[0], modes[i] = modes[i], modes[0]
		}
	}
	return sayso.Preset{
		Name:      "agentscope",
		Doc:       "deny and ask rules, what the tool says, allow rules, then the mode",
		Modes:     modes,
		Plan:      a.plan,
		Suggest:   a.suggest,
		Choices:   agentScopeChoices,
		CheckRule: func(text string) error { _, err := a.grant(text); return err },
	}
}

var agentScopeModes = []sayso.Mode{
	{Name: AgentScopeDefault, Doc: "everything needs a rule or a person's yes, but for read-only commands"},
	{Name: AgentScopeAcceptEdits, Doc: "files in working directories may be changed without asking"},
	{Name: AgentScopeExplore, Doc: "reading only: every change is denied"},
	{Name: AgentScopeBypass, Doc: "only deny rules, ask rules and what a tool denies count; safety asks do not"},
	{Name: AgentScopeDontAsk, Doc: "nobody is there: every ask is a denial", Unattended: true},
}

// agentScope is a configuration, compiled.
type agentScope struct {
	mode  string              // where a session has none
	rules [3][]agentScopeRule // by effect
	dirs  []string            // working directories, as written
	tools []sayso.Tool
	err   error // then everything is denied
}

const codeAgentScopeReadOnly sayso.Code = "tool.read_only"

// plan is the flow of a mode, if the configuration can be relied on.
func (a *agentScope) plan(mode string) (sayso.Plan, error) {
	if a.err != nil {
		return nil, a.err
	}
	return a.flow(mode), nil
}

// flow lists the stages of a mode. All five flows are made of the same stages;
// what differs is which of them there are, what an ask of the tool is worth, and
// what happens where nobody spoke.
func (a *agentScope) flow(mode string) sayso.Plan {
	var (
		readOnly = sayso.If("check_read_only", a.readOnly, sayso.Decide(sayso.Allow, codeAgentScopeReadOnly, "it is read-only"))
		allow    = a.allowStage()
		check    = func(take func(sayso.Verdict) sayso.Verdict) sayso.Stage { return a.checkStage(mode, take) }
		end      = func(e sayso.Effect, why string) sayso.Stage { return sayso.Otherwise(e, "mode."+sayso.Code(mode), why) }
	)
	flow := sayso.Plan{sayso.Readable(), sayso.Offered("tools"), a.rulesStage("deny rules", sayso.Deny), a.rulesStage("ask rules", sayso.Ask)}
	switch mode {
	case AgentScopeDefault:
		return append(flow, check(immuneHolds), allow, end(sayso.Ask, "no rule speaks about it, and the mode DEFAULT asks"))
	case AgentScopeAcceptEdits:
		return append(flow, readOnly, check(immuneHolds), allow, end(sayso.Ask, "no rule speaks about it, and it is no change in a working directory"))
	case AgentScopeExplore:
		return append(flow, readOnly, end(sayso.Deny, "the mode EXPLORE is read-only, and this is not"))
	case AgentScopeBypass:
		return append(flow, check(asksIgnored), allow, end(sayso.Allow, "the mode BYPASS skips all checks but deny rules, ask rules and what a tool denies"))
	case AgentScopeDontAsk:
		return append(flow, check(asksDecide), allow, end(sayso.Deny, "no rule allows it, and in the mode DONT_ASK nobody is asked"))
	}
	return nil // nobody speaks, and that denies
}

// checkStage is what the tool thinks of the call; take says what its asks are
// worth in the mode.
func (a *agentScope) checkStage(mode string, take func(sayso.Verdict) sayso.Verdict) sayso.Stage {
	return sayso.Func("check_permissions", func(c *sayso.Case) sayso.Verdict {
		v := a.check(c, mode)
		if !v.Speaks() || v.Effect() != sayso.Ask {
			return firmly(v)
		}
		return take(v)
	})
}

// firmly makes an opinion a decision: what a tool allows or denies, it does.
func firmly(v sayso.Verdict) sayso.Verdict {
	if !v.Speaks() {
		return v
	}
	out := sayso.Decide(v.Effect(), v.Code(), v.Reason()).By(v.Rule())
	if v.IsImmune() {
		out = out.Immune()
	}
	return out
}

// immuneHolds lets allow rules answer an ask, unless it is a safety ask.
func immuneHolds(v sayso.Verdict) sayso.Verdict {
	if v.IsImmune() {
		return firmly(v)
	}
	return sayso.Lean(sayso.Ask, v.Code(), v.Reason()).By(v.Rule())
}

// asksIgnored takes no notice of an ask.
func asksIgnored(sayso.Verdict) sayso.Verdict { return sayso.Pass() }

// asksDecide lets every ask stand, whatever rules allow.
func asksDecide(v sayso.Verdict) sayso.Verdict { return firmly(v) }

// own returns the custom tool that is called, or nil.
func (a *agentScope) own(name string) *sayso.Tool {
	for i := range a.tools {
		if a.tools[i].Name == name {
			return &a.tools[i]
		}
	}
	return nil
}

// check is the permission check of the tool that is called. It passes where the
// document says PASSTHROUGH.
func (a *agentScope) check(c *sayso.Case, mode string) sayso.Verdict {
	if t := a.own(c.Tool()); t != nil && t.Check != nil {
		return t.Check(c)
	}
	edits := mode == AgentScopeAcceptEdits
	switch builtInOf(c) {
	case toolBash:
		return a.checkBash(c, edits)
	case toolWrite, toolEdit:
		return a.checkFile(c, edits)
	}
	return sayso.Pass()
}

// readOnly reports whether the call changes nothing, as its tool sees it.
func (a *agentScope) readOnly(c *sayso.Case) bool {
	if t := a.own(c.Tool()); t != nil && t.ReadOnly != nil {
		return t.ReadOnly(c.Call.Input)
	}
	switch builtInOf(c) {
	case toolRead, toolGlob, toolGrep:
		return true
	case toolBash:
		return !safetyOfBash(c).Speaks() && readOnlyLine(c)
	}
	return false
}

// The built-in tools.
const (
	toolBash  = "Bash"
	toolRead  = "Read"
	toolWrite = "Write"
	toolEdit  = "Edit"
	toolGlob  = "Glob"
	toolGrep  = "Grep"
)

// builtInByClass says which built-in tool a tool of another agent is like.
var builtInByClass = map[sayso.Class]string{
	sayso.ClassShell: toolBash, sayso.ClassRead: toolRead, sayso.ClassList: toolGlob, sayso.ClassGrep: toolGrep, sayso.ClassWrite: toolWrite,
	sayso.ClassEdit: toolEdit, sayso.ClassPatch: toolEdit, sayso.ClassDelete: toolEdit, sayso.ClassMove: toolEdit, sayso.ClassNotebook: toolEdit,
}

// builtInOf returns the built-in tool that a call is one of; empty: none.
func builtInOf(c *sayso.Case) string { return builtInByClass[c.Facts.Class] }
