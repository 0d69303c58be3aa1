package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/shell"
)

const checkUse = `sayso check [--explain] [--json] [--preset NAME [--config FILE]] [--mode MODE]
                   [--cwd DIR] [--home DIR] TOOL ARGUMENT…
       sayso check --jsonl

Decides a call without running it or asking anybody: allow, ask or deny, with
the reason, how risky it is, and what it would do. The policy is that of the
workspace: /etc/sayso/policy.yaml, ~/.config/sayso/policy.yaml, your own for
this workspace, and .sayso.yaml, which may only tighten until you trust it.

  bash COMMAND       a command line
  read|write|delete PATH, glob|grep PATTERN, fetch URL, search TEXT
  mcp SERVER/TOOL [JSON]
  TOOL [JSON]        any other tool, with its input

  --explain    print what every stage said
  --json       print the whole decision and the analysis as one JSON object
  --jsonl      read calls as JSON lines from standard input, and write one
               decision a line. Each line stands alone: no policy but its
               "config", no file but those in "fs"
  --preset NAME  judge by this preset (sayso presets lists them) and not by that
               of the policy, whose rules that deny and ask still hold
  --config FILE  configure it by this file, and not by those of the workspace
  --mode MODE  a mode of the preset: default, careful, plan, dont-ask or bypass
  --cwd DIR    where the call is made (default: here). The workspace is the
               nearest folder above it with .sayso.yaml or .git, or it itself
  --home DIR   the home folder (default: yours)

Exit status: 0 allowed, 3 ask, 4 deny, 1 error, 2 wrong usage. With --jsonl: 0
if every line was answered.`

func check(args []string, std IO) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	explain := flags.Bool("explain", false, "")
	asJSON := flags.Bool("json", false, "")
	stream := flags.Bool("jsonl", false, "")
	mode := flags.String("mode", "", "")
	preset := flags.String("preset", "", "")
	file := flags.String("config", "", "")
	cwd := flags.String("cwd", "", "")
	home := flags.String("home", "", "")
	if helped, err := parseBefore(flags, checkUse, args, std); helped || err != nil {
		return err
	}
	at, err := place(*cwd, *home)
	if err != nil {
		return err
	}
	if *stream {
		if flags.NArg() > 0 {
			return &usageError{"--jsonl reads calls from standard input and takes no argument", ""}
		}
		if *mode != "" || *explain || *asJSON || *preset != "" || *file != "" {
			return &usageError{"--jsonl goes with neither --mode, --preset, --config, --explain nor --json", "each line has its own mode, preset and config"}
		}
		return checkStream(vector.Defaults{Cwd: at.Dir, Home: at.Home, Script: std.Script}, std)
	}
	call, err := callOf("check", flags.Args(), std)
	if err != nil {
		return err
	}
	call.Dir, call.Home, call.Root = at.Dir, at.Home, local.Root(at.Dir)
	if info, err := os.Stat(at.Dir); *cwd != "" && *home == "" && (err != nil || !info.IsDir()) {
		printf(std.Err, "sayso: note: --cwd: there is no folder %s on this machine\n", at.Dir)
	}
	if *file != "" && *preset == "" {
		return &usageError{"--config wants --preset", "native is configured by its policy files"}
	}
	policy, err := loadAs(call.Root, call.Home, *preset, *file, std)
	if err != nil {
		return err
	}
	call.Server = policy.server(call.Root, call)
	return checkOne(call, policy, *mode, *explain, *asJSON, std)
}

// place is where the call would be made, from the options or this process.
func place(cwd, home string) (shell.Place, error) {
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return shell.Place{}, fmt.Errorf("find the working directory: %w", err)
	}
	if home == "" {
		home, _ = os.UserHomeDir() // without one, ~ stays unresolved
	}
	return shell.Place{Dir: cwd, Home: home}, nil
}

func checkOne(call sayso.Call, policy loaded, mode string, explain, asJSON bool, std IO) error {
	if mode == "" {
		mode = policy.mode
	}
	mode = modeName(mode, policy.engine.Preset)
	if err := knownMode(mode, policy.engine.Preset); err != nil {
		return err
	}
	d := policy.engine.Check(context.Background(), call, sayso.Session{Now: time.Now(), Mode: mode, Surface: policy.surface, Grants: policy.grants})
	for _, dropped := range policy.Dropped {
		printf(std.Err, "sayso: note: %s: %s does not count: %s\n", dropped.Source, dropped.What, dropped.Why)
	}
	if err := show(call, d, explain, asJSON, std.Out); err != nil {
		return err
	}
	switch d.Effect {
	case sayso.Allow:
		return nil
	case sayso.Ask:
		return statusError(exitAsk)
	}
	return statusError(exitDeny)
}

func show(call sayso.Call, d sayso.Decision, explain, asJSON bool, out io.Writer) error {
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(decisionJSON(call, d))
	}
	printf(out, "%-5s  %s  %s\n", d.Effect, d.Code, d.Reason)
	printf(out, "       %s · %s\n", d.Risk, d.Explanation)
	for _, s := range d.Suggestions {
		printf(out, "       would be allowed by: %s (%s)\n", shell.ShownWhole(s.Rule), shell.ShownWhole(s.Allows))
	}
	if explain {
		steps(d.Trace, "  ", out)
	}
	return nil
}

// steps prints a trace: each stage, what it said, and the stages inside it.
func steps(list []sayso.Step, indent string, out io.Writer) {
	for _, s := range list {
		name := s.Stage
		if s.Part != "" {
			name = shell.Shown(s.Part)
		}
		if s.Spoke == "pass" {
			printf(out, "%s%s: no opinion\n", indent, name)
		} else {
			printf(out, "%s%s: %s %s (%s)\n", indent, name, s.Effect, s.Code, s.Reason)
		}
		steps(s.Steps, indent+"  ", out)
	}
}
