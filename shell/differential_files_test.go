//go:build linux

package shell_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// This file compares the files that scripts create, change and remove with the
// paths that the analysis named. A change is covered only by
//
//   - a path with the right access (write for what is created or changed,
//     change or write if only mode and times differ, delete for what is
//     removed) that is the same file, also through links of the workspace;
//   - such a path that is recursive and above it;
//   - such a path that is a pattern: the file is below the folders that the
//     pattern writes out, and its name matches the pattern's last part; the
//     XXXX of mktemp is a pattern, too;
//   - what mv moves to a path or into a folder that it is given: the same name
//     below a source must have been there before. With a Machine the analysis
//     says so itself;
//   - a folder that is moved or removed as a whole;
//   - a path below it, if it is a folder: mkdir -p makes it, rmdir -p removes it;
//   - the working folder of a command that runs no command which is reported
//     itself, and either runs code or is a git that names no file;
//   - the folder .git of the repository in which a git command works;
//   - a command that is opaque, or a path that cannot be known. Scripts that
//     need this are counted.
//
// What the kernel saw and no snapshot shows (a file written without a change,
// or created and removed again) has to be covered too, by a path of any of
// these accesses; files that are gone at the end may also stand next to one,
// as the temporary files of sed -i do.

func TestDifferentialFiles(t *testing.T) {
	scripts := readScripts(t, "files-*.txt", fewestFiles)
	realTool(t, "strace")
	template := realTempDir(t)
	prepareFiles(t, template)
	blind, seeing := tally{name: "without a Machine"}, tally{name: "with a Machine"}
	t.Run("scripts", func(t *testing.T) {
		for _, s := range scripts {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				s.skipWithout(t)
				root := realTempDir(t)
				if out, err := exec.Command(realTool(t, "cp"), "-a", template+"/.", root).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				at := shell.Place{Dir: root + "/ws", Workspace: []string{root + "/ws"}, Home: root + "/home"}
				without := analyze(t, s.text, at)
				at.Machine = osMachine{}
				with := analyze(t, s.text, at)
				o := observe(t, root, s.text)
				worst, problems := o.judge(without, true)
				blind.settle(t, s, worst, problems)
				worst, problems = o.judge(with, false)
				seeing.settle(t, s, worst, problems)
			})
		}
	})
	blind.report(t)
	seeing.report(t)
}

// prepareFiles makes the folder that every script gets a copy of.
func prepareFiles(t *testing.T, root string) {
	t.Helper()
	writeFiles(t, root, map[string]string{
		"ws/a.txt": "alpha\nbeta\ngamma\n", "ws/b.txt": "one\ntwo\n", "ws/c.txt": "alpha\n", "ws/num.txt": "3\n1\n2\n1\n",
		"ws/data.csv": "id,name\n1,x\n2,y\n", "ws/with space.txt": "s\n", "ws/empty.txt": "", "ws/old.log": "log\n",
		"ws/x.tmp": "x\n", "ws/y.tmp": "y\n", "ws/dir/one.txt": "1\n", "ws/dir/two.txt": "2\n", "ws/dir/z.tmp": "z\n",
		"ws/dir/sub/three.txt": "3\n", "ws/out/.keep": "", "ws/list.txt": "x.tmp\ny.tmp\n",
		"ws/fix.patch":  "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n",
		"ws/run.sh":     "#!/bin/sh\necho run > made-by-run\n",
		"ws/Makefile":   "all:\n\techo built > built.txt\nclean:\n\trm -f *.tmp\n",
		"ws/repo/f.txt": "first\n", "ws/repo/g.txt": "second\n", "ws/repo/sub/h.txt": "third\n",
		"home/.gitconfig": "[user]\n\tname = t\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
		"home/h.txt":      "h\n", "tmp/.keep": "",
	})
	runScript(t, root, "PATH="+os.Getenv("PATH"), realTool(t, "bash"), "-ec", `
		chmod +x run.sh; mkdir empty; ln -s a.txt link; ln -s dir dirlink
		tar cf arch.tar dir; tar czf arch.tgz b.txt dir/sub; gzip -k old.log
		if command -v zip >/dev/null; then zip -qr arch.zip dir; fi
		cd repo; git init -q --template=; git add .; git commit -qm one; git branch side
		echo changed >> f.txt; git commit -qam two; echo dirty >> g.txt; echo new > untracked.txt`)
	if _, err := os.Stat(root + "/ws/repo/.git/index"); err != nil {
		t.Fatalf("the workspace could not be prepared: %v", err)
	}
}

// An observation is what a script really did.
type observation struct {
	root          string
	blind         bool // the analysis that is judged had no Machine
	before, after map[string]file
	seen          []touched
}

func observe(t *testing.T, root, script string) *observation {
	t.Helper()
	o := &observation{root: root, before: snapshot(t, root)}
	o.seen = trace(t, root, script)
	o.after = snapshot(t, root)
	if len(o.changes()) == 0 && len(o.touches()) == 0 {
		t.Errorf("%s\nchanges nothing and so tests nothing", script)
	}
	o.checkTrace(t)
	return o
}

// checkTrace makes sure that the trace is read well: what the snapshots show,
// the kernel must have seen, at least as a change of a folder above.
func (o *observation) checkTrace(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range o.touches() {
		seen[c.file] = true
	}
	for _, c := range o.changes() {
		name := c.file
		for !seen[name] && len(name) > len(o.root) {
			name = path.Dir(name)
		}
		if !seen[name] {
			t.Errorf("%s was %s, which strace did not see", c.file, c.what)
		}
	}
}

// A change is one difference, and the accesses of which one has to be named.
type change struct {
	file string
	what string
	need []shell.Access
}

func (o *observation) changes() []change {
	var out []change
	for name, f := range o.after {
		old, existed := o.before[name]
		switch {
		case !existed || old.content != f.content || old.mode.Type() != f.mode.Type():
			out = append(out, change{name, "written", []shell.Access{shell.Write}})
		case old != f:
			out = append(out, change{name, "mode or time changed", []shell.Access{shell.Write, shell.Change}})
		}
	}
	for name := range o.before {
		if _, ok := o.after[name]; !ok {
			out = append(out, change{name, "removed", []shell.Access{shell.Delete}})
		}
	}
	return sorted(out)
}

func sorted(list []change) []change {
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.file, b.file) })
	return list
}

// touches are the files that the kernel saw and that are not devices.
func (o *observation) touches() []change {
	links := o.links(true)
	found := map[string]change{}
	for _, s := range o.seen {
		if strings.HasPrefix(s.file, "/dev/") || strings.HasPrefix(s.file, "/proc/") || !path.IsAbs(s.file) {
			continue // a device, a pipe or a socket
		}
		name := path.Join(resolveLinks(path.Dir(s.file), links), path.Base(s.file))
		found[name] = change{name, "touched by " + s.call, []shell.Access{shell.Write, shell.Delete, shell.Change}}
	}
	return sorted(slices.Collect(maps.Values(found)))
}

// links are the links of the workspace: all, or those that the script made.
func (o *observation) links(all bool) map[string]string {
	out := map[string]string{}
	for _, snap := range []map[string]file{o.after, o.before} {
		for name, f := range snap {
			if _, old := o.before[name]; f.mode&fs.ModeSymlink != 0 && (all || !old) {
				out[name] = f.content
			}
		}
	}
	return out
}

func resolveLinks(name string, links map[string]string) string {
	for range 8 { // links may lead to links, but not for ever
		for link, target := range links {
			if rest, ok := strings.CutPrefix(name+"/", link+"/"); ok {
				if !path.IsAbs(target) {
					target = path.Join(path.Dir(link), target)
				}
				name = path.Join(target, rest)
				break
			}
		}
	}
	return name
}

func (o *observation) isDir(name string) bool {
	return o.before[name].mode.IsDir() || o.after[name].mode.IsDir()
}

// judge compares everything that happened with an analysis. Links that were
// there before are followed here only if the analysis could not see them.
func (o *observation) judge(a *shell.Analysis, followLinks bool) (verdict, []string) {
	o.blind = followLinks
	claims := o.claims(a, o.links(followLinks))
	worst := exact
	var problems []string
	for _, c := range append(o.changes(), o.touches()...) {
		v := o.covered(claims, c)
		if a.Opaque != "" {
			v = min(v, opaque)
		}
		if worst = max(worst, v); v == missed {
			problems = append(problems, fmt.Sprintf("%s: %s", c.file, c.what))
		}
	}
	if len(problems) > 0 {
		problems = append(problems, "reported:"+listCommands(a)+listClaims(claims))
	}
	return worst, problems
}

// A claim is a path that the analysis said is changed.
type claim struct {
	file   string
	access shell.Access
	any    bool // all accesses
	below  bool // and what is below
	glob   bool
	all    bool     // anything, because the command is opaque
	moved  []string // what is moved there or into it
}

var templateMark = regexp.MustCompile(`XXX+`)

func (o *observation) claims(a *shell.Analysis, links map[string]string) []claim {
	var out []claim
	for i := range a.Commands {
		cmd := &a.Commands[i]
		named, unknown := false, len(cmd.Opaque) > 0
		for _, p := range cmd.Paths {
			if p.Access < shell.Write {
				continue
			}
			named, unknown = true, unknown || p.Abs == ""
			names := []string{p.Abs, p.Real, resolveLinks(p.Abs, links)}
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				if name != "" {
					out = append(out, o.claim(cmd, &p, name))
				}
			}
		}
		if unknown {
			out = append(out, claim{all: true})
		}
		out = append(out, o.workingFolder(a, i, named, links)...)
	}
	return out
}

// claim is what naming a path means. A folder stands for what is in it if it is
// gone.
func (o *observation) claim(cmd *shell.Command, p *shell.Path, name string) claim {
	k := claim{file: name, access: p.Access, glob: p.Glob, below: p.Recursive}
	program := programOf(cmd)
	if _, remains := o.after[name]; p.Access == shell.Delete && !p.Glob {
		k.below = k.below || !remains
	}
	moves := program == "mv" || program == "git" && cmd.Args[1].Text == "mv"
	if moves && p.Access == shell.Write && o.blind {
		for _, from := range cmd.Paths {
			if from.Access == shell.Delete {
				k.moved = append(k.moved, from.Abs)
			}
		}
	}
	if program == "mktemp" {
		k.file, k.glob = templateMark.ReplaceAllString(name, "*"), true
	}
	return k
}

// programOf is the name of the program that a command starts.
func programOf(cmd *shell.Command) string {
	if len(cmd.Args) == 0 {
		return ""
	}
	return path.Base(cmd.Args[0].Text)
}

// workingFolder is the folder that a command stands for which runs code, or is a
// git that changes files and names none; and the one that git keeps its data in.
func (o *observation) workingFolder(a *shell.Analysis, i int, named bool, links map[string]string) []claim {
	cmd := &a.Commands[i]
	changes := cmd.Effects&(shell.Writes|shell.Deletes|shell.Permissions|shell.Installs) != 0
	if cmd.Dir == "" {
		return nil
	}
	runsOthers := slices.ContainsFunc(a.Commands, func(c shell.Command) bool { return c.Via == i })
	var out []claim
	if !runsOthers && (cmd.Effects.Has(shell.Executes) || changes && !named && programOf(cmd) == "git") {
		out = append(out, claim{file: resolveLinks(cmd.Dir, links), any: true, below: true})
	}
	if len(cmd.Args) == 0 || cmd.Args[0].Text != "git" {
		return out
	}
	for dir := cmd.Dir; len(dir) > len(o.root); dir = path.Dir(dir) {
		if o.isDir(dir + "/.git") {
			if changes && !named { // it may have been started below the top
				out = append(out, claim{file: dir, any: true, below: true})
			}
			return append(out, claim{file: dir + "/.git", any: true, below: true})
		}
	}
	return out
}

// covered looks for the claim that fits best.
func (o *observation) covered(claims []claim, c change) verdict {
	best := missed
	_, before := o.before[c.file]
	_, after := o.after[c.file]
	gone := !before && !after
	if gone && strings.HasPrefix(c.file, o.root+"/tmp/") {
		best = wild // the tools' own temporary files
	}
	for _, k := range claims {
		switch {
		case !strings.HasPrefix(c.file, o.root+"/"): // nothing may leave the scratch folder
		case k.all:
			best = min(best, opaque)
		case !k.any && !slices.Contains(c.need, k.access):
		case k.file == c.file && !k.any:
			return exact
		case k.below && strings.HasPrefix(c.file, k.file+"/"), k.any && k.file == c.file, o.hasMoved(&k, c.file),
			k.glob && k.matches(c.file, gone),
			(gone || o.isDir(c.file)) && strings.HasPrefix(k.file, c.file+"/"),
			gone && path.Dir(c.file) == path.Dir(k.file):
			best = min(best, wild)
		}
	}
	return best
}

// hasMoved reports whether a file below the target of mv was below what was moved.
func (o *observation) hasMoved(k *claim, name string) bool {
	below, ok := strings.CutPrefix(name, k.file+"/")
	for _, from := range k.moved {
		_, as := o.before[from+"/"+below]
		_, into := o.before[path.Join(path.Dir(from), below)]
		if ok && (as || into && strings.HasPrefix(below+"/", path.Base(from)+"/")) {
			return true
		}
	}
	return false
}

// matches reports whether a pattern covers a file: it is below what the pattern
// writes out, and the last part of the pattern matches its name, or that of a
// folder around it if everything below counts. The name of a file that is gone
// does not matter.
func (k *claim) matches(name string, gone bool) bool {
	pattern := k.file
	if i := strings.IndexAny(pattern, "$…"); i >= 0 { // a part that is not known
		pattern = pattern[:i] + "*"
	}
	written := pattern[:strings.IndexAny(pattern+"*", "*?[")]
	written = written[:strings.LastIndexByte(written, '/')+1]
	last := strings.ReplaceAll(path.Base(pattern), "[!", "[^")
	for strings.HasPrefix(name, written) && len(name) > len(written) {
		if ok, err := path.Match(last, path.Base(name)); ok || err != nil || gone {
			return true
		}
		if !k.below {
			return false
		}
		name = path.Dir(name)
	}
	return false
}

func listClaims(claims []claim) string {
	var b strings.Builder
	for _, k := range claims {
		fmt.Fprintf(&b, "\n  %+v", k)
	}
	return b.String()
}
