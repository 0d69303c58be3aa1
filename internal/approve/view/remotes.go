package view

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// remotes are the hosts that the name of git's remotes stands for in a contract, as
// the settings of git have them now: "origin: example.com". What rewrites addresses
// counts; what other files add to the settings is only told.
func remotes(c *sayso.Contract, o Options) []string {
	if o.Before == nil || !slices.Contains(c.Hosts, shell.Remotes) {
		return nil
	}
	text, ok := gitConfig(c.Dir, o.Before)
	if !ok {
		return nil
	}
	var s gitSettings
	s.read(text)
	if own, ok := o.Before(filepath.Join(o.Home, ".gitconfig")); ok && o.Home != "" {
		s.read(own)
	}
	var out []string
	for _, r := range s.remotes {
		host := hostOf(s.rewritten(r.url))
		if host == "" {
			host = "this machine"
		}
		if one := Safe(r.name + ": " + host); !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	if s.includes {
		out = append(out, "and what other files add")
	}
	return out
}

// gitConfig is the settings of the repository that a folder is in.
func gitConfig(dir string, read func(string) (string, bool)) (string, bool) {
	for up := dir; filepath.IsAbs(up); up = filepath.Dir(up) {
		git := filepath.Join(up, ".git")
		if text, ok := read(filepath.Join(git, "config")); ok {
			return text, true
		}
		if link, ok := read(git); ok { // a worktree or a submodule
			to, ok := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
			if !ok {
				return "", false
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(up, to)
			}
			if main, _, worktree := strings.Cut(to, "/worktrees/"); worktree {
				to = main
			}
			return read(filepath.Join(to, "config"))
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	return "", false
}

// gitSettings are those that say where remotes are.
type gitSettings struct {
	remotes  []gitRemote
	rewrites [][2]string // what addresses start with, and what stands there instead
	includes bool
}

type gitRemote struct{ name, url string }

// read adds what a file of settings says.
func (s *gitSettings) read(text string) {
	section, name := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			head, _, _ = strings.Cut(head, "]")
			section, name, _ = strings.Cut(head, " ")
			section, name = strings.ToLower(strings.TrimSpace(section)), strings.Trim(strings.TrimSpace(name), `"`)
			s.includes = s.includes || section == "include" || section == "includeif"
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case section == "remote" && (key == "url" || key == "pushurl"):
			s.remotes = append(s.remotes, gitRemote{name, value})
		case section == "url" && (key == "insteadof" || key == "pushinsteadof"):
			s.rewrites = append(s.rewrites, [2]string{value, name})
		}
	}
}

// rewritten is an address as git uses it: the longest start that is rewritten counts.
func (s *gitSettings) rewritten(url string) string {
	best := [2]string{}
	for _, r := range s.rewrites {
		if r[0] != "" && strings.HasPrefix(url, r[0]) && len(r[0]) > len(best[0]) {
			best = r
		}
	}
	return best[1] + strings.TrimPrefix(url, best[0])
}

// hostOf is the host of an address of git: a URL, or host:path. Empty: it is a path.
func hostOf(url string) string {
	rest := url
	if scheme, after, ok := strings.Cut(url, "://"); ok {
		if scheme == "file" {
			return ""
		}
		rest, _, _ = strings.Cut(after, "/")
	} else {
		host, _, ok := strings.Cut(url, ":")
		if !ok || strings.Contains(host, "/") {
			return ""
		}
		rest = host
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}
