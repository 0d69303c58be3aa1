package sayso_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
)

func ExampleEngine_Check() {
	rules, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Deny, Text: "bash(git push --force *)", Because: "it rewrites shared history"}})
	if err != nil {
		panic(err)
	}
	engine := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: rules})}
	for _, command := range []string{"go test ./...", "git push", "git push origin main -f"} {
		input, _ := json.Marshal(map[string]string{"command": command})
		d := engine.Check(context.Background(), sayso.Call{Tool: "bash", Input: input, Root: "/home/me/app", Home: "/home/me"}, sayso.Session{})
		fmt.Println(d.Effect, d.Code, "-", d.Reason)
	}
	// Output:
	// allow mode.work - it stays inside the workspace and can be undone
	// ask mode.publish - others will see it: Push commits to the remote repository
	// deny rule.deny - the rule bash(git push --force *) denies it: it rewrites shared history
}

func ExampleEngine_Authorize() {
	memory := &store.Memory{}
	engine := sayso.Engine{
		Preset:   preset.Native(preset.Policy{}),
		Sessions: memory, Grants: memory, Journal: memory,
		Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			fmt.Println("may it?", r.Decision.Explanation)
			return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Yes: true, By: "me"}, nil
		}),
	}
	call := sayso.Call{Tool: "bash", Input: json.RawMessage(`{"command": "git push"}`), Root: "/home/me/app", Session: "s1"}
	permit, d, err := engine.Authorize(context.Background(), call)
	if err != nil {
		panic(err)
	}
	contract, err := permit.Use()
	fmt.Println(d.Effect, d.Reason, "- in", contract.Dir, err)
	_, err = permit.Use()
	fmt.Println(err)
	// Output:
	// may it? Push commits to the remote repository
	// allow a person said yes - in /home/me/app <nil>
	// no valid permit: it was used, or no engine gave it
}

func ExamplePlan_Evaluate() {
	plan := sayso.Plan{
		sayso.Readable(),
		sayso.If("reads", func(c *sayso.Case) bool { return c.Facts.ReadOnly }, sayso.Decide(sayso.Allow, "mine.read", "it only reads")),
		sayso.Otherwise(sayso.Ask, "mine.else", "somebody should look"),
	}
	call := sayso.Call{Tool: "Read", Input: json.RawMessage(`{"file_path": "go.mod"}`), Root: "/home/me/app"}
	analyzer := sayso.Analyzer{}
	d := plan.Evaluate(context.Background(), &sayso.Case{Call: call, Facts: analyzer.Analyze(call)})
	fmt.Println(d.Effect, d.Stage)
	// Output: allow reads
}

func ExampleTool() {
	deploy := sayso.Tool{
		Name:    "deploy",
		Matches: func(pattern string, input json.RawMessage) bool { return string(input) == `{"to":"`+pattern+`"}` },
	}
	rules, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Allow, Text: "deploy(staging)"}}, deploy)
	if err != nil {
		panic(err)
	}
	engine := sayso.Engine{Preset: preset.Native(preset.Policy{Rules: rules}), Analyzer: sayso.Analyzer{Tools: []sayso.Tool{deploy}}}
	for _, to := range []string{"staging", "production"} {
		call := sayso.Call{Tool: "deploy", Input: json.RawMessage(`{"to":"` + to + `"}`), Root: "/home/me/app"}
		fmt.Println(to, engine.Check(context.Background(), call, sayso.Session{}).Effect)
	}
	// Output:
	// staging allow
	// production ask
}

func ExampleNewRuleSet() {
	_, err := sayso.NewRuleSet([]sayso.Rule{{Text: "read(/etc/passwd)", Source: sayso.Source{File: ".sayso.yaml", Line: 4, Column: 9}}})
	fmt.Println(err)
	// Output: .sayso.yaml:4:9: rule "read(/etc/passwd)": a path pattern is relative to the workspace
}
