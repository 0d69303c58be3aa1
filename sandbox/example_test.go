//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// Only what an engine has allowed can be run, once. The report says what holds it.
func ExampleRun() {
	work, err := os.MkdirTemp("", "work")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(work) //nolint:errcheck // it is in a folder for temporary files
	engine := sayso.Engine{
		Preset: sayso.Preset{Name: "all", Modes: []sayso.Mode{{Name: "all"}}, Plan: func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Otherwise(sayso.Allow, "all", "everything is allowed")}, nil
		}},
		Contract: func(sayso.Call, *sayso.Facts) sayso.Contract {
			return sayso.Contract{
				Tool: "bash", Script: "echo in the workspace >file && cat file; touch /usr/file || true", Shell: "/bin/sh",
				Dir: work, Write: []string{work}, Inherit: []string{"PATH"}, Network: sayso.NetworkLoopback, Required: true,
			}
		},
	}
	ctx := context.Background()
	permit, _, err := engine.Authorize(ctx, sayso.Call{Tool: "bash", Input: []byte(`{"command":"echo"}`), Root: work})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, report, err := sandbox.Run(ctx, permit, sandbox.Options{Stdout: os.Stdout, Stderr: os.Stdout, Box: program})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exit status", result.Exit, "and enforced:", report.Enforced())
	fmt.Println(report.Of(sandbox.Network))
	// Output:
	// in the workspace
	// touch: cannot touch '/usr/file': Read-only file system
	// exit status 0 and enforced: true
	// enforced      network: network namespace
}
