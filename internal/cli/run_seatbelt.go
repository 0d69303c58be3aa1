package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/sandbox/seatbelt"
	"github.com/sayso-dev/sayso/shell"
)

// profiled prints the contract of a command as a profile for the sandbox of macOS.
// Nothing is decided, and nothing is run.
func (o *runOptions) profiled(call sayso.Call, policy *loaded, std IO) error {
	c := known(policy.engine.Contract(call, policy.engine.Analyzer.Analyze(call)))
	temp := filepath.Join(local.Real(os.TempDir()), "sayso-run")
	text, open, err := seatbelt.Profile(c, temp)
	if err != nil {
		return o.failed(err, std)
	}
	for _, line := range o.guard.Load().report() {
		open = append(open, line.Promise+": "+line.Why)
	}
	if o.asJSON {
		return writeJSON(struct {
			Contract *sayso.Contract `json:"contract"`
			Profile  string          `json:"profile"`
			Temp     string          `json:"temp"`
			Open     []string        `json:"open"`
		}{&c, text, temp, open}, std.Out)
	}
	if _, err := fmt.Fprint(std.Out, text); err != nil {
		return err
	}
	printf(std.Err, "sayso: note: nothing was run. For temporary files it has %s (set TMPDIR). Such a profile does not hold:\n", temp)
	for _, what := range open {
		printf(std.Err, "  %s\n", shell.ShownWhole(what))
	}
	return nil
}

// known names the repositories there are in a contract, in the place of all that there
// may be: a profile cannot tell them from one that the command makes, and nothing could
// be cloned.
func known(c sayso.Contract) sayso.Contract {
	c.Protected = slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.Protected, sandbox.There(c)))))
	c.Barred = slices.DeleteFunc(slices.Clone(c.Barred), func(pattern string) bool { return strings.Contains(pattern, "/**/.git/") })
	return c
}
