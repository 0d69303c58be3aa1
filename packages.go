package sayso

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell"
)

// ecosystems are the programs that add or run packages of one registry under the
// same names.
var ecosystems = [...]struct {
	registry string
	programs []string
}{
	{"npm", []string{"npm", "npx", "yarn", "pnpm", "pnpx", "bun", "bunx", "ni", "nlx"}},
	{"pypi", []string{"pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "pipenv", "rye", "hatch", "python", "python3"}},
	{"gem", []string{"gem", "bundle", "bundler"}},
	{"deb", []string{"apt", "apt-get", "aptitude"}},
	{"rpm", []string{"dnf", "yum", "microdnf"}},
}

// registryOf is where a program has its packages from: its own name, where no
// other has them from there.
func registryOf(program string) string {
	for i := range ecosystems {
		if slices.Contains(ecosystems[i].programs, program) {
			return ecosystems[i].registry
		}
	}
	return program
}

// packages are what a part adds to the project, or fetches to run it, with the
// registry in front: npm:left-pad. What is there already is not among them.
func (p *Part) packages() []string {
	if p.Command == nil || !slices.Contains(p.Hosts, shell.Registries) && p.Effects&shell.Installs == 0 {
		return nil
	}
	words := p.Command.Words()
	registry := registryOf(words.Name)
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
