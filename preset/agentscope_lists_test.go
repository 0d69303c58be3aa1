package preset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

// What the document lists, once more.
var (
	listedReadOnly = strings.Split("git status,git log,git diff,git show,git branch,git blame a,git grep x,git reflog,git config --list,"+
		"ls,cat a,head a,tail a,grep x a,rg x,find .,tree,stat a,wc a,pwd,which x,"+
		"docker ps,docker images,docker logs x,docker inspect x,docker info,gh repo view,gh issue list,gh pr list,gh status,"+
		"npm list,pip list,pip show x,node --version,python --version", ",")
	listedEdits     = strings.Split("mkdir d,touch a,rm a,cp a b,mv a b,sed -i s/a/b/ a", ",")
	listedDangerous = strings.Fields(".bashrc .zshrc .bash_profile .profile .gitconfig .gitmodules k/id_rsa k/id_ed25519 .env .env.local .npmrc .pypirc " +
		".ssh/config .ssh/authorized_keys .aws/credentials .git/x .ssh/x .claude/x .vscode/x .aws/x .kube/x")
)

// listsDiffer returns the first call for which the lists of the preset are not
// those of the document.
func listsDiffer() string {
	check := func(mode, tool string, input map[string]string, effect sayso.Effect, code sayso.Code) string {
		e := sayso.Engine{Preset: AgentScope(AgentScopeConfig{
			WorkingDirectories: map[string]AgentScopeDirectory{"/home/user/app": {}}, AllowRules: map[string][]AgentScopeRule{"Write": {{RuleContent: AgentScopeEvery}}},
		})}
		text, _ := json.Marshal(input)
		d := e.Check(context.Background(), sayso.Call{Tool: tool, Input: text, Root: "/home/user/app", Home: "/home/user"}, sayso.Session{Mode: mode})
		if d.Effect != effect || d.Code != code {
			return fmt.Sprintf("%s %v in %s: %s by %s, want %s by %s", tool, input, mode, d.Effect, d.Code, effect, code)
		}
		return ""
	}
	var found []string
	for _, line := range listedReadOnly {
		for _, mode := range []string{AgentScopeDefault, AgentScopeExplore} {
			found = append(found, check(mode, "Bash", map[string]string{"command": line}, sayso.Allow, "tool.read_only"))
		}
	}
	for _, line := range listedEdits {
		found = append(found, check(AgentScopeAcceptEdits, "Bash", map[string]string{"command": line}, sayso.Allow, "tool.accept_edits"),
			check(AgentScopeDefault, "Bash", map[string]string{"command": line}, sayso.Ask, "mode.default"))
	}
	for _, file := range listedDangerous {
		for _, mode := range []string{AgentScopeDefault, AgentScopeAcceptEdits} {
			found = append(found, check(mode, "Write", map[string]string{"file_path": "/home/user/app/" + file}, sayso.Ask, "safety.path"),
				check(mode, "Bash", map[string]string{"command": "touch " + file}, sayso.Ask, "safety.path"))
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return s == "" })
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// TestAgentScopeLists: the lists are those of the document, and an entry that is
// missing is noticed.
func TestAgentScopeLists(t *testing.T) {
	if differ := listsDiffer(); differ != "" {
		t.Fatal(differ)
	}
	unnoticed := func(name string) {
		if listsDiffer() == "" {
			t.Errorf("nobody misses %s", name)
		}
	}
	for i, words := range readOnlyCommands {
		was := readOnlyCommands
		readOnlyCommands = slices.Delete(slices.Clone(was), i, i+1)
		unnoticed(strings.Join(words, " "))
		readOnlyCommands = was
	}
	for i, name := range fileCommands {
		was := fileCommands
		fileCommands = slices.Delete(slices.Clone(was), i, i+1)
		unnoticed(name)
		fileCommands = was
	}
	covered := []string{".ssh/config", ".ssh/authorized_keys", ".aws/credentials"} // by their folder
	for _, list := range []*[]string{&dangerousFiles, &dangerousFolders} {
		for i, entry := range *list {
			was := *list
			*list = slices.Delete(slices.Clone(was), i, i+1)
			if !slices.Contains(covered, entry) {
				unnoticed(entry)
			}
			*list = was
		}
	}
}

// TestAgentScopeTableSuggests: where an allow rule would help, accepting what is
// suggested helps; where it would not, nothing is suggested.
func TestAgentScopeTableSuggests(t *testing.T) {
	for _, call := range tableCalls() {
		input, _ := json.Marshal(call.input)
		k := sayso.Call{Tool: call.tool, Input: input, Root: "/home/user/app", Home: "/home/user"}
		for _, mode := range []string{AgentScopeDefault, AgentScopeAcceptEdits, AgentScopeBypass, AgentScopeExplore, AgentScopeDontAsk} {
			for _, asks := range []bool{false, true} {
				cfg := AgentScopeConfig{Tools: []sayso.Tool{custom(&call)}}
				if asks {
					cfg.AskRules = map[string][]AgentScopeRule{call.tool: {{RuleContent: AgentScopeEvery}}}
				}
				e := sayso.Engine{Preset: AgentScope(cfg), Analyzer: sayso.Analyzer{Tools: cfg.Tools}}
				d := e.Check(context.Background(), k, sayso.Session{Mode: mode})
				want := documented(mode, &call, false, asks, false, false)
				helps := want.effect == sayso.Ask && !want.immune && !asks
				if d.Effect != want.effect || (len(d.Suggestions) > 0) != helps {
					t.Errorf("%s in %s, ask rule %v: %s, suggested %+v", call.name, mode, asks, d.Effect, d.Suggestions)
				}
				for _, s := range d.Suggestions {
					grants := sayso.PlainGrants([]sayso.Grant{{Rule: s.Rule, Scope: sayso.ForSession}})
					if again := e.Check(context.Background(), k, sayso.Session{Mode: mode, Grants: grants}); again.Effect != sayso.Allow || again.Stage != "allow rules" {
						t.Errorf("%s in %s: %s was accepted, and still %s by %s", call.name, mode, s.Rule, again.Effect, again.Stage)
					}
				}
			}
		}
	}
}
