package cli

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/journal"
)

const traceUse = `sayso trace [--json] CALL

Shows one call from request to result: what the agent asked for, what every stage
of the policy said, who decided, what a person was shown and answered, and what
came of it. CALL is the id of a call as sayso log shows it, or the start of one.

  --json  print its records as they are, one JSON object a line

Exit status: 0 found, 1 error, or there is no such call, 2 wrong usage.`

func trace(args []string, std IO) error {
	flags := flag.NewFlagSet("trace", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, helped, err := parse(flags, traceUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) != 1 || rest[0] == "" {
		return &usageError{"trace wants the id of a call", "sayso log shows the calls with their ids"}
	}
	folder, err := theJournal()
	if err != nil {
		return err
	}
	lines, err := callLines(folder, rest[0], std)
	if err != nil {
		return err
	}
	for i := range lines {
		if *asJSON {
			_, err = fmt.Fprintf(std.Out, "%s\n", lines[i].Text)
		} else {
			_, err = fmt.Fprint(std.Out, traced(&lines[i]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callLines are the records of the call whose id is, or starts with, the text.
func callLines(folder journal.Folder, id string, std IO) ([]journal.Line, error) {
	byCall := map[string][]journal.Line{}
	lines, closed := linesOf(folder, id, std)
	defer closed()
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		if line.Err == nil && strings.HasPrefix(line.Call, id) {
			byCall[line.Call] = append(byCall[line.Call], line)
		}
	}
	if exact, ok := byCall[id]; ok {
		for call, lines := range byCall {
			if strings.HasPrefix(call, id+".") { // a step of a script
				exact = append(exact, lines...)
			}
		}
		slices.SortFunc(exact, func(a, b journal.Line) int { return cmp.Compare(a.Seq, b.Seq) })
		return exact, nil
	}
	switch len(byCall) {
	case 0:
		return nil, &hintedError{fmt.Sprintf("the journal has no call %q", id), "sayso log shows the calls with their ids"}
	case 1:
		for _, lines := range byCall {
			return lines, nil
		}
	}
	return nil, &hintedError{fmt.Sprintf("%d calls start with %q", len(byCall), id), "give more of the id"}
}

// traced is a record as a paragraph.
func traced(l *journal.Line) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(view.Safe(fmt.Sprintf(format, args...)) + "\n")
	}
	fmt.Fprintf(&b, "%s  %s  record %d\n", l.Time.Local().Format("2006-01-02 15:04:05.000"), strings.ToUpper(string(l.Kind)), l.Seq)
	if r := l.Request; r != nil {
		line("  %s %s in %s", cmp.Or(r.Agent, "an agent"), r.Tool, cmp.Or(r.Dir, r.Root))
		line("  %s", r.Input)
	}
	if d := l.Decision; d != nil {
		line("  %s: %s (%s)", d.Effect, d.Reason, d.Code)
		if d.Explanation != "" {
			line("  it would: %s", d.Explanation)
		}
		steps(d.Trace, "    ", &b)
		if l.Policy != "" {
			line("  policy %s", l.Policy)
		}
	}
	if d := l.Decider; d != nil {
		line("  decided by %s %s %s %s", d.Kind, d.Name, d.Where, d.Channel)
	}
	if t := l.Terms; t != nil {
		line("  contract %s", l.Contract)
		line("  %s", t.Canonical())
	}
	if l.Answer != nil || l.Result != nil || l.Grant != nil {
		line("  %s", summary(&sayso.Record{Answer: l.Answer, Result: l.Result, Grant: l.Grant}))
	}
	return b.String() + "\n"
}
