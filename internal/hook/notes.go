package hook

import (
	"context"
	"maps"
	"slices"

	"github.com/sayso-dev/sayso"
)

// A note is what an event changes in the state of its session, and what it tells
// about calls.
type note func(context.Context, *sayso.SessionState) ([]sayso.Record, error)

// reset is what agents say of a conversation that starts anew, when a session starts
// and when one ends. One that is only made shorter, compact, goes on.
const reset = "clear"

// note is the note of an event; nil is for one that is not known.
func (g *Guard) note(e *told, ev event) note {
	switch e.what.is {
	case started: // the workspace is fixed in any case
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			if e.Source != reset {
				return nil, nil
			}
			return nil, g.clear(ctx, ev, st, "the conversation starts anew", always)
		}
	case ran, failed: // what failed may have done half of it
		return func(_ context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			return e.ran(ev, st, g.Observe), nil
		}
	case settled: // what is still waiting did not run
		return func(_ context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			var ids []string
			for _, id := range e.Batch {
				if _, ok := st.Waiting[id]; ok {
					ids = append(ids, id)
				}
			}
			return g.refused(e, st, ids), nil
		}
	case ended:
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			why, ends := "the session ends", func(p sayso.Preset) bool { return p.ClearAtEnd }
			if e.Reason == reset {
				why, ends = "the conversation ends", always
			}
			err := g.clear(ctx, ev, st, why, ends)
			return g.refused(e, st, waiting(st)), err
		}
	case prompted:
		return func(ctx context.Context, st *sayso.SessionState) ([]sayso.Record, error) {
			return g.prompted(ctx, e, ev, st)
		}
	}
	return nil
}

// prompted notes what the user has said: a turn begins, maybe in another mode.
func (g *Guard) prompted(ctx context.Context, e *told, ev event, st *sayso.SessionState) ([]sayso.Record, error) {
	records := g.refused(e, st, waiting(st))
	st.Turn++
	st.Prompt = remembered(e.Prompt)
	mode, ok, err := g.typed(e.Prompt, st.Root)
	if !ok || err != nil {
		return records, err
	}
	if mode != st.Mode {
		err = g.clear(ctx, ev, st, "the mode is "+mode+" now", func(p sayso.Preset) bool { return p.Clears(mode) })
	}
	st.Mode = mode
	return records, err
}

func always(sayso.Preset) bool { return true }

func waiting(st *sayso.SessionState) []string { return slices.Sorted(maps.Keys(st.Waiting)) }

// ran notes that a call ran. If it had asked, its user said yes.
func (e *told) ran(ev event, st *sayso.SessionState, unasked bool) []sayso.Record {
	id := ev.call.ID
	if id == "" { // as the engine names a call that the agent does not
		id = ev.call.Fingerprint()
	}
	var records []sayso.Record
	if _, asked := st.Waiting[id]; asked && !unasked {
		records = append(records, e.said(id, true))
	}
	st.Ran(id)
	result := sayso.Result{Ran: true}
	if e.what.is == failed {
		result.Error = "it failed"
	}
	return append(records, sayso.Record{Kind: sayso.RecordResult, Call: id, Result: &result})
}

func (e *told) said(id string, yes bool) sayso.Record {
	return sayso.Record{Kind: sayso.RecordAnswer, Call: id, Answer: &sayso.Answer{Yes: yes, Channel: e.agent.Name}}
}

// refused notes that calls did not run. Where there is no user it was the agent that
// refused them, which binds nobody.
func (g *Guard) refused(e *told, st *sayso.SessionState, ids []string) []sayso.Record {
	var records []sayso.Record
	for _, id := range ids {
		if g.Env("CLAUDE_CODE_SESSION_ATTENDED") != "0" && !g.Observe { // who was asked nothing has refused nothing
			st.Refused(id)
			records = append(records, e.said(id, false))
		}
		delete(st.Waiting, id)
		records = append(records, sayso.Record{Kind: sayso.RecordResult, Call: id, Result: &sayso.Result{}})
	}
	return records
}
