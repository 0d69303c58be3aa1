// Package sayso decides what an AI agent may do. Before a tool call of an agent
// runs, it answers allow, ask or deny, and says why.
//
// Most programs need two functions. [Engine.Check] decides a call and does
// nothing else. [Engine.Authorize] decides it, asks a person where one is
// needed, remembers what they said, records it, and returns a [Permit] that
// lets exactly this call run, once.
//
//	engine := sayso.Engine{Preset: preset.Native(preset.Policy{})}
//	d := engine.Check(ctx, sayso.Call{Tool: "bash", Input: input, Root: root}, sayso.Session{})
//	if d.Effect != sayso.Allow {
//		return d.Err()
//	}
//
// # How a call is decided
//
// A call is analysed once, by an [Analyzer], into [Facts]: what it does, part by
// part. A [Plan], an ordered list of stages, looks at the facts; each [Stage]
// passes, leans, or decides. A [Preset] is nothing but a plan for each of its
// modes; those that come with sayso are in package preset. The zero value of
// every verdict, effect and decision is to deny, and an error never allows.
//
// What a command line does is the business of package shell.
package sayso
