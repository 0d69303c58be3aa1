package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/vector"
)

const testUse = `sayso test [--json] [--preset NAME] [FILE…]

Runs decisions that were written down. A FILE is one of

  NAME.sayso-test.yaml  a policy with calls and what is expected of each
  NAME.jsonl            JSON lines, each with a call, what its decision depends
                        on, and what is expected

Without a FILE: the examples (match and not_match) of the rules of this
workspace, and every *.sayso-test.yaml in it. Prints one line for each test, and
how many passed.

  --preset NAME  judge by this preset what names none: JSON lines without one,
                 and policies, whose rules that deny and ask hold in front of it
  --json         print one JSON object for each instead

Exit status: 0 if all passed, 1 if one failed or a file cannot be read, 2 for
wrong usage.`

func test(args []string, std IO) error {
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	preset := flags.String("preset", "", "")
	files, helped, err := parse(flags, testUse, args, std)
	if helped || err != nil {
		return err
	}
	if _, err := catalog.Find(*preset); err != nil {
		return &usageError{"--preset: " + err.Error(), ""}
	}
	t := tester{out: std.Out, json: *asJSON, at: vector.Defaults{Cwd: "/home/dev/app", Home: "/home/dev", Preset: *preset, Script: std.Script}}
	if len(files) == 0 {
		if files, err = t.workspace(std); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := t.file(name); err != nil {
			return err
		}
	}
	if t.passed+t.failed == 0 {
		return &usageError{"there is nothing to test here", "write NAME" + config.SuiteEnd + ", or name a file"}
	}
	if !*asJSON {
		fmt.Fprintf(std.Out, "%d passed, %d failed\n", t.passed, t.failed)
	}
	if t.failed > 0 {
		return statusError(exitError)
	}
	return nil
}

// A tester runs lines and counts.
type tester struct {
	out            io.Writer
	json           bool
	at             vector.Defaults
	passed, failed int
}

func (t *tester) file(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, config.SuiteEnd) {
		return t.suite(name, text)
	}
	ran := false
	for n, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		l, err := vector.Parse(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
		if !l.Decision() {
			continue
		}
		ran = true
		t.line(fmt.Sprintf("%s:%d", name, n+1), l)
	}
	if !ran {
		return fmt.Errorf("%s has no decisions", name)
	}
	return nil
}

// A result is one line of --json.
type result struct {
	At     string          `json:"at"`
	ID     json.RawMessage `json:"id,omitempty"`
	Passed bool            `json:"passed"`
	Why    string          `json:"why,omitempty"`
	Note   string          `json:"note,omitempty"` // what was not compared
}

func (t *tester) line(at string, l *vector.Line) {
	d, err := l.Decide(context.Background(), t.at)
	why, note := "", ""
	if err != nil {
		why = err.Error()
	} else {
		why, note = l.Differs(d), strings.Join(l.Remarks(d), "; ")
	}
	t.noted(at, l.ID, why, note)
}

// result counts and prints one test; why says in what it failed.
func (t *tester) result(at string, id json.RawMessage, why string) { t.noted(at, id, why, "") }

// noted is result with what was not compared.
func (t *tester) noted(at string, id json.RawMessage, why, note string) {
	word := "PASS"
	if why == "" {
		t.passed++
	} else {
		word = "FAIL"
		t.failed++
	}
	if t.json {
		enc := json.NewEncoder(t.out)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(result{at, id, why == "", why, note}) // a closed pipe shows at the end
		return
	}
	name := string(id)
	_ = json.Unmarshal(id, &name) // a number stays as it is written
	printf(t.out, "%s  %s  %s", word, at, name)
	if why != "" {
		printf(t.out, ": %s", why)
	} else if note != "" {
		printf(t.out, " (%s)", note)
	}
	fmt.Fprintln(t.out)
}
