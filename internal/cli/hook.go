package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/hook"
)

const hookUse = `sayso hook claude

Speaks the hook protocol of an agent: reads one event from standard input and
writes the decision to standard output. The agent starts it before each tool
call, as sayso-hook claude.

Exit status: 0 if the event was decided, 2, which blocks the call, if it was
not.`

// hookDeadline is far below the time after which Claude Code would go on
// without an answer.
const hookDeadline = 10 * time.Second

func hookVerb(args []string, std IO) error {
	if len(args) != 1 || args[0] != "claude" {
		return &usageError{"hook wants the name of an agent: claude", ""}
	}
	err := hook.Claude(std.In, std.Out, os.Getenv, hookDeadline, decideHere)
	if err != nil {
		fmt.Fprintf(std.Err, "sayso: error: %v\n", err)
		return statusError(exitUsage) // the code that blocks
	}
	return nil
}

// decideHere decides by the policy of the workspace that the call belongs to.
func decideHere(ctx context.Context, call sayso.Call, s sayso.Session) sayso.Decision {
	if call.Root == "" {
		call.Root = rootOf(call.Dir)
	}
	policy, err := load(call.Root, call.Home)
	if err != nil {
		return sayso.Decision{Code: sayso.CodePolicy, Reason: err.Error()}
	}
	if s.Mode == "" {
		s.Mode = policy.mode
	}
	return policy.engine.Check(ctx, call, s)
}

// Hook is the command sayso-hook: the verb hook alone.
func Hook(args []string, std IO) int {
	return report(hookVerb(args, std), std)
}
