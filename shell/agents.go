package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// agentVariables judges the variables that an AI agent is started with: they may
// switch its questions off, or lead it to other settings than those that guard it.
func (v *visit) agentVariables() {
	if v.traits()&table.IsAgent == 0 {
		return
	}
	for i := range v.st.vars {
		if one := &v.st.vars[i]; one.exported && len(one.value) == 1 {
			v.agentVariable(one.name, one.value[0])
		}
	}
}

func (v *visit) agentVariable(name string, value Arg) {
	text := v.w.inHome(value.Text)
	for i := range table.KeysAgentEnvironment.All() {
		e := &table.KeysAgentEnvironment.All()[i]
		for _, pattern := range e.Names {
			wanted, _, _ := strings.Cut(pattern, "=")
			if !matchWord(pattern, name+"="+text) && !(value.Unknown && e.Do != nil && matchWord(wanted, name)) {
				continue
			}
			if e.Do != nil {
				v.apply(e.Do)
			}
			return
		}
	}
}

// hides notes that a program does not get a variable which tells that an agent
// runs it.
func (w *walker) hides(c *Command, name string) {
	for i := range table.KeysEnvironment.All() {
		e := &table.KeysEnvironment.All()[i]
		if slices.Contains(e.Names, "CLAUDECODE") && matchAny(e.Names, name) && e.Do != nil {
			c.doubt(Moderate, e.Do.Opaque)
		}
	}
}

// inHome writes a path in the home folder with ~, as the tables do.
func (w *walker) inHome(p string) string {
	if home := w.at.Home; home != "" && strings.HasPrefix(p, "/") {
		if rest, ok := strings.CutPrefix(clean(p), home); ok && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return p
}
