// Package cli holds the verbs of the sayso command, one file each.
//
// Results go to standard output, everything else to standard error as
// "sayso: error: …", followed by "sayso: hint: …" where there is a remedy.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/profile"
)

// Exit codes of the command.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	exitAsk   = 3
	exitDeny  = 4

	exitInterrupted = 130
)

// A statusError is a result that is told by the exit status alone.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// IO is what a verb reads and writes, and what it is given by the program.
type IO struct {
	In       io.Reader
	Out, Err io.Writer

	// Script loads a policy script. What runs scripts is linked by the rich
	// program alone; where it is nil, a script denies.
	Script func(name string, text []byte) (sayso.Stage, error)

	// Keyring is that of the system, for the key of the profile; nil: there is
	// none.
	Keyring profile.Ring

	// Resolve and Dial are how the hosts are looked up and reached that a command
	// may reach; nil: as the system does it.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// A verb is one action of the command.
type verb struct {
	name, use, does string
	run             func(args []string, std IO) error
}

func verbs() []verb {
	return []verb{
		{"init", initUse, "let an agent ask sayso before each call; --undo takes it back", initVerb},
		{"check", checkUse, "decide a call: allow, ask or deny, with the reason; run nothing", check},
		{"ask", askUse, "decide a call, and put it to a person if need be; run nothing", ask},
		{"run", runUse, "decide a command, ask if need be, and run it confined", runVerb},
		{"sh", shUse, "the same for agents that have no hooks, behind the command line of a shell", shVerb},
		{"rule", ruleUse, "list, check, add or remove the rules of this workspace", rule},
		{"test", testUse, "run decisions that were written down, and say which differ", test},
		{"hook", hookUse, "answer the hook of an agent", hookVerb},
		{"approve", approveUse, "say yes to a call that waits; without an id: all that waits, on a full screen", approveVerb},
		{"deny", denyUse, "say no to a call that waits", denyVerb},
		{"serve", serveUse, "answer and manage on a web page of your own; serve programs in other languages", serve},
		{"grant", grantUse, "list or revoke what people have approved for later calls", grantVerb},
		{"trust", trustUse, "list, add or revoke the workspaces and MCP servers that you trust; alone: the manager", trustVerb},
		{"profile", profileUse, "tell what is kept in your profile, and where its key is; move the key", profileVerb},
		{"acp", acpUse, "stand between an editor and an agent: decide what it asks, reads, writes and runs there", acpVerb},
		{"mcp", mcpUse, "stand between an agent and an MCP server: decide every call of its tools", mcpVerb},
		{"mode", modeUse, "show or change the mode of a session", mode},
		{"log", logUse, "show what was asked, decided, answered and run; verify that nobody changed it", logVerb},
		{"trace", traceUse, "show one call from request to result, with what every stage said", trace},
		{"snapshot", snapshotUse, "read the policy of a workspace for sayso-hook, which runs this by itself", snapshotVerb},
		{"unpack", unpackUse, "tell sayso-hook what is in an archive; it runs this by itself", unpackVerb},
		{"resident", residentUse, "tell whether a process answers hooks quickly; stop it, or switch it off", residentVerb},
		{"presets", presetsUse, "list the ways in which calls can be judged", presets},
		{"doctor", doctorUse, "tell whether sayso really guards this workspace", doctor},
		{"schema", schemaUse, "print the JSON Schema of policy files, for editors", schema},
		{"version", versionUse, "print the version", version},
	}
}

// Main runs the command and returns its exit code.
func Main(args []string, std IO) int {
	if len(args) == 0 {
		usage(std.Err)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "--help":
		return help(args[1:], std)
	case "--version":
		args = []string{"version"}
	case keeperVerb:
		return report(keepPlace(args[1:]), std)
	}
	args = presetBehind(args)
	if strings.HasPrefix(args[0], "--preset") {
		return report(&usageError{"--preset wants a name and a verb behind it", "for example: sayso --preset cosmo check bash ls"}, std)
	}
	for _, v := range verbs() {
		if v.name == args[0] {
			return report(v.run(args[1:], std), std)
		}
	}
	return report(unknownVerb(args[0]), std)
}

// presetBehind moves --preset NAME from before a verb to behind it.
func presetBehind(args []string) []string {
	taken := 1
	if args[0] == "--preset" {
		taken = 2
	} else if !strings.HasPrefix(args[0], "--preset=") {
		return args
	}
	if len(args) <= taken {
		return args
	}
	moved := append([]string{args[taken]}, args[:taken]...)
	return append(moved, args[taken+1:]...)
}

// A usageError is a mistake in how the command was called.
type usageError struct{ problem, hint string }

func (e *usageError) Error() string { return e.problem }

// A hintedError is a failure that somebody can do something about.
type hintedError struct{ problem, hint string }

func (e *hintedError) Error() string { return e.problem }

// report prints an error and chooses the exit code.
func report(err error, std IO) int {
	if err == nil {
		return exitOK
	}
	var code statusError
	if errors.As(err, &code) {
		return int(code)
	}
	remedy, problem := fileProblem(err)
	printf(std.Err, "sayso: error: %v\n", problem)
	var usage *usageError
	var hinted *hintedError
	switch {
	case errors.As(err, &usage):
		hint(usage.hint, std)
		return exitUsage
	case errors.As(err, &hinted):
		hint(hinted.hint, std)
	default:
		hint(remedy, std)
	}
	return exitError
}

// fileProblem is what to do about an error if it is about a file, and what it says,
// without the name of the system call that had it.
func fileProblem(err error) (remedy string, problem error) {
	var file *fs.PathError
	if !errors.As(err, &file) || !strings.Contains(err.Error(), file.Error()) { // it was put into words already
		return "", err
	}
	switch {
	case errors.Is(file, fs.ErrNotExist):
		remedy = "is the name right? It counts from the folder that you are in"
	case errors.Is(file, fs.ErrPermission):
		remedy = "ls -ld shows who may use it"
	}
	return remedy, errors.New(strings.Replace(err.Error(), file.Error(), file.Path+": "+file.Err.Error(), 1))
}

func hint(text string, std IO) {
	if text != "" {
		printf(std.Err, "sayso: hint: %s\n", text)
	}
}

func isHelp(arg string) bool { return arg == "-h" || arg == "--help" || arg == "-help" }

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: sayso VERB [ARGUMENT…]\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.does)
	}
	fmt.Fprint(w, "\nsayso help VERB tells more.\n")
}

func help(args []string, std IO) int {
	if len(args) == 0 {
		usage(std.Out)
		return exitOK
	}
	if len(args) > 1 {
		return report(&usageError{"help takes one verb", "for example: sayso help check"}, std)
	}
	for _, v := range verbs() {
		if v.name == args[0] {
			fmt.Fprintf(std.Out, "usage: %s\n", v.use)
			return exitOK
		}
	}
	return report(unknownVerb(args[0]), std)
}

// writeJSON prints one object on one line.
func writeJSON(v any, out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
