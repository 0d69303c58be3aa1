package sayso

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// A way is a set of commands and MCP tools by which others come to see the same:
// who has denied one of them has denied all. Commands are named by their first
// words, tools without their server, which may have any name.
type way struct{ commands, tools []string }

var ways = []way{
	{[]string{"git push", "hub push", "jj git push", "gt submit"}, []string{"push_files", "create_or_update_file", "delete_file", "create_commit", "commit_files", "git_push", "push"}},
	{[]string{"gh pr create", "glab mr create", "hub pull-request", "tea pulls create", "az repos pr create"}, []string{"create_pull_request", "create_merge_request", "create_pull_request_with_copilot"}},
	{[]string{"gh pr merge", "glab mr merge", "tea pulls merge"}, []string{"merge_pull_request", "merge_merge_request", "accept_merge_request"}},
	{[]string{"gh pr close", "glab mr close"}, []string{"close_pull_request", "close_merge_request"}},
	{[]string{"gh issue create", "glab issue create", "tea issues create"}, []string{"create_issue", "issue_write", "create_work_item"}},
	{[]string{"gh issue comment", "gh pr comment", "glab issue note", "glab mr note"}, []string{"add_issue_comment", "create_issue_comment", "add_pull_request_review_comment", "create_note", "create_merge_request_note"}},
	{[]string{"gh pr review"}, []string{"create_pull_request_review", "submit_pending_pull_request_review", "pull_request_review_write"}},
	{[]string{"gh release create", "glab release create", "tea releases create"}, []string{"create_release"}},
	{[]string{"gh repo create", "glab repo create", "hub create"}, []string{"create_repository", "create_project"}},
	{[]string{"gh repo delete", "glab repo delete"}, []string{"delete_repository", "delete_project"}},
	{[]string{"gh gist create"}, []string{"create_gist"}},
	{[]string{"gh workflow run", "glab ci run"}, []string{"run_workflow", "trigger_workflow", "create_pipeline"}},
	{[]string{"npm publish", "pnpm publish", "yarn publish", "yarn npm publish", "bun publish", "lerna publish", "changeset publish"}, nil},
	{[]string{"twine upload", "uv publish", "poetry publish", "flit publish", "hatch publish", "pdm publish", "maturin publish"}, nil},
	{[]string{"docker push", "docker image push", "podman push", "podman image push", "nerdctl push", "buildah push", "crane push"}, nil},
	{[]string{"cargo publish", "cargo release"}, nil},
	{[]string{"gem push", "rake release"}, nil},
}

// otherCommands are the rules for the other ways to what a command does: for all
// that they may do, or, where it was about something by name, for that. What an
// option of a push does to others no other way does, and without it they may be
// fine.
func otherCommands(c *shell.Command) []string {
	prefix := strings.Join(c.Prefix, " ")
	words := c.Words()
	if prefix == "git push" && len(words.Options) > 0 {
		return nil
	}
	var out []string
	for i := range ways {
		if !slices.Contains(ways[i].commands, prefix) {
			continue
		}
		for _, other := range ways[i].commands {
			if other == prefix {
				continue
			}
			if len(words.Operands) == 0 {
				out = append(out, "bash("+other+" *)")
			} else {
				out = append(out, "bash("+other+")", "bash("+other+" "+commandRule(words.Operands)+")")
			}
		}
		for _, tool := range ways[i].tools {
			out = append(out, "mcp(*/"+tool+")")
		}
	}
	return out
}

// otherTools are the rules for the other ways to what an MCP tool does.
func otherTools(tool string) []string {
	var out []string
	for i := range ways {
		if !slices.Contains(ways[i].tools, strings.ToLower(tool)) {
			continue
		}
		for _, command := range ways[i].commands {
			out = append(out, "bash("+command+" *)")
		}
		for _, other := range ways[i].tools {
			out = append(out, "mcp(*/"+other+")")
		}
	}
	return out
}
