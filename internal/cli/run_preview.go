package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/sandbox/changes"
)

// previewNote is how the records of a preview begin, which is no run.
const previewNote = "preview: "

// A previewing is one command on its way from the preview to what was chosen.
type previewing struct {
	o      *runOptions
	call   sayso.Call
	policy *loaded
	std    IO

	decision sayso.Decision // by the policy alone
	shown    *sandbox.Preview
	outs     [2]bytes.Buffer
	told     previewedJSON
}

// previewedJSON is all that is known of a preview, for programs.
type previewedJSON struct {
	Decision any             `json:"decision"`
	Contract *sayso.Contract `json:"contract,omitempty"`
	Preview  *previewJSON    `json:"preview,omitempty"`
	Applied  bool            `json:"applied"`
	Error    string          `json:"error,omitempty"`
}

// previewed runs a command where nothing of it stays, shows what it does, and does
// what is chosen then.
func (o *runOptions) previewed(call sayso.Call, policy *loaded, std IO) error {
	p := &previewing{o: o, call: call, policy: policy, std: std}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE) // whoever reads it may end first
	defer stop()
	permit, d, err := o.ask.permitted(ctx, call, policy, std, func(ctx context.Context, e *sayso.Engine) (sayso.Permit, sayso.Decision, error) {
		return e.AuthorizePreview(ctx, call)
	})
	var status statusError
	switch {
	case errors.As(err, &status):
		return status
	case err != nil:
		return o.failed(err, std)
	case d.Effect == sayso.Deny:
		return o.refused(call, d, std)
	}
	p.decision, p.told.Decision = d, decisionJSON(call, d)
	if err := p.run(ctx, permit); err != nil {
		return o.ended(sandbox.Result{}, nil, err, std)
	}
	defer p.shown.Close() //nolint:errcheck // what is left is in a folder for temporary files
	return p.ask(ctx)
}

// run runs the preview, and records it.
func (p *previewing) run(ctx context.Context, permit sayso.Permit) error {
	journal, err := theJournal()
	if err != nil {
		return err
	}
	e := sayso.Engine{Journal: journal}
	options := sandbox.Options{Stdout: &p.outs[0], Stderr: &p.outs[1]}
	options.Before = func(c sayso.Contract, r sandbox.Report) error {
		p.told.Contract = &c
		return e.Note(ctx, p.call, sayso.Record{Kind: sayso.RecordRun, Contract: c.Hash(), Terms: &c, Note: previewNote + held(r)})
	}
	p.shown, err = sandbox.RunPreview(ctx, permit, options, sandbox.PreviewOptions{})
	record, note := sayso.Result{}, previewNote+"it could not be made"
	if err != nil {
		record.Error = err.Error()
	} else {
		r := p.shown.Result
		record = sayso.Result{Ran: r.Ran, Exit: r.Exit, Duration: r.Duration, Output: r.Output, Error: r.Ended}
		note = fmt.Sprintf(previewNote+"%s, %d attempts to reach something", p.shown.Changes, len(p.shown.Tried))
		if r.TimedOut {
			err = fmt.Errorf("its time of %s was over", p.o.timeout)
		}
	}
	if noted := e.Note(context.WithoutCancel(ctx), p.call, sayso.Record{Kind: sayso.RecordResult, Result: &record, Note: note}); noted != nil {
		err = errors.Join(err, noted)
	}
	if err != nil && p.shown != nil {
		err = errors.Join(err, p.shown.Close())
	}
	return err
}

// ask puts what was shown to a person, or prints it where there is none.
func (p *previewing) ask(ctx context.Context) error {
	asked := p.decision.Effect == sayso.Ask
	if !asked && len(p.shown.Changes.List) == 0 && len(p.shown.Tried) == 0 {
		return p.nothing()
	}
	who := &asker{o: &p.o.ask, policy: p.policy, std: p.std}
	why := who.here(who.via())
	who.close()
	if why != "" && p.o.ask.timeout == 0 {
		return p.print(why, asked && byPerson("an answer") != nil)
	}
	text := p.text(true)
	permit, d, err := p.o.ask.permitted(ctx, p.call, p.policy, p.std, func(ctx context.Context, e *sayso.Engine) (sayso.Permit, sayso.Decision, error) {
		return e.AuthorizeChanges(ctx, p.call, p.shown.Changes.Hash(), text)
	})
	var status statusError
	switch {
	case errors.As(err, &status):
		return status
	case err != nil:
		return p.o.failed(err, p.std)
	case d.Effect != sayso.Allow:
		return p.o.refused(p.call, d, p.std)
	case permit.Changes() == "":
		return p.o.allowed(p.call, permit, d, p.std)
	}
	p.told.Decision = decisionJSON(p.call, d)
	return p.apply(permit)
}

// nothing ends a preview that has shown nothing.
func (p *previewing) nothing() error {
	if p.o.asJSON {
		return p.finish(p.shown.Result.Exit, true)
	}
	fmt.Fprintln(p.std.Err, "sayso: note: it changes nothing and tries to reach nothing")
	return p.finish(p.shown.Result.Exit, true)
}

// print shows it where nobody can be asked. What the policy asks about is not shown to
// an agent before somebody has said yes, but for the names.
func (p *previewing) print(why string, hide bool) error {
	if p.o.asJSON {
		return p.finish(exitPreviewed, !hide)
	}
	for _, text := range p.text(!hide) {
		fmt.Fprintln(p.std.Out, view.Safe(text))
	}
	if hide {
		fmt.Fprintln(p.std.Err, "sayso: note: what is in the files is shown to whoever decides it")
	}
	fmt.Fprintf(p.std.Err, "sayso: note: nothing was changed: %s; --wait TIME puts it to the queue\n", why)
	return p.finish(exitPreviewed, false)
}

// apply makes the changes, and records that.
func (p *previewing) apply(permit sayso.Permit) error {
	journal, err := theJournal()
	if err != nil {
		return p.o.failed(err, p.std)
	}
	e := sayso.Engine{Journal: journal}
	ctx := context.Background()
	note := "the changes of the preview are made"
	if err := e.Note(ctx, p.call, sayso.Record{Kind: sayso.RecordRun, Note: note}); err != nil {
		return p.o.failed(err, p.std)
	}
	err = p.shown.Apply(ctx, permit)
	result := sayso.Result{Ran: err == nil, Exit: p.shown.Result.Exit}
	var part *changes.PartError
	if err != nil {
		result.Error, result.Ran = err.Error(), errors.As(err, &part)
		p.told.Error = err.Error()
	}
	if noted := e.Note(ctx, p.call, sayso.Record{Kind: sayso.RecordResult, Result: &result, Note: p.shown.Changes.String()}); noted != nil {
		fmt.Fprintf(p.std.Err, "sayso: error: the result could not be recorded: %v\n", noted)
	}
	if err != nil {
		if p.o.asJSON {
			return p.finish(exitFailed, true)
		}
		hint := "run it with --preview again"
		if part != nil {
			hint = "look at what is there now: the other changes were not made"
		}
		return p.o.failed(&hintedError{view.Safe(err.Error()), hint}, p.std)
	}
	p.told.Applied = true
	if !p.o.asJSON {
		fmt.Fprintf(p.std.Err, "sayso: note: done: %s\n", p.shown.Changes)
	}
	return p.finish(p.shown.Result.Exit, true)
}

// finish passes on what the command wrote, if it may be shown, and ends with a status.
func (p *previewing) finish(status int, all bool) error {
	if p.o.explain {
		for _, l := range p.shown.Report {
			fmt.Fprintf(p.std.Err, "sayso: %s\n", l)
		}
	}
	if p.o.asJSON {
		p.told.Preview = p.json(all)
		if err := writeJSON(p.told, p.std.Out); err != nil {
			return err
		}
		return statusError(status)
	}
	if all {
		for i, to := range []io.Writer{p.std.Out, p.std.Err} {
			if _, err := to.Write(p.outs[i].Bytes()); err != nil {
				return err
			}
		}
	}
	return statusError(status)
}
