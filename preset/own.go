package preset

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// Guarded puts what must hold in front of a preset that knows nothing of it:
// an agent does not change the files that guard it (further ones may be named),
// does not decide about its own calls or reach the page on which people do, and
// policy scripts are asked.
//
// Whoever judges calls as another system does, does not mean to let the agent
// switch the judge off.
func Guarded(p sayso.Preset, files []string, scripts ...sayso.Stage) sayso.Preset {
	inner := p.Plan
	p.Plan = func(mode string) (sayso.Plan, error) {
		plan, err := inner(mode)
		if err != nil {
			return nil, err
		}
		stages := []sayso.Stage{own(files)}
		for _, s := range scripts {
			stages = append(stages, scriptStage{s})
		}
		stages = append(stages, sayso.InOrder(p.Name, plan...))
		return sayso.Plan{sayso.Readable(), sayso.Strictest("guards and "+p.Name, stages...)}, nil
	}
	return p
}

// own denies calls that would change who decides about them.
func own(files []string) sayso.Stage {
	return sayso.Func("guards", func(c *sayso.Case) sayso.Verdict {
		for i := range c.Facts.Parts {
			if v := decidesOwn(c, &c.Facts.Parts[i], files); v.Speaks() {
				return v
			}
		}
		return sayso.Pass()
	})
}

// decidesOwn denies a part that would change who decides about it.
func decidesOwn(c *sayso.Case, p *sayso.Part, files []string) sayso.Verdict {
	if file := guarded(c, p, files); file != nil {
		return sayso.Decide(sayso.Deny, "guard.own", "it would change what guards this agent: "+shown(file)+"; only a person may do that")
	}
	if plain, changed := plainly(p); changed {
		if file := guarded(c, &plain, files); file != nil {
			return sayso.Decide(sayso.Deny, "guard.own", shown(file)+" looks like what guards this agent, "+shell.Shown(file.Abs)+"; only a person may change that")
		}
	}
	if folder := namesOwn(c, p, files); folder != "" {
		return sayso.Decide(sayso.Deny, "guard.own", "the code names "+shell.Shown(folder)+", where what guards this agent is, and may change it; only a person may do that")
	}
	if from := copiesOwn(c, p, files); from != "" {
		return sayso.Decide(sayso.Deny, "guard.self", "under another name it would not be known for what decides about agents: "+shell.Shown(from))
	}
	if decidesForItself(c, p) {
		return sayso.Decide(sayso.Deny, "guard.self", "an agent does not decide about its own calls: run "+shell.Shown(p.Text)+" yourself")
	}
	switch address, sure := reachesPage(c, p, files); {
	case sure:
		return sayso.Decide(sayso.Deny, "guard.page", "it would reach the page of sayso at "+shell.Shown(address)+", which is for people; open it in a browser yourself")
	case address != "":
		return sayso.Decide(sayso.Deny, "guard.page", "which port of this machine it reaches cannot be known, and one of them is the page of sayso, which is for people; write the port out")
	}
	return sayso.Pass()
}

// ownFolders are where policies and state of sayso are below a home folder, whoever's
// it is.
var ownFolders = []string{"/.config/sayso/**", "/.local/state/sayso/**"}

// namesOwn returns the folder of what guards the agent that is named in code: in a
// program of another language that is given as text, or in the arguments of one. What
// it does with the folder, a database for example, only that program knows.
func namesOwn(c *sayso.Case, p *sayso.Part, files []string) string {
	if p.Command == nil || p.Effects&shell.Executes == 0 || p.Command.Elsewhere || runsParts(c, p) {
		return ""
	}
	var text strings.Builder
	for _, a := range p.Command.Args {
		text.WriteString(strings.ToLower(a.Text) + "\n")
	}
	for _, r := range p.Command.Redirects {
		if strings.HasPrefix(r.Op, "<<") {
			text.WriteString(strings.ToLower(r.Target.Text) + "\n")
		}
	}
	for _, file := range slices.Concat(ownFolders, files) {
		folder, tree := strings.CutSuffix(file, "/**")
		if !tree {
			continue
		}
		name := strings.ToLower(folder)
		if home := strings.ToLower(c.Facts.Place.Home); home != "" {
			name = strings.TrimPrefix(name, home) // it may be written as ~, or as a variable
		}
		if strings.Count(name, "/") > 1 && strings.Contains(text.String(), name) {
			return folder
		}
	}
	return ""
}

// runsParts reports whether what a part runs is known: it is judged by itself.
func runsParts(c *sayso.Case, p *sayso.Part) bool {
	for i := range c.Facts.Parts {
		if q := c.Facts.Parts[i].Command; q != nil && c.Facts.Parent(q) == p.Command {
			return true
		}
	}
	return false
}
