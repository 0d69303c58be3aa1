// Package script runs policy scripts: a function decide(call), written in
// Starlark, that sees a call and what is known about it, and may ask or deny.
//
//	def decide(call):
//	    for c in call.commands:
//	        if c.argv[:2] == ["terraform", "apply"] and call.session.turn == 0:
//	            deny("plan first")
//	    if "network" in call.effects and call.session.tainted:
//	        ask("the session has read " + call.session.tainted)
//
// ask(why) and deny(why) say something; of all that was said the strictest
// counts, so that a forgotten return loosens nothing. A script that says nothing
// passes. It can never allow, and so it needs nobody's trust. What goes wrong in
// it, at loading or later, is an error with the file and the line, which the
// native preset makes a question of.
//
// A script is pure: there is no load, no file, no clock and no chance. It is
// bounded in steps, in memory and in time. Starlark itself bounds only steps,
// and one step can make a string of a gigabyte or compare two values for hours.
// So every operator, method and function that does more than a constant amount
// of work is replaced, before compilation, by one that first pays for it from a
// budget; rewrite.go does that, cost.go has the prices, meter.go the budget.
package script
