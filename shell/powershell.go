package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// SameInPowerShell reports whether PowerShell reads a text as a shell does: plain
// words in quotes or without, and what separates commands. Nothing is expanded in
// it, and nothing escaped.
func SameInPowerShell(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" ./-_=:+^~\"';|\n", c) >= 0:
		case c == '&' && i+1 < len(text) && text[i+1] == '&':
			i++
		default:
			return false
		}
	}
	return !strings.Contains(text, "--%")
}

// powershell follows a text for PowerShell: as a script where it is one of programs
// that are known, and a shell would read the same.
func (v *visit) powershell(a Arg) {
	if !a.Unknown && SameInPowerShell(a.Text) && knownPrograms(a.Text) {
		v.follow(a)
		return
	}
	if v.c.Risk <= Dangerous {
		v.c.opaque("PowerShell is searched, not understood")
	}
}

// encoded notes that PowerShell is given its program in a form that nobody can read.
func (v *visit) encoded() {
	if v.r.given("-EncodedCommand") != nil && v.r.given("-Command") == nil && (v.r.name == "pwsh" || strings.HasPrefix(v.r.name, "powershell")) {
		v.c.Runs = max(v.c.Runs, Decoded)
	}
}

// knownPrograms reports whether every command of a plain text is one of a program
// that the tables know.
func knownPrograms(text string) bool {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";|&\n", r) }) {
		words := strings.Fields(part)
		if len(words) > 0 && table.Find(baseName(strings.Trim(words[0], "\"'"))) == nil {
			return false
		}
	}
	return true
}
