package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/tui"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/session"
)

// onScreen returns the terminal if it can show the full screen.
func onScreen(std IO) (in, out *os.File, ok bool) {
	in, _ = std.In.(*os.File)
	out, _ = std.Out.(*os.File)
	if in == nil || out == nil || !tui.Fits(os.Getenv("TERM")) {
		return nil, nil, false
	}
	return in, out, term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// screen shows the full screen until it is left.
func screen(start tui.Start, preset string, in, out *os.File, std IO) error {
	if err := byPerson("this screen"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d, done, err := openDesk(ctx, line.Channel, std.key(nil))
	if err != nil {
		return err
	}
	defer done()
	unlock, err := ownTerminal(ctx, in, out)
	if err != nil {
		return err
	}
	defer unlock()
	root, err := here()
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one, no path is shortened
	s := &screenDesk{desk: d, known: approve.Known{Store: d.Approvals}, root: root, home: home, preset: preset, std: IO{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Script: std.Script, Keyring: std.Keyring}}
	desk := tui.Desk{Queue: s, Kept: (*screenKept)(s), History: &screenHistory{screenDesk: s}, Modes: (*screenModes)(s), Trusts: (*screenTrusts)(s)}
	err = tui.Run(ctx, in, out, desk, tui.Options{Start: start, View: view.Options{Home: home, Before: readable, Channel: line.Channel}})
	if errors.Is(err, tui.ErrInterrupted) {
		return statusError(exitInterrupted)
	}
	return err
}

// ownTerminal keeps line prompts out of the terminal: what they would ask is on the
// screen.
func ownTerminal(ctx context.Context, in, out *os.File) (unlock func(), err error) {
	t, err := line.OpenTerminal(in, out)
	if err != nil {
		return func() {}, nil //nolint:nilerr // there are no line prompts on this system
	}
	defer t.Close() //nolint:errcheck // nothing was written to it
	name := t.Name()
	if name == "" { // terminals cannot be told apart
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	unlock, err = lockTerminal(ctx, name)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &hintedError{"another sayso asks in this terminal", "answer it first, or use another terminal"}
	}
	return unlock, err
}

// screenDesk is what the full screen shows and changes.
type screenDesk struct {
	desk       *manage.Desk
	root, home string
	preset     string // whose modes are meant; empty: that of the policy
	std        IO     // for verbs that would print
	mu         sync.Mutex
	stamp      string // of the database when the list was read
	waiting    []*sayso.Request
	known      approve.Known
}

// Waiting lists the requests. The database is asked only if it has changed, and
// for what is new.
func (s *screenDesk) Waiting(ctx context.Context) ([]*sayso.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := local.State()
	if err != nil {
		return nil, err
	}
	stamp := stampOf(local.Database(state.Dir))
	if stamp == "" || stamp != s.stamp {
		list, err := s.known.Waiting(ctx)
		if err != nil {
			return nil, err
		}
		s.stamp, s.waiting = stamp, list
	}
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(s.waiting), func(r *sayso.Request) bool { return r.Over(now) }), nil
}

// Answer answers a request.
func (s *screenDesk) Answer(ctx context.Context, r sayso.Request, yes bool, name string) error {
	_, err := s.desk.Answer(ctx, r, yes, name)
	return err
}

const (
	// outcomeTries is how often it is looked for an answer in the journal: it is
	// recorded a moment after it counts.
	outcomeTries = 8
	outcomePause = 60 * time.Millisecond
)

// Outcome looks for the answer in the journal.
func (s *screenDesk) Outcome(ctx context.Context, r sayso.Request) (sayso.Answer, bool) {
	folder, err := theJournal()
	for range outcomeTries {
		if err != nil || ctx.Err() != nil {
			break
		}
		lines, _ := callLines(folder, r.Call.ID, s.std) // none: there may be some soon
		for _, l := range slices.Backward(lines) {
			if a := l.Answer; a != nil && l.Call == r.Call.ID && (a.RequestID == r.ID || !l.Time.Before(r.Opened)) {
				return *a, true
			}
		}
		time.Sleep(outcomePause)
	}
	return sayso.Answer{}, false
}

// screenKept are grants and rules.
type screenKept screenDesk

// Grants lists what was approved, the latest first.
func (s *screenKept) Grants(ctx context.Context) ([]sayso.GivenGrant, error) {
	list, err := s.desk.Grants.AllGrants(ctx)
	slices.Reverse(list)
	return list, err
}

// Revoke takes a grant back.
func (s *screenKept) Revoke(ctx context.Context, g sayso.GivenGrant) error {
	return s.desk.RevokeGrant(ctx, g)
}

// Rules lists the rules that count in this workspace.
func (s *screenKept) Rules(context.Context) ([]tui.Rule, error) {
	p, err := loadWith(loading{preset: s.preset}, s.root, s.home, s.std)
	if err != nil {
		return nil, err
	}
	var out []tui.Rule
	for _, r := range slices.Concat(p.Rules, p.Kept, granted(p.given, s.root)) {
		out = append(out, tui.Rule{Effect: r.Effect.String(), Text: r.Text, Place: s.place(r.Source)})
	}
	for _, d := range p.Dropped {
		out = append(out, tui.Rule{Text: d.What, Place: s.place(d.Source), Note: d.Why})
	}
	return out, p.Err
}

// place is where a rule stands, with the home folder as ~.
func (s *screenKept) place(source sayso.Source) string {
	if rest, ok := strings.CutPrefix(source.String(), s.home+"/"); ok && s.home != "" {
		return "~/" + rest
	}
	return source.String()
}

// screenModes are the modes of sessions.
type screenModes screenDesk

// Mode is the mode of a session.
func (s *screenModes) Mode(_ context.Context, id, root string) (tui.Mode, error) {
	found, policy, root, err := s.of(id, root)
	if err != nil {
		return tui.Mode{}, err
	}
	return s.mode(found, policy, root)
}

func (s *screenModes) of(id, root string) (session.Summary, loaded, string, error) {
	found, err := findSession(id, cmp.Or(root, s.root))
	if missing := (*hintedError)(nil); id != "" && errors.As(err, &missing) { // one that no hook has started
		found, err = session.Summary{}, nil
	}
	if err != nil {
		return found, loaded{}, "", err
	}
	root = cmp.Or(found.State.Root, root, s.root)
	policy, err := loadAs(root, s.home, s.preset, "", s.std)
	return found, policy, root, err
}

func (s *screenModes) mode(found session.Summary, policy loaded, root string) (tui.Mode, error) {
	r, err := reportMode(found, policy, root)
	return tui.Mode{Session: r.Session, Root: r.Root, Preset: r.Preset, Name: r.Mode, Known: policy.engine.Preset.Modes}, errors.Join(err, policy.Err)
}

// Switch changes the mode of a session.
func (s *screenModes) Switch(_ context.Context, id, root, name string) (tui.Mode, error) {
	found, policy, root, err := s.of(id, root)
	if err != nil {
		return tui.Mode{}, err
	}
	if err := chooseMode(name, &found, policy, root, s.std); err != nil {
		return tui.Mode{}, hinted(err)
	}
	return s.mode(found, policy, root)
}

// hinted is an error with what to do about it, on one line.
func hinted(err error) error {
	var h *hintedError
	if errors.As(err, &h) && h.hint != "" {
		return errors.New(h.problem + "; " + h.hint)
	}
	return err
}

// screenHistory is the journal.
type screenHistory struct {
	*screenDesk
	mu     sync.Mutex
	stamp  string // of the last file when the entries were read
	filter string
	found  []tui.Entry

	percent atomic.Int64 // how far the first look at all of it is
}

// Percent is how far it is.
func (s *screenHistory) Percent() int { return int(s.percent.Load()) }

// Latest are the newest records with a text in them.
func (s *screenHistory) Latest(ctx context.Context, text string, most int) ([]tui.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := theJournal()
	if err != nil {
		return nil, err
	}
	files, err := folder.Files()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	last := files[len(files)-1].Name
	stamp := last + stampOf(last)
	if stamp == s.stamp && stamp != last && text == s.filter {
		return s.found, nil
	}
	found, err := s.read(ctx, folder, strings.ToLower(text), most)
	if err == nil {
		s.stamp, s.filter, s.found = stamp, text, found
	}
	return found, err
}

func (s *screenHistory) read(ctx context.Context, folder journal.Folder, text string, most int) ([]tui.Entry, error) {
	lines := folder.All()
	if text == "" && worthIndex(folder) {
		if x, err := updated(ctx, folder, func(done, all int64) { s.percent.Store(min(done, all) * 100 / max(1, all)) }); err == nil {
			defer x.Close() //nolint:errcheck // it was only read
			lines = folder.Read(x.Find(ctx, index.Query{Last: most}))
		}
	}
	var out []tui.Entry
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := tui.Entry{Seq: l.Seq, Time: l.Time, Call: l.Call, Kind: string(l.Kind), Text: summary(&l.Record)}
		if l.Err != nil {
			e.Kind, e.Text = "damaged", l.File+": "+l.Err.Error()
		}
		if text != "" && !strings.Contains(strings.ToLower(strings.Join([]string{e.Call, l.Session, e.Kind, e.Text}, " ")), text) {
			continue
		}
		if out = append(out, e); len(out) >= 2*most {
			out = append(out[:0], out[len(out)-most:]...)
		}
	}
	out = out[max(0, len(out)-most):]
	slices.Reverse(out)
	return out, nil
}

// Trace is one call from request to result.
func (s *screenHistory) Trace(_ context.Context, call string) ([]string, error) {
	folder, err := theJournal()
	if err != nil {
		return nil, err
	}
	lines, err := callLines(folder, call, s.std)
	if err != nil {
		return nil, hinted(err)
	}
	var out []string
	for i := range lines {
		out = append(out, strings.Split(strings.TrimRight(traced(&lines[i]), "\n"), "\n")...)
		out = append(out, "")
	}
	return out, nil
}
