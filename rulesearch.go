package sayso

import (
	"path"
	"slices"
	"strings"
)

// search tries the rules that may match.
func (x *ruleIndex) search(f *finder) {
	if f.part.Command != nil {
		x.searchCommand(f)
	}
	if x.paths {
		x.searchPaths(f)
	}
	if len(x.hosts)+len(x.host) > 0 {
		for _, h := range f.part.named {
			x.searchHost(f, h)
		}
		for _, h := range f.part.Hosts {
			x.searchHost(f, strings.ToLower(strings.TrimSuffix(h, ".")))
		}
	}
	facts := f.c.Facts
	if len(x.classes) > 0 {
		f.try(x.classes[facts.Class])
		if ofShell(facts.Class) {
			f.try(x.classes[ClassShell])
		}
	}
	if len(x.tools) > 0 {
		f.try(x.tools[f.c.Call.Tool])
	}
	if facts.Server != "" && len(x.servers) > 0 {
		if b := x.servers[strings.ToLower(strings.TrimSpace(facts.Server))]; b != nil {
			if b.by == nil {
				f.try(b.all)
			} else {
				f.try(b.rest)
				f.try(b.by[facts.Tool])
			}
		}
	}
	f.try(x.tool)
}

func (x *ruleIndex) searchCommand(f *finder) {
	args := f.part.Command.Args
	if len(args) == 0 {
		return
	}
	f.try(x.program)
	if args[0].Unknown && !f.allow { // it may be any program
		for _, b := range x.programs {
			f.try(b.all)
		}
		return
	}
	name := args[0].Text
	b := x.programs[name]
	if plain := programName(name); plain != name {
		if b != nil { // a rule may have the ending, too
			f.try(b.all)
		}
		name, b = plain, x.programs[plain]
	}
	if b == nil {
		return
	}
	if b.by == nil {
		f.try(b.all)
		return
	}
	f.try(b.rest)
	if len(args) > 1 {
		if first := subName(name, args[1].Text); first != args[1].Text {
			f.try(b.by[first])
		}
	}
	for i := range args[1:] {
		if args[i+1].Unknown {
			f.try(b.all)
			return
		}
		f.try(b.by[args[i+1].Text])
	}
}

func (x *ruleIndex) searchHost(f *finder, host string) {
	f.try(x.host)
	if x.lengths.has(host) {
		f.try(x.hosts[host])
	}
	for i := 0; i < len(host); i++ {
		if host[i] == '.' && x.lengths.has(host[i:]) {
			f.try(x.hosts[host[i:]])
		}
	}
}

// searchPaths tries the rules for the files that the part touches. A pattern or
// a whole tree may be meant by any rule.
func (x *ruleIndex) searchPaths(f *finder) {
	for i := range f.part.Paths {
		p := &f.part.Paths[i]
		for _, abs := range [...]string{p.Abs, p.Real} {
			switch {
			case abs == "":
			case p.Deep:
				x.searchPath(f, path.Dir(abs), true)
			default:
				x.searchPath(f, abs, p.Glob || p.Recursive)
			}
		}
	}
}

// searchPath tries the rules for one path; a tree is a pattern, or a folder with
// everything below it.
func (x *ruleIndex) searchPath(f *finder, abs string, tree bool) {
	search := (*folderIndex).search
	if tree {
		search = (*folderIndex).searchTree
	}
	if in := &x.folders[toRoot]; in.any != nil || in.folders != nil {
		search(in, f, x.key(abs))
	}
	if in := &x.folders[toHome]; in.any != nil || in.folders != nil {
		if name, ok := below(abs, f.c.Call.Home); ok {
			search(in, f, x.key(name))
		}
	}
	in := &x.folders[toWorkspace]
	if in.any == nil && in.folders == nil {
		return
	}
	inside := false
	for _, root := range f.c.Facts.Place.Workspace {
		if name, ok := below(abs, root); ok {
			search(in, f, x.key(name))
			inside = true
		}
	}
	switch {
	case inside || in.any == nil:
	case tree:
		f.try(in.any.all)
	default: // **/NAME is meant everywhere
		in.any.search(f, x.key(abs))
	}
}

// searchTree tries the patterns that may mean something in a tree: those of the
// folders around it, and those of the folders in it.
func (in *folderIndex) searchTree(f *finder, name string) {
	if in.any != nil {
		f.try(in.any.all)
	}
	if sign := strings.IndexAny(name, `*?[{\`); sign >= 0 {
		name = name[:sign]
		name = name[:max(0, strings.LastIndexByte(name, '/'))]
	}
	if name == "." || name == "/" {
		name = ""
	}
	for folder := name; folder != ""; folder = folder[:max(0, strings.LastIndexByte(folder, '/'))] {
		if b := in.folders[folder]; b != nil && in.lengths.has(folder) {
			f.try(b.all)
		}
	}
	at, _ := slices.BinarySearch(in.sorted, name)
	for ; at < len(in.sorted) && strings.HasPrefix(in.sorted[at], name); at++ {
		f.try(in.folders[in.sorted[at]].all)
	}
}

// search tries the patterns that start with the path or with a folder that it
// is in.
func (in *folderIndex) search(f *finder, name string) {
	if in.any != nil {
		in.any.search(f, name)
	}
	if in.folders == nil {
		return
	}
	for folder := name; folder != ""; folder = folder[:max(0, strings.LastIndexByte(folder, '/'))] {
		if in.lengths.has(folder) {
			if b := in.folders[folder]; b != nil {
				b.search(f, name)
			}
		}
	}
}

// search tries the patterns that have a component of the path, or its ending.
func (b *bucket) search(f *finder, name string) {
	if b.by == nil {
		f.try(b.all)
		return
	}
	f.try(b.rest)
	if len(b.by) == 0 {
		return
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && strings.IndexByte(name[dot:], '/') < 0 {
		f.try(b.by[name[dot:]])
	}
	for name != "" {
		slash := strings.LastIndexByte(name, '/')
		f.try(b.by[name[slash+1:]])
		name = name[:max(0, slash)]
	}
}
