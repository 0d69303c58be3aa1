package wire

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// What agents run is a line for a shell. Before a tool runs, the shell itself looks at
// what the hook has said, because agents take what they cannot read for a yes: a hook
// that is lost, that fails, or whose answer is none is a no, in the form in which that
// is understood everywhere, and each no has the status that blocks beside it. So it
// counts even where something else has written to the same output before, such as what
// a shell reads when it starts.

// lost is what is said in the place of a hook that has not answered.
const lost = `sayso: the hook did not answer; install sayso, or see sayso doctor`

// first stands before the command that runs the hook. A Go program that is told to use one
// processor starts an eighth sooner, and this one has no use for more.
const first = "GOMAXPROCS=1 "

// between stands behind the command that runs the hook.
const between = `); case $?$a in `

// answers are the form of what an agent is answered before a tool runs.
type answers struct {
	start  string // up to the word that counts
	reason string // from there to the reason
	end    string // behind the reason
	quiet  bool   // no answer lets it go on
	hears  bool   // it tells its model what is on standard error
	errs   bool   // it reads the reason for a no only there
	status bool   // nothing but the exit status is an answer
}

// orGoOn is behind a command that only tells something, whose agent would stop
// altogether if it could not be run: the next call is blocked, and says why.
const orGoOn = " || :"

// earlier is what stood behind commands before their answers were looked at.
const earlier = " || { echo 'sayso: the hook did not answer; install sayso, or see sayso doctor' >&2; exit 2; }"

// opening is the start of the line, up to the command that runs the hook.
func (f *answers) opening() string {
	if f.status {
		return `a=$(`
	}
	return `s='` + f.start + `'; a=$(`
}

// check is the rest of the line, which looks at the answer.
func (f *answers) check(observe bool) string {
	no, none := `printf %s "$a"`, `echo '`+lost+`' >&2`
	if f.errs {
		no = `a=${a#*'` + f.reason + `'}; printf '%s\n' "${a%` + strings.Repeat("?", len(f.end)) + `}" >&2`
	}
	if f.status {
		text := `0) ;; 2) exit 2;; `
		if !observe {
			text += `*) ` + none + `; exit 2;; `
		}
		return text + `esac`
	}
	if !f.hears {
		none += `; printf %s "$s"'deny` + f.reason + lost + f.end + `'`
	}
	text := `[02]"$s"deny\"*\}) ` + no + `; exit 2;; 0"$s"*\}`
	if f.quiet || observe {
		text += `|0`
	}
	text += `) printf %s "$a";; `
	if observe { // only what the hook itself says counts
		return text + `2*) exit 2;; esac`
	}
	return text + `*) ` + none + `; exit 2;; esac`
}

// line is the command for an event.
func (a *Agent) line(call Call, event string) string {
	text := Word(call.Program) + " " + a.Name
	if a.named {
		text += " " + event
	}
	if call.Observe {
		text += " --observe"
	}
	switch decides := slices.Contains(a.Decisive(), event); {
	case runtime.GOOS == "windows":
	case a.Open && decides:
		text = a.answers.opening() + first + text + between + a.answers.check(call.Observe)
		if a.anyShell {
			text = sh + quote(text)
		}
	case a.stops && !decides && !call.Observe:
		text += orGoOn
	}
	return text
}

// sh runs a line where the agent would give it to the shell that its user likes.
const sh = "/bin/sh -c "

// closed reports whether a command blocks if the hook is lost.
func (a *Agent) closed(text string) bool {
	return !a.Open || strings.HasSuffix(inner(text), between+a.answers.check(false))
}

// Tried is what came of a line that an agent would run.
type Tried struct {
	Out, Errs string
	Status    int
}

// Lost reports whether it says that the hook has not answered.
func (t Tried) Lost() bool { return t.Status == 2 && strings.Contains(t.Errs, lost) }

// Without is the line of a hook whose program is not there, to see what comes of that.
func (h Hook) Without() string {
	call, _ := ParseCall(h.Command) // else nothing is replaced
	return strings.Replace(inner(h.Command), Word(call.Program), "/nonexistent/sayso-hook", 1)
}

// inner is a line without the shell that runs it.
func inner(text string) string {
	if quoted, ok := strings.CutPrefix(text, sh); ok {
		return unquote(quoted)
	}
	return text
}

// command is how a hook is called: the program, maybe the verb, the agent, the event
// and options.
var command = regexp.MustCompile(`^(.*?)( hook)? ([a-z]+)(?: ([A-Za-z.]+))?( --observe)?$`)

// A Call is a command that runs the hook of sayso.
type Call struct {
	Program, Agent, Event string
	Observe               bool
}

// ParseCall reads a command; ok is false if it does not run the hook of sayso.
func ParseCall(text string) (c Call, ok bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(inner(text), earlier), orGoOn)
	if start, rest, ok := strings.Cut(text, "a=$("); ok && (start == "" || strings.HasPrefix(start, "s='{")) {
		text = strings.TrimPrefix(rest[:max(0, strings.LastIndex(rest, between))], first)
	}
	m := command.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return c, false
	}
	c = Call{Program: unquote(m[1]), Agent: m[3], Event: m[4], Observe: m[5] != ""}
	want := "sayso-hook"
	if m[2] != "" {
		want = "sayso"
	}
	return c, programName(c.Program) == want
}

func unquote(path string) string {
	path = strings.TrimSpace(path)
	if quoted, ok := strings.CutPrefix(path, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), `'\''`, "'")
	}
	return strings.Trim(path, `"`)
}

// programName is the last part of the path of a program.
func programName(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".exe")
}

// Word writes a path so that a shell takes it for one word.
func Word(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@%:", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return quote(path)
}

// quote writes a text so that a shell takes it as it is.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
