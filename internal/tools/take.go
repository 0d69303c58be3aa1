package tools

import (
	"strconv"
	"strings"
	"time"
)

// take reads the value of a key.
func (r *reader) take(key string, k kind, n node) {
	what := k & kindMask
	if n.kind == 'n' && what != kIgnore {
		r.fail(key, "null")
		return
	}
	switch what {
	case kIgnore:
	case kMillis, kSeconds:
		r.limit(key, what, n)
	case kBackground:
		r.in.Background = r.flag(key, n) || r.in.Background
	case kEscalate:
		r.in.Escalated = truthy(n) || r.in.Escalated
	case kArgv:
		if n.kind == '[' {
			r.once(key, kCommand)
			r.in.Argv = r.list(key, n)
			if len(r.in.Argv) == 0 {
				r.fail(key, "empty")
			}
			return
		}
		r.text(key, kCommand, n)
	case kArgs:
		r.args = append([]string{}, r.list(key, n)...)
	case kLoose:
		if n = unpacked(n); n.kind != '{' {
			r.fail(key, "not an object")
		}
		r.loose(key+".", n)
	default:
		if k&many != 0 {
			n = unpacked(n)
		}
		if n.kind == '[' && k&many != 0 {
			for _, kid := range n.kids {
				r.text(key, k, kid)
			}
			return
		}
		r.text(key, k, n)
	}
}

// unpacked returns the list or object that is in a string: Cline sends them so, and
// other agents take them so.
func unpacked(n node) node {
	if n.kind != '"' || n.text == "" || n.text[0] != '[' && n.text[0] != '{' {
		return n
	}
	inner, err := parse(n.text)
	if err != nil {
		return n
	}
	return inner
}

// text reads a value that is a string.
func (r *reader) text(key string, k kind, n node) {
	if n.kind != '"' {
		r.fail(key, "not a string")
		return
	}
	what, s := k&kindMask, n.text
	if a, ok := k.access(); ok {
		if s != "" || k&must != 0 { // an empty one that need not be is none
			r.path(key, s, a)
		}
		return
	}
	switch what {
	case kText:
		r.in.Text = join(r.in.Text, s)
		switch {
		case k&inLua != 0:
			r.in.Programs = []string{"lua -e"}
		case k&inNode != 0:
			r.in.Programs = []string{"node -e"}
		}
	case kNote:
		r.in.Description = join(r.in.Description, s)
	case kPattern:
		r.in.Pattern = join(r.in.Pattern, s)
	case kAsync:
		r.in.Background = s == "async" || s == "background" || r.in.Background
	case kSandbox:
		r.in.Escalated = s != "use_default" || r.in.Escalated
	case kProse:
		r.in.URLs = append(r.in.URLs, urlsIn(s)...)
	case kURL:
		r.url(key, s, Reads)
	case kCommand, kTyped:
		r.command(key, k, s)
	case kFilter:
		r.filters = append(r.filters, s)
	case kVerb:
		r.looks = s == "view"
	case kGlob, kReadGlob:
		r.in.Pattern = join(r.in.Pattern, s)
		r.globs = append(r.globs, glob{r.plain(key, s), what == kReadGlob})
	case kDir:
		if s != "" {
			r.once(key, what)
			r.in.Dir = r.plain(key, s)
		}
	case kPatch:
		r.once(key, what)
		r.in.Patch = s
	case kServer:
		r.once(key, what)
		r.in.Server = r.plain(key, s)
	case kTool:
		r.once(key, what)
		r.in.Tool = r.plain(key, s)
	}
}

// command reads a command line.
func (r *reader) command(key string, k kind, s string) {
	if k&many == 0 {
		r.once(key, kCommand)
	}
	switch {
	case strings.IndexByte(s, 0) >= 0:
		r.fail(key, "holds a NUL")
	case k&kindMask == kCommand && strings.TrimSpace(s) == "":
		r.fail(key, "empty")
	case s != "":
		r.in.Commands = append(r.in.Commands, s)
		r.in.PowerShell = r.in.PowerShell || k&forPowerShell != 0
	}
}

// once makes sure that only one key says what there can be only one of: we
// cannot know which one the agent would take.
func (r *reader) once(key string, what kind) {
	bit := uint64(1) << (what & kindMask)
	if r.taken&bit != 0 {
		r.fail(key, "another key says the same")
	}
	r.taken |= bit
}

// plain makes sure that s is a name of something.
func (r *reader) plain(key, s string) string {
	switch {
	case s == "":
		r.fail(key, "empty")
	case strings.IndexByte(s, 0) >= 0:
		r.fail(key, "holds a NUL")
	}
	return s
}

func (r *reader) path(key, s string, a Access) {
	r.in.Paths = append(r.in.Paths, Path{Path: r.plain(key, s), Access: a})
}

// list reads a list of strings.
func (r *reader) list(key string, n node) []string {
	if n.kind != '[' {
		r.fail(key, "not a list")
		return nil
	}
	out := make([]string, 0, len(n.kids))
	for _, kid := range n.kids {
		if kid.kind != '"' || strings.IndexByte(kid.text, 0) >= 0 {
			r.fail(key, "not a list of strings")
			return nil
		}
		out = append(out, kid.text)
	}
	return out
}

// flag reads true or false; Cline sends them as text.
func (r *reader) flag(key string, n node) bool {
	switch {
	case n.kind == 't', n.kind == '"' && n.text == "true":
		return true
	case n.kind != 'f' && (n.kind != '"' || n.text != "false"):
		r.fail(key, "not true or false")
	}
	return false
}

// truthy reports whether n asks for something at all.
func truthy(n node) bool {
	switch n.kind {
	case 'f':
		return false
	case '"':
		return n.text != "" && n.text != "false"
	case '{', '[':
		return len(n.kids) > 0
	}
	return true
}

// limit reads a time limit.
func (r *reader) limit(key string, unit kind, n node) {
	if n.kind != '0' && n.kind != '"' {
		r.fail(key, "not a number")
		return
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		r.fail(key, "not a time")
		return
	}
	if unit == kSeconds {
		f *= 1000
	}
	r.in.Timeout = time.Duration(f * float64(time.Millisecond))
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
