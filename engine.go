package sayso

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sayso-dev/sayso/shell"
)

// An Engine decides calls: it analyses them, evaluates the plan of a preset,
// asks a person where one is needed, remembers the answer, and records all of
// it. It may be used from several goroutines.
type Engine struct {
	Preset   Preset
	Analyzer Analyzer

	// Approver is asked where a decision is to ask. Nil: nobody is there, and
	// an ask is a denial.
	Approver Approver

	Sessions Sessions
	Grants   GrantStore
	Journal  Journal

	// Mode says which mode counts in a session, given the one that a person has
	// chosen for it; empty: none was chosen. Nil: the chosen one.
	Mode func(chosen string) string

	// Contract says inside what an allowed call would run. Nil: [PlainContract].
	Contract func(Call, *Facts) Contract

	// Policy is the hash of the policy that the preset was made from, for the
	// journal.
	Policy string

	// Clock is the time; nil: time.Now.
	Clock func() time.Time
}

// Check decides a call in a session, without asking, remembering or recording
// anything. It always answers.
func (e *Engine) Check(ctx context.Context, call Call, s Session) Decision {
	d, _ := e.check(ctx, call, s)
	return d
}

func (e *Engine) check(ctx context.Context, call Call, s Session) (Decision, *Facts) {
	analyzer := e.Analyzer
	if analyzer.Written == nil && len(s.Written) > 0 {
		analyzer.Written = func(abs string) bool { _, ok := s.Written[abs]; return ok }
		analyzer.WrittenFiles = slices.Sorted(maps.Keys(s.Written))
	}
	facts := analyzer.Analyze(call)
	plan, err := e.Preset.For(s.Mode)
	if err != nil {
		d := Decision{Effect: Deny, Code: CodePolicy, Stage: "policy", Reason: err.Error()}
		d.Risk, d.Explanation = facts.Risk, facts.Sentence
		return d, facts
	}
	c := &Case{Call: call, Facts: facts, Session: s}
	if e.Preset.ToolName != nil {
		c.name = e.Preset.ToolName(call.Tool)
	}
	d := plan.Evaluate(ctx, c)
	d.Spends = s.Grants.spends(c, &d)
	e.present(c, &d)
	return d, facts
}

// present says what the decision is about in the preset's own terms, and, if
// it is to ask, what can be answered.
func (e *Engine) present(c *Case, d *Decision) {
	d.Stop = d.Code == CodeStopped
	if e.Preset.Describe != nil && c.Facts.Err == nil {
		d.Risk, d.Explanation = e.Preset.Describe(c)
	}
	if e.Preset.Keep != nil {
		d.Keep = e.Preset.Keep(c, d)
	}
	if d.Effect != Ask {
		return
	}
	switch {
	case e.Preset.Keep != nil && len(d.Keep) == 0:
	case e.Preset.Suggest != nil:
		d.Suggestions = e.Preset.Suggest(c)
	case !d.Immune && d.Code != CodeAskRule:
		d.Suggestions = e.suggest(c)
	}
	if e.Preset.Choices != nil {
		d.Choices = e.Preset.Choices(c, d)
	} else {
		d.Choices = PlainChoices(d)
	}
}

// A Permit lets exactly one call run, once. Only an engine makes one; the zero
// value is refused.
type Permit struct{ inner *permit }

type permit struct {
	contract Contract // which nobody else can change
	used     atomic.Bool
}

// permitFor lets a contract run, as it is now.
func permitFor(c Contract) Permit { return Permit{&permit{contract: c.clone()}} }

// ErrNoPermit is returned for a permit that no engine made, or that was used.
var ErrNoPermit = errors.New("no valid permit: it was used, or no engine gave it")

// Use returns the contract that may run now. It works once.
func (p Permit) Use() (Contract, error) {
	if p.inner == nil || p.inner.used.Swap(true) {
		return Contract{}, ErrNoPermit
	}
	return p.inner.contract, nil
}

// Changes is the hash of the changes that the permit lets be made; empty: it is for
// something that runs, or for nothing.
func (p Permit) Changes() string {
	if p.inner == nil {
		return ""
	}
	return p.inner.contract.Changes
}

// Authorize decides a call, asks a person if need be, remembers what they said,
// and records the decision before it returns. The permit is valid only if the
// decision is to allow.
//
// The error says that something failed on the way, in which case the decision
// is to deny; a denial as such is no error.
func (e *Engine) Authorize(ctx context.Context, call Call) (Permit, Decision, error) {
	if call.ID == "" {
		call.ID = newID()
	}
	r := recorder{e: e, call: call}
	s, err := e.session(ctx, &r.call)
	if err != nil {
		return r.refuse(ctx, Decision{}, fmt.Errorf("session: %w", err))
	}
	call, r.mode = r.call, s.Mode
	d, facts := e.check(ctx, call, s)
	contract := e.contract(call, facts)
	if err := r.write(ctx, r.request(), r.decision(d, contract.Hash(), nil)); err != nil {
		return r.refuse(ctx, d, fmt.Errorf("journal: %w", err))
	}
	var answer *Answer
	if d.Effect == Ask {
		if d, contract, answer, err = e.ask(ctx, &r, Request{Decision: d, Contract: contract}); err != nil {
			return r.refuse(ctx, d, fmt.Errorf("journal: %w", err))
		}
	}
	if err := e.remember(ctx, call, s, d, facts, answer); err != nil {
		return r.refuse(ctx, d, fmt.Errorf("remember: %w", err))
	}
	if d.Effect != Allow {
		return Permit{}, d, nil
	}
	return permitFor(contract), d, nil
}

// refuse is a denial because something failed. It is recorded if that is still
// possible.
func (r *recorder) refuse(ctx context.Context, d Decision, err error) (Permit, Decision, error) {
	d.Effect, d.Code, d.Reason, d.Rule, d.Scope = Deny, CodeError, err.Error(), nil, ""
	_ = r.write(ctx, r.decision(d, "", nil)) // the call does not run either way
	return Permit{}, d, err
}

func (e *Engine) contract(call Call, facts *Facts) Contract {
	if e.Contract != nil {
		return e.Contract(call, facts).clone() // whoever made it may change what it points to
	}
	return PlainContract(call, facts)
}

func (e *Engine) now() time.Time {
	if e.Clock != nil {
		return e.Clock()
	}
	return time.Now()
}

// newID is an id that no other has. It tells things apart and is no secret: package
// crypto/rand would only make programs that live for milliseconds start later.
func newID() string {
	const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [26]byte
	for i := range id {
		id[i] = signs[rand.Uint32()%uint32(len(signs))] //nolint:gosec // see above
	}
	return string(id[:])
}

// session reads what is known of the session and fixes the workspace at its
// first call.
func (e *Engine) session(ctx context.Context, call *Call) (Session, error) {
	s := Session{ID: call.Session, Now: e.now()}
	if e.Sessions != nil {
		var state SessionState
		err := e.Sessions.Update(ctx, call.Session, func(st *SessionState) error {
			if st.Root == "" {
				st.Root = call.Root
			}
			state = *st
			return nil
		})
		if err != nil {
			return s, err
		}
		call.Root = state.Root
		s = e.known(call.Session, &state)
	}
	var err error
	s.Grants, err = e.granted(ctx, call)
	return s, err
}

// granted is what people have approved that may count for the call.
func (e *Engine) granted(ctx context.Context, call *Call) (*Grants, error) {
	if e.Grants == nil {
		return nil, nil
	}
	list, err := e.Grants.Grants(ctx, call.Session, call.Root)
	if err != nil {
		return nil, err
	}
	if e.Preset.CheckRule != nil {
		return PlainGrants(slices.DeleteFunc(list, func(g Grant) bool { return g.Scope == Once })), nil // nobody would notice when one is used
	}
	return NewGrants(list, e.Analyzer.Tools...)
}

// Codes of what a person said.
const (
	CodePersonYes Code = "person.yes"
	CodePersonNo  Code = "person.no"
	CodeNobodyAsk Code = "person.none" // nobody answered
	CodeChanged   Code = "person.changed"
)

// ask puts the call to a person, and records that and what they said. Without an
// answer, or with one for something else, it is denied. The contract is the one
// that was chosen. An error says that it could not be recorded.
func (e *Engine) ask(ctx context.Context, r *recorder, request Request) (Decision, Contract, *Answer, error) {
	request.ID, request.Call, request.Opened = newID(), r.call, e.now()
	d, contract := request.Decision, request.Contract
	if e.Approver == nil {
		d.Effect, d.Code, d.Reason = Deny, CodeUnattended, "nobody is there to ask: "+d.Reason
		return d, contract, nil, r.write(ctx, r.decision(d, contract.Hash(), nil))
	}
	if err := r.write(ctx, Record{Kind: RecordPrompt, Contract: contract.Hash(), Terms: &contract, Note: request.ID}); err != nil {
		return d, contract, nil, err
	}
	a, err := e.Approver.Approve(ctx, request)
	if err != nil {
		d.Effect, d.Code, d.Reason = Deny, CodeNobodyAsk, "nobody answered: "+err.Error()
		return d, contract, nil, r.write(ctx, r.decision(d, contract.Hash(), nil))
	}
	d, contract, counts := e.answered(request, &a)
	records := []Record{{Kind: RecordAnswer, Answer: &a, Contract: a.ContractHash}, r.decision(d, contract.Hash(), &a)}
	if !counts {
		return d, contract, nil, r.write(ctx, records...)
	}
	return d, contract, &a, r.write(ctx, records...)
}

// answered is what a request comes to with an answer, and whether the answer
// counts.
func (e *Engine) answered(request Request, a *Answer) (Decision, Contract, bool) {
	d, contract := request.Decision, request.Contract
	deny := func(code Code, reason string) Decision {
		d.Effect, d.Code, d.Reason = Deny, code, reason
		return d
	}
	if a.Choice != "" {
		choice, ok := chosen(d.Choices, a.Choice)
		if !ok {
			return deny(CodeChanged, "the answer "+shell.Shown(a.Choice)+" was not offered"), contract, false
		}
		a.Yes, a.Scope, a.Rule, a.More = choice.Yes, choice.Scope, choice.Rule, nil
		contract = choice.Contract(contract)
	}
	switch {
	case a.RequestID != request.ID || a.ContractHash != contract.Hash():
		return deny(CodeChanged, "the answer is for another call"), contract, false
	case !a.Yes:
		d.Stop = e.Preset.StopOnNo
		return deny(CodePersonNo, "a person said no"), contract, true
	}
	d.Effect, d.Code, d.Reason, d.Scope = Allow, CodePersonYes, "a person said yes", Once
	if a.Scope != "" {
		d.Scope = a.Scope
	}
	return d, contract, true
}

// remember keeps what later calls must know.
func (e *Engine) remember(ctx context.Context, call Call, s Session, d Decision, facts *Facts, a *Answer) error {
	if err := e.keep(ctx, call, s, a); err != nil {
		return err
	}
	if e.Sessions == nil {
		if len(d.Spends) > 0 {
			return errors.New("it was approved for one call, and nobody keeps how often it is used")
		}
		return nil
	}
	return e.Sessions.Update(ctx, call.Session, func(st *SessionState) error {
		if slices.ContainsFunc(d.Spends, func(id string) bool { return slices.Contains(st.Spent, id) }) {
			return errors.New("it was approved for one call, and another one was quicker")
		}
		st.note(call, d, facts, a)
		return nil
	})
}

// keep keeps the rules that a person has accepted. All of them are checked before
// one is kept.
func (e *Engine) keep(ctx context.Context, call Call, s Session, a *Answer) error {
	if a == nil || !a.Yes || a.Rule == "" || a.Scope == Once || a.Scope == "" || e.Grants == nil {
		return nil
	}
	rules := append([]string{a.Rule}, a.More...)
	for _, rule := range rules {
		if err := e.checkRule(rule); err != nil {
			return err
		}
	}
	grants := make([]Grant, len(rules))
	records := make([]Record, len(rules))
	for i, rule := range rules {
		grants[i] = Grant{ID: newID(), Rule: rule, Scope: a.Scope, Turn: s.Turn, Expires: a.Expires, By: a.By, Call: call.ID, Given: s.Now}
		records[i] = Record{Kind: RecordGrant, Grant: &grants[i], Root: call.Root, Decider: &Decider{Kind: "person", Name: a.By, Channel: a.Channel}}
	}
	r := recorder{e: e, call: call}
	if err := r.write(ctx, records...); err != nil {
		return err
	}
	for _, g := range grants {
		if err := e.Grants.AddGrant(ctx, call.Session, call.Root, g); err != nil {
			return err
		}
	}
	return nil
}

// checkRule says what is wrong with the text of a grant.
func (e *Engine) checkRule(text string) error {
	if e.Preset.CheckRule != nil {
		return e.Preset.CheckRule(text)
	}
	_, err := compile(text, e.Analyzer.Tools)
	return err
}

// note changes the state of the session by one decision.
func (st *SessionState) note(call Call, d Decision, facts *Facts, a *Answer) {
	if st.Soft == nil {
		st.Soft = map[string]Denies{}
	}
	print := call.Fingerprint()
	n := st.Soft[print]
	switch {
	case d.Effect == Deny && d.Soft:
		n.Consecutive++
		n.Total++
		st.Soft[print] = n
	case d.Effect == Allow && n.Consecutive > 0:
		n.Consecutive = 0
		st.Soft[print] = n
	}
	if d.Stop && d.Code == CodePersonNo {
		st.Stopped = st.Turn + 1
	}
	if a != nil && !a.Yes {
		st.Denied = append(st.Denied, denials(facts, st.Turn)...)
	}
	if d.Effect == Allow {
		st.leave(leaves(facts))
		st.Spent = append(st.Spent, d.Spends...)
	}
}

// PlainContract is the contract of a call that runs as the agent would run it:
// in the workspace, with the hosts that it names, and without limits.
func PlainContract(call Call, facts *Facts) Contract {
	c := Contract{Tool: call.Tool, Input: call.Input, Dir: facts.Place.Dir, Write: facts.Place.Workspace, Network: NetworkNone}
	for i := range facts.Parts {
		c.Write = append(c.Write[:len(c.Write):len(c.Write)], facts.outside(&facts.Parts[i])...)
		c.Hosts = append(c.Hosts, facts.Parts[i].Hosts...)
		if facts.Parts[i].Effects&shell.Network != 0 {
			c.Network = NetworkHosts
		}
	}
	if c.Network == NetworkHosts && len(c.Hosts) == 0 {
		c.Network = NetworkAll
	}
	for _, root := range facts.Place.Workspace {
		c.Protected = append(c.Protected, path.Join(root, ".git/hooks"), path.Join(root, ".git/config"), path.Join(root, ".sayso.yaml"))
	}
	return c
}
