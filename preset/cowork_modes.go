package preset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// The permission modes of CoWork OS; the first is [Default], the second [Plan].
const (
	AcceptEdits       = "accept_edits"
	DontAskOS         = "dont_ask"
	BypassPermissions = "bypass_permissions"
)

// coworkModes returns the modes, the configured default first.
func coworkModes(first string) []sayso.Mode {
	modes := []sayso.Mode{
		{Name: Default, Doc: "safe reads are allowed; writes, deletes, commands, the network, external services and MCP tools with side effects ask"},
		{Name: Plan, Doc: "tools that only read are allowed, the others denied"},
		{Name: AcceptEdits, Doc: "reads and edits in the workspace are allowed; deletes, commands, the network and external services ask"},
		{Name: DontAskOS, Doc: "everything is allowed that is not blocked, denied or asked about by a rule"},
		{Name: BypassPermissions, Doc: "like dont_ask, and rules that ask do not count"},
	}
	slices.SortStableFunc(modes, func(a, b sayso.Mode) int {
		switch {
		case a.Name == first:
			return -1
		case b.Name == first:
			return 1
		}
		return 0
	})
	return modes
}

// An operation is a kind of thing that a call does, as the modes and the
// capabilities of CoWork OS tell them apart.
type operation uint16

const (
	opRead     operation = 1 << iota // reads files, or an MCP server that is trusted to do no more
	opWrite                          // creates or changes files
	opDelete                         // deletes files
	opShell                          // runs commands or code
	opNetwork                        // reaches the network
	opExternal                       // acts on an external service
	opMCP                            // uses an MCP server
	opUnknown                        // nobody knows what the tool does
	opOther                          // something else that has an effect
	opOutside                        // what it changes is not in the workspace
	opSecret                         // what it reads is a secret
	opServer                         // asks an MCP server, whatever for
)

var operationNames = []string{
	"reads", "writes", "deletes", "shell commands", "network access", "external services", "MCP tools with side effects", "unknown tools",
	"other effects", "changes outside the workspace", "secrets",
}

// String names the first operation that is more than reading.
func (o operation) String() string {
	for i := len(operationNames) - 1; i >= 0; i-- {
		if o&(1<<i) != 0 {
			return operationNames[i]
		}
	}
	return "harmless tools"
}

var coworkClasses = map[sayso.Class]operation{
	sayso.ClassRead: opRead, sayso.ClassList: opRead, sayso.ClassGrep: opRead, sayso.ClassSkill: opRead,
	sayso.ClassWrite: opWrite, sayso.ClassEdit: opWrite, sayso.ClassPatch: opWrite, sayso.ClassNotebook: opWrite, sayso.ClassMove: opWrite,
	sayso.ClassDelete: opDelete,
	sayso.ClassShell:  opShell, sayso.ClassBackground: opShell, sayso.ClassCode: opShell,
	sayso.ClassFetch: opNetwork, sayso.ClassSearch: opNetwork,
	sayso.ClassExternal: opExternal,
	sayso.ClassMemory:   opOther, sayso.ClassSubagent: opOther, sayso.ClassMode: opOther,
	sayso.ClassTask: 0, sayso.ClassQuestion: 0, sayso.ClassDocs: 0, // between the agent and its user
}

// coworkApprovals are the kinds of approval that the runtime may say a call needs.
var coworkApprovals = map[string]operation{
	"": 0, "run_command": opShell, "delete_file": opDelete, "delete_multiple": opDelete, "bulk_rename": opWrite,
	"network_access": opNetwork, "data_export": opNetwork, "external_service": opExternal,
}

// operations says what kinds of things a call does.
func operations(c *sayso.Case) operation {
	ops, known := coworkApprovals[c.Call.Approval]
	if !known {
		ops = opOther
	}
	if isMCP(c) {
		return ops | mcpOperation(c)
	}
	op, known := coworkClasses[c.Facts.Class]
	switch {
	case known:
		ops |= op
	case strings.HasSuffix(c.Tool(), "_action"): // so are those called that act on a service
		ops |= opExternal
	case ops == 0:
		ops = opUnknown
	}
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if c.Facts.Reveals(p) {
			ops |= opSecret
		}
		if c.Facts.Class == sayso.ClassPatch && p.Effects&shell.Deletes != 0 {
			ops |= opDelete
		}
		if ops&(opWrite|opDelete) != 0 && !inWorkspace(c, p) {
			ops |= opOutside
		}
	}
	return ops
}

// isShell reports whether a call runs commands.
func isShell(c *sayso.Case) bool {
	return c.Facts.Class == sayso.ClassShell || c.Facts.Class == sayso.ClassBackground
}

// isMCP reports whether a call goes to an MCP server.
func isMCP(c *sayso.Case) bool {
	return c.Facts.Class == sayso.ClassMCP || c.Call.Server != nil || strings.HasPrefix(c.Tool(), "mcp_")
}

// mcpOperation: what a server says of its tool counts if a person trusts it.
func mcpOperation(c *sayso.Case) operation {
	if s := c.Call.Server; s != nil && s.Trusted && s.ReadOnly && !s.Destructive {
		return opServer | opRead
	}
	return opServer | opMCP
}

// inWorkspace reports whether everything that a part changes is in the workspace,
// where links lead it to as well.
func inWorkspace(c *sayso.Case, p *sayso.Part) bool {
	if len(p.Opaque) > 0 || len(p.Paths) == 0 {
		return false
	}
	for _, touched := range p.Paths {
		if touched.Access == shell.Read || touched.Access == shell.List {
			continue
		}
		for _, abs := range [...]string{touched.Abs, touched.Real} {
			if abs == "" && touched.Abs != "" {
				continue // Real is empty where it is the same
			}
			if abs == "" || !slices.ContainsFunc(c.Facts.Place.Workspace, func(root string) bool { return fspath.Within(abs, root) }) {
				return false
			}
		}
	}
	return true
}

// coworkMode is what the mode makes of a call that rules do not decide. It leans:
// a denial may turn into a question if it is repeated. Where a rule asks about a
// part of the call, only a denial of the rest counts.
func coworkMode(mode string) sayso.Stage {
	code := CodeCoWorkMode + "." + sayso.Code(mode)
	say := map[sayso.Effect]string{sayso.Deny: "denies", sayso.Ask: "asks on", sayso.Allow: "allows"}
	return sayso.Func("mode", func(c *sayso.Case) sayso.Verdict {
		ops := operations(c) &^ opServer
		effect := coworkDefault(mode, ops)
		if c.Leaning.Speaks() && effect >= c.Leaning.Effect() {
			return sayso.Pass()
		}
		v := sayso.Lean(effect, code, fmt.Sprintf("the mode %s %s %s", mode, say[effect], ops)).About(coworkScopeOf(c).String())
		if effect == sayso.Deny {
			return v.Soft()
		}
		return v
	})
}

// coworkDefault is the table of the modes.
func coworkDefault(mode string, ops operation) sayso.Effect {
	switch {
	case mode == DontAskOS || mode == BypassPermissions:
		return sayso.Allow
	case mode == Plan && ops&^(opRead|opSecret) == 0, mode == Default && ops&^opRead == 0, mode == AcceptEdits && ops&^(opRead|opWrite) == 0:
		return sayso.Allow
	case mode == Plan:
		return sayso.Deny
	}
	return sayso.Ask
}

// How many soft denials of the same call turn the next one into a question.
const (
	coworkInRow   = 3
	coworkInTotal = 20
)

// coworkFallback asks about what the mode has denied too often.
func coworkFallback() sayso.Stage {
	return sayso.Func("denial_fallback", func(c *sayso.Case) sayso.Verdict {
		if !c.Leaning.Speaks() || c.Leaning.Effect() != sayso.Deny { // only the mode leans to a denial
			return sayso.Pass()
		}
		n := c.Session.Soft[c.Call.Fingerprint()]
		if n.Consecutive < coworkInRow && n.Total < coworkInTotal {
			return sayso.Pass()
		}
		reason := fmt.Sprintf("it was denied %d times, %d of them in a row: %s", n.Total, n.Consecutive, c.Leaning.Reason())
		return sayso.Decide(sayso.Ask, CodeCoWorkFallback, reason).About(coworkScopeOf(c).String())
	})
}
