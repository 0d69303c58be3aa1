package preset

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// gitSetting reports whether a part shows or changes settings of git.
func gitSetting(p *sayso.Part) bool {
	return p.Command != nil && slices.Equal(p.Command.Prefix, []string{"git", "config"})
}

// namesUser reports whether a part sets something in git's settings of the user
// by which git runs nothing and talks to nobody else, such as a name: that asks,
// and is no way in.
func namesUser(p *sayso.Part) bool {
	if !gitSetting(p) || len(p.Command.Redirects) > 0 || len(p.Opaque) > 0 {
		return false
	}
	unknown := slices.ContainsFunc(p.Command.Args, func(a shell.Arg) bool { return a.Unknown })
	return !unknown && p.Effects&(shell.Executes|shell.Network|shell.Irreversible) == 0
}

// settles reports whether a part decides what later commands of git run, or whom
// they talk to: those are judged as if a person had set that up. The programs by
// which git shows and edits text are judged by themselves.
func settles(p *sayso.Part) bool {
	if p.Effects&shell.Writes == 0 || program(p) != "git" {
		return false
	}
	if !gitSetting(p) {
		prefix := strings.Join(p.Command.Prefix, " ")
		return prefix == "git remote add" || prefix == "git remote set-url"
	}
	if p.Effects&(shell.Executes|shell.Network) == 0 {
		return false
	}
	for _, a := range p.Command.Args {
		switch key := strings.ToLower(a.Text); {
		case key == "core.pager", key == "core.editor", key == "sequence.editor", strings.HasPrefix(key, "pager."):
			return false
		case key == "core.fsmonitor":
			return !slices.ContainsFunc(p.Command.Args, func(a shell.Arg) bool { return a.Text == "true" || a.Text == "false" })
		}
	}
	return true
}
