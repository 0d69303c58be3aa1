package preset

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// A coworkSubject is what rules are asked about: one part of a call and, if it
// touches files, one of them. A call is judged by all of its subjects, so that a
// rule which allows one of them does not let the others through.
type coworkSubject struct {
	part *sayso.Part
	path *shell.Path // nil: none
}

// coworkSubjects returns the subjects of a call, at least one.
func coworkSubjects(c *sayso.Case) []coworkSubject {
	var out []coworkSubject
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		for j := range p.Paths {
			out = append(out, coworkSubject{p, &p.Paths[j]})
		}
		if len(p.Paths) == 0 {
			out = append(out, coworkSubject{p, coworkFolder(c)})
		}
	}
	return out
}

// coworkFolder is where a tool looks that lists or searches and was not told
// where.
func coworkFolder(c *sayso.Case) *shell.Path {
	if c.Facts.Err == nil && (c.Facts.Class == sayso.ClassGrep || c.Facts.Class == sayso.ClassList) {
		return &shell.Path{Raw: ".", Abs: c.Facts.Place.Dir, Access: shell.Read, Recursive: true}
	}
	return nil
}

// A boundRule is a rule where a call is made: its path is absolute.
type boundRule struct {
	CoWorkRule
	root   fspath.Path // of a path scope
	length int         // how much the scope names
}

// bind makes rules ready for a call, so that each path is resolved once.
func bind(rules []CoWorkRule, c *sayso.Case) []boundRule {
	out := make([]boundRule, len(rules))
	for i, r := range rules {
		b := boundRule{CoWorkRule: r}
		switch r.Scope.Kind {
		case ScopePath:
			b.root = r.Scope.resolve(c)
			b.length = len(b.root.Abs)
			if b.root.Abs != "" {
				b.Scope.Path = b.root.Abs
			}
		case ScopeCommand:
			b.length = len(foldBlanks(r.Scope.Prefix))
		case ScopeServer:
			b.length = len(serverName(r.Scope.Server))
		default:
			b.length = len(strings.TrimSpace(r.Scope.Tool))
		}
		out[i] = b
	}
	return out
}

// coworkPick returns the rule that decides about a subject, or nil: of those that
// match the most specific, then the one of the strongest source, then the
// strictest.
func coworkPick(rules []boundRule, c *sayso.Case, s coworkSubject) *boundRule {
	var best *boundRule
	for i := range rules {
		if r := &rules[i]; r.matches(c, s) && (best == nil || r.against(best) > 0) {
			best = r
		}
	}
	return best
}

// against compares two rules that match; more than 0: r decides.
func (r *boundRule) against(other *boundRule) int {
	named := func(s *CoWorkScope) int { return min(len(s.Tool), 1) }
	return cmp.Or(
		cmp.Compare(slices.Index(coworkKinds, r.Scope.Kind), slices.Index(coworkKinds, other.Scope.Kind)),
		cmp.Compare(r.length, other.length),
		cmp.Compare(named(&r.Scope), named(&other.Scope)),
		cmp.Compare(coworkRank(r.Source), coworkRank(other.Source)),
		cmp.Compare(other.Effect, r.Effect),
	)
}

// matches reports whether a subject is in the scope. A rule that allows has to
// be sure of it; for one that asks or denies it is enough that it may be.
func (r *boundRule) matches(c *sayso.Case, sub coworkSubject) bool {
	s, allow := &r.Scope, r.Effect == sayso.Allow
	switch s.Kind {
	case ScopeTool:
		return strings.TrimSpace(s.Tool) == c.Tool()
	case ScopeServer:
		name := coworkServer(c)
		return name != "" && name == serverName(s.Server)
	case ScopeCommand:
		if allow {
			return s.startsAll(c, sub.part)
		}
		return s.startsAny(c, sub.part)
	case ScopePath:
		if tool := strings.TrimSpace(s.Tool); sub.path == nil || tool != "" && tool != c.Tool() {
			return false
		}
		if allow {
			return s.reaches(c, sub.part) && r.holds(sub.path)
		}
		return r.meets(sub.path)
	}
	return false
}

// coworkServer is the MCP server that a call goes to; empty: none.
func coworkServer(c *sayso.Case) string {
	if c.Call.Server != nil && c.Call.Server.Name != "" {
		return serverName(c.Call.Server.Name)
	}
	return serverName(c.Facts.Server)
}

// startsAny reports whether a command, however it is written, or the command line
// that it stands in, starts with the prefix.
func (s *CoWorkScope) startsAny(c *sayso.Case, p *sayso.Part) bool {
	loose := *s
	loose.Prefix = foldSpaces(s.Prefix)
	return slices.ContainsFunc(commandTexts(c, p), loose.starts) || p.Command != nil && (loose.mayStart(p.Command.Args) || loose.starts(withoutOptions(p.Command)))
}

// mayStart reports whether the first arguments may be the words of the prefix,
// because one of them cannot be known: from there on it may be all of them.
func (s *CoWorkScope) mayStart(args []shell.Arg) bool {
	for i, w := range strings.Fields(s.Prefix) {
		switch {
		case i == len(args):
			return false
		case args[i].Unknown:
			return true
		case args[i].Text != w && (i > 0 || path.Base(args[i].Text) != w):
			return false
		}
	}
	return false // then it starts with them
}

// withoutOptions is a command with its program, sub-commands and operands alone:
// git -C sub push is a push.
func withoutOptions(cmd *shell.Command) string {
	w := cmd.Words()
	if !w.Known {
		return ""
	}
	return strings.Join(append([]string{w.Name}, w.Subs...), " ") + " " + argsText(w.Operands)
}

// startsAll reports whether the prefix stands for all of a command: as it is
// written, for what a wrapper in the prefix runs, or because it is the whole
// command line.
func (s *CoWorkScope) startsAll(c *sayso.Case, p *sayso.Part) bool {
	if !isShell(c) {
		return false
	}
	if len(c.Facts.Lines) == 1 && !strings.ContainsAny(c.Facts.Lines[0], "\n\r\v\f") && foldBlanks(c.Facts.Lines[0]) == foldBlanks(s.Prefix) {
		return true
	}
	if p.Command == nil || len(p.Opaque) > 0 {
		return false
	}
	if len(p.Command.Assigns) == 0 && (s.starts(p.Text) || s.startsArgs(p.Command.Args)) {
		return true
	}
	wrapper := c.Facts.Parent(p.Command)
	if wrapper == nil || s.exact {
		return false
	}
	before := len(wrapper.Args) - len(p.Command.Args)
	return before > 0 && slices.EqualFunc(wrapper.Args[before:], p.Command.Args, func(a, b shell.Arg) bool { return a.Text == b.Text }) &&
		len(strings.Fields(s.Prefix)) > before && s.starts(argsText(wrapper.Args))
}

// startsArgs reports whether the first arguments are the words of the prefix,
// however they were quoted.
func (s *CoWorkScope) startsArgs(args []shell.Arg) bool {
	words := strings.Fields(foldBlanks(s.Prefix))
	if len(words) > len(args) || s.exact && len(words) < len(args) {
		return false
	}
	for i, w := range words {
		if args[i].Text != w {
			return false
		}
	}
	return true
}

func argsText(args []shell.Arg) string {
	words := make([]string, len(args))
	for i := range args {
		words[i] = args[i].Text
	}
	return strings.Join(words, " ")
}

// starts reports whether a text starts with the words of the prefix.
func (s *CoWorkScope) starts(text string) bool {
	text, prefix := foldBlanks(text), foldBlanks(s.Prefix)
	return text == prefix || !s.exact && strings.HasPrefix(text, prefix+" ")
}

// resolve makes the path of the scope absolute.
func (s *CoWorkScope) resolve(c *sayso.Case) fspath.Path {
	return resolve(strings.TrimSpace(s.Path), c.Call.Root, c.Call.Home, c.Facts.Place.Machine)
}

// reaches reports whether a path says all of what a part does. It does for tools
// that work on files, and for commands that do nothing but that; another tool has
// to be named.
func (s *CoWorkScope) reaches(c *sayso.Case, p *sayso.Part) bool {
	switch {
	case len(p.Opaque) > 0 || c.Facts.Err != nil:
		return false
	case isShell(c):
		return p.Effects&^(shell.Reads|shell.Writes|shell.Deletes|shell.Permissions) == 0 && len(p.Hosts) == 0
	case coworkServer(c) != "" || isMCP(c):
		return s.Tool != ""
	}
	return s.Tool != "" || slices.Contains(coworkFileTools, c.Facts.Class)
}

var coworkFileTools = []sayso.Class{
	sayso.ClassRead, sayso.ClassList, sayso.ClassGrep, sayso.ClassWrite, sayso.ClassEdit, sayso.ClassPatch, sayso.ClassNotebook, sayso.ClassDelete, sayso.ClassMove,
}

// holds reports whether a path is in the scope, by every name that it has.
func (r *boundRule) holds(p *shell.Path) bool {
	if r.root.Err != nil || r.root.Unsure || p.Abs == "" {
		return false
	}
	for _, abs := range [...]string{p.Abs, p.Real} {
		if abs == "" { // Real is empty where it is the same
			continue
		}
		abs = fixedPart(p, abs)
		if !fspath.Within(abs, r.root.Abs) && !fspath.Within(abs, r.root.Real) {
			return false
		}
	}
	return true
}

// meets reports whether a path may be in the scope, by whatever name, or have
// something below it that is.
func (r *boundRule) meets(p *shell.Path) bool {
	if r.root.Err != nil || p.Abs == "" { // nobody knows
		return true
	}
	for _, root := range r.root.All() {
		root = fspath.Fold(root)
		for _, abs := range [...]string{p.Abs, p.Real} {
			if abs == "" {
				continue
			}
			at := fspath.Fold(fixedPart(p, abs))
			below := p.Recursive || p.Glob || p.Deep || p.Access == shell.Delete
			if fspath.Within(at, root) || below && fspath.Within(root, at) {
				return true
			}
		}
	}
	return false
}

// fixedPart is the folder that a pattern starts from; of a path that is none, the
// path.
func fixedPart(p *shell.Path, abs string) string {
	if p.Deep {
		return path.Dir(abs)
	}
	if !p.Glob {
		return abs
	}
	if at := strings.IndexAny(abs, "*?[{\\"); at >= 0 {
		return path.Clean(abs[:strings.LastIndexByte(abs[:at], '/')+1])
	}
	return abs
}
