package sayso

import (
	"fmt"
	"path"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/shell"
)

var accesses = [...]shell.Access{
	tools.Touches: shell.Write, tools.Reads: shell.Read, tools.Lists: shell.List, tools.Searches: shell.Read, tools.Writes: shell.Write,
	tools.Deletes: shell.Delete, tools.MovesFrom: shell.Delete, tools.MovesTo: shell.Write, tools.Runs: shell.Read,
}

// file adds the part for a path that a tool touches, in all that it may mean.
func (a *Analyzer) file(f *Facts, in *tools.Path) {
	p := fspath.Resolve(in.Path, a.at(f))
	if p.Err != nil {
		f.fail(fmt.Errorf("%s: %w", in.Path, p.Err))
		return
	}
	touched := shell.Path{Raw: in.Path, Abs: p.Abs, Access: accesses[in.Access], Recursive: in.Access == tools.Searches || in.Access == tools.Deletes && p.Folder}
	if p.Real != p.Abs {
		touched.Real = p.Real
	}
	if in.Names != "" {
		f.search(touched, in.Names)
		return
	}
	part := f.part(touched)
	if in.Access == tools.MovesFrom { // it is gone, and all that it held is elsewhere
		seen := touched
		seen.Access = shell.Read
		part.Paths = append(part.Paths, seen)
	}
	if p.Unsure {
		part.Opaque = []string{"which file is meant is a guess: " + shell.Shown(in.Path)}
	}
	for _, other := range p.Others {
		one := touched
		one.Abs, one.Real = other, ""
		part.Paths = append(part.Paths, one)
		part.Risk = min(part.Risk, f.Place.Judge(one))
	}
	if in.Access == tools.Touches { // it may also be read
		seen := f.part(shell.Path{Raw: touched.Raw, Abs: touched.Abs, Real: touched.Real, Access: shell.Read})
		part.Paths = append(part.Paths, seen.Paths...)
		part.Effects |= shell.Reads
		part.Risk = min(part.Risk, seen.Risk)
	}
	if in.Access == tools.Runs {
		part.Effects |= shell.Executes
		part.Risk = min(part.Risk, shell.Moderate)
	}
	f.Parts = append(f.Parts, part)
}

// search adds the part for the files in and below a folder that a pattern for
// names means, one path for each way to read the braces in it.
func (f *Facts) search(folder shell.Path, names string) {
	part := Part{Text: names, Effects: shell.Reads, Risk: shell.Safe, Sentence: "Read files that match " + shell.Shown(names)}
	for _, one := range glob.Braces(names) {
		p := folder
		p.Raw = one
		dir, name := path.Split(one)
		if sign := strings.IndexAny(dir, "*?["); sign >= 0 { // any depth below that
			dir = dir[:strings.LastIndexByte(dir[:sign], '/')+1]
		}
		if strings.Trim(name, "*") == "" { // all of the folder
			p.Abs = path.Join(folder.Abs, dir)
		} else {
			p.Abs, p.Glob, p.Deep, p.Recursive = path.Join(folder.Abs, dir, name), true, true, false
		}
		if folder.Real != "" {
			p.Real = path.Join(folder.Real, strings.TrimPrefix(p.Abs, folder.Abs))
		}
		part.Paths = append(part.Paths, p)
		part.Risk = min(part.Risk, f.Place.Judge(p))
	}
	f.Parts = append(f.Parts, part)
}

var accessEffects = [...]shell.Effects{
	shell.List: shell.Reads, shell.Read: shell.Reads, shell.Write: shell.Writes, shell.Change: shell.Permissions, shell.Delete: shell.Deletes,
}

var accessWords = [...]string{
	shell.List: "Look at ", shell.Read: "Read ", shell.Write: "Write to ", shell.Change: "Change the permissions of ", shell.Delete: "Delete ",
}

func (f *Facts) part(p shell.Path) Part {
	return Part{
		Text: p.Raw, Paths: []shell.Path{p}, Effects: accessEffects[p.Access], Risk: f.Place.Judge(p),
		Sentence: accessWords[p.Access] + shell.Shown(p.Raw),
	}
}
