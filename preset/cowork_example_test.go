package preset_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

func ExampleCoWork() {
	build, err := preset.ParseCoWorkRule("allow command_prefix npm run build")
	if err != nil {
		fmt.Println(err)
		return
	}
	build.Source = preset.FromWorkspaceDB
	engine := sayso.Engine{Preset: preset.CoWork(preset.CoWorkConfig{Rules: []preset.CoWorkRule{build}})}
	for _, command := range []string{"npm run build", "npm run build && npm publish", "rm -rf /"} {
		call := sayso.Call{Tool: "run_command", Input: fmt.Appendf(nil, `{"command":%q}`, command), Root: "/home/ann/app", Home: "/home/ann"}
		d := engine.Check(context.Background(), call, sayso.Session{})
		fmt.Printf("%s: %s, %s: %s\n", command, d.Effect, d.Code, d.Reason)
	}
	// Output:
	// npm run build: allow, cowork.rule.allow: the rule command_prefix npm run build (workspace_db) allows it
	// npm run build && npm publish: ask, cowork.mode.default: the mode default asks on shell commands
	// rm -rf /: deny, cowork.guardrail.dangerous_command: blocked by a guardrail: Delete folder and all its contents: /
}

// readOnly is a manifest that cannot be written.
type readOnly struct{}

func (readOnly) RemoveRule(context.Context, string, string) error {
	return errors.New("the file is read-only")
}

func ExampleRemoveWorkspaceRule() {
	ctx := context.Background()
	rule, err := preset.ParseCoWorkRule("allow tool open_url")
	if err != nil {
		fmt.Println(err)
		return
	}
	var database store.Memory
	if err := database.AddRule(ctx, "/home/ann/app", sayso.Rule{Effect: rule.Effect, Text: rule.String()}); err != nil {
		fmt.Println(err)
		return
	}
	removal, err := preset.RemoveWorkspaceRule(ctx, &database, readOnly{}, "/home/ann/app", rule)
	fmt.Println(removal, err)
	// Output:
	// removed allow tool open_url from the database, but it still stands in the manifest: the file is read-only <nil>
}

func ExampleCoWorkTrustedCommands() {
	rules, err := preset.CoWorkTrustedCommands([]string{"git status", "npm test*", "*"})
	for _, r := range rules {
		fmt.Println(r.Source, r)
	}
	fmt.Println(err)
	// Output:
	// legacy_guardrails allow command_prefix git status
	// legacy_guardrails allow command_prefix npm test
	// trusted command "*": it would trust every command
}
