package otlp

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

// A name is an attribute, and what a record has for it: a string, a bool, an int64, a
// list of strings, or nil.
type name struct {
	key string
	of  func(*sayso.Record) any
}

// names are the attributes of records, and of the spans that are made of them. Those
// that do not begin with sayso are names of the semantic conventions. The ones of
// gen_ai may still change there; each has one of sayso beside it, or is said elsewhere.
var names = slices.Concat(callNames, decisionNames, answerNames, runNames, managedNames)

var callNames = []name{
	{"sayso.call.id", func(r *sayso.Record) any { return r.Call }},
	{"sayso.session.id", func(r *sayso.Record) any { return r.Session }},
	{"gen_ai.conversation.id", func(r *sayso.Record) any { return r.Session }},
	{"gen_ai.operation.name", request(func(*sayso.Call) any { return "execute_tool" })},
	{"gen_ai.tool.call.id", request(func(c *sayso.Call) any { return c.ID })},
	{"gen_ai.tool.name", request(func(c *sayso.Call) any { return c.Tool })},
	{"gen_ai.tool.call.arguments", request(func(c *sayso.Call) any { return string(c.Input) })},
	{"gen_ai.agent.name", request(func(c *sayso.Call) any { return c.Agent })},
	{"sayso.tool", request(func(c *sayso.Call) any { return c.Tool })},
	{"sayso.agent", request(func(c *sayso.Call) any { return c.Agent })},
	{"sayso.subagent", request(func(c *sayso.Call) any { return c.Subagent })},
	{"sayso.workspace", request(func(c *sayso.Call) any { return c.Root })},
	{"process.working_directory", request(func(c *sayso.Call) any { return c.Dir })},
	{"sayso.mcp.server", request(func(c *sayso.Call) any {
		if c.Server == nil {
			return nil
		}
		return c.Server.Name
	})},
	{"sayso.observed", func(r *sayso.Record) any {
		if !r.Observed {
			return nil
		}
		return true
	}},
}

var decisionNames = []name{
	{"sayso.effect", decision(func(d *sayso.Decision) any { return d.Effect.String() })},
	{"sayso.code", decision(func(d *sayso.Decision) any { return string(d.Code) })},
	{"sayso.reason", decision(func(d *sayso.Decision) any { return d.Reason })},
	{"sayso.stage", decision(func(d *sayso.Decision) any { return d.Stage })},
	{"sayso.risk", decision(func(d *sayso.Decision) any { return d.Risk.String() })},
	{"sayso.explanation", decision(func(d *sayso.Decision) any { return d.Explanation })},
	{"sayso.decider.kind", decider(func(d *sayso.Decider) any { return d.Kind })},
	{"sayso.decider.name", decider(func(d *sayso.Decider) any { return d.Name })},
	{"sayso.decider.where", decider(func(d *sayso.Decider) any { return d.Where })},
	{"sayso.decider.channel", decider(func(d *sayso.Decider) any { return d.Channel })},
	{"sayso.policy.hash", func(r *sayso.Record) any { return r.Policy }},
	{"sayso.contract.hash", func(r *sayso.Record) any { return r.Contract }},
}

var answerNames = []name{
	{"sayso.answer.yes", answer(func(a *sayso.Answer) any { return a.Yes })},
	{"sayso.answer.scope", answer(func(a *sayso.Answer) any { return string(a.Scope) })},
	{"sayso.answer.by", answer(func(a *sayso.Answer) any { return a.By })},
	{"sayso.answer.channel", answer(func(a *sayso.Answer) any { return a.Channel })},
}

var runNames = []name{
	{"process.command_args", terms(func(c *sayso.Contract) any { return c.Argv })},
	{"process.working_directory", terms(func(c *sayso.Contract) any { return c.Dir })},
	{"sayso.result.ran", result(func(r *sayso.Result) any { return r.Ran })},
	{"process.exit.code", result(func(r *sayso.Result) any {
		if !r.Ran || r.Exit == 0 && r.Duration == 0 { // an agent that ran it itself does not say
			return nil
		}
		return int64(r.Exit)
	})},
	{"sayso.result.error", result(func(r *sayso.Result) any { return r.Error })},
	{"sayso.result.output_bytes", result(func(r *sayso.Result) any {
		if r.Output == 0 {
			return nil
		}
		return r.Output
	})},
	{"error.type", func(r *sayso.Record) any { kind, _ := wrong(r); return kind }},
}

var managedNames = []name{
	{"sayso.grant.rule", func(r *sayso.Record) any {
		if r.Grant == nil {
			return nil
		}
		return r.Grant.Rule
	}},
	{"sayso.grant.scope", func(r *sayso.Record) any {
		if r.Grant == nil {
			return nil
		}
		return string(r.Grant.Scope)
	}},
	{"sayso.trust.name", func(r *sayso.Record) any {
		if r.Trust == nil {
			return nil
		}
		return r.Trust.Name
	}},
	{"sayso.rule", func(r *sayso.Record) any {
		if r.Rule == nil {
			return nil
		}
		return r.Rule.Effect.String() + " " + r.Rule.Text
	}},
	{"sayso.workspace", func(r *sayso.Record) any { return r.Root }},
	{"sayso.note", func(r *sayso.Record) any { return r.Note }},
}

// describe adds to attributes what a record says.
func describe(list []Attr, r *sayso.Record) []Attr {
	for _, n := range names {
		list = set(list, n.key, n.of(r))
	}
	return list
}

// part is what a part of a record says, where the record has that part.
func part[P any](get func(*sayso.Record) *P, of func(*P) any) func(*sayso.Record) any {
	return func(r *sayso.Record) any {
		if p := get(r); p != nil {
			return of(p)
		}
		return nil
	}
}

func request(of func(*sayso.Call) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Call { return r.Request }, of)
}

func decision(of func(*sayso.Decision) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Decision { return r.Decision }, of)
}

func decider(of func(*sayso.Decider) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Decider { return r.Decider }, of)
}

func answer(of func(*sayso.Answer) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Answer { return r.Answer }, of)
}

func terms(of func(*sayso.Contract) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Contract { return r.Terms }, of)
}

func result(of func(*sayso.Result) any) func(*sayso.Record) any {
	return part(func(r *sayso.Record) *sayso.Result { return r.Result }, of)
}

// A severity is how much a record matters, as the protocol has it.
type severity struct {
	number int
	text   string
}

var (
	info    = severity{9, "INFO"}
	warning = severity{13, "WARN"}
	failure = severity{17, "ERROR"}
)

// severityOf is how much a record matters: a denial is something to look at, a gate
// that does not work something to repair.
func severityOf(r *sayso.Record) severity {
	_, went := wrong(r)
	switch {
	case r.Kind == journal.Repaired, went != "" && r.Decision != nil:
		return failure
	case went != "", r.Decision != nil && r.Decision.Effect == sayso.Deny, r.Answer != nil && !r.Answer.Yes:
		return warning
	}
	return info
}

// previewed is how the note of a preview begins, which is no run.
const previewed = "preview: "

func isPreview(r *sayso.Record) bool { return strings.HasPrefix(r.Note, previewed) }
