package sayso

import (
	"context"
	"time"
)

// A Journal records what happens to calls. Record must not return before the
// records are safe, all of them or none: a call that is not recorded does not
// run.
type Journal interface {
	Record(ctx context.Context, records ...Record) error
}

// A Record is one entry of the journal: one step of a call on its way from
// request to result.
type Record struct {
	Time    time.Time  `json:"time"`
	Kind    RecordKind `json:"kind"`
	Call    string     `json:"call"`              // the id of the call
	Session string     `json:"session,omitempty"` // of the agent

	Request  *Call     `json:"request,omitempty"`  // RecordRequest: the call
	Decision *Decision `json:"decision,omitempty"` // RecordDecision
	Decider  *Decider  `json:"decider,omitempty"`  // RecordDecision: who or what decided
	Policy   string    `json:"policy,omitempty"`   // RecordDecision: the hash of the policy in force
	Contract string    `json:"contract,omitempty"` // the hash of the contract
	Terms    *Contract `json:"terms,omitempty"`    // RecordPrompt, RecordRun: the contract itself
	Answer   *Answer   `json:"answer,omitempty"`   // RecordAnswer
	Result   *Result   `json:"result,omitempty"`   // RecordResult
	Grant    *Grant    `json:"grant,omitempty"`    // RecordGrant, RecordRevoke
	Trust    *Trust    `json:"trust,omitempty"`    // RecordTrust, RecordRevoke
	Rule     *Rule     `json:"rule,omitempty"`     // RecordRule, RecordRevoke
	Root     string    `json:"root,omitempty"`     // of those three: the workspace
	Note     string    `json:"note,omitempty"`     // what else there is to say

	// Observed says that nothing but guardrails was enforced: the decision is
	// what would have been decided.
	Observed bool `json:"observed,omitempty"`
}

// A RecordKind says which step of a call a record is about.
type RecordKind string

// The kinds of records, in the order in which a call goes through them.
const (
	RecordRequest  RecordKind = "request"  // an agent wants to make the call
	RecordDecision RecordKind = "decision" // it was decided, by policy or by a person
	RecordPrompt   RecordKind = "prompt"   // it is put to a person
	RecordAnswer   RecordKind = "answer"   // what they said
	RecordRun      RecordKind = "run"      // it starts
	RecordConnect  RecordKind = "connect"  // it was connected to a host, or was not
	RecordExec     RecordKind = "exec"     // it was to start another program, about which was decided
	RecordResult   RecordKind = "result"   // it has ended, or is known not to have run
)

// The kinds of records about what people allow for later calls. What loosens is
// recorded before it counts, what tightens as soon as it does.
const (
	RecordGrant  RecordKind = "grant"  // something is approved for later calls
	RecordTrust  RecordKind = "trust"  // a workspace or an MCP server is trusted
	RecordRule   RecordKind = "rule"   // a rule is added
	RecordRevoke RecordKind = "revoke" // a grant, trust or a rule is taken back
)

// A Result is how a run ended.
type Result struct {
	Ran      bool          `json:"ran"`
	Exit     int           `json:"exit,omitempty"` // the exit status
	Error    string        `json:"error,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	Output   int64         `json:"output,omitempty"` // bytes
}

// A Decider is who or what made a decision.
type Decider struct {
	Kind    string `json:"kind"`              // rule, grant, person, script, mode, stage
	Name    string `json:"name,omitempty"`    // the rule, the person, the mode or the stage
	Where   string `json:"where,omitempty"`   // of a rule: file and line
	Channel string `json:"channel,omitempty"` // of a person
}

// decider names who or what made a decision.
func decider(d *Decision, mode string, a *Answer) *Decider {
	switch {
	case a != nil:
		return &Decider{Kind: "person", Name: a.By, Channel: a.Channel}
	case d.Rule != nil:
		return &Decider{Kind: "rule", Name: d.Rule.Text, Where: d.Rule.Source.String()}
	case d.Scope != "":
		return &Decider{Kind: "grant", Name: string(d.Scope)}
	}
	switch d.Stage { // as native and the presets that have such a stage call it
	case "script", "policy_script":
		return &Decider{Kind: "script", Name: d.Stage}
	case "mode", "mode_override", "permission_mode":
		return &Decider{Kind: "mode", Name: mode}
	}
	return &Decider{Kind: "stage", Name: d.Stage}
}

// recorder writes the records of one call.
type recorder struct {
	e    *Engine
	call Call
	mode string
}

// write records steps of the call, all of them or none.
func (r *recorder) write(ctx context.Context, records ...Record) error {
	if r.e.Journal == nil {
		return nil
	}
	now := r.e.now()
	for i := range records {
		records[i].Time, records[i].Call, records[i].Session = now, r.call.ID, r.call.Session
	}
	return r.e.Journal.Record(ctx, records...)
}

// request is the record of the call itself.
func (r *recorder) request() Record { return Record{Kind: RecordRequest, Request: &r.call} }

// decision is the record of what was decided.
func (r *recorder) decision(d Decision, contract string, a *Answer) Record {
	mode := r.mode
	if mode == "" && len(r.e.Preset.Modes) > 0 {
		mode = r.e.Preset.Modes[0].Name // the one that counts without a choice
	}
	return Record{Kind: RecordDecision, Decision: &d, Decider: decider(&d, mode, a), Policy: r.e.Policy, Contract: contract}
}

// step records a call that an agent asks about itself.
func (r *recorder) step(ctx context.Context, d Decision, facts *Facts) error {
	if r.e.Journal == nil {
		return nil
	}
	contract := r.e.contract(r.call, facts)
	records := []Record{r.request(), r.decision(d, contract.Hash(), nil)}
	if d.Effect == Ask {
		records = append(records, Record{Kind: RecordPrompt, Contract: contract.Hash(), Terms: &contract})
	}
	return r.write(ctx, records...)
}

// Note records steps of a call that the engine does not see, such as its result.
func (e *Engine) Note(ctx context.Context, call Call, steps ...Record) error {
	r := recorder{e: e, call: call}
	return r.write(ctx, steps...)
}
