package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/shell"
)

const logUse = `sayso log [OPTION…]
       sayso log verify [--json] [--kept HASH]…
       sayso log repair
       sayso log export --otlp URL [OPTION…]

Shows what agents asked for, what was decided and why, what people answered, and
what ran, the oldest first. verify checks that no record was changed, removed or
moved; --kept also that a record with this hash is among them: note the hash of the
last one elsewhere, and nobody can write the journal anew unnoticed. repair goes on
behind a journal that is damaged, or behind a clock that was wrong: nothing is
removed, and what was found is recorded. export sends it to an OpenTelemetry
collector; sayso log export --help tells how.

  --session ID    of one session (default: all)
  --here          of this workspace
  --call ID       of one call; sayso trace tells more about it
  --tool NAME     of one tool
  --kind KIND     request, decision, prompt, answer, run, connect, exec, result;
                  of what people manage: grant, trust, rule, revoke; and repaired
  --effect EFFECT allow, ask or deny; decisions only
  --since TIME    from then on: 2026-03-04, 2026-03-04T05:06:07Z, or 90m ago
  --until TIME    up to then
  --last N        the last N of them
  --follow        wait for more
  --json          print the records as they are, one JSON object a line

Exit status: 0 done, 1 error, or the journal is damaged, 2 wrong usage.`

func logVerb(args []string, std IO) error {
	if len(args) > 0 {
		switch args[0] {
		case "verify":
			return logVerify(args[1:], std)
		case "repair":
			return logRepair(args[1:], std)
		case "export":
			return logExport(args[1:], std)
		}
	}
	var o logOptions
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	o.register(flags)
	rest, helped, err := parse(flags, logUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{fmt.Sprintf("log knows no %q", rest[0]) + orNear(rest[0], []string{"verify", "repair", "export"}, "sayso log "), "sayso log verify, repair or export, or options; sayso help log lists them"}
	}
	if err := o.check(time.Now()); err != nil {
		return err
	}
	folder, err := theJournal()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return o.print(ctx, folder, std)
}

// theJournal is the journal of the user.
func theJournal() (journal.Folder, error) {
	state, err := local.State()
	return journal.Folder{Dir: state.Dir}, err
}

// logOptions say which records are wanted.
type logOptions struct {
	session, call, tool, kind, effect, since, until string
	here, follow, asJSON                            bool
	last                                            int

	root     string
	from, to time.Time
	wanted   map[string]bool // calls that are of this workspace or tool, once their request was seen
}

func (o *logOptions) register(flags *flag.FlagSet) {
	flags.StringVar(&o.session, "session", "", "")
	flags.StringVar(&o.call, "call", "", "")
	flags.StringVar(&o.tool, "tool", "", "")
	flags.StringVar(&o.kind, "kind", "", "")
	flags.StringVar(&o.effect, "effect", "", "")
	flags.StringVar(&o.since, "since", "", "")
	flags.StringVar(&o.until, "until", "", "")
	flags.BoolVar(&o.here, "here", false, "")
	flags.BoolVar(&o.follow, "follow", false, "")
	flags.BoolVar(&o.asJSON, "json", false, "")
	flags.IntVar(&o.last, "last", 0, "")
}

var recordKinds = []sayso.RecordKind{
	sayso.RecordRequest, sayso.RecordDecision, sayso.RecordPrompt, sayso.RecordAnswer, sayso.RecordRun, sayso.RecordConnect, sayso.RecordExec, sayso.RecordResult,
	sayso.RecordGrant, sayso.RecordTrust, sayso.RecordRule, sayso.RecordRevoke, journal.Repaired,
}

func (o *logOptions) check(now time.Time) error {
	if o.kind != "" && !slices.Contains(recordKinds, sayso.RecordKind(o.kind)) {
		var names []string
		for _, k := range recordKinds {
			names = append(names, string(k))
		}
		return &usageError{fmt.Sprintf("--kind: there is no kind %q", o.kind) + orNear(o.kind, names, ""), "one of " + strings.Join(names, ", ")}
	}
	var e sayso.Effect
	if o.effect != "" && e.UnmarshalText([]byte(o.effect)) != nil {
		return &usageError{fmt.Sprintf("--effect: there is no effect %q", o.effect), "one of allow, ask, deny"}
	}
	if o.last < 0 || o.last > 0 && o.follow {
		return &usageError{"--last wants a number above 0, and not together with --follow", ""}
	}
	var err error
	if o.from, err = when(o.since, now); err != nil {
		return &usageError{"--since: " + err.Error(), timeHint}
	}
	if o.to, err = when(o.until, now); err != nil {
		return &usageError{"--until: " + err.Error(), timeHint}
	}
	if o.here {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		o.root = local.Real(local.Root(dir))
	}
	o.wanted = map[string]bool{}
	return nil
}

const timeHint = "for example 2026-03-04, 2026-03-04T05:06:07Z, or 90m for ninety minutes ago"

// when reads a time; empty is none.
func when(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(strings.TrimSuffix(strings.TrimSpace(text), " ago")); err == nil {
		return now.Add(-ago.Abs()), nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// print shows the records that are wanted.
func (o *logOptions) print(ctx context.Context, folder journal.Folder, std IO) error {
	if o.selects() && !o.follow && worthIndex(folder) {
		done, err := o.printIndexed(ctx, folder, std)
		if done || err != nil {
			return err
		}
	}
	lines := folder.All()
	if o.follow {
		lines = folder.Follow(ctx)
	}
	return o.printAll(ctx, lines, o.wants, std)
}

// printAll shows those of the lines that are wanted.
func (o *logOptions) printAll(ctx context.Context, lines iter.Seq2[journal.Line, error], wants func(*journal.Line) bool, std IO) error {
	var kept []journal.Line
	for line, err := range lines {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		if line.Err != nil {
			printf(std.Err, "sayso: warning: %s:%d: %v\n", line.File, line.Line, line.Err)
			continue
		}
		if !wants(&line) {
			continue
		}
		if o.last == 0 {
			if err := o.show(&line, std); err != nil {
				return err
			}
			continue
		}
		if kept = append(kept, line); len(kept) > 2*o.last {
			kept = append(kept[:0], kept[len(kept)-o.last:]...)
		}
	}
	for i := max(0, len(kept)-o.last); i < len(kept); i++ {
		if err := o.show(&kept[i], std); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether a record is asked for. What a request tells about its call
// counts for all records of the call.
func (o *logOptions) wants(l *journal.Line) bool {
	if l.Request != nil {
		o.wanted[l.Call] = (o.tool == "" || strings.EqualFold(o.tool, l.Request.Tool)) && (o.root == "" || local.Real(l.Request.Root) == o.root)
	}
	of, known := o.wanted[l.Call]
	if !known && l.Root != "" && o.tool == "" { // what people manage
		of, known = o.root == "" || local.Real(l.Root) == o.root, true
	}
	switch {
	case (o.tool != "" || o.root != "") && (!known || !of),
		o.session != "" && l.Session != o.session,
		o.call != "" && l.Call != o.call,
		o.kind != "" && string(l.Kind) != o.kind,
		o.effect != "" && (l.Decision == nil || l.Decision.Effect.String() != o.effect),
		!o.from.IsZero() && l.Time.Before(o.from),
		!o.to.IsZero() && l.Time.After(o.to):
		return false
	}
	return true
}

func (o *logOptions) show(l *journal.Line, std IO) error {
	if o.asJSON {
		_, err := fmt.Fprintf(std.Out, "%s\n", l.Text)
		return err
	}
	text := shell.Shown(summary(&l.Record))
	if l.Observed {
		text = "(observed) " + text
	}
	if l.Kind == journal.Repaired {
		text = shell.ShownWhole(l.Note)
	}
	err := printErr(std.Out, "%s %6d  %s  %-8s %s\n", l.Time.Local().Format("2006-01-02 15:04:05"), l.Seq, shell.Shown(cmp.Or(l.Call, "-")), l.Kind, text)
	return err
}

// byWhom names who made a change.
func byWhom(r *sayso.Record) string {
	if r.Decider == nil || r.Decider.Name == "" {
		return ""
	}
	return " by " + r.Decider.Name
}

// summary is a record in one line.
func summary(r *sayso.Record) string {
	text := ""
	switch {
	case r.Request != nil:
		text = fmt.Sprintf("%s %s %s", cmp.Or(r.Request.Agent, "agent"), r.Request.Tool, r.Request.Input)
	case r.Decision != nil:
		text = fmt.Sprintf("%s: %s (%s)", r.Decision.Effect, r.Decision.Reason, r.Decision.Code)
		if r.Decider != nil && r.Decider.Where != "" {
			text += " by " + r.Decider.Name + " at " + r.Decider.Where
		}
	case r.Answer != nil:
		text = "no"
		if r.Answer.Yes {
			text = "yes, " + cmp.Or(string(r.Answer.Scope), "once")
		}
		if r.Note == manage.Said { // that it was heard is another record
			text = "said " + text
		}
		if r.Answer.By != "" {
			text += " by " + r.Answer.By
		}
		if r.Answer.Channel != "" {
			text += " through " + r.Answer.Channel
		}
	case r.Grant != nil:
		text = r.Grant.Rule + " for " + string(r.Grant.Scope) + byWhom(r)
	case r.Trust != nil:
		text = strings.TrimSpace(r.Trust.Root+" "+r.Trust.Name) + byWhom(r)
	case r.Rule != nil:
		text = r.Rule.Effect.String() + " " + r.Rule.Text + byWhom(r)
	case r.Result != nil && !r.Result.Ran:
		text = "it did not run"
	case r.Result != nil:
		text = cmp.Or(r.Result.Error, "it ran")
		if r.Result.Error == "" && r.Result.Exit != 0 {
			text += fmt.Sprintf(", exit status %d", r.Result.Exit)
		}
		if strings.HasPrefix(r.Note, previewNote) {
			text = r.Note
		}
	default:
		text = cmp.Or(r.Note, r.Contract)
	}
	return text
}

func logVerify(args []string, std IO) error {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	var kept []string
	flags.Func("kept", "", func(hash string) error {
		if text, err := hex.DecodeString(hash); err != nil || len(text) != sha256.Size {
			return errors.New("it is no hash of a record: 64 digits and letters, as sayso log verify prints it")
		}
		kept = append(kept, strings.ToLower(hash))
		return nil
	})
	rest, helped, err := parse(flags, logUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"log verify takes no argument", ""}
	}
	folder, err := theJournal()
	if err != nil {
		return err
	}
	p := newProgress("verifying", std)
	report, err := folder.Verify(p.told, kept...)
	p.end()
	if err != nil {
		return err
	}
	if *asJSON {
		err = writeJSON(report, std.Out)
	} else {
		for _, p := range report.Problems {
			printf(std.Out, "%s\n", p)
		}
		state := "the chain is whole"
		if !report.OK() {
			state = counted(len(report.Problems), "problem")
		}
		err = printErr(std.Out, "%s in %s: %s\nlast record: %d, %s\n", counted(report.Records, "record"), counted(report.Files, "file"), state, report.Last, report.Head)
	}
	if err == nil && !report.OK() {
		return statusError(exitError)
	}
	return err
}

func logRepair(args []string, std IO) error {
	if len(args) > 0 {
		if isHelp(args[0]) {
			_, err := fmt.Fprintf(std.Out, "usage: %s\n", logUse)
			return err
		}
		return &usageError{"log repair takes no argument", ""}
	}
	if err := byPerson("the journal"); err != nil {
		return err
	}
	folder, err := theJournal()
	if err != nil {
		return err
	}
	by := person()
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	p := newProgress("verifying", std)
	report, err := folder.Repair(ctx, by, p.told)
	p.end()
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		printf(std.Out, "%s\n", p)
	}
	err = printErr(std.Out, "the journal goes on in %s\n", filepath.Join(folder.Dir, "journal"))
	return err
}
