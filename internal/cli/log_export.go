package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/otlp"
	"github.com/sayso-dev/sayso/shell"
)

const logExportUse = `sayso log export --otlp URL [OPTION…]

Sends the journal to an OpenTelemetry collector, over HTTP with JSON: each call as a
trace, each record as a log record with its number and its hash. What was sent is not
sent again: how far it came is kept for each URL and choice of records. Nothing is
sent that the journal does not have, and secrets are masked there.

  --otlp URL           the collector, for example http://localhost:4318; /v1/logs and
                       /v1/traces are put behind it (default: OTEL_EXPORTER_OTLP_ENDPOINT)
  --header NAME=VALUE  send this header, too; may be repeated. Others can see it in the
                       list of processes: OTEL_EXPORTER_OTLP_HEADERS is the better place
  --follow             go on as the journal grows, and wait for a collector that is away
  --again              start over, with the same ids
  --batch N            at most so many records or spans in a request (default: 512)
  --dry-run            print what would be sent, one request a line, and send nothing
  --json               tell at the end what was sent as JSON
  --session, --here, --call, --tool, --kind, --effect, --since, --until
                       as for sayso log. A call is a trace if one of its records is wanted.

OTEL_EXPORTER_OTLP_TIMEOUT (milliseconds, for one request), _COMPRESSION (gzip, the
default, or none), _CERTIFICATE (which signs for the collector), _LOGS_ENDPOINT and
_TRACES_ENDPOINT, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count, too.

Exit status: 0 sent, 1 error, or the collector rejected a part, 2 wrong usage,
130 interrupted.`

// giveUp is how long one that does not follow tries a collector that is not there.
const giveUp = time.Minute

// exportOptions say what is sent, and where to.
type exportOptions struct {
	logOptions
	url           string
	headers       []string
	again, dryRun bool
	batch         int

	settings otlp.Settings
}

func logExport(args []string, std IO) error {
	var o exportOptions
	flags := flag.NewFlagSet("log export", flag.ContinueOnError)
	o.register(flags)
	flags.StringVar(&o.url, "otlp", "", "")
	flags.Func("header", "", func(text string) error { o.headers = append(o.headers, text); return nil })
	flags.BoolVar(&o.again, "again", false, "")
	flags.BoolVar(&o.dryRun, "dry-run", false, "")
	flags.IntVar(&o.batch, "batch", 0, "")
	rest, helped, err := parse(flags, logExportUse, args, std)
	var wrong *usageError
	if errors.As(err, &wrong) {
		wrong.hint = "sayso log export --help lists the options"
	}
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"log export takes no argument", "the collector is given with --otlp URL"}
	}
	if err := o.check(time.Now()); err != nil {
		return err
	}
	if !o.dryRun {
		if err := byPerson("where the journal is sent to"); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return o.export(ctx, std)
}

// check reads the options and the variables.
func (o *exportOptions) check(now time.Time) error {
	if o.last != 0 {
		return &usageError{"--last does not go with log export", "--since TIME sends what is newer"}
	}
	if o.batch < 0 || o.dryRun && o.follow {
		return &usageError{"--batch wants a number above 0, and --dry-run does not go with --follow", ""}
	}
	if err := o.logOptions.check(now); err != nil {
		return err
	}
	var err error
	o.settings, err = otlp.Read(o.url, o.headers, os.Getenv)
	var wrong *otlp.SettingError
	switch {
	case errors.Is(err, otlp.ErrNoURL) && o.dryRun:
		return nil
	case errors.Is(err, otlp.ErrNoURL):
		return &usageError{"log export wants to know where to send to", "for example --otlp http://localhost:4318; --dry-run shows what would be sent"}
	case errors.As(err, &wrong):
		return &usageError{wrong.Error(), wrong.Hint}
	}
	return err
}

// export sends what is wanted.
func (o *exportOptions) export(ctx context.Context, std IO) error {
	folder, err := theJournal()
	if err != nil {
		return err
	}
	cursor, err := o.cursor(ctx, folder.Dir)
	if err != nil {
		return err
	}
	defer cursor.Close() //nolint:errcheck // what it says is written
	if o.settings.Open() && !o.dryRun {
		printf(std.Err, "sayso: warning: what is sent to %s can be read on its way; https is not\n", o.settings.Shown(otlp.Logs))
	}
	version := build.This().Version
	x := otlp.Exporter{
		Folder: folder, Cursor: cursor, Sender: otlp.NewSender(version, o.settings.More), Send: o.sender(version, std),
		Wants: o.wants, Whole: o.tool != "" || o.root != "", Most: o.batch,
		Damaged: func(l *journal.Line) {
			printf(std.Err, "sayso: warning: %s:%d: it is not sent: %v\n", l.File, l.Line, l.Err)
		},
		Rejected: func(s otlp.Signal, p otlp.Partial) {
			printf(std.Err, "sayso: warning: %s: %d rejected: %s\n", o.settings.Shown(s), p.Rejected, p.Message)
		},
	}
	report, err := x.Run(ctx, o.follow)
	if err == nil || ctx.Err() != nil {
		o.tell(&report, std)
	}
	var refused *otlp.RefusedError
	switch {
	case err != nil && ctx.Err() != nil:
		return statusError(exitInterrupted)
	case errors.As(err, &refused):
		return &hintedError{refused.Error(), refused.Hint()}
	case err == nil && report.Rejected > 0:
		return statusError(exitError)
	}
	return err
}

// cursor is how far it came. It is one of the URL and of what is wanted: others who
// export something else, or elsewhere, are not disturbed.
func (o *exportOptions) cursor(ctx context.Context, state string) (*otlp.Cursor, error) {
	to := o.settings.Shown(otlp.Logs)
	if traces := o.settings.Shown(otlp.Traces); strings.TrimSuffix(traces, "traces") != strings.TrimSuffix(to, "logs") {
		to += " " + traces
	}
	for _, f := range []struct{ name, value string }{
		{"session", o.session}, {"here", o.root}, {"call", o.call}, {"tool", o.tool}, {"kind", o.kind}, {"effect", o.effect}, {"since", o.since}, {"until", o.until},
	} {
		if f.value != "" {
			to += " --" + f.name + " " + url.QueryEscape(f.value)
		}
	}
	if o.dryRun {
		return otlp.LookAt(state, to, o.again)
	}
	return otlp.OpenCursor(ctx, state, to, o.again)
}

// sender is what sends requests, or prints them.
func (o *exportOptions) sender(version string, std IO) func(context.Context, otlp.Signal, []byte) (otlp.Partial, error) {
	if o.dryRun {
		return func(_ context.Context, _ otlp.Signal, body []byte) (otlp.Partial, error) {
			_, err := fmt.Fprintf(std.Out, "%s\n", body)
			return otlp.Partial{}, err
		}
	}
	client := otlp.Client{Settings: o.settings, Agent: "sayso/" + strings.Trim(version, "()"), GiveUp: giveUp}
	if o.follow {
		client.GiveUp = 0
	}
	client.Told = func(why error, wait time.Duration) {
		printf(std.Err, "sayso: note: %v; again in %s\n", why, wait.Round(100*time.Millisecond))
	}
	return client.Send
}

// tell says what was sent.
func (o *exportOptions) tell(r *otlp.Report, std IO) {
	out := std.Out
	if o.dryRun {
		out = std.Err
	}
	if o.asJSON {
		_ = writeJSON(r, out) // it is sent all the same
		return
	}
	verb := "sent"
	if o.dryRun {
		verb = "would be sent"
	}
	printf(out, "%s and %s %s in %s\n", counted(r.Records, "record"), counted(r.Spans, "span"), verb, counted(r.Requests, "request"))
	if r.Last > 0 {
		printf(out, "last record: %d, %s\n", r.Last, shell.Shown(r.Hash))
	}
	if r.Open > 0 {
		printf(out, "%s not ended: the next export sends the traces\n", counted(r.Open, "call")+map[bool]string{true: " has", false: " have"}[r.Open == 1])
	}
}
