package shell

import "strings"

func isFalse(s string) bool {
	switch strings.ToLower(s) {
	case "false", "f", "0", "no", "n", "off":
		return true
	}
	return false
}

// unknown notes an option that no table has, if its name sounds like one that
// does more than show something.
func (p *optionParser) unknown(name string) {
	if _, _, ok := p.r.beforeCommand(); ok && len(p.r.subs) == 0 {
		p.r.hides = name // it may take the next word, and then the command starts later
	}
	p.r.others = append(p.r.others, name)
	if p.r.strange != "" {
		return
	}
	bare := strings.TrimLeft(name, "-")
	if bare == "o" || len(bare) > 1 && suspicious(bare) {
		p.r.strange = name
	}
}

// suspiciousParts make an option suspicious wherever they stand in its name,
// suspiciousWords only if they are all of it.
var (
	suspiciousParts = [...]string{
		"output", "outfile", "write", "exec", "command", "cmd", "plugin", "hook", "save", "dump", "delete", "remove", "force",
		"upload", "install", "upgrade", "in-place", "inplace", "eval", "program", "kill", "reset", "purge", "prune",
		"publish", "destroy", "agent", "unset", "preload",
	}
	suspiciousWords = [...]string{
		"out", "shell", "script", "pre", "edit", "send", "post", "update", "fix", "apply", "config", "run", "load", "import",
		"clear", "clean", "push", "create", "set", "require", "rc",
	}
)

func suspicious(name string) bool {
	if strings.HasPrefix(name, "no-") {
		return false
	}
	for _, part := range suspiciousParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	for _, word := range suspiciousWords {
		if name == word || strings.HasPrefix(name, word) && name[len(word)] == '-' {
			return true
		}
	}
	return false
}

func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && isName(name)
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}
