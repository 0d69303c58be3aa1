package sayso

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// A ruleIndex finds the rules that may match a part without trying all of them.
type ruleIndex struct {
	programs map[string][]*compiledRule // by the name of the program
	program  []*compiledRule            // of any name

	folders map[string][]*compiledRule // by the folder that a path pattern starts with
	files   map[string][]*compiledRule // **/NAME and **/*.EXT, by NAME or .EXT
	path    []*compiledRule            // other path patterns
	paths   []*compiledRule            // all of them

	hosts map[string][]*compiledRule // by the host, or by what follows *
	tools map[string][]*compiledRule // by class, tool, or server
	tool  []*compiledRule            // of any tool or server
}

func put(m *map[string][]*compiledRule, key string, r *compiledRule) {
	if *m == nil {
		*m = map[string][]*compiledRule{}
	}
	(*m)[key] = append((*m)[key], r)
}

func (x *ruleIndex) add(r *compiledRule) {
	switch m := r.match.(type) {
	case *commandPattern:
		if m.name.literal() {
			put(&x.programs, path.Base(m.name.text), r)
		} else {
			x.program = append(x.program, r)
		}
	case *pathPattern:
		x.addPath(m, r)
	case *hostPattern:
		put(&x.hosts, strings.TrimPrefix(m.host, "*"), r)
	case *mcpPattern:
		if m.server.literal() {
			put(&x.tools, "mcp/"+m.server.text, r)
		} else {
			x.tool = append(x.tool, r)
		}
	case *toolPattern:
		switch {
		case m.class != "":
			put(&x.tools, "class/"+string(m.class), r)
		case m.name == "*":
			x.tool = append(x.tool, r)
		default:
			put(&x.tools, "tool/"+m.name, r)
		}
	}
}

func (x *ruleIndex) addPath(m *pathPattern, r *compiledRule) {
	x.paths = append(x.paths, r)
	pattern := m.glob.String()
	name, anywhere := strings.CutPrefix(pattern, "**/")
	ending := strings.TrimPrefix(name, "*")
	switch {
	case m.glob.Prefix() != "":
		put(&x.folders, fspath.Fold(m.glob.Prefix()), r)
	case anywhere && m.base == toWorkspace && !strings.ContainsAny(name, `*?[]{}\/`):
		put(&x.files, fspath.Fold(name), r)
	case anywhere && m.base == toWorkspace && strings.HasPrefix(ending, ".") && !strings.ContainsAny(ending[1:], `.*?[]{}\/`):
		put(&x.files, fspath.Fold(ending), r)
	default:
		x.path = append(x.path, r)
	}
}

// search tries the rules that may match.
func (x *ruleIndex) search(f *finder) {
	if c := f.part.Command; c != nil && len(c.Args) > 0 {
		f.try(x.programs[path.Base(c.Args[0].Text)])
		f.try(x.program)
		if c.Args[0].Unknown && !f.allow { // it may be any program
			for _, list := range x.programs {
				f.try(list)
			}
		}
	}
	if len(x.paths) > 0 {
		x.searchPaths(f)
	}
	if len(x.hosts) > 0 {
		for _, h := range f.part.Hosts {
			x.searchHost(f, strings.ToLower(strings.TrimSuffix(h, ".")))
		}
	}
	facts := f.c.Facts
	f.try(x.tools["class/"+string(facts.Class)])
	if facts.Class == ClassBackground {
		f.try(x.tools["class/"+string(ClassShell)])
	}
	f.try(x.tools["tool/"+f.c.Call.Tool])
	if facts.Server != "" {
		f.try(x.tools["mcp/"+strings.ToLower(strings.TrimSpace(facts.Server))])
	}
	f.try(x.tool)
}

func (x *ruleIndex) searchHost(f *finder, host string) {
	f.try(x.hosts[host])
	for i := 0; i < len(host); i++ {
		if host[i] == '.' {
			f.try(x.hosts[host[i:]])
		}
	}
	f.try(x.hosts[""])
}

// searchPaths tries the rules for the files that the part touches. A pattern or
// a whole tree may be meant by any rule.
func (x *ruleIndex) searchPaths(f *finder) {
	for i := range f.part.Paths {
		p := &f.part.Paths[i]
		if p.Glob || p.Recursive {
			f.try(x.paths)
			continue
		}
		f.try(x.path)
		for _, abs := range [...]string{p.Abs, p.Real} {
			if abs != "" {
				x.searchPath(f, fspath.Fold(abs))
			}
		}
	}
}

func (x *ruleIndex) searchPath(f *finder, abs string) {
	base := path.Base(abs)
	f.try(x.files[base])
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 {
		f.try(x.files[base[dot:]])
	}
	if len(x.folders) == 0 {
		return
	}
	bases := append([]string{"", f.c.Call.Home}, f.c.Facts.Place.Workspace...)
	for i, root := range bases {
		root = fspath.Fold(root)
		if root != "" && !fspath.Within(abs, root) || root == "" && i > 0 {
			continue
		}
		name := strings.TrimPrefix(abs[len(root):], "/")
		if i == 0 {
			name = abs
		}
		for name != "" && name != "/" {
			f.try(x.folders[name])
			name = strings.TrimRight(name[:max(0, strings.LastIndexByte(name, '/'))], "/")
		}
	}
}
