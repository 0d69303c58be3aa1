package sayso

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// Step decides a call for an agent that puts questions to its user itself, as
// agents with hooks do, and notes in the state of the session what the call
// leaves behind. A call that asks waits there until [SessionState.Ran] or
// [SessionState.Refused] says what became of it.
//
// It asks nobody. Like Check it always answers: what cannot be recorded is
// denied. The state must be safe before the answer is given to the agent.
func (e *Engine) Step(ctx context.Context, call Call, st *SessionState) Decision {
	if st.Root == "" {
		st.Root = call.Root
	}
	call.Root = st.Root
	if call.ID == "" {
		call.ID = call.Fingerprint() // what it is waiting and recorded under
	}
	s := e.known(call.Session, st)
	r := recorder{e: e, call: call, mode: s.Mode}
	var err error
	if s.Grants, err = e.granted(ctx, &call); err != nil {
		_, d, _ := r.refuse(ctx, Decision{}, fmt.Errorf("grants: %w", err))
		return d
	}
	d, facts := e.check(ctx, call, s)
	if err := r.step(ctx, d, facts); err != nil {
		_, d, _ = r.refuse(ctx, d, fmt.Errorf("journal: %w", err))
		return d
	}
	st.note(call, d, facts, nil)
	if d.Effect == Ask {
		if st.Waiting == nil {
			st.Waiting = map[string]Waiting{}
		}
		st.Waiting[call.ID] = Waiting{
			Denials: denials(facts, st.Turn), Stops: e.Preset.StopOnNo, Left: leaves(facts),
		}
	}
	return d
}

// known is the session as its state knows it.
func (e *Engine) known(id string, st *SessionState) Session {
	s := Session{
		ID: id, Now: e.now(), Turn: st.Turn, Mode: st.Mode, AgentMode: st.AgentMode,
		Surface: st.Surface, Stopped: st.Stopped == st.Turn+1,
		Denied: slices.Clone(st.Denied), Soft: maps.Clone(st.Soft), Tainted: st.Tainted, Written: maps.Clone(st.Written),
		Spent: slices.Clone(st.Spent),
	}
	if e.Mode != nil {
		s.Mode = e.Mode(st.Mode)
	}
	for _, id := range slices.Sorted(maps.Keys(st.Waiting)) { // it may be running already
		s.Tainted = cmp.Or(s.Tainted, st.Waiting[id].Left.Secret)
	}
	return s
}

// A Waiting is what is remembered of a call that asked, until it is known
// whether it ran.
type Waiting struct {
	Denials []Denial `json:"denials,omitempty"` // what is denied if it was refused
	Stops   bool     `json:"stops,omitempty"`   // a no ends the turn
	Left    Left     `json:"left,omitzero"`     // what it leaves behind if it ran
}

// Left is what a call leaves behind for the calls after it.
type Left struct {
	Secret  string   `json:"secret,omitempty"`  // how a secret was read; empty: none was
	Written []string `json:"written,omitempty"` // files
	Copies  []Copy   `json:"copies,omitempty"`  // folders that are somewhere else, too
}

// A Copy is a file or a folder that was copied or moved.
type Copy struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Ran notes that a call ran which had asked. Others leave nothing to note.
func (st *SessionState) Ran(id string) {
	w, ok := st.Waiting[id]
	if !ok {
		return
	}
	delete(st.Waiting, id)
	st.leave(w.Left)
}

// Refused notes that calls which had asked did not run, because a person said
// no: all that are waiting, or those with the ids if there are some.
func (st *SessionState) Refused(ids ...string) {
	if len(ids) == 0 {
		ids = slices.Sorted(maps.Keys(st.Waiting))
	}
	for _, id := range ids {
		w := st.Waiting[id]
		delete(st.Waiting, id)
		st.Denied = append(st.Denied, w.Denials...)
		if w.Stops {
			st.Stopped = st.Turn + 1
		}
	}
}

// leave notes what a call left behind.
func (st *SessionState) leave(left Left) {
	st.Tainted = cmp.Or(st.Tainted, left.Secret)
	for _, abs := range left.Written {
		if st.Written == nil {
			st.Written = map[string]int{}
		}
		st.Written[abs] = st.Turn
	}
	for _, c := range left.Copies {
		for abs := range maps.Clone(st.Written) {
			if rest, ok := strings.CutPrefix(abs, c.From+"/"); ok {
				st.Written[path.Join(c.To, rest)] = st.Turn
				st.Written[path.Join(c.To, path.Base(c.From), rest)] = st.Turn
			}
		}
	}
}

// leaves says what a call would leave behind: a secret that was read, files that
// were written.
func leaves(facts *Facts) Left {
	var left Left
	for i := range facts.Parts {
		p := &facts.Parts[i]
		if left.Secret == "" && facts.Reveals(p) {
			left.Secret = shell.Shown(p.Text)
		}
		left.Copies = append(left.Copies, p.copies()...)
		for _, touched := range p.Paths {
			if touched.Access == shell.Write && touched.Abs != "" {
				left.Written = append(left.Written, touched.Abs)
				if touched.Real != "" && touched.Real != touched.Abs {
					left.Written = append(left.Written, touched.Real)
				}
			}
		}
	}
	return left
}

// copies are the folders that a part copies or moves.
func (p *Part) copies() []Copy {
	if p.Command == nil || len(p.Command.Args) == 0 {
		return nil
	}
	switch programName(p.Command.Args[0].Text) {
	case "cp", "mv", "rsync", "ditto", "gcp", "gmv", "ln":
	default:
		return nil
	}
	var out []Copy
	for _, from := range p.Paths {
		for _, to := range p.Paths {
			if from.Access == shell.Read && to.Access == shell.Write && from.Abs != "" && to.Abs != "" && !from.Glob && !from.Redirect {
				out = append(out, Copy{from.Abs, to.Abs})
			}
		}
	}
	return out
}

// denials are what a person denies who denies the call: each of its effects.
func denials(facts *Facts, turn int) []Denial {
	var out []Denial
	add := func(d Denial) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	for i := range facts.Parts {
		p := &facts.Parts[i]
		for _, rule := range effectRules(facts, p) {
			add(Denial{Rule: rule, Turn: turn, Text: p.Text})
		}
		for _, name := range p.packages() {
			add(Denial{Package: name, Turn: turn, Text: p.Text})
		}
	}
	return out
}
