package sayso

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// ecosystems are the programs that add or run packages of one registry under the
// same names.
var ecosystems = map[string]string{
	"npm": "npm", "npx": "npm", "yarn": "npm", "pnpm": "npm", "pnpx": "npm", "bun": "npm", "bunx": "npm", "ni": "npm", "nlx": "npm",
	"pip": "pypi", "pip3": "pypi", "pipx": "pypi", "uv": "pypi", "uvx": "pypi", "poetry": "pypi", "pdm": "pypi", "pipenv": "pypi", "rye": "pypi", "hatch": "pypi",
	"python": "pypi", "python3": "pypi", "gem": "gem", "bundle": "gem", "bundler": "gem", "apt": "deb", "apt-get": "deb", "aptitude": "deb",
	"dnf": "rpm", "yum": "rpm", "microdnf": "rpm",
}

// packages are what a part adds to the project, or fetches to run it, with the
// registry in front: npm:left-pad. What is there already is not among them.
func (p *Part) packages() []string {
	if p.Command == nil || !slices.Contains(p.Hosts, shell.Registries) && p.Effects&shell.Installs == 0 {
		return nil
	}
	words := p.Command.Words()
	registry, ok := ecosystems[words.Name]
	if !ok {
		registry = words.Name
	}
	var out []string
	add := func(word string) {
		if name := packageName(word); name != "" {
			out = append(out, registry+":"+name)
		}
	}
	for _, a := range words.Operands {
		if !a.Unknown {
			add(a.Text)
		}
	}
	for _, sub := range words.Subs { // npx @scope/name
		if strings.HasPrefix(sub, "@") {
			add(sub)
		}
	}
	for i := range words.Options {
		if o := &words.Options[i]; o.Is("--package") || o.Is("--from") || o.Is("--with") {
			add(o.Value)
		}
	}
	return out
}

// packageName is a package without its version and its extras; empty for what is
// no name.
func packageName(word string) string {
	name := strings.ToLower(word)
	if i := strings.IndexAny(name, "=<>~!;[ "); i >= 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	if name == "" || strings.ContainsAny(name[:1], "./-~") {
		return ""
	}
	return name
}
