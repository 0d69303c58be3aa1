package preset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// An ExecutionContract is what KodaCode shows of a command before it runs, and
// what it shows is all of it.
type ExecutionContract struct {
	Command          string   `json:"command"`
	WorkingDirectory string   `json:"working_directory"`
	WorkspaceMode    string   `json:"workspace_mode"` // read-only or read-write
	ProtectedPaths   []string `json:"protected_paths"`
	Environment      []string `json:"environment"` // overrides: NAME=value
	Timeout          string   `json:"timeout"`
	OutputLimit      string   `json:"output_limit"`
	NetworkPolicy    string   `json:"network_policy"` // disabled, enabled, or the targets
}

// ShowContract writes a contract as KodaCode shows it.
func ShowContract(c sayso.Contract) ExecutionContract {
	out := ExecutionContract{
		Command: c.Script, WorkingDirectory: c.Dir, WorkspaceMode: "read-write",
		ProtectedPaths: slices.Clone(c.Protected), Timeout: "none", OutputLimit: "none", NetworkPolicy: NetworkDisabled,
	}
	switch {
	case len(c.Argv) > 0:
		out.Command = inWords(c.Argv)
	case c.Script == "":
		out.Command = c.Tool + " " + string(c.Input)
	}
	if len(c.Write) == 0 {
		out.WorkspaceMode = "read-only"
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		out.Environment = append(out.Environment, name+"="+c.Env[name])
	}
	if c.Timeout > 0 {
		out.Timeout = c.Timeout.String()
	}
	if c.Output > 0 {
		out.OutputLimit = fmt.Sprintf("%d bytes", c.Output)
	}
	switch c.Network {
	case sayso.NetworkAll:
		out.NetworkPolicy = NetworkEnabled
	case sayso.NetworkLoopback:
		out.NetworkPolicy = "this machine only"
	case sayso.NetworkHosts:
		out.NetworkPolicy = strings.Join(c.Hosts, ", ")
	}
	return out
}

// Lines are the eight fields for people, one a line. Nothing in them can move the
// cursor of a terminal or start a line of its own.
func (e ExecutionContract) Lines() []string {
	list := func(all []string) string {
		if len(all) == 0 {
			return "none"
		}
		shown := make([]string, len(all))
		for i := range all {
			shown[i] = inFull(all[i])
		}
		return strings.Join(shown, ", ")
	}
	return []string{
		"Command: " + inFull(e.Command),
		"Working directory: " + inFull(e.WorkingDirectory),
		"Workspace: " + e.WorkspaceMode,
		"Protected paths: " + list(e.ProtectedPaths),
		"Environment overrides: " + list(e.Environment),
		"Timeout: " + e.Timeout,
		"Output limit: " + e.OutputLimit,
		"Network policy: " + inFull(e.NetworkPolicy),
	}
}

// inFull is all of a text on one line, without anything that could change how a
// terminal or a person reads it.
func inFull(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar && !strings.ContainsRune("\u115f\u1160\u2800\u3164\uffa0", r) { // these show nothing
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// inWords writes words as a shell has them, with quotes only where they are
// needed.
func inWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,", r)
		}) {
			out[i] = shell.Quote([]string{w})
		}
	}
	return strings.Join(out, " ")
}

// ErrNotTraced is the error for a record whose contract cannot be told any more.
var ErrNotTraced = errors.New("the contract that was decided about is not the one that the call has now: the configuration or what the analysis sees has changed")

// TraceKodaCode returns the contract of a call that was decided before, for whoever
// looks through the log of a session. The journal has the call and the hash of the
// contract; the contract is made again of the call, and shown only if it has that
// hash.
func TraceKodaCode(cfg KodaCodeConfig, a sayso.Analyzer, call sayso.Call, hash string) (ExecutionContract, error) {
	c := KodaCodeContract(cfg)(call, a.Analyze(call))
	for _, choice := range []sayso.Choice{{}, {Network: sayso.NetworkAll}} { // as it was asked for, or with the network that a person gave it
		if shown := choice.Contract(c); shown.Hash() == hash {
			return ShowContract(shown), nil
		}
	}
	return ExecutionContract{}, ErrNotTraced
}

// KodaCodeContract makes the contracts of calls under a configuration, for
// [sayso.Engine.Contract]: a command has its text in it, and the network if that
// is enabled.
func KodaCodeContract(cfg KodaCodeConfig) func(sayso.Call, *sayso.Facts) sayso.Contract {
	return func(call sayso.Call, facts *sayso.Facts) sayso.Contract {
		c := sayso.PlainContract(call, facts)
		if len(facts.Lines) == 0 {
			return c
		}
		c.Input, c.Script, c.Shell = nil, strings.Join(facts.Lines, "\n"), "sh"
		if cfg.Network == NetworkEnabled {
			c.Network, c.Hosts = sayso.NetworkAll, nil
		}
		return c
	}
}
