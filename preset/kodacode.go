package preset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// The permission modes of KodaCode.
const (
	Auto       = "auto"
	ReadOnly   = "read_only"
	FullAccess = "full_access"
)

// The values of execution.network.
const (
	NetworkDisabled = "disabled"
	NetworkEnabled  = "enabled"
)

// The subjects of KodaCode's permission rules.
const (
	SubjectExternalDirectory = "external_directory" // files outside the workspace
	SubjectBash              = "bash"               // commands
	SubjectWebFetch          = "web_fetch"          // addresses that the tool web_fetch asks
	SubjectNetworkTarget     = "network_target"     // hosts that commands talk to
)

// kodaSubjects are all of them, in the order of the document.
var kodaSubjects = []string{SubjectExternalDirectory, SubjectBash, SubjectWebFetch, SubjectNetworkTarget}

// A KodaCodeConfig is what config.yaml of KodaCode says about permissions. The
// zero value is what its document has as default: no rules, the mode auto, and
// no network for commands.
type KodaCodeConfig struct {
	// Permissions are the rules by subject. They are evaluated in order, and
	// the last that matches wins. No rules and an empty list are the same.
	Permissions map[string][]KodaCodeRule

	Mode    string // execution.permission_mode; empty: auto
	Network string // execution.network; empty: disabled
}

// A KodaCodeRule says what is done with what its pattern matches: * stands for
// any text, ? for one character. The zero action denies.
type KodaCodeRule struct {
	Pattern string
	Action  sayso.Effect
	Source  sayso.Source // where it stands; may be empty
}

// Codes of the decisions of [KodaCode]. What a session grant allows has
// [sayso.CodeGrant], a tool that is not offered [sayso.CodeSurface].
const (
	CodeKodaMode    sayso.Code = "kodacode.permission_mode"
	CodeKodaPolicy  sayso.Code = "kodacode.policy"
	CodeKodaDefault sayso.Code = "kodacode.default"
	CodeKodaServer  sayso.Code = "kodacode.server"
	CodeKodaConfig  sayso.Code = "kodacode.config"
)

var kodaModes = []sayso.Mode{
	{Name: Auto, Doc: "normal approval flow; the permission rules and session grants apply"},
	{Name: ReadOnly, Doc: "approval is required for every write and for every folder outside the workspace"},
	{Name: FullAccess, Doc: "permission rules and approvals are skipped; the tool surface still applies"},
}

// KodaCode judges as KodaCode is documented: the workspace is the default
// authority, and what lies outside of it asks. Each thing that a call reaches (a
// command, a path outside, an address, a host) goes through the session's mode,
// the session's grants, the rules and the built-in defaults, and the most
// restrictive answer counts.
//
// Grants have a language of their own, see [KodaCodeGrant]. An invalid
// configuration denies everything.
func KodaCode(cfg KodaCodeConfig) sayso.Preset {
	k := newKoda(cfg)
	return sayso.Preset{
		Name:      "kodacode",
		Doc:       "free inside the workspace; files outside, and the network, ask; ordered rules by subject, the last match wins",
		Modes:     k.modes(),
		Plan:      func(mode string) (sayso.Plan, error) { return k.plan(mode), nil },
		Describe:  kodaDescribe,
		Suggest:   k.suggest,
		Choices:   k.choices,
		CheckRule: func(text string) error { _, err := parseKodaGrant(text); return err },
	}
}

// Check says what is wrong with a configuration.
func (cfg KodaCodeConfig) Check() error {
	if cfg.Mode != "" && !slices.Contains([]string{Auto, ReadOnly, FullAccess}, cfg.Mode) {
		return fmt.Errorf("execution.permission_mode is %q: want auto, read_only or full_access", cfg.Mode)
	}
	if cfg.Network != "" && cfg.Network != NetworkDisabled && cfg.Network != NetworkEnabled {
		return fmt.Errorf("execution.network is %q: want disabled or enabled", cfg.Network)
	}
	for subject, list := range cfg.Permissions {
		if !slices.Contains(kodaSubjects, subject) {
			return fmt.Errorf("permissions.%s: want one of %s", subject, strings.Join(kodaSubjects, ", "))
		}
		for _, r := range list {
			if strings.TrimSpace(r.Pattern) == "" {
				return fmt.Errorf("permissions.%s: a pattern is empty", subject)
			}
		}
	}
	return nil
}

// A koda is the preset with its configuration compiled.
type koda struct {
	mode    string
	network bool // commands may use it
	rules   map[string]kodaRules
	print   string // of the policies, so that a change of them is noticed
	err     error
}

func newKoda(cfg KodaCodeConfig) *koda {
	k := &koda{mode: cfg.Mode, network: cfg.Network == NetworkEnabled, rules: map[string]kodaRules{}, err: cfg.Check()}
	if k.mode == "" {
		k.mode = Auto
	}
	for subject, list := range cfg.Permissions {
		for _, r := range list {
			k.rules[subject] = append(k.rules[subject], compileKodaRule(subject, r))
		}
	}
	text, _ := json.Marshal([]any{cfg.Permissions, k.network}) // texts can be written
	sum := sha256.Sum256(text)
	k.print = hex.EncodeToString(sum[:])
	return k
}

// modes are the modes with the configured one first.
func (k *koda) modes() []sayso.Mode {
	out := slices.Clone(kodaModes)
	slices.SortStableFunc(out, func(a, b sayso.Mode) int {
		switch {
		case a.Name == k.mode && b.Name != k.mode:
			return -1
		case b.Name == k.mode && a.Name != k.mode:
			return 1
		}
		return 0
	})
	return out
}

func (k *koda) plan(mode string) sayso.Plan {
	if k.err != nil {
		return sayso.Plan{sayso.Func("config", func(*sayso.Case) sayso.Verdict {
			return sayso.Decide(sayso.Deny, CodeKodaConfig, "the configuration is wrong: "+k.err.Error())
		})}
	}
	first := sayso.Plan{sayso.Offered("tool_surface"), sayso.Readable(), kodaStarted()}
	if mode == FullAccess {
		return append(first, sayso.Func("permission_mode", func(*sayso.Case) sayso.Verdict {
			return sayso.Decide(sayso.Allow, CodeKodaMode, "full_access skips the permission rules and routine approvals")
		}))
	}
	return append(first, k.reused(), sayso.Each("resources", kodaResources, k.stages(mode)...))
}

// stages are what every resource goes through, in the order of the document.
// The approval prompt is what an ask leads to.
func (k *koda) stages(mode string) []sayso.Stage {
	return []sayso.Stage{
		kodaPosture(mode),
		sayso.Func("session_grant", kodaGranted),
		sayso.Func("policy", k.policy),
		kodaStands(),
		sayso.Func("default", k.byDefault),
	}
}

// kodaStarted denies calls of tools of an MCP server that nobody trusts: it is
// not started.
func kodaStarted() sayso.Stage {
	return sayso.Func("server_trust", func(c *sayso.Case) sayso.Verdict {
		if s := c.Call.Server; s != nil && !s.Trusted {
			return sayso.Decide(sayso.Deny, CodeKodaServer, "the MCP server "+shell.Shown(s.Name)+" is not trusted, and so not started")
		}
		return sayso.Pass()
	})
}

// kodaDescribe adds the network targets of a command to what it does: whoever
// approves sees them.
func kodaDescribe(c *sayso.Case) (shell.Risk, string) {
	var targets []string
	for _, r := range kodaResources(c) {
		if p := r.Part(); p.Subject == SubjectNetworkTarget && !slices.Contains(targets, p.Text) {
			targets = append(targets, p.Text)
		}
	}
	if len(targets) == 0 || len(c.Facts.Lines) == 0 {
		return c.Facts.Risk, c.Facts.Sentence
	}
	for i := range targets {
		targets[i] = shell.Shown(targets[i])
	}
	return c.Facts.Risk, c.Facts.Sentence + " (network targets: " + strings.Join(targets, ", ") + ")"
}
