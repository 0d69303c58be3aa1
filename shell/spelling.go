package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

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
	if suspicious(strings.TrimLeft(name, "-")) {
		p.r.strange = name
	}
}

// suspicious reports whether the name of an option that no table has sounds
// like one that does more than show something.
func suspicious(name string) bool {
	for i := range table.KeysUnlisted.All() {
		if e := &table.KeysUnlisted.All()[i]; matchAny(e.Names, name) {
			return e.Do != nil
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
