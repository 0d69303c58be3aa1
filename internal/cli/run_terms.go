package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/shell"
)

// grace is how long a command has to end by itself.
const grace = 2 * time.Second

// networks are the words for networks; the empty one leaves it to the analysis.
var networks = map[string]sayso.Network{"": "", "none": sayso.NetworkNone, "loopback": sayso.NetworkLoopback, "hosts": sayso.NetworkHosts, "all": sayso.NetworkAll}

// guardedHere is what nobody inside may change or make in a workspace: it runs by
// itself later, or says what agents may do.
var guardedHere = []string{".git/hooks", ".git/config", ".env", ".mcp.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode"}

// barredHere is the same for names without end: nothing can hold the place of each, and
// so what was made is put aside.
var barredHere = []string{".env*", ".sayso.yaml", ".sayso"}

// barredBelow is what nobody may change or make in any folder, in the same way: with
// empty folders in place of what is not there, a workspace would be full of them.
var barredBelow = []string{".env*", ".sayso.yaml", ".sayso", ".git/hooks", ".git/config", ".git/commondir", ".mcp.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode"}

// templates are files with such a name that no tool reads, and that are in most
// repositories: to bar them would end a git checkout.
var templates = []string{".env*example", ".env*sample", ".env*template", ".env*tmpl", ".env*dist", ".env*defaults"}

// skippedBelow are folders that tools fill with what others have written, or with what
// they can make again: they hold most of the folders of a workspace, what is in them is
// replaced as a whole, and nobody keeps settings of their own there. In .git nothing is
// looked for but what is named.
var skippedBelow = []string{
	".git", "node_modules", "bower_components", "jspm_packages", ".yarn", ".pnpm-store", ".next", ".nuxt", ".turbo", ".parcel-cache",
	".venv", "venv", "site-packages", "__pycache__", "__pypackages__", ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache",
	"vendor", "target", ".gradle", ".m2", ".bundle", "Pods", "Carthage", "DerivedData", ".build", "_build", "deps", ".stack-work", "dist-newstyle", ".terraform", ".cache",
}

// guardedThere is what nobody may change where it is there, either; what is made under
// such a name is only told, because tools that people use make it.
var guardedThere = []string{
	".idea", ".husky", ".githooks", ".devcontainer", ".agents", ".opencode", "opencode.json", "opencode.jsonc", ".github/hooks", ".windsurf", "crush.json", ".crush.json", ".git/config.worktree", ".git/info/attributes",
	".git/modules/*/hooks", ".git/modules/*/config", ".git/modules/*/*/hooks", ".git/modules/*/*/config", ".git/worktrees/*/config.worktree",
}

// toldBelow is what is told in the same way of a repository in any folder. What is there
// of it is found with the repository.
var toldBelow = []string{".git/config.worktree", ".git/info/attributes", ".git/worktrees/*/config.worktree"}

// inherited are the variables that commands get, if they are set.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "EDITOR", "PAGER", "CI",
	"GO*", "CGO_*", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "PKG_CONFIG_PATH", "NODE_ENV", "NODE_PATH", "NVM_DIR", "PYTHON*", "VIRTUAL_ENV", "PYENV_*",
	"JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTFLAGS", "GEM_HOME", "RBENV_*", "DEBIAN_FRONTEND", "SOURCE_DATE_EPOCH",
}

// terms are what the contract of a run has beside what the analysis says.
type terms struct {
	o         *runOptions
	write     []string // further folders
	listed    []string // hosts of the policy; nil: it lists none
	home      string
	files     string // read-only, workspace-write or unconfined
	required  bool
	protected []string // files of sayso itself, wherever they are
	hidden    []string // those of them that others must not even lock
	scratch   []string
	env       map[string]string
	sight     *sandbox.Lookout // knows which repositories there are; nil: it is looked
}

// terms reads the policy and the options.
func (o *runOptions) terms(policy *loaded, home string) (*terms, error) {
	t := &terms{o: o, home: local.Real(home), files: policy.Sandbox.Files, listed: policy.Sandbox.Hosts, required: true, env: map[string]string{}}
	if r := policy.Sandbox.Required; r != nil {
		t.required = *r
	}
	if policy.Sandbox.Hosts != nil && o.network == "all" {
		return nil, &usageError{"--network all: the policy names the hosts that can be reached", "sandbox.hosts in a policy file lists them"}
	}
	for _, host := range o.hosts {
		switch {
		case o.network != "" && o.network != "hosts":
			return nil, &usageError{"--host wants --network hosts, or none", "without --network it is that"}
		case t.listed != nil && !slices.Contains(t.listed, host):
			return nil, &usageError{"--host " + host + ": the policy names the hosts that can be reached", "sandbox.hosts in a policy file lists them"}
		}
	}
	for _, dir := range o.write {
		abs, err := filepath.Abs(dir)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return nil, &usageError{"--write: there is no folder " + dir, "make it first, or name another one"}
		}
		if t.files == "read-only" {
			return nil, &usageError{"--write: the policy lets commands write nothing", "sandbox.files in a policy file says read-only"}
		}
		if holdsHome(abs, home) {
			return nil, &usageError{"--write: " + abs + " holds your home folder, and with it what runs when you log in", "name a folder in it"}
		}
		t.write = append(t.write, abs)
	}
	for _, file := range local.Guarded(places("", home).Files()) {
		if name := strings.TrimSuffix(file, "/**"); filepath.IsAbs(name) {
			t.protected = append(t.protected, local.Real(name))
		}
	}
	if state := stateFolder(); state != "" {
		t.hidden = []string{local.Real(state)}
	}
	if search := os.Getenv("PATH"); withoutGuard(search) != search {
		t.env["PATH"] = withoutGuard(search)
	}
	t.caches(home)
	return t, nil
}

// caches are the folders in which tools keep what they can make again. What is
// written there is gone at the end: nobody inside prepares what others use later.
func (t *terms) caches(home string) {
	cache, err := os.UserCacheDir()
	if err != nil || !isDir(cache) {
		t.env["XDG_CACHE_HOME"] = "/tmp/cache"
	}
	if home != "" && !isDir(filepath.Join(home, ".npm")) {
		t.env["npm_config_cache"] = "/tmp/npm"
	}
	list := []string{cache, os.Getenv("GOCACHE"), os.Getenv("GOMODCACHE")}
	if home != "" {
		for _, name := range []string{".npm", "go/pkg", ".cargo/registry", ".m2/repository", ".gradle"} {
			list = append(list, filepath.Join(home, name))
		}
	}
	for _, dir := range list {
		if filepath.IsAbs(dir) && isDir(dir) {
			t.scratch = append(t.scratch, local.Real(dir))
		}
	}
}

// holdsHome reports whether a folder is the home folder or above it: that is no
// workspace, and what is there runs by itself later.
func holdsHome(dir, home string) bool {
	home = local.Real(home)
	return dir == "/" || dir == home || home != "" && strings.HasPrefix(home, strings.TrimSuffix(dir, "/")+"/")
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// of makes the contract of a run of what the analysis says.
func (t *terms) of(c sayso.Contract) sayso.Contract {
	o := t.o
	c.Input, c.Argv, c.Script, c.Shell = nil, o.argv, o.script, o.shell
	c.Timeout, c.Grace, c.Output, c.CPU, c.Memory, c.Procs = o.timeout, grace, o.output, o.cpu, o.memory, o.processes
	c.Required, c.Env, c.Inherit, c.Scratch = t.required, t.env, inherited, t.scratch
	c.Hidden = t.hidden
	t.folders(&c)
	if n := networks[o.network]; o.network != "" && n != sayso.NetworkHosts {
		c.Network, c.Hosts = n, nil
	} else {
		c.Network, c.Hosts = t.hosts(&c)
	}
	return c
}

// folders are those that can be written, and what is guarded in them.
func (t *terms) folders(c *sayso.Contract) {
	if t.files == "read-only" {
		c.Write, c.Protected, c.Barred, c.Watched, c.Skipped = nil, nil, nil, nil, nil
		t.o.guard.Store(nil)
		return
	}
	roots := slices.Clone(t.write)
	for _, dir := range c.Write {
		if dir = local.Real(dir); isDir(dir) && !holdsHome(dir, t.home) {
			roots = append(roots, dir)
		}
	}
	for _, root := range slices.Clone(roots) {
		if common := commonDir(root); common != "" && !holdsHome(common, t.home) {
			roots = append(roots, common)
		}
	}
	c.Write, c.Protected, c.Skipped = roots, protectedIn(roots, t.protected), skippedBelow
	c.Barred, c.Watched = patternsIn(roots, below(barredBelow)), patternsIn(roots, slices.Concat(below(templates), guardedThere, below(toldBelow)))
	known := *c
	guard := gitGuards(&known, t.home, t.sight)
	t.o.guard.Store(guard)
	c.Protected = slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.Protected, guard.held))))
	c.Barred, c.Watched = append(c.Barred, guard.barred...), append(c.Watched, guard.watched...)
	if t.files == "unconfined" {
		c.Write = []string{"/"}
	}
}

// protectedIn is what cannot be changed in folders that can be written.
func protectedIn(roots, own []string) []string {
	var out []string
	for _, root := range roots {
		if isCommon(root) {
			out = append(out, filepath.Join(root, "hooks"), filepath.Join(root, "config"))
			out = append(out, there(filepath.Dir(root))...)
			continue
		}
		for _, name := range guardedHere {
			out = append(out, filepath.Join(root, name))
		}
		out = append(out, there(root)...)
		for _, name := range own {
			if strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/") {
				if _, err := os.Lstat(name); err == nil {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// there is what is guarded in a folder because it is there.
func there(root string) (out []string) {
	for _, pattern := range slices.Concat(barredHere, guardedThere) {
		found, _ := filepath.Glob(filepath.Join(quoteGlob(root), pattern)) // the patterns are ours
		out = append(out, found...)
	}
	return out
}

// below are names in any folder.
func below(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "**/" + name
	}
	return out
}

// patternsIn are patterns for all folders that can be written.
func patternsIn(roots, patterns []string) (out []string) {
	for _, root := range roots {
		common := isCommon(root)
		for _, pattern := range patterns {
			if inGit, ok := strings.CutPrefix(pattern, ".git/"); common && ok {
				out = append(out, filepath.Join(quoteGlob(root), inGit))
			} else if !common {
				out = append(out, filepath.Join(quoteGlob(root), pattern))
			}
		}
	}
	return out
}

// isCommon reports whether a folder is a repository that a worktree belongs to.
func isCommon(root string) bool {
	_, err := os.Stat(filepath.Join(root, "objects"))
	return err == nil && filepath.Base(root) == ".git"
}

// commonDir is where the repository of a worktree is, which is elsewhere; empty: the
// folder is no worktree. A file that only says so is not believed: what it names must
// name it, too.
func commonDir(root string) string {
	read := func(elem ...string) string {
		text, err := local.Machine{}.ReadFile(filepath.Join(elem...), 4<<10)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	dir, ok := strings.CutPrefix(read(root, ".git"), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	dir = local.Real(dir)
	common := filepath.Dir(filepath.Dir(dir))
	back := read(dir, "gitdir")
	if !filepath.IsAbs(back) {
		back = filepath.Join(dir, back)
	}
	if filepath.Base(filepath.Dir(dir)) != "worktrees" || filepath.Base(common) != ".git" || local.Real(back) != filepath.Join(root, ".git") || !isDir(filepath.Join(common, "objects")) {
		return ""
	}
	return common
}

// quoteGlob writes a path so that nothing in it is a pattern.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// commandLine writes words as a shell reads them back, with quotes where they are
// needed: the analysis reads a command as a shell does, and what runs is the words.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,") != "" || i == 0 && (strings.Contains(w, "=") || slices.Contains(reserved, w)) {
			words[i] = shell.Quote([]string{w})
		}
	}
	return strings.Join(words, " ")
}

// reserved are words that a shell does not take for commands.
var reserved = []string{"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "function", "time", "select", "coproc"}

// commandInput is what an agent would send.
func commandInput(line string) json.RawMessage {
	input, _ := json.Marshal(map[string]string{"command": line}) // a string can be written
	return input
}

// held is a report in a line.
func held(r sandbox.Report) string {
	if r.Enforced() {
		return "enforced"
	}
	var not []string
	for _, l := range r {
		if l.State == sandbox.NotEnforced {
			not = append(not, l.Promise)
		}
	}
	return "not enforced: " + strings.Join(not, ", ")
}

// exists reports whether there is such a command at all: nobody is asked about a
// name that was not typed right. What a shell runs is its own to find.
func (o *runOptions) exists(dir string) bool {
	if len(o.argv) == 0 {
		return true
	}
	name, folders := o.argv[0], filepath.SplitList(withoutGuard(os.Getenv("PATH")))
	if strings.Contains(name, "/") {
		folders = []string{""}
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		file := filepath.Join(folder, name)
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		_, err := os.Stat(file)
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// sizeOption reads a number of bytes.
func sizeOption(into *int64) func(string) error {
	return func(text string) error {
		digits, shift := text, 0
		for i, unit := range []string{"K", "M", "G"} {
			if rest, ok := strings.CutSuffix(strings.ToUpper(text), unit); ok {
				digits, shift = rest, 10*(i+1)
			}
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n > math.MaxInt64>>shift || n < 0 {
			return errors.New("it is no number of bytes: such as 4096, 64K, 512M or 2G")
		}
		*into = n << shift
		return nil
	}
}
