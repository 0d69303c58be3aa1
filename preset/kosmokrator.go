package preset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// The permission modes of KosmoKrator.
const (
	Guardian   = "guardian"
	Argus      = "argus"
	Prometheus = "prometheus"
)

// A KosmoKratorConfig is the tools: section of KosmoKrator's configuration. The
// zero value is what its document has as default: a list that is nil stands for
// the default one, a list that is empty for no entry at all.
type KosmoKratorConfig struct {
	SafeTools        []string // safe_tools: they are allowed
	ApprovalRequired []string // approval_required: they ask, and the mode decides
	DeniedTools      []string // denied_tools: they are denied, whatever else is said
	DefaultMode      string   // default_permission_mode; empty: guardian

	BlockedPaths    []string // blocked_paths: globs for files that no tool may touch
	AllowedPaths    []string // allowed_paths: folders that count as part of the project
	BlockedCommands []string // bash.blocked_commands: globs for commands that never run
	SafeCommands    []string // guardian_safe_commands: globs for what Guardian approves

	// At is where the agent starts: allowed paths are resolved there, once.
	// One that cannot be resolved, such as ~/x without a home, allows nothing.
	At shell.Place
}

// KosmoKratorDefaults returns the default configuration with its lists written
// out, for programs that add to them or take from them.
func KosmoKratorDefaults() KosmoKratorConfig {
	return KosmoKratorConfig{
		SafeTools:        slices.Clone(kosmoSafeTools),
		ApprovalRequired: slices.Clone(kosmoApprovalRequired),
		DeniedTools:      []string{},
		DefaultMode:      Guardian,
		BlockedPaths:     slices.Clone(kosmoBlockedPaths),
		AllowedPaths:     slices.Clone(kosmoAllowedPaths),
		BlockedCommands:  slices.Clone(kosmoBlockedCommands),
		SafeCommands:     slices.Clone(kosmoSafeCommands),
	}
}

// KosmoKrator judges as KosmoKrator does: six checks in a fixed order, the first
// that has an answer ends them, and what none of them speaks about is denied.
// What the agent is there for (edit, plan or ask) and what kind of subagent makes
// the call is looked at before all of them.
//
// A grant names a tool and covers every call of it. An invalid configuration
// denies everything.
func KosmoKrator(cfg KosmoKratorConfig) sayso.Preset {
	k, err := newKosmo(cfg)
	return sayso.Preset{
		Name:  "kosmokrator",
		Doc:   "six checks in order: blocked paths, deny patterns, session grants, project boundary, rules, permission mode",
		Modes: kosmoModes(cfg.DefaultMode),

		ClearAtEnd: true,
		Plan: func(mode string) (sayso.Plan, error) {
			if err != nil {
				return nil, err
			}
			return k.plan(mode), nil
		},
		Suggest:   kosmoSuggest,
		Choices:   kosmoChoices,
		CheckRule: kosmoGrant,
	}
}

// kosmoModes returns the modes, the configured default first.
func kosmoModes(first string) []sayso.Mode {
	modes := []sayso.Mode{
		{Name: Guardian, Symbol: "◈", Command: "/guardian", Doc: "what is known to be safe is approved silently, the rest asks"},
		{Name: Argus, Symbol: "◉", Command: "/argus", Doc: "every call of a tool that requires approval asks"},
		{Name: Prometheus, Symbol: "⚡", Command: "/prometheus", Doc: "nothing asks; blocked paths and deny rules still hold"},
	}
	if i := slices.IndexFunc(modes, func(m sayso.Mode) bool { return m.Name == first }); i > 0 {
		modes[0], modes[i] = modes[i], modes[0]
	}
	return modes
}

// A kosmo is a configuration, compiled.
type kosmo struct {
	safe, approval, denied map[string]bool
	paths                  []kosmoPath
	allowed                []string // absolute, links followed
	commands               []kosmoCommand
	patterns               []wildcard // of safe commands
}

func newKosmo(cfg KosmoKratorConfig) (*kosmo, error) {
	k := &kosmo{
		safe:     kosmoSet(orDefault(cfg.SafeTools, kosmoSafeTools)),
		approval: kosmoSet(orDefault(cfg.ApprovalRequired, kosmoApprovalRequired)),
		denied:   kosmoSet(cfg.DeniedTools),
		allowed:  resolveAll(orDefault(cfg.AllowedPaths, kosmoAllowedPaths), cfg.At.Dir, cfg.At.Home, cfg.At.Machine),
	}
	for _, text := range orDefault(cfg.BlockedPaths, kosmoBlockedPaths) {
		k.paths = append(k.paths, compileKosmoPath(text))
	}
	for _, text := range orDefault(cfg.BlockedCommands, kosmoBlockedCommands) {
		k.commands = append(k.commands, compileKosmoCommand(text))
	}
	for _, text := range orDefault(cfg.SafeCommands, kosmoSafeCommands) {
		k.patterns = append(k.patterns, compileWildcard(text))
	}
	return k, cfg.Check()
}

// Check says what is wrong with the configuration; nil: nothing.
func (cfg *KosmoKratorConfig) Check() error {
	var errs []error
	if cfg.DefaultMode != "" && !slices.Contains([]string{Guardian, Argus, Prometheus}, cfg.DefaultMode) {
		errs = append(errs, fmt.Errorf("default_permission_mode is %q: want guardian, argus or prometheus", cfg.DefaultMode))
	}
	for _, list := range []struct {
		key     string
		entries []string
	}{
		{"safe_tools", cfg.SafeTools},
		{"approval_required", cfg.ApprovalRequired},
		{"denied_tools", cfg.DeniedTools},
		{"blocked_paths", cfg.BlockedPaths},
		{"allowed_paths", cfg.AllowedPaths},
		{"bash.blocked_commands", cfg.BlockedCommands},
		{"guardian_safe_commands", cfg.SafeCommands},
	} {
		for i, entry := range list.entries {
			if strings.TrimSpace(entry) == "" {
				errs = append(errs, fmt.Errorf("%s: entry %d is empty", list.key, i+1))
			}
		}
	}
	return errors.Join(errs...)
}

// orDefault keeps apart a list that is empty and one that is not given.
func orDefault(list, otherwise []string) []string {
	if list == nil {
		return otherwise
	}
	return list
}

func kosmoSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// plan is the chain of the document, with what stands before it.
func (k *kosmo) plan(mode string) sayso.Plan {
	return sayso.Plan{
		kosmoAgentMode(),
		sayso.Readable(),
		k.blockedPath(),
		k.denyPattern(),
		kosmoSessionGrant(),
		k.projectBoundary(mode),
		k.rule(),
		k.modeOverride(mode),
		kosmoDefault(),
	}
}

// kosmoSessionGrant allows every call of a tool that a person has approved for
// the session.
func kosmoSessionGrant() sayso.Stage {
	return sayso.Func("session_grant", func(c *sayso.Case) sayso.Verdict {
		for _, g := range c.Session.Grants.List() {
			if g.Rule == c.Tool() && g.Counts(&c.Session) {
				return sayso.Decide(sayso.Allow, "kosmokrator.grant", "the tool "+shell.Shown(g.Rule)+" was approved for this session")
			}
		}
		return sayso.Pass()
	})
}

// rule looks the tool up in the lists. An Allow rule ends the chain, an Ask rule
// leaves it to the mode. The Deny rules of denied_tools have ended it before.
func (k *kosmo) rule() sayso.Stage {
	return sayso.Func("rule", func(c *sayso.Case) sayso.Verdict {
		switch tool := c.Tool(); {
		case k.safe[tool]:
			return sayso.Decide(sayso.Allow, "kosmokrator.rule.allow", "the tool "+shell.Shown(tool)+" is one of safe_tools")
		case k.approval[tool]:
			return sayso.Lean(sayso.Ask, "kosmokrator.rule.ask", "the tool "+shell.Shown(tool)+" is one of approval_required")
		}
		return sayso.Pass()
	})
}

// kosmoDefault denies what no check has spoken about.
func kosmoDefault() sayso.Stage {
	return sayso.Func("default", func(c *sayso.Case) sayso.Verdict {
		return sayso.Decide(sayso.Deny, "kosmokrator.default", "the tool "+shell.Shown(c.Tool())+" is not explicitly allowed")
	})
}

// kosmoChoices are the three answers of the prompt.
func kosmoChoices(c *sayso.Case, _ *sayso.Decision) []sayso.Choice {
	return []sayso.Choice{
		{Key: "y", Label: "Allow once", Yes: true, Scope: sayso.Once},
		{Key: "s", Label: "Allow for session", Yes: true, Scope: sayso.ForSession, Rule: c.Tool()},
		{Key: "n", Label: "Deny"},
	}
}

// kosmoSuggest offers the only grant that there is: the whole tool.
func kosmoSuggest(c *sayso.Case) []sayso.Suggestion {
	tool := c.Tool()
	if kosmoGrant(tool) != nil {
		return nil
	}
	return []sayso.Suggestion{{Rule: tool, Allows: "every call of " + shell.Shown(tool) + " in this session", Keep: []sayso.Scope{sayso.ForSession}}}
}

// kosmoGrant checks a grant: the name of a tool.
func kosmoGrant(text string) error {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%q is not the name of a tool: a session grant is for a whole tool", text)
	}
	return nil
}
