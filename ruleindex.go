package sayso

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// A ruleIndex finds the rules that may match a part without trying all of them.
type ruleIndex struct {
	exact bool // its rules allow: names are compared as they are written

	programs map[string]*bucket // by the name of the program
	program  []*compiledRule    // of any name

	folders [3]folderIndex  // by what the patterns are relative to
	paths   []*compiledRule // all path patterns

	hosts   map[string][]*compiledRule // by the host, or by what follows *
	lengths lengths                    // of those
	host    []*compiledRule            // other hosts

	classes map[Class][]*compiledRule
	tools   map[string][]*compiledRule
	servers map[string]*bucket
	tool    []*compiledRule // of any tool or server
}

// A folderIndex has path patterns by the folder that they start with; those
// that start with a sign have an empty one.
type folderIndex struct {
	folders map[string]*bucket
	lengths lengths
	any     *bucket
}

// lengths is a set of lengths, as a filter in front of a map: it may say yes
// for one that is not there.
type lengths uint64

func (l *lengths) add(s string)     { *l |= 1 << (len(s) & 63) }
func (l lengths) has(s string) bool { return l&(1<<(len(s)&63)) != 0 }

// few rules are tried one by one.
const few = 4

// A bucket has rules that have one thing in common. Where they are many, they
// are split by a word that what they match must have.
type bucket struct {
	all  []*compiledRule
	rest []*compiledRule            // without such a word
	by   map[string][]*compiledRule // by the word
	keys [][]string                 // of all, until split is called
}

func (b *bucket) add(r *compiledRule, keys []string) {
	b.all = append(b.all, r)
	b.keys = append(b.keys, keys)
}

// split takes for each rule the rarest of its words.
func (b *bucket) split() {
	keys := b.keys
	b.keys = nil
	if len(b.all) <= few {
		return
	}
	count := map[string]int{}
	for _, list := range keys {
		for _, k := range list {
			count[k]++
		}
	}
	b.by = map[string][]*compiledRule{}
	for i, r := range b.all {
		if len(keys[i]) == 0 {
			b.rest = append(b.rest, r)
			continue
		}
		rarest := keys[i][0]
		for _, k := range keys[i] {
			if count[k] < count[rarest] {
				rarest = k
			}
		}
		b.by[rarest] = append(b.by[rarest], r)
	}
}

func put[K comparable](m *map[K][]*compiledRule, key K, r *compiledRule) {
	if *m == nil {
		*m = map[K][]*compiledRule{}
	}
	(*m)[key] = append((*m)[key], r)
}

func putIn(m *map[string]*bucket, key string, r *compiledRule, keys []string) {
	if *m == nil {
		*m = map[string]*bucket{}
	}
	if (*m)[key] == nil {
		(*m)[key] = &bucket{}
	}
	(*m)[key].add(r, keys)
}

func (x *ruleIndex) add(r *compiledRule) {
	switch m := r.match.(type) {
	case *commandPattern:
		if m.name.literal() {
			putIn(&x.programs, path.Base(m.name.text), r, literals(m.words))
		} else {
			x.program = append(x.program, r)
		}
	case *pathPattern:
		x.addPath(m, r)
	case *hostPattern:
		x.addHost(m.host, r)
	case *mcpPattern:
		if m.server.literal() {
			putIn(&x.servers, m.server.text, r, literals([]wordGlob{m.tool}))
		} else {
			x.tool = append(x.tool, r)
		}
	case *toolPattern:
		switch {
		case m.class != "":
			put(&x.classes, m.class, r)
		case m.name == "*":
			x.tool = append(x.tool, r)
		default:
			put(&x.tools, m.name, r)
		}
	}
}

// literals returns the words that are no patterns.
func literals(words []wordGlob) []string {
	var out []string
	for i := range words {
		if words[i].literal() {
			out = append(out, words[i].text)
		}
	}
	return out
}

func (x *ruleIndex) addHost(host string, r *compiledRule) {
	rest, star := strings.CutPrefix(host, "*")
	if star && !strings.HasPrefix(rest, ".") { // * or *example.com
		x.host = append(x.host, r)
		return
	}
	put(&x.hosts, rest, r)
	x.lengths.add(rest)
}

func (x *ruleIndex) addPath(m *pathPattern, r *compiledRule) {
	x.paths = append(x.paths, r)
	in := &x.folders[m.base]
	prefix := m.glob.Prefix()
	keys := x.components(strings.TrimPrefix(m.glob.String(), prefix))
	if prefix == "" || prefix == "." || prefix == "/" {
		if in.any == nil {
			in.any = &bucket{}
		}
		in.any.add(r, keys)
		return
	}
	prefix = x.key(prefix)
	in.lengths.add(prefix)
	putIn(&in.folders, prefix, r, keys)
}

// components returns what the path must have: the components of the pattern
// that have no signs in them, and the ending of the last.
func (x *ruleIndex) components(pattern string) []string {
	if strings.ContainsAny(pattern, `{}[]\`) {
		return nil
	}
	var out []string
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		switch {
		case p == "":
		case !strings.ContainsAny(p, "*?"):
			out = append(out, x.key(p))
		case i == len(parts)-1 && strings.HasPrefix(p, "*.") && !strings.ContainsAny(p[2:], "*?."):
			if ending := x.key("x" + p[1:]); len(ending) > 2 && ending[:2] == "x." {
				out = append(out, ending[1:])
			}
		}
	}
	return out
}

// key is how the index writes a path.
func (x *ruleIndex) key(s string) string {
	if x.exact {
		return s
	}
	return fspath.Fold(s)
}

// ready ends the making of the index.
func (x *ruleIndex) ready() {
	for _, m := range []map[string]*bucket{x.programs, x.servers, x.folders[0].folders, x.folders[1].folders, x.folders[2].folders} {
		for _, b := range m {
			b.split()
		}
	}
	for i := range x.folders {
		if b := x.folders[i].any; b != nil {
			b.split()
		}
	}
}

// search tries the rules that may match.
func (x *ruleIndex) search(f *finder) {
	if f.part.Command != nil {
		x.searchCommand(f)
	}
	if len(x.paths) > 0 {
		x.searchPaths(f)
	}
	if len(x.hosts)+len(x.host) > 0 {
		for _, h := range f.part.Hosts {
			x.searchHost(f, strings.ToLower(strings.TrimSuffix(h, ".")))
		}
	}
	facts := f.c.Facts
	if len(x.classes) > 0 {
		f.try(x.classes[facts.Class])
		if facts.Class == ClassBackground {
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
	if b == nil && strings.Contains(name, "/") {
		b = x.programs[path.Base(name)]
	}
	if b == nil {
		return
	}
	if b.by == nil {
		f.try(b.all)
		return
	}
	f.try(b.rest)
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
		if p.Glob || p.Recursive {
			f.try(x.paths)
			return
		}
		if p.Abs != "" {
			x.searchPath(f, p.Abs)
		}
		if p.Real != "" {
			x.searchPath(f, p.Real)
		}
	}
}

func (x *ruleIndex) searchPath(f *finder, abs string) {
	if in := &x.folders[toRoot]; in.any != nil || in.folders != nil {
		in.search(f, x.key(abs))
	}
	if in := &x.folders[toHome]; in.any != nil || in.folders != nil {
		if name, ok := below(abs, f.c.Call.Home); ok {
			in.search(f, x.key(name))
		}
	}
	in := &x.folders[toWorkspace]
	if in.any == nil && in.folders == nil {
		return
	}
	inside := false
	for _, root := range f.c.Facts.Place.Workspace {
		if name, ok := below(abs, root); ok {
			in.search(f, x.key(name))
			inside = true
		}
	}
	if !inside && in.any != nil { // **/NAME is meant everywhere
		in.any.search(f, x.key(abs))
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
