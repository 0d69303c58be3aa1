package preset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A CoWorkConfig is what people have configured for [CoWork]. The zero value has
// every capability, no rule and no restriction.
type CoWorkConfig struct {
	Rules []CoWorkRule // of every source but the session, whose rules are grants

	// Untrusted are rules of a manifest that came with a workspace which
	// nobody trusts yet: those that deny and ask only tighten what is decided
	// without them, those that allow do not count.
	Untrusted []CoWorkRule

	Off  []Capability // what the workspace may not do: read, write, delete, shell, network
	Mode string       // the default mode; empty: default

	// DeniedTools and AllowedTools restrict the task. A * at the end of a name
	// stands for anything. AllowedTools that are nil are all tools; an empty
	// list is none.
	DeniedTools, AllowedTools []string

	// BlockedCommands are guardrails besides those that are built in: patterns
	// for commands, in which * stands for any text and ? for one character.
	BlockedCommands []string

	// ScriptResult is what the workspace's policy script has said of the call,
	// as JSON: {"decision": "deny", "reason": "…"}; or ask, or pass. Anything
	// else asks. Nil: there is no script.
	ScriptResult *string

	// Scripts are policy scripts that are run for each call.
	Scripts []sayso.Stage

	// Guarded are files, and with /** behind them folders, that decide about
	// agents besides those that always do.
	Guarded []string
}

// Codes of the decisions of [CoWork]. Most have more behind them: which
// capability, which mode, which guardrail.
const (
	CodeCoWorkTask       sayso.Code = "cowork.task_restriction"
	CodeCoWorkGuardrail  sayso.Code = "cowork.guardrail"
	CodeCoWorkCapability sayso.Code = "cowork.workspace_capability"
	CodeCoWorkScript     sayso.Code = "cowork.policy_script"
	CodeCoWorkRule       sayso.Code = "cowork.rule"
	CodeCoWorkMode       sayso.Code = "cowork.mode"
	CodeCoWorkFallback   sayso.Code = "cowork.denial_fallback"
)

// CoWork judges as the permission engine of CoWork OS is documented, in seven
// stages: task restrictions, guardrails, capabilities of the workspace, policy
// scripts, rules, the mode, and the fallback for repeated denials. Of the rules
// the most specific decides, then the one of the strongest source, then the
// strictest.
//
// Grants are rules as [CoWorkRule] writes them; the source of one is its scope:
// session, workspace_db or profile. An invalid configuration denies everything.
func CoWork(cfg CoWorkConfig) sayso.Preset {
	w := &cowork{cfg}
	err := cfg.Check()
	return sayso.Preset{
		Name:  "cowork",
		Doc:   "seven stages in order: task, guardrails, capabilities, policy script, rules by specificity, mode, denial fallback",
		Modes: coworkModes(cfg.Mode),
		Plan: func(mode string) (sayso.Plan, error) {
			if err != nil {
				return nil, err
			}
			return w.plan(mode), nil
		},
		Suggest: w.suggest,
		Keep:    w.keep,
		Choices: coworkChoices,
		CheckRule: func(text string) error {
			_, err := ParseCoWorkRule(text)
			return err
		},
	}
}

// Check says what is wrong with the configuration.
func (cfg CoWorkConfig) Check() error {
	errs := []error{checkAll(cfg.Rules), checkAll(cfg.Untrusted)}
	for _, off := range cfg.Off {
		if !slices.Contains(coworkCapabilities, off) {
			errs = append(errs, fmt.Errorf("there is no capability %q: want read, write, delete, network or shell", off))
		}
	}
	if cfg.Mode != "" && !slices.ContainsFunc(coworkModes(""), func(m sayso.Mode) bool { return m.Name == cfg.Mode }) {
		errs = append(errs, fmt.Errorf("there is no mode %q: want default, plan, accept_edits, dont_ask or bypass_permissions", cfg.Mode))
	}
	if slices.ContainsFunc(cfg.BlockedCommands, func(p string) bool { return foldSpaces(p) == "" }) {
		errs = append(errs, errors.New("a guardrail pattern is empty: it would block nothing"))
	}
	return errors.Join(errs...)
}

type cowork struct{ CoWorkConfig }

// plan puts the stages together. Scripts and rules that nobody trusts stand
// beside the rest, so that they can only tighten it.
func (w *cowork) plan(mode string) sayso.Plan {
	rest := []sayso.Stage{w.rules(mode), sayso.Readable(), coworkMode(mode), coworkFallback()}
	var beside []sayso.Stage
	if w.ScriptResult != nil {
		beside = append(beside, coworkResult(*w.ScriptResult))
	}
	for _, s := range w.Scripts {
		beside = append(beside, coworkScript{s})
	}
	if len(w.Untrusted) > 0 {
		beside = append(beside, w.untrusted(mode))
	}
	if len(beside) > 0 {
		rest = []sayso.Stage{sayso.Strictest("policy and rules", append(beside, sayso.InOrder("rules and mode", rest...))...)}
	}
	return append(sayso.Plan{w.task(), w.guardrails(), w.capabilities()}, rest...)
}

// task denies tools that the task is not to use.
func (w *cowork) task() sayso.Stage {
	return sayso.Func("task_restriction", func(c *sayso.Case) sayso.Verdict {
		named := func(pattern string) bool {
			start, open := strings.CutSuffix(pattern, "*")
			return pattern == c.Tool() || open && strings.HasPrefix(c.Tool(), start)
		}
		why := ""
		switch {
		case slices.ContainsFunc(w.DeniedTools, named):
			why = "it is on the denylist of the task"
		case w.AllowedTools != nil && !slices.ContainsFunc(w.AllowedTools, named):
			why = "it is not one of the tools of the task"
		case !c.Session.Surface.Offers(c.Tool()):
			why = "the agent is not offered it"
		default:
			return sayso.Pass()
		}
		return sayso.Decide(sayso.Deny, CodeCoWorkTask, "tool denied by task restrictions: "+why).About("tool " + c.Tool())
	})
}

var coworkCapabilities = []Capability{CanShell, CanDelete, CanRead, CanWrite, CanNetwork}

// capabilities denies what the workspace is not able to do at all.
func (w *cowork) capabilities() sayso.Stage {
	return sayso.Func("workspace_capability", func(c *sayso.Case) sayso.Verdict {
		ops := operations(c)
		var does shell.Effects
		if isShell(c) { // what its commands do counts, too
			for i := range c.Facts.Parts {
				does |= c.Facts.Parts[i].Effects
			}
		}
		needs := map[Capability]bool{
			CanShell:   ops&opShell != 0,
			CanDelete:  ops&opDelete != 0 || does&shell.Deletes != 0,
			CanRead:    ops&opRead != 0 || does&shell.Reads != 0,
			CanWrite:   ops&(opWrite|opUnknown) != 0 || does&(shell.Writes|shell.Permissions|shell.Installs) != 0,
			CanNetwork: ops&(opNetwork|opExternal|opServer) != 0 || does&(shell.Network|shell.Publishes) != 0,
		}
		for _, what := range coworkCapabilities {
			if needs[what] && slices.Contains(w.Off, what) {
				return sayso.Decide(sayso.Deny, CodeCoWorkCapability+"."+sayso.Code(what), "the workspace has the capability "+string(what)+" switched off").About(string(what))
			}
		}
		return sayso.Pass()
	})
}

// rules decides by the rules and by what people have approved before. Of a call
// that cannot be read only what is denied is known.
func (w *cowork) rules(mode string) sayso.Stage {
	return sayso.Func("rule", func(c *sayso.Case) sayso.Verdict {
		return coworkDecide(coworkCounting(slices.Concat(coworkGrants(c), w.Rules), mode), c)
	})
}

// untrusted decides by rules that nobody trusts.
func (w *cowork) untrusted(mode string) sayso.Stage {
	return sayso.Func("rule", func(c *sayso.Case) sayso.Verdict { return coworkDecide(coworkCounting(w.tightening(), mode), c) })
}

// tightening are the rules that count though nobody trusts them.
func (w *cowork) tightening() []CoWorkRule {
	return slices.DeleteFunc(slices.Clone(w.Untrusted), func(r CoWorkRule) bool { return r.Effect == sayso.Allow })
}

// coworkCounting leaves out the rules that ask where the mode skips them, before
// one is picked: a rule that denies is not hidden by them.
func coworkCounting(rules []CoWorkRule, mode string) []CoWorkRule {
	if mode != BypassPermissions {
		return rules
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r CoWorkRule) bool { return r.Effect == sayso.Ask })
}

// coworkDecide is what rules say of a call: the strictest of what they say of its
// subjects. They allow it if they allow each of them.
func coworkDecide(rules []CoWorkRule, c *sayso.Case) sayso.Verdict {
	var found *boundRule
	bound := bind(rules, c)
	all := c.Facts.Err == nil
	for _, s := range coworkSubjects(c) {
		r := coworkPick(bound, c, s)
		if r == nil {
			all = false
			continue
		}
		if found == nil || r.Effect < found.Effect {
			found = r
		}
	}
	if found == nil || found.Effect == sayso.Allow && !all || found.Effect == sayso.Ask && c.Facts.Err != nil {
		return sayso.Pass()
	}
	rule := found.place()
	from := string(found.Source)
	if at := found.At.String(); at != "" {
		from += " " + at
	}
	named := "the rule " + shell.Shown(rule.Text)
	if found.Source == FromProfile { // what is in the profile is told to nobody
		named, from = "a rule", string(FromProfile)
	}
	reason := fmt.Sprintf("%s (%s) %s", named, from, map[sayso.Effect]string{sayso.Deny: "denies it", sayso.Ask: "asks", sayso.Allow: "allows it"}[found.Effect])
	say := sayso.Decide
	if found.Effect == sayso.Ask && !all { // of the rest the mode may think worse
		say = sayso.Lean
	}
	return say(found.Effect, CodeCoWorkRule+"."+sayso.Code(found.Effect.String()), reason).By(rule).About(rule.Text)
}

// coworkGrants are the rules that people have made when they were asked.
func coworkGrants(c *sayso.Case) []CoWorkRule {
	var out []CoWorkRule
	for _, g := range c.Session.Grants.List() {
		r, err := ParseCoWorkRule(g.Rule)
		if err != nil || !g.Counts(&c.Session) {
			continue
		}
		r.Source = coworkSource(g.Scope)
		out = append(out, r)
	}
	return out
}

// coworkSource is the source of rules that were kept for so long.
func coworkSource(s sayso.Scope) sayso.Layer {
	switch s {
	case sayso.ForWorkspace:
		return FromWorkspaceDB
	case sayso.ForProfile:
		return FromProfile
	}
	return FromSession
}

// coworkResult is the stage for what a policy script has said already.
func coworkResult(text string) sayso.Stage {
	return sayso.Func("policy_script", func(*sayso.Case) sayso.Verdict {
		var result struct {
			Decision *string `json:"decision"`
			Reason   string  `json:"reason"`
		}
		if err := json.Unmarshal([]byte(text), &result); err != nil || result.Decision == nil {
			return sayso.Decide(sayso.Ask, CodeCoWorkScript+".error", "the policy script did not say what to do: "+shell.Shown(text))
		}
		reason := "the policy script: " + shell.Shown(cmp.Or(result.Reason, *result.Decision))
		switch *result.Decision {
		case "deny":
			return sayso.Decide(sayso.Deny, CodeCoWorkScript+".deny", reason)
		case "ask", "require_approval":
			return sayso.Decide(sayso.Ask, CodeCoWorkScript+".ask", reason)
		case "pass", "allow", "defer", "skip": // it cannot allow
			return sayso.Pass()
		}
		return sayso.Decide(sayso.Ask, CodeCoWorkScript+".error", "the policy script said something that nobody understands: "+shell.Shown(*result.Decision))
	})
}

// A coworkScript runs a policy script.
type coworkScript struct{ sayso.Stage }

func (coworkScript) Name() string { return "policy_script" }

func (s coworkScript) Check(ctx context.Context, c *sayso.Case) (sayso.Verdict, error) {
	v, err := scriptStage(s).Check(ctx, c)
	switch {
	case err != nil || !v.Speaks():
		return v, err
	case v.Code() == CodeScriptError:
		return sayso.Decide(v.Effect(), CodeCoWorkScript+".error", v.Reason()), nil
	}
	return sayso.Decide(v.Effect(), CodeCoWorkScript+"."+sayso.Code(v.Effect().String()), v.Reason()), nil
}
