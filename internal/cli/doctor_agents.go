package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/hook"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/wire"
)

// A wiredAgent is what doctor finds of an agent.
type wiredAgent struct {
	*wire.Agent
	at      wire.At
	seen    map[string]bool // events that reach sayso
	found   bool            // some hook of sayso is there, or a file that cannot be read
	broken  bool            // some hook of sayso is there that cannot be run
	managed bool            // some is where no workspace switches it off
	runs    string          // the program that a hook runs
	asks    *wire.Hook      // the one that asks before a call
	offs    []string        // what switches them off
}

// agents looks at each agent: is its hook installed, trusted, called and fast.
func (r *doctorReport) agents(at wire.At) {
	calls := lastCalls(r.Root)
	var without []*wiredAgent
	for _, a := range wire.Agents() {
		w := &wiredAgent{Agent: a, at: at, seen: map[string]bool{}}
		for _, p := range a.Places(at) {
			r.settings(w, p)
		}
		if !w.found {
			without = append(without, w)
			continue
		}
		for _, file := range a.Switches(at) {
			if !slices.ContainsFunc(a.Places(at), func(p wire.Place) bool { return p.File == file }) { // else it was looked at
				w.switches(file)
			}
		}
		for _, how := range w.offs {
			r.off(w, how)
		}
		r.missing(w)
		r.called(w, calls)
	}
	r.unwired(without, len(without) == len(wire.Agents()))
}

// unwired tells of the agents that are there and do not ask; if none is, of the first.
func (r *doctorReport) unwired(list []*wiredAgent, all bool) {
	level := note
	if all {
		level = problem
	}
	there := slices.Clone(list)
	there = slices.DeleteFunc(there, func(w *wiredAgent) bool {
		_, err := exec.LookPath(w.Program)
		return err != nil
	})
	if len(there) == 0 && all {
		there = list[:1]
	}
	for _, w := range there {
		r.add(level, w.Name, w.Title+" does not ask sayso in this workspace", "sayso init "+w.Name)
	}
}

// settings looks for the hooks in a file of an agent.
func (r *doctorReport) settings(w *wiredAgent, p wire.Place) {
	text, err := os.ReadFile(p.File)
	if os.IsNotExist(err) {
		return
	}
	var found []wire.Hook
	if err == nil {
		found, err = w.Find(text, p.Scope)
	}
	if err != nil {
		w.found = true
		r.add(problem, w.Name, inFile(p.File, err).Error(), "mend the file: "+w.Title+" does not read it either")
		return
	}
	if len(found) == 0 && filepath.Base(p.File) == "sayso.js" {
		w.found = true
		r.add(problem, w.Name, p.File+" is not the plugin that this sayso writes", "sayso init "+w.Name)
		return
	}
	if line, how, off := w.Off(text); off {
		w.offs = append(w.offs, fmt.Sprintf("%s:%d: %s", p.File, line, how))
	}
	w.managed = w.managed || len(found) > 0 && p.Scope == wire.Managed
	r.lost(w, p, found)
	for i, h := range found {
		w.found = true
		r.wired(w, p, h)
		if call, _ := wire.ParseCall(h.Command); i == 0 && p.Scope == wire.Shared && filepath.IsAbs(call.Program) {
			r.add(note, w.Name, fmt.Sprintf("%s:%d: the file is committed, and names a path of this machine", p.File, h.Line), "sayso init "+w.Name+" moves it, or sayso init --shared "+w.Name+" names the program without a path")
		}
	}
	if file := w.FolderTrust(w.at); file != "" && len(found) > 0 && p.Scope == wire.Shared && !folderTrusted(file, r.Root) {
		r.add(note, w.Name, fmt.Sprintf("%s counts only where the folder is trusted, and %s does not name it", p.File, file), "trust the folder when "+w.Title+" asks, or sayso init --user "+w.Name)
	}
	if w.Name == "codex" && len(found) > 0 && p.Scope != wire.Managed {
		r.trusted(w, p, text)
	}
}

// folderTrusted reports whether a file names a folder as trusted. One that cannot be
// read names none.
func folderTrusted(file, folder string) bool {
	text, err := os.ReadFile(file)
	return err == nil && wire.FolderTrusted(text, folder)
}

// trusted looks whether Codex runs the hooks of a file.
func (r *doctorReport) trusted(w *wiredAgent, p wire.Place, hooks []byte) {
	text, err := os.ReadFile(wire.TrustFile(w.at))
	if err != nil && !os.IsNotExist(err) {
		r.add(problem, w.Name, err.Error(), "let it be read")
		return
	}
	left, err := wire.Untrusted(text, p.File, hooks)
	switch {
	case err != nil:
		r.add(problem, w.Name, inFile(p.File, err).Error(), "mend it")
	case len(left) > 0:
		r.add(problem, w.Name, fmt.Sprintf("%s: nobody has trusted the hooks for %s, and so Codex skips them without a word", p.File, strings.Join(left, ", ")), "sayso init codex, or /hooks in Codex")
	default:
		r.add(fine, w.Name, p.File+" is trusted", "")
	}
}

// switches looks whether another file switches the hooks off.
func (w *wiredAgent) switches(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return // it is not there, or the agent cannot read it either
	}
	line, how, off := w.Off(text)
	if w.Name == "codex" {
		line, how, off = 0, "[features] hooks = false", wire.HooksOff(text)
	}
	if off {
		w.offs = append(w.offs, fmt.Sprintf("%s:%d: %s", file, max(line, 1), how))
	}
}

// off tells that something switches the hooks off.
func (r *doctorReport) off(w *wiredAgent, how string) {
	if w.managed {
		r.add(note, w.Name, how+" switches every hook off but those of the administrator, which count all the same", "remove it")
		return
	}
	remedy := "remove it"
	if _, ok := w.Place(w.at, wire.Managed); ok {
		remedy += "; what is wired with sayso init --managed no workspace switches off"
	}
	r.add(problem, w.Name, how+" switches every hook off", remedy)
}

// program is the file that a hook runs, and whether it can be run.
func program(h wire.Hook) (call wire.Call, file string, ok bool) {
	call, _ = wire.ParseCall(h.Command)
	file = call.Program
	if filepath.Base(file) == file { // a name: the shell searches for it, and not here
		file, _ = exec.LookPath(file) // none is no file either
	}
	info, err := os.Stat(file)
	return call, file, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// lost tells, once for a file, of hooks whose program cannot be run.
func (r *doctorReport) lost(w *wiredAgent, p wire.Place, found []wire.Hook) {
	var first *wire.Hook
	closed := true
	for i, h := range found {
		if _, _, ok := program(h); ok {
			continue
		}
		decides := slices.Contains(w.Decisive(), h.Event)
		closed = closed && (h.Closed || !decides)
		if first == nil || decides && !slices.Contains(w.Decisive(), first.Event) {
			first = &found[i]
		}
	}
	if first == nil {
		return
	}
	w.broken = true
	call, _ := wire.ParseCall(first.Command)
	comes, remedy := w.Title+" goes on without an answer", "sayso init "+w.Name
	if closed && !call.Observe {
		comes = "every call is blocked"
	}
	if _, err := hookProgram(); err != nil {
		remedy = "install it again: make install"
	}
	r.add(problem, w.Name, fmt.Sprintf("%s:%d: %s runs %s, which cannot be run: %s", p.File, first.Line, first.Event, call.Program, comes), remedy)
}

// wired looks at one hook of sayso.
func (r *doctorReport) wired(w *wiredAgent, p wire.Place, h wire.Hook) {
	at := fmt.Sprintf("%s:%d: %s", p.File, h.Line, h.Event)
	call, runs, ok := program(h)
	own, _ := hookProgram() // that there is none is told already
	remedy := "sayso init " + w.Name
	decides := slices.Contains(w.Decisive(), h.Event)
	switch {
	case !ok: // which is told once
		return
	case h.Matcher != "" && h.Matcher != "*":
		r.add(problem, w.Name, fmt.Sprintf("%s is for %s only: other tools are not guarded", at, h.Matcher), remedy)
		return
	case decides && w.Waits(h) < w.Wait:
		r.add(problem, w.Name, fmt.Sprintf("%s is waited for %s only, and %s goes on when that is over: sayso may hold a call for up to %s", at, w.Waits(h), w.Title, hook.Hold(w.Name)), remedy)
	case own != "" && local.Real(runs) != local.Real(own):
		r.add(note, w.Name, fmt.Sprintf("%s runs %s, not the one beside this sayso", at, call.Program), remedy)
	case !w.seen[h.Event] && h.Event == w.Decisive()[0]:
		r.add(fine, w.Name, at+" asks sayso before each call", "")
	}
	if call.Observe && h.Event == w.Decisive()[0] {
		r.add(note, w.Name, at+" only tells sayso (--observe): what it would decide is recorded, and nothing but the guardrails is enforced", remedy+" enforces all of it")
	}
	if decides && !h.Closed && !call.Observe {
		level := problem
		if runtime.GOOS == "windows" { // where no shell looks at the answer
			level = note
		}
		r.add(level, w.Name, at+": if the hook is lost, or its answer is, "+w.Title+" goes on", remedy)
	}
	if decides && (w.asks == nil || h.Closed) {
		w.asks = &h
	}
	w.seen[h.Event], w.runs = true, runs
}

// missing tells which events sayso is not told of.
func (r *doctorReport) missing(w *wiredAgent) {
	remedy := "sayso init " + w.Name
	if w.broken && len(w.seen) == 0 { // nothing is left to be said
		return
	}
	for _, event := range w.Decisive() {
		if slices.Contains(w.Wired(), event) && !w.seen[event] {
			r.add(problem, w.Name, w.Title+" does not ask sayso in this workspace", remedy)
			return
		}
	}
	without := slices.DeleteFunc(w.Wired(), func(event string) bool { return w.seen[event] })
	if len(without) > 0 {
		r.add(problem, w.Name, "sayso is not told of "+strings.Join(without, ", ")+", and so does not learn what was answered and read", remedy)
	}
	if call, _ := wire.ParseCall(w.asks.Command); w.asks.Closed && !call.Observe {
		r.without(w)
	}
}

// without tries what comes of a call if the program of the hook is not there, by the
// line that the agent runs.
func (r *doctorReport) without(w *wiredAgent) {
	if !w.Open || runtime.GOOS == "windows" { // no shell looks at the answer
		r.add(fine, w.Name, "if the hook is lost: "+w.Lost, "")
		return
	}
	tried, _, err := w.try(os.TempDir(), "/bin/sh", "-c", w.asks.Without())
	if err != nil || !tried.Lost() {
		r.add(problem, w.Name, fmt.Sprintf("if the hook is lost, the shell that starts it does not block the call: it ends with %d, %v", tried.Status, err), "sayso init "+w.Name)
		return
	}
	r.add(fine, w.Name, "if the hook is lost, as was tried: "+w.Lost, "")
}

// try runs a line as the agent does, with an event of its own before a tool that only
// reads, and with state of its own: what doctor asks is nobody's call.
func (w *wiredAgent) try(state string, argv ...string) (tried wire.Tried, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	event, _ := w.Probe(w.at.Root)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(os.Environ(), "XDG_STATE_HOME="+state), bytes.NewReader(event), &out, &errs
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil { // how it has ended tells
		err = nil
	}
	return wire.Tried{Out: out.String(), Errs: errs.String(), Status: cmd.ProcessState.ExitCode()}, took, err
}

// lastCalls is when each agent last asked in a workspace, as the journal has it.
func lastCalls(root string) map[string]time.Time {
	out := map[string]time.Time{}
	folder, err := theJournal()
	if err != nil {
		return out // without one every call is denied, which is told elsewhere
	}
	if worthIndex(folder) {
		return nil
	}
	for line, err := range folder.All() {
		if err == nil && line.Request != nil && local.Real(line.Request.Root) == local.Real(root) {
			out[line.Request.Agent] = line.Time
		}
	}
	return out
}

// slow is when a hook takes so long that people notice.
const slow = 200 * time.Millisecond

// called tells whether an agent has asked here, and how long an answer takes.
func (r *doctorReport) called(w *wiredAgent, calls map[string]time.Time) {
	switch last, ok := calls[w.Name]; {
	case calls == nil: // the journal is too long to be read for that
	case ok:
		r.add(fine, w.Name, "it asked here last at "+last.Format(time.DateTime), "")
	default:
		r.add(note, w.Name, w.Title+" has never asked in this workspace", "start it, let it read a file, and look again")
	}
	if w.asks == nil {
		return
	}
	took, err := w.measure()
	switch {
	case err != nil:
		r.add(problem, w.Name, fmt.Sprintf("%s does not answer: %v", w.runs, err), "install it again: make install")
	case took > slow:
		r.add(note, w.Name, fmt.Sprintf("an answer takes %s, for each call", took.Round(time.Millisecond)), "")
	default:
		r.add(fine, w.Name, fmt.Sprintf("an answer takes %s", took.Round(100*time.Microsecond)), "")
	}
}

// measure is how long the hook takes to answer, as the agent starts it.
func (w *wiredAgent) measure() (time.Duration, error) {
	state, err := os.MkdirTemp("", "sayso-doctor")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(state) }() // what is left is small, and in the folder for that
	argv := []string{"/bin/sh", "-c", w.asks.Command}
	if runtime.GOOS == "windows" || !w.Open {
		argv = []string{w.runs, w.Name}
		if _, event := w.Probe(w.at.Root); event != "" {
			argv = append(argv, event)
		}
	}
	var all []time.Duration
	for range 6 { // the first one reads the policy
		tried, took, err := w.try(state, argv...)
		if err == nil && (tried.Lost() || tried.Status != 0 && tried.Status != 2) {
			err = fmt.Errorf("it ends with %d: %s", tried.Status, strings.TrimSpace(tried.Errs))
		}
		if err != nil {
			return 0, err
		}
		all = append(all, took)
	}
	all = all[1:]
	slices.Sort(all)
	return all[len(all)/2], nil
}
