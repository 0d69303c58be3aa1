package sandbox

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox/changes"
)

// A Preview is what a command would do, found out by running it where nothing of what
// it does stays.
type Preview struct {
	Changes *changes.Set // what it has changed in the folders that it may write in
	Tried   []Attempt    // what it wanted to reach, each once
	How     string       // it was kept from changing the files
	Result  Result
	Report  Report

	write, protected []string
	dir              string
}

// An Attempt is something that a command wanted to reach.
type Attempt struct {
	Protocol string `json:"protocol"` // tcp or udp; dns: it only looked up the name
	Host     string `json:"host"`     // the name, if it was looked up, or an address
	Port     string `json:"port,omitempty"`
}

// previewOutput is how much is kept of what a command writes in a preview, if its
// contract has no limit: somebody is to read it.
const previewOutput = 64 << 10

// PreviewOptions are what a preview is given beside the options of a run.
type PreviewOptions struct {
	Limits changes.Limits // of what is changed

	// Dir is where the layers are kept that take what is written; empty: TMPDIR, or
	// /var/tmp. It must not be in a folder that the command may write in.
	Dir string

	// Copy lets it be run in copies of its folders, and not with layers above them.
	Copy bool
}

// RunPreview runs the contract of a permit for a preview, which only
// [sayso.Engine.AuthorizePreview] gives. The command runs for real and sees its files
// as they are, but each folder that it may write in has a layer above it that takes
// what is written; where there can be none, it runs in a copy. Protected paths cannot
// be written even so. It has no input, no terminal and no network: names that it looks
// up are answered, connections refused, and both are told. Folders of which the layer
// is above cannot be renamed, but for those that it has made: programs that get EXDEV
// copy them, as mv does.
//
// The preview must be closed, which removes the layers.
func RunPreview(ctx context.Context, permit sayso.Permit, o Options, p PreviewOptions) (*Preview, error) {
	c, err := permit.Use()
	switch {
	case err != nil:
		return nil, err
	case !c.Preview:
		return nil, errors.New("the permit is not for a preview")
	}
	c.Network, c.Hosts, c.Required = sayso.NetworkNone, nil, true
	o.Stdin, o.Terminal = nil, false
	if c.Output <= 0 {
		c.Output = previewOutput
	}
	out := &Preview{write: c.Write, protected: c.Protected}
	if out.dir, err = layersDir(p.Dir, c.Write); err != nil {
		return nil, err
	}
	if err := out.run(ctx, c, o, p); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// run runs it with layers, or else with copies.
func (p *Preview) run(ctx context.Context, c sayso.Contract, o Options, how PreviewOptions) error {
	why := "as it was asked to"
	for _, copied := range []bool{false, true} {
		if how.Copy && !copied {
			continue
		}
		j := &job{c: c, o: o, layers: &layers{dir: p.dir, copied: copied, limits: how.Limits.Or(changes.DefaultLimits)}}
		if err := j.check(); err != nil {
			return err
		}
		if p.How = "overlay: what it wrote went to layers above the files"; copied {
			p.How = "copy: it ran in copies of its folders, because there could be no layers above them: " + why
		}
		err := j.layers.make(c.Write)
		if err == nil {
			err = j.preview(ctx, p)
		}
		var setup *setupError
		if !copied && errors.As(err, &setup) && strings.HasPrefix(setup.step, "layer") {
			why = setup.Error()
			continue
		}
		return err
	}
	return nil
}

// preview runs it, and reads what it has changed.
func (j *job) preview(ctx context.Context, p *Preview) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() { j.layers.watch(ctx, stop); close(watched) }()
	p.Result, p.Report, err = j.run(ctx)
	tooMuch := errors.Is(context.Cause(ctx), changes.ErrTooMuch)
	stop(nil)
	<-watched
	p.Tried = attempts(j.tried)
	switch {
	case tooMuch:
		return changes.ErrTooMuch
	case err != nil:
		return err
	}
	p.Changes, err = changes.Read(j.layers.list, j.c.Protected, j.layers.limits)
	return err
}

// attempts leaves out that a name was looked up where it was connected to, too.
func attempts(list []Attempt) []Attempt {
	return slices.DeleteFunc(slices.Clone(list), func(a Attempt) bool {
		return a.Protocol == "dns" && slices.ContainsFunc(list, func(o Attempt) bool { return o.Protocol != "dns" && o.Host == a.Host })
	})
}

// Apply makes exactly the changes that a preview has shown. The permit must be for
// them: [sayso.Engine.AuthorizeChanges] gives it.
func (p *Preview) Apply(ctx context.Context, permit sayso.Permit) error {
	c, err := permit.Use()
	switch {
	case err != nil:
		return err
	case c.Changes == "" || c.Changes != p.Changes.Hash():
		return errors.New("the permit is not for these changes")
	case !slices.Equal(c.Write, p.write):
		return errors.New("the permit is for other folders than the preview was")
	}
	return p.Changes.Apply(ctx, c.Protected)
}

// Close removes the layers. A preview that is closed can neither be applied nor show
// how texts change.
func (p *Preview) Close() error {
	if p.dir == "" {
		return nil
	}
	dir := p.dir
	p.dir = ""
	return removeAll(dir)
}

// removeAll removes a folder, in which the command may have let nobody look.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	openAll(dir)
	return os.RemoveAll(dir)
}
