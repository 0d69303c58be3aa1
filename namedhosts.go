package sayso

import (
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// maxNamed is how many names of hosts are taken out of the words of a command.
const maxNamed = 32

// namedHosts are the names in the words of a command that may be hosts, where it
// talks to others and nobody knows to whom: no table knows every program. Rules
// that deny or ask count for them. A text with blanks is a message, of which only
// addresses count.
func namedHosts(c *shell.Command) []string {
	if c.Effects&(shell.Network|shell.System) == 0 && !c.Unknown {
		return nil
	}
	for _, h := range c.Hosts {
		if h != shell.External && h != shell.Registries && h != shell.Remotes {
			return nil
		}
	}
	var out []string
	for i := 1; i < len(c.Args); i++ {
		text := strings.ToLower(c.Args[i].Text)
		if strings.ContainsAny(text, " \t\n") {
			_, address, _ := strings.Cut(text, "://")
			text, _, _ = strings.Cut(address, "/")
		}
		for _, name := range strings.FieldsFunc(text, outsideHost) {
			if strings.IndexByte(name, '.') > 0 && len(out) < maxNamed {
				out = append(out, strings.TrimSuffix(name, "."))
			}
		}
	}
	return out
}

// outsideHost reports whether a character cannot stand in the name of a host.
func outsideHost(r rune) bool {
	return r != '.' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
}
