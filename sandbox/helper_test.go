package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
)

// program is sayso-box, built for the tests.
var program = os.Getenv("SAYSO_TEST_BOX")

func TestMain(m *testing.M) {
	if program != "" { // this is the second turn, as an ordinary user
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "sayso-box")
	if err == nil {
		err = build(dir)
	}
	code := 1
	if err == nil {
		code = m.Run()
	}
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// build makes the program, where every user can run it.
func build(dir string) error {
	program = filepath.Join(dir, "sayso-box")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "../cmd/sayso-box")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return os.Chmod(dir, 0o755)
}

// permit lets a contract run, as an engine does that allows everything.
func permit(t *testing.T, c sayso.Contract) sayso.Permit {
	t.Helper()
	plan := func(string) (sayso.Plan, error) {
		return sayso.Plan{sayso.Otherwise(sayso.Allow, "test", "all is allowed")}, nil
	}
	e := sayso.Engine{
		Preset:   sayso.Preset{Name: "test", Modes: []sayso.Mode{{Name: "test"}}, Plan: plan},
		Contract: func(sayso.Call, *sayso.Facts) sayso.Contract { return c },
	}
	p, d, err := e.Authorize(context.Background(), sayso.Call{Tool: "bash", Input: []byte(`{"command":"true"}`), Root: "/", Home: "/"})
	if err != nil || d.Effect != sayso.Allow {
		t.Fatalf("%v %v", d, err)
	}
	return p
}

// A ran is all that is known of a run.
type ran struct {
	sandbox.Result
	report   sandbox.Report
	out, err string
	failure  error
}

// contract is one for a script in a folder.
func contract(dir, script string) sayso.Contract {
	return sayso.Contract{
		Tool: "bash", Script: script, Shell: "/bin/sh", Dir: dir, Write: []string{dir}, Required: true,
		Inherit: []string{"PATH"}, Timeout: time.Minute, Grace: time.Second, Network: sayso.NetworkNone,
	}
}

func run(t *testing.T, c sayso.Contract, options ...func(*sandbox.Options)) ran {
	t.Helper()
	return runUntil(context.Background(), t, c, options...)
}

// runUntil runs a contract until nobody wants it any more.
func runUntil(ctx context.Context, t *testing.T, c sayso.Contract, options ...func(*sandbox.Options)) ran {
	t.Helper()
	var out, errs strings.Builder
	o := sandbox.Options{Stdout: &out, Stderr: &errs, Box: program}
	for _, set := range options {
		set(&o)
	}
	result, report, err := sandbox.Run(ctx, permit(t, c), o)
	return ran{result, report, out.String(), errs.String(), err}
}

// write makes a file, and the folders above it.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (r ran) String() string {
	return fmt.Sprintf("%+v, wrote %q and %q, error %v", r.Result, r.out, r.err, r.failure)
}

func itoa(n int) string { return strconv.Itoa(n) }

// protectedNames is what is protected in a workspace.
func protectedNames(dir string) []string {
	return []string{dir + "/.git/config", dir + "/.git/hooks", dir + "/.env", dir + "/.mcp.json", dir + "/.claude"}
}
