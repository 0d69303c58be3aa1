package shell

import (
	"path"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// Files come to a folder without being named: an archive or a repository brings
// them. Most are part of the work. Those that guard the agent, or run by
// themselves, are looked for where they would count: in the workspace itself, in
// the folder where the agent is, and at home.

// A bundle is an archive that is unpacked, as far as it can be seen.
type bundle struct {
	members []Member
	seen    bool   // these are all
	outside bool   // it comes from a server, or the session has made it
	packed  []Path // what the same line has packed
}

// unpacks notes the folders that clones and archives fill, and touches what they
// bring.
func (v *visit) unpacks() {
	r := &v.r
	if len(r.subs) > 0 && r.subs[len(r.subs)-1].Text == "clone" && len(r.args) > 0 && v.c.Effects.Has(Network) {
		name := strings.TrimSuffix(strings.TrimRight(r.args[0].Text, "/"), ".git")
		name = name[strings.LastIndexAny(name, "/:")+1:]
		if len(r.args) > 1 {
			name = r.args[1].Text
		}
		v.unpackedTo(resolve(name, v.st.dir), streamNetwork)
	}
	if v.traits()&table.IsUnpacks == 0 || v.c.Elsewhere {
		return
	}
	from := streamUnknown
	to := v.unpackFolder()
	if v.f.stdin != nil {
		from = max(from, v.f.stdin.kind)
		v.bring(to, bundleOf(v.f.stdin))
	}
	for _, p := range v.c.Paths {
		if p.Access != Read || p.Abs == "" {
			continue
		}
		for _, text := range v.w.textOfFile(p.Abs) {
			from = max(from, text.kind)
		}
		v.bring(to, v.w.bundleAt(p.Abs))
	}
	if to != v.w.at.Dir || from == streamNetwork { // else what was there cannot be told from what is new
		v.unpackedTo(to, from)
	}
}

// packs are the files in the archive that the program prints or writes: those that
// it packs, or those in what it is given.
func (v *visit) packs() []Path {
	if v.traits()&table.IsPacks == 0 {
		if v.f.stdin == nil || v.c.Effects.Has(Writes) {
			return nil
		}
		return v.f.stdin.packs
	}
	folder := v.st.dir
	if g := v.r.given("-C"); g != nil && g.hasValue {
		folder = resolve(g.value.Text, folder)
	}
	var out []Path
	for _, p := range v.c.Paths {
		if p.Access == Read && !p.Redirect && p.Abs != "" && !p.Glob {
			p.Abs = resolve(p.Raw, folder)
			out = append(out, p)
		}
	}
	return out
}

// unpackFolder is where an archive is unpacked.
func (v *visit) unpackFolder() string {
	for _, option := range [...]string{"-C", "-d", "-o", "-X", "--dir"} {
		if g := v.r.given(option); g != nil && g.hasValue && g.flag.Kind == table.KindWrite {
			return resolve(g.value.Text, v.st.dir)
		}
	}
	return v.st.dir
}

// bundleOf is an archive that comes through a pipe.
func bundleOf(s *stream) bundle {
	return bundle{outside: s.kind == streamNetwork, packed: s.packs, seen: len(s.packs) > 0}
}

// maxArchive is the largest archive that is looked into.
const maxArchive = 8 << 20

// bundleAt is the archive in a file.
func (w *walker) bundleAt(abs string) bundle {
	var b bundle
	for _, f := range w.written {
		if f.abs == abs {
			one := bundleOf(&f.text)
			b.outside, b.seen, b.packed = b.outside || one.outside, one.seen, append(b.packed, one.packed...)
		}
	}
	if b.outside || b.seen {
		return b
	}
	b.outside = w.at.Written != nil && w.at.Written(abs)
	if unpacker, ok := w.at.Machine.(Unpacker); ok && w.looks < maxLooks {
		w.looks++
		if data, err := w.at.Machine.ReadFile(abs, maxArchive); err == nil && len(data) <= maxArchive {
			b.members, b.seen = unpacker.Members(data)
		}
	}
	return b
}

// bring touches what an archive brings to a folder and counts there.
func (v *visit) bring(to string, b bundle) {
	if to == "" {
		return
	}
	home := v.w.at.Home
	if !b.seen && (b.outside && v.w.isPlace(to) || home != "" && within(home, to)) {
		v.c.doubt(Moderate, "which files the archive brings cannot be known; list them first, or unpack it in a folder of its own")
	}
	for _, p := range b.packed {
		rel := ""
		if strip := v.stripCount(); strip == 0 && !path.IsAbs(p.Raw) {
			rel = p.Raw
		}
		at := path.Join(to, rel)
		if v.w.at.Class(at)&Guard != 0 {
			v.touch(Arg{Text: at}, Write, false)
		}
		v.landsIn(p.Abs, at, 0)
	}
	for _, m := range b.members {
		for _, name := range [...]string{m.Name, m.Link} {
			if name = v.unpackedName(name); name == "" {
				continue
			}
			if abs := path.Join(to, name); v.w.ownGuard(abs, m.Link != "") {
				v.touch(Arg{Text: abs}, Write, m.Link != "")
			}
		}
	}
}

// unpackedName is the name that a member of an archive gets; empty if it is left
// out.
func (v *visit) unpackedName(name string) string {
	wanted := v.r.args
	if v.r.has("-f") || !v.r.tool().Is(table.IsBundled) { // the first is the archive
		wanted = wanted[min(1, len(wanted)):]
	}
	name = strings.TrimLeft(path.Clean(name), "/")
	found := len(wanted) == 0 || v.traits()&table.IsInterpreter != 0
	for _, a := range wanted {
		prefix := strings.TrimPrefix(path.Clean(a.Text), "./")
		found = found || a.Unknown || within(name, prefix) || matchStars(questionMarks(prefix), name)
	}
	if !found || name == "." {
		return ""
	}
	for range v.stripCount() {
		_, name, _ = strings.Cut(name, "/")
	}
	return name
}

// stripCount is how many folders tar takes off the names of what it unpacks.
func (v *visit) stripCount() int {
	g := v.r.given("--strip-components")
	if g == nil || !g.hasValue {
		return 0
	}
	n, _ := strconv.Atoi(g.value.Text)
	return max(min(n, 64), 0)
}

// isPlace reports whether files that guard an agent count in a folder.
func (w *walker) isPlace(folder string) bool {
	if folder == w.at.Dir {
		return true
	}
	for _, root := range w.at.Workspace {
		if folder == root {
			return true
		}
	}
	return false
}

// ownGuard reports whether a file guards the agent that works here, or runs by
// itself here; a link counts if it leads to the folder of such files.
func (w *walker) ownGuard(abs string, link bool) bool {
	lower, home := strings.ToLower(abs), strings.ToLower(w.at.Home)
	for _, class := range [...]*pathClass{&pathsGuard, &pathsStartup} {
		if class.elsewhere(lower, home) {
			return true
		}
		for _, place := range append([]string{w.at.Dir}, w.at.Workspace...) {
			if rel, ok := strings.CutPrefix(lower, strings.ToLower(place)+"/"); ok && class.holds(rel) {
				return true
			}
		}
	}
	return link && w.isPlace(path.Dir(abs)) && guardFolder(lower)
}

// holds reports whether the class means a file by its name from a folder on.
func (c *pathClass) holds(rel string) bool {
	for _, name := range c.names {
		if rel == name {
			return true
		}
	}
	for i := range c.deep {
		pattern := strings.TrimPrefix(c.deep[i].pattern, "**/")
		if matchStars(pattern, rel) || rel == strings.TrimSuffix(pattern, "/**") {
			return true
		}
	}
	return false
}

// elsewhere reports whether the class means a file by all of its path.
func (c *pathClass) elsewhere(abs, home string) bool {
	fixed := *c
	fixed.deep, fixed.names, fixed.endings, fixed.globs = nil, nil, nil, nil
	return fixed.match(abs, home)
}
