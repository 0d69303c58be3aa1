package preset_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

func ExampleNative() {
	rules, err := sayso.NewRuleSet([]sayso.Rule{
		{Effect: sayso.Allow, Text: "bash(git push origin *)"},
		{Effect: sayso.Deny, Text: "edit(vendor/**)", Because: "it is made by go mod vendor"},
	})
	if err != nil {
		panic(err)
	}
	engine := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: rules, Off: []preset.Capability{preset.CanMCP}})}
	for _, command := range []string{"go test ./...", "git push origin main", "git push --all", "echo x > vendor/a.go", "rm -rf ~"} {
		input, _ := json.Marshal(map[string]string{"command": command})
		d := engine.Check(context.Background(), sayso.Call{Tool: "bash", Input: input, Root: "/home/me/app", Home: "/home/me"}, sayso.Session{Mode: preset.Default})
		fmt.Println(d.Effect, d.Code, d.Stage)
	}
	// Output:
	// allow mode.work mode
	// allow rule.allow allow rules
	// ask mode.publish mode
	// deny rule.deny deny rules
	// deny guard.destroy guards
}
