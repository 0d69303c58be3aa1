//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"

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

// A preview shows what a command would change. Whoever has seen it says yes to exactly
// that.
func ExampleRunPreview() {
	work, err := os.MkdirTemp("", "work")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(work) //nolint:errcheck // it is in a folder for temporary files
	engine := previewer(sayso.Contract{
		Tool: "bash", Script: "echo one >file; ln -s /etc/passwd link", Shell: "/bin/sh", Dir: work, Write: []string{work}, Inherit: []string{"PATH"},
	}, "y")
	ctx := context.Background()
	call := sayso.Call{ID: "1", Tool: "bash", Input: []byte(`{"command":"echo"}`), Root: work}
	permit, _, err := engine.AuthorizePreview(ctx, call)
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := sandbox.RunPreview(ctx, permit, sandbox.Options{Box: program}, sandbox.PreviewOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer preview.Close() //nolint:errcheck // it is in a folder for temporary files
	var shown []string
	for _, c := range preview.Changes.List {
		shown = append(shown, fmt.Sprintf("%s %s %s", c.Kind, c.After.Type, strings.TrimPrefix(c.Path, work)))
	}
	fmt.Println(strings.Join(shown, "\n"))
	permit, _, err = engine.AuthorizeChanges(ctx, call, preview.Changes.Hash(), shown) // asks a person
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(preview.Apply(ctx, permit))
	text, err := os.ReadFile(work + "/file")
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// added file /file
	// added link /link
	// <nil>
	// "one\n" <nil>
}
