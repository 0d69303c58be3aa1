package preset

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/shell"
)

// A CommandVerdict is what [EvaluateCommand] says of a command.
type CommandVerdict struct {
	Risk        shell.Risk `json:"risk"`
	Explanation string     `json:"explanation"`
	Blocked     bool       `json:"blocked"` // exactly where the risk is blocked
	BlockReason string     `json:"blockReason,omitempty"`

	why string // why it has this risk
}

// A ConfirmationRequest is what a person who confirms a command is shown.
type ConfirmationRequest struct {
	Call        sayso.Call `json:"call"`
	Risk        shell.Risk `json:"risk"`
	Explanation string     `json:"explanation"`
}

// CosmoConfirmation makes a confirmation request of a request, for programs that
// show it themselves and answer yes or no.
func CosmoConfirmation(r sayso.Request) ConfirmationRequest {
	return ConfirmationRequest{r.Call, r.Decision.Risk, r.Decision.Explanation}
}

// CosmoColor is the color in which a prompt shows a risk: green, yellow or red.
// There is none for what is blocked, which no prompt shows.
func CosmoColor(r shell.Risk) string {
	return map[shell.Risk]string{shell.Safe: "green", shell.Moderate: "yellow", shell.Dangerous: "red"}[r]
}

// Codes of the decisions of [Cosmo].
const (
	CodeCosmoBlocked sayso.Code = "cosmo.blocked"
	CodeCosmoConfirm sayso.Code = "cosmo.confirm"
)

// Cosmo judges as Cosmo's command policy is documented: every command has one of
// four risks by its own lists, blocked ones are an error at once, and a person
// confirms every other one, with nothing remembered. A no ends the turn.
func Cosmo() sayso.Preset {
	var last cosmoLast
	return sayso.Preset{
		Name:  "cosmo",
		Doc:   "classifies every command by its own lists; asks about all that are not blocked",
		Modes: []sayso.Mode{{Name: "default", Doc: "safe, moderate and dangerous commands ask, blocked ones are an error"}},
		Plan: func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Readable(), sayso.Stopped("denied"), cosmoPolicy(&last)}, nil
		},
		Describe: func(c *sayso.Case) (shell.Risk, string) {
			v := last.verdict(c.Facts)
			return v.Risk, v.Explanation
		},
		Suggest: func(*sayso.Case) []sayso.Suggestion { return nil },
		Choices: func(*sayso.Case, *sayso.Decision) []sayso.Choice {
			return []sayso.Choice{{Key: "y", Label: "Allow", Yes: true, Scope: sayso.Once}, {Key: "n", Label: "Deny"}}
		},
		CheckRule: func(string) error { return errNothingKept },
		StopOnNo:  true,
	}
}

// EvaluateCommand says how risky a program with these arguments would be in a
// workspace. There is no shell between: the arguments are taken as they are, but
// for a leading ~, which is the home folder.
func EvaluateCommand(command string, args []string, workspaceDir string) CommandVerdict {
	return CosmoEvaluator{}.EvaluateCommand(command, args, workspaceDir)
}

// A CosmoEvaluator evaluates commands with more knowledge of the machine than
// [EvaluateCommand] has.
type CosmoEvaluator struct {
	Home    string        // the user's home folder; empty: the secrets in every home are protected
	Machine shell.Machine // shows links; nil: none are seen
}

var errNothingKept = errors.New("cosmo keeps no approval: every command is confirmed on its own")

// unknownHome stands for a home folder that is not known.
const unknownHome = "/home/~"

// EvaluateCommand is like the function.
func (e CosmoEvaluator) EvaluateCommand(command string, args []string, workspaceDir string) CommandVerdict {
	input, _ := json.Marshal(map[string]any{"command": command, "args": append([]string{}, args...)}) // text can be written
	call := sayso.Call{Tool: "run_command", Agent: "cosmo", Input: input, Root: workspaceDir, Home: e.Home}
	if call.Home == "" {
		call.Home = unknownHome
	}
	a := sayso.Analyzer{Machine: e.Machine}
	return cosmoVerdict(a.Analyze(call))
}

// A cosmoLast keeps the last verdict: the stage that decides and the description of
// a call ask for the same one, in turn.
type cosmoLast struct{ of atomic.Pointer[cosmoJudged] }

type cosmoJudged struct {
	facts   *sayso.Facts
	verdict CommandVerdict
}

func (l *cosmoLast) verdict(f *sayso.Facts) CommandVerdict {
	if was := l.of.Load(); was != nil && was.facts == f {
		return was.verdict
	}
	v := cosmoVerdict(f)
	l.of.Store(&cosmoJudged{f, v})
	return v
}

func cosmoPolicy(last *cosmoLast) sayso.Stage {
	return sayso.Func("command_policy", func(c *sayso.Case) sayso.Verdict {
		v := last.verdict(c.Facts)
		if v.Blocked {
			return sayso.Decide(sayso.Deny, CodeCosmoBlocked, "blocked: "+v.BlockReason)
		}
		return sayso.Decide(sayso.Ask, CodeCosmoConfirm, v.Risk.String()+": "+v.why)
	})
}

// cosmoVerdict classifies what a call does; the worst of its parts counts.
func cosmoVerdict(f *sayso.Facts) CommandVerdict {
	v := CommandVerdict{Risk: shell.Safe, why: "it does nothing", Explanation: cosmoExplain(f)}
	if f.Err != nil {
		v.Risk, v.why = shell.Blocked, f.Err.Error()
	}
	for i := range f.Parts {
		level, why := cosmoPart(f, &f.Parts[i])
		if i == 0 || level < v.Risk {
			v.Risk, v.why = level, why
		}
	}
	v.Explanation, v.why = cosmoTyped(f, v.Explanation), cosmoTyped(f, v.why)
	if v.Risk == shell.Blocked {
		v.Blocked, v.BlockReason = true, v.why
	}
	return v
}

// cosmoTyped writes the arguments in a text that began with ~ as they were given.
func cosmoTyped(f *sayso.Facts, text string) string {
	if len(f.Lines) != 1 || !strings.Contains(f.Lines[0], "~") {
		return text
	}
	for i := range f.Parts {
		c := f.Parts[i].Command
		if c == nil {
			continue
		}
		for _, a := range c.Args {
			rest, home := strings.CutPrefix(a.Text, f.Place.Home)
			if at := a.Span.Start; !home || at < 0 || at >= len(f.Lines[0]) || f.Lines[0][at] != '~' {
				continue
			}
			text = replaceWord(text, a.Text, "~"+rest)
		}
	}
	return text
}

// replaceWord replaces a word in a text, but not where it is the start of a longer
// one.
func replaceWord(text, word, by string) string {
	before, after, found := strings.Cut(text, word)
	if !found {
		return text
	}
	if after != "" && !strings.ContainsRune(" ,;:)'\"", rune(after[0])) {
		return before + word + replaceWord(after, word, by)
	}
	return before + by + replaceWord(after, word, by)
}

// cosmoExplain is what the call does; for a program that no template is for, the
// command itself.
func cosmoExplain(f *sayso.Facts) string {
	const fallback = "Run command: "
	if len(f.Parts) != 1 || f.Parts[0].Command == nil || !strings.HasPrefix(f.Sentence, fallback) {
		return f.Sentence
	}
	c := f.Parts[0].Command
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	return shell.ShownWhole(fallback + strings.Join(words, " "))
}

// cosmoPart classifies one part of a call by the lists, and then by where it
// reaches.
func cosmoPart(f *sayso.Facts, p *sayso.Part) (shell.Risk, string) {
	var w shell.Words
	if p.Command != nil {
		w = p.Command.Words()
	}
	level, why := cosmoLevel(f, p, &w)
	if p.Command != nil && p.Command.Elsewhere {
		return level, why // the paths are not of this machine
	}
	sandboxed := p.Command != nil && slices.Contains(cosmoSandboxed, w.Name)
	if sandboxed && len(p.Hosts) > 0 && level > shell.Dangerous {
		level, why = shell.Dangerous, "path outside the workspace, on "+p.Hosts[0]
	}
	for i := range p.Paths {
		at, reason := cosmoPath(f, &p.Paths[i], sandboxed)
		if at < level {
			level, why = at, reason
		}
	}
	return level, why
}

// cosmoLevel is the level that the lists give, wherever it reaches.
func cosmoLevel(f *sayso.Facts, p *sayso.Part, w *shell.Words) (shell.Risk, string) {
	if p.Command == nil {
		return cosmoOther(f, p)
	}
	row := cosmoRowFor(w, p.Effects)
	more := p.Effects &^ cosmoReading &^ cosmoWrapped(f, p.Command)
	switch {
	case row != nil && row.level == shell.Blocked:
		return row.level, row.why
	case p.Risk == shell.Blocked && p.Effects&shell.System != 0:
		return shell.Blocked, "destructive system command"
	case cosmoVersion(p.Command, w):
		return shell.Safe, "version check"
	case row != nil && row.level == shell.Dangerous:
		return row.level, row.why
	case len(p.Opaque) > 0:
		return shell.Dangerous, "what it does cannot be known: " + p.Opaque[0]
	case w.Name == "find" && cosmoFindActs(p.Command):
		return shell.Dangerous, "find with -exec or -delete"
	case row != nil && row.level == shell.Safe && more != 0 && p.Risk >= shell.Moderate:
		return shell.Moderate, "it changes something in the workspace"
	case row != nil && row.level == shell.Safe && more != 0:
		return shell.Dangerous, "with these arguments it does more than read"
	case row != nil:
		return row.level, row.why
	case slices.Contains(cosmoScripts, w.Name) && len(w.Operands) > 0 && cosmoScriptFile(w):
		return shell.Moderate, "script execution"
	}
	return shell.Dangerous, "no level is documented for it"
}

// cosmoReading are the effects of commands that cannot modify anything.
const cosmoReading = shell.Reads | shell.Network | shell.LongRunning | shell.Secrets

// cosmoWrapped is what the commands do that a command wraps: they have levels of
// their own.
func cosmoWrapped(f *sayso.Facts, c *shell.Command) shell.Effects {
	var does shell.Effects
	for i := range f.Parts {
		if inner := f.Parts[i].Command; inner != nil && f.Parent(inner) == c {
			does |= f.Parts[i].Effects
		}
	}
	return does
}

// cosmoVersion reports whether the command only asks for a version: there is
// nothing else on the line, and -v does not mean verbose.
func cosmoVersion(c *shell.Command, w *shell.Words) bool {
	if len(c.Args) != 2 || len(c.Redirects) > 0 {
		return false
	}
	text := c.Args[1].Text
	return text == "--version" || text == "-v" && !slices.Contains(cosmoVerbose, w.Name) && !slices.Contains(cosmoSandboxed, w.Name)
}

// cosmoFindActs reports whether find does something with what it finds.
func cosmoFindActs(c *shell.Command) bool {
	return slices.ContainsFunc(c.Args, func(a shell.Arg) bool {
		return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-delete"}, a.Text)
	})
}

// cosmoScriptFile reports whether the script is a file, and not text, a module
// or standard input.
func cosmoScriptFile(w *shell.Words) bool {
	return !slices.ContainsFunc(w.Options, func(o shell.Option) bool {
		return o.Is("-c") || o.Is("-e") || o.Is("--eval") || o.Is("-p") || o.Is("--print") || o.Is("-m") || o.Is("-")
	}) && w.Operands[0].Text != "-"
}

// cosmoOther classifies what is no command: the files that redirections and
// file tools touch, requests, and tools of other kinds.
func cosmoOther(f *sayso.Facts, p *sayso.Part) (shell.Risk, string) {
	switch {
	case len(p.Paths) > 0 && p.Effects&^shell.Reads == 0:
		return shell.Safe, "file inspection"
	case len(p.Paths) > 0 && len(p.Opaque) == 0:
		return shell.Moderate, "file operation inside the workspace"
	case f.ReadOnly:
		return shell.Safe, "it only reads"
	}
	return shell.Dangerous, "no level is documented for it"
}

// cosmoPath classifies where a path is.
func cosmoPath(f *sayso.Facts, p *shell.Path, sandboxed bool) (shell.Risk, string) {
	changes := p.Access > shell.Read || p.Access == 0
	worst, why := shell.Safe, ""
	for _, abs := range [...]string{p.Abs, p.Real} {
		var level shell.Risk
		var reason string
		switch {
		case abs == "" && p.Abs != "":
			continue // Real is empty where it is the same
		case cosmoIsSecret(f, abs):
			level, reason = shell.Blocked, "protected path "+shell.Shown(p.Raw)
		case !changes && !sandboxed:
			continue
		case p.Access == shell.Delete && p.Recursive && cosmoIsCritical(f, abs):
			level, reason = shell.Blocked, "recursive delete on a critical path "+shell.Shown(p.Raw)
		case abs != "" && cosmoInside(f, abs):
			continue
		case cosmoIsProtected(abs):
			level, reason = shell.Blocked, "protected path "+shell.Shown(p.Raw)
		default:
			level, reason = shell.Dangerous, "path outside the workspace "+shell.Shown(p.Raw)
		}
		if level < worst {
			worst, why = level, reason
		}
	}
	return worst, why
}

func cosmoInside(f *sayso.Facts, abs string) bool {
	return slices.ContainsFunc(f.Place.Workspace, func(root string) bool { return fspath.Within(abs, root) })
}

// cosmoIsProtected reports whether a path is in a folder in which nothing is
// changed, in whatever case it is written: some file systems do not tell.
func cosmoIsProtected(abs string) bool {
	folded := fspath.Fold(abs)
	return slices.ContainsFunc(cosmoProtected, func(root string) bool { return fspath.Within(folded, fspath.Fold(root)) })
}

// cosmoIsSecret reports whether a path is in a folder of a home in which nothing
// is even read, wherever the workspace is.
func cosmoIsSecret(f *sayso.Facts, abs string) bool {
	homes := []string{f.Place.Home}
	if f.Place.Home == unknownHome {
		if parts := strings.SplitN(abs, "/", 4); len(parts) > 2 { // /home/NAME, /Users/NAME
			homes = append(homes, "/root", "/"+parts[1]+"/"+parts[2])
		}
	}
	for _, home := range homes {
		for _, name := range cosmoSecret {
			if home != "" && fspath.Within(fspath.Fold(abs), fspath.Fold(path.Join(home, name))) {
				return true
			}
		}
	}
	return false
}

// cosmoIsCritical reports whether deleting everything below a path would delete
// the system or the home.
func cosmoIsCritical(f *sayso.Facts, abs string) bool {
	home := f.Place.Home
	abs = path.Clean(strings.TrimSuffix(abs, "*")) // everything in it is as good as it
	return home != "" && fspath.Within(home, abs) || slices.ContainsFunc(cosmoProtected, func(p string) bool { return fspath.Within(p, abs) })
}
