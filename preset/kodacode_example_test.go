package preset_test

import (
	"context"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

func ExampleKodaCode() {
	engine := sayso.Engine{Preset: preset.KodaCode(preset.KodaCodeConfig{
		Permissions: map[string][]preset.KodaCodeRule{
			preset.SubjectBash: {{Pattern: "*", Action: sayso.Ask}, {Pattern: "git status*", Action: sayso.Allow}},
		},
	})}
	for _, command := range []string{"git status --short", "npm install"} {
		call := sayso.Call{Tool: "bash", Input: []byte(`{"cmd":"` + command + `"}`), Root: "/work/app"}
		d := engine.Check(context.Background(), call, sayso.Session{Mode: preset.Auto})
		fmt.Println(d.Effect, d.Stage)
		for _, c := range d.Choices {
			fmt.Println(" ", c.Key, c.Label)
		}
	}
	// Output:
	// allow policy
	// ask policy
	//   1 Allow once
	//   2 Allow for session duration
	//   3 Deny
	//   4 Allow with network enabled
	//   5 Allow with execution policy amendment: bash "npm install": allow, bash "npm install *": allow, network_target "package registries": allow
}

func ExampleShadowedKodaCodeRules() {
	cfg := preset.KodaCodeConfig{Permissions: map[string][]preset.KodaCodeRule{
		preset.SubjectExternalDirectory: {{Pattern: "/tmp/**", Action: sayso.Deny}, {Pattern: "*", Action: sayso.Ask}},
	}}
	for _, s := range preset.ShadowedKodaCodeRules(cfg) {
		fmt.Println(s)
	}
	// Output:
	// external_directory: "/tmp/**": deny is never reached: the later rule "*": ask matches everything that it matches, and the last match wins
}

func ExampleAskTrust() {
	ctx, kept := context.Background(), &store.Memory{}
	servers := []preset.MCPServer{{Name: "docs", Type: "stdio", Command: "npx", Args: []string{"docs-server"}, Env: map[string]string{"TOKEN": "secret"}}}
	prompt, needed, _ := preset.AskTrust(ctx, kept, "/work/app", servers)
	fmt.Println(needed)
	for _, line := range prompt.Lines() {
		fmt.Println(line)
	}
	_, answer, _ := prompt.Press("2")
	if err := answer.Keep(ctx, kept); err != nil {
		fmt.Println(err)
	}
	started, _ := preset.StartableServers(ctx, kept, "/work/app", servers)
	fmt.Println(len(started), "servers are started")
	// Output:
	// true
	// > [ ] workspace /work/app
	//   [ ] MCP server docs (stdio): npx docs-server, environment: TOKEN
	//   1. Trust workspace and all listed MCP servers
	//   2. Trust workspace only
	//   3. Trust all listed MCP servers only
	//   4. Continue without trusting listed MCP servers
	//   5. Cancel
	// 0 servers are started
}

func ExampleShowContract() {
	contract := sayso.Contract{Script: "npm install", Dir: "/work/app", Write: []string{"/work/app"}, Network: sayso.NetworkHosts, Hosts: []string{"package registries"}}
	for _, line := range preset.ShowContract(contract).Lines() {
		fmt.Println(line)
	}
	// Output:
	// Command: npm install
	// Working directory: /work/app
	// Workspace: read-write
	// Protected paths: none
	// Environment overrides: none
	// Timeout: none
	// Output limit: none
	// Network policy: package registries
}
