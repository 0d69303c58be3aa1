package sayso_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// show judges a shell call by a plan and prints the answer.
func show(plan sayso.Plan, command string) {
	input, _ := json.Marshal(map[string]string{"command": command})
	call := sayso.Call{Tool: "bash", Input: input, Root: "/home/me/app", Home: "/home/me"}
	analyzer := sayso.Analyzer{}
	d := plan.Evaluate(context.Background(), &sayso.Case{Call: call, Facts: analyzer.Analyze(call)})
	fmt.Println(d.Effect, d.Code, "-", d.Reason)
}

func ExampleIf() {
	networked := func(c *sayso.Case) bool {
		for i := range c.Facts.Parts {
			if c.Facts.Parts[i].Effects&shell.Network != 0 {
				return true
			}
		}
		return false
	}
	plan := sayso.Plan{
		sayso.If("offline", networked, sayso.Decide(sayso.Deny, "offline", "nothing leaves this machine")),
		sayso.Otherwise(sayso.Allow, "fine", "the rest is fine"),
	}
	show(plan, "ls; curl https://example.com")
	show(plan, "ls")
	// Output:
	// deny offline - nothing leaves this machine
	// allow fine - the rest is fine
}

func ExampleOtherwise() {
	plan := sayso.Plan{
		sayso.If("reads", func(c *sayso.Case) bool { return c.Facts.ReadOnly }, sayso.Lean(sayso.Allow, "reads", "it only reads")),
		sayso.Otherwise(sayso.Ask, "else", "nobody spoke before"),
	}
	show(plan, "ls")
	show(plan, "touch x")
	// Output:
	// allow reads - it only reads
	// ask else - nobody spoke before
}

func ExampleFloor() {
	always := func(*sayso.Case) bool { return true }
	lenient := sayso.If("lenient", always, sayso.Lean(sayso.Allow, "lenient", "whatever it is"))
	careful := sayso.If("careful", always, sayso.Lean(sayso.Ask, "careful", "somebody should look"))
	show(sayso.Plan{careful, lenient}, "ls")
	show(sayso.Plan{careful, sayso.Floor(lenient)}, "ls")
	show(sayso.Plan{lenient, sayso.Floor(careful)}, "ls")
	// Output:
	// allow lenient - whatever it is
	// ask careful - somebody should look
	// ask careful - somebody should look
}

func ExampleEach() {
	safe := func(c *sayso.Case) bool { return c.Part().Risk == shell.Safe }
	plan := sayso.Plan{sayso.Each("commands", sayso.Parts,
		sayso.If("safe", safe, sayso.Decide(sayso.Allow, "safe", "it is safe")),
		sayso.Func("rest", func(c *sayso.Case) sayso.Verdict {
			return sayso.Decide(sayso.Ask, "rest", "look at this part: "+c.Part().Text)
		}),
	)}
	show(plan, "ls && git status")
	show(plan, "ls && git push")
	// Output:
	// allow safe - it is safe
	// ask rest - look at this part: git push
}

func ExampleUnattended() {
	ask := sayso.Otherwise(sayso.Ask, "look", "somebody should look")
	show(sayso.Plan{ask}, "ls")
	show(sayso.Plan{sayso.Unattended(ask)}, "ls")
	// Output:
	// ask look - somebody should look
	// deny unattended - nobody is there to ask: somebody should look
}

func ExampleGrant() {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	grants, err := sayso.NewGrants([]sayso.Grant{{ID: "g1", Rule: "bash(git push *)", Scope: sayso.ForSession, Expires: noon.Add(time.Hour)}})
	if err != nil {
		panic(err)
	}
	engine := sayso.Engine{Preset: preset.Native(preset.Policy{})}
	call := sayso.Call{Tool: "bash", Input: json.RawMessage(`{"command": "git push origin main"}`), Root: "/home/me/app"}
	for _, now := range []time.Time{noon, noon.Add(2 * time.Hour)} {
		d := engine.Check(context.Background(), call, sayso.Session{Now: now, Grants: grants})
		fmt.Println(d.Effect, d.Code, d.Scope)
	}
	// Output:
	// allow grant session
	// ask mode.publish
}

func ExampleContract() {
	call := sayso.Call{Tool: "bash", Input: json.RawMessage(`{"command": "curl https://example.com"}`), Root: "/home/me/app"}
	analyzer := sayso.Analyzer{}
	shown := sayso.PlainContract(call, analyzer.Analyze(call))
	fmt.Println(shown.Dir, shown.Network, shown.Hosts)
	changed := shown
	changed.Hosts = append(changed.Hosts, "evil.example")
	fmt.Println("an answer to one counts for the other:", shown.Hash() == changed.Hash())
	// Output:
	// /home/me/app hosts [example.com]
	// an answer to one counts for the other: false
}
