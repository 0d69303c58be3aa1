package preset_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
	"github.com/sayso-dev/sayso/store"
)

// The defaults of the document, with a command more that never runs and one more
// that Guardian approves.
func ExampleKosmoKrator() {
	cfg := preset.KosmoKratorDefaults()
	cfg.BlockedCommands = append(cfg.BlockedCommands, "mkfs*")
	cfg.SafeCommands = append(cfg.SafeCommands, "terraform plan*")
	cfg.At = shell.Place{Dir: "/work/proj", Home: "/home/u"}
	engine := sayso.Engine{Preset: preset.KosmoKrator(cfg)}

	for _, command := range []string{"git status", "terraform plan -out=p", "git log | head", "git push", "sudo mkfs.ext4 /dev/sda1"} {
		input, _ := json.Marshal(map[string]string{"command": command})
		call := sayso.Call{Tool: "bash", Input: input, Root: "/work/proj", Home: "/home/u"}
		d := engine.Check(context.Background(), call, sayso.Session{})
		fmt.Printf("%-5s %-13s %s\n", d.Effect, d.Stage, command)
	}
	// Output:
	// allow mode_override git status
	// allow mode_override terraform plan -out=p
	// ask   mode_override git log | head
	// ask   mode_override git push
	// deny  deny_pattern  sudo mkfs.ext4 /dev/sda1
}

// A user who types /prometheus switches at once; what they approved for the
// session counts until it is cleared.
func ExampleKosmoKrator_session() {
	ctx, memory := context.Background(), &store.Memory{}
	engine := sayso.Engine{
		Preset: preset.KosmoKrator(preset.KosmoKratorConfig{}), Sessions: memory, Grants: memory,
		Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			for _, c := range r.Decision.Choices {
				fmt.Println(c.Key, c.Label)
			}
			return sayso.Answer{RequestID: r.ID, ContractHash: r.Contract.Hash(), Choice: "s"}, nil
		}),
	}
	run := func(command string) {
		input, _ := json.Marshal(map[string]string{"command": command})
		_, d, _ := engine.Authorize(ctx, sayso.Call{Session: "1", Tool: "bash", Input: input, Root: "/work/proj"})
		fmt.Println(d.Effect, command)
	}
	run("mv a b")
	run("mv b c")
	_ = engine.ClearGrants(ctx, "1", "/work/proj")
	if mode, ok := engine.Preset.ModeFor("/prometheus"); ok {
		_ = memory.Update(ctx, "1", func(st *sayso.SessionState) error { st.Mode = mode; return nil })
	}
	run("mv c d")
	run("rm -rf /")
	// Output:
	// y Allow once
	// s Allow for session
	// n Deny
	// allow mv a b
	// allow mv b c
	// allow mv c d
	// deny rm -rf /
}
