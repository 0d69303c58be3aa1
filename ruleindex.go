package sayso

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
)

// A ruleIndex finds the rules that may match a part without trying all of them.
type ruleIndex struct {
	exact bool // its rules allow: names are compared as they are written

	programs map[string]*bucket // by the name of the program
	program  []*compiledRule    // of any name

	folders [3]folderIndex // by what the patterns are relative to
	paths   bool           // there are path patterns

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
	sorted  []string // the folders, in order
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
	x.paths = true
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
		x.folders[i].sorted = slices.Sorted(maps.Keys(x.folders[i].folders))
		if b := x.folders[i].any; b != nil {
			b.split()
		}
	}
}
