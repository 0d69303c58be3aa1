package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/shell"
)

// serverEnv is the environment of a server: without variables that load other code
// into it than what is trusted, and that nobody has named. The configuration that
// starts a gateway, which may come with a repository, can set any.
func serverEnv(env, named []string, root string, dropped func(name string)) []string {
	var out []string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case slices.Contains(named, name):
		case name == "PATH":
			variable = name + "=" + outside(value, root)
		case loadsCode(variable):
			dropped(name)
			continue
		}
		out = append(out, variable)
	}
	return out
}

// outside is a search path without folders of the workspace.
func outside(path, root string) string {
	folders := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) || inside(dir, root) })
	return strings.Join(folders, string(filepath.ListSeparator))
}

// inside reports whether a file is in the workspace, by its name or in truth.
func inside(name, root string) bool {
	return slices.ContainsFunc([]string{name, local.Real(name)}, func(name string) bool {
		rel, err := filepath.Rel(root, name)
		return err == nil && filepath.IsLocal(rel)
	})
}

// loadsCode reports whether a variable has programs run other code: as the analysis
// of commands knows it.
func loadsCode(variable string) bool {
	a, err := shell.Analyze(shell.Quote([]string{"env", variable, "true"}), shell.Place{Dir: "/", Home: "/"})
	if err != nil {
		return true
	}
	return slices.ContainsFunc(a.Commands, func(c shell.Command) bool { return c.Effects&shell.Executes != 0 && c.Risk < shell.Moderate })
}

// foundOutside says what is wrong with where a program is found that is named without
// its folder: in the workspace, a repository has put it there.
func foundOutside(program, root string) error {
	if strings.ContainsRune(program, filepath.Separator) {
		return nil // that place is what is trusted
	}
	found, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	if found, err = filepath.Abs(found); err != nil {
		return err
	}
	if inside(found, root) {
		return fmt.Errorf("%s is found in the workspace, at %s; trust it by that name if you mean it", program, found)
	}
	return nil
}
