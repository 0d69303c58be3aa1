package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// lands touches what guards an agent and would come to be at target because a
// folder is copied, moved or linked there. What is in the folder is looked at;
// where it cannot be, its new name tells.
func (v *visit) lands(source Arg, target string) {
	to := resolve(target, v.st.dir)
	if source.Unknown || to == "" || strings.Contains(source.Text, "://") {
		return
	}
	from := resolve(source.Text, v.st.dir)
	if source.Glob {
		v.foundLand(from, to)
		return
	}
	if v.w.unpackedAt(from+"/x") == streamNetwork && v.w.isPlace(to) {
		v.c.doubt(Moderate, "which files come along cannot be known: they were just fetched")
	}
	switch e, seen := v.w.look(from); {
	case seen && e.Dir && v.r.tool().Use != table.UseLink: // what is written to the old name of a link comes later
		v.landsIn(from, to, 0)
		if old, there := v.w.look(to); !there || !old.Dir { // all that is in it
			v.touch(Arg{Text: target}, Write, !guardFolder(strings.ToLower(to))) // what guards an agent in it was looked for
		}
	case seen && !e.Dir && e.Link == "": // a file
	case guardFolder(strings.ToLower(to)):
		v.touch(Arg{Text: target}, Write, true)
	}
}

// foundLand is lands for what a pattern finds in a folder.
func (v *visit) foundLand(pattern, to string) {
	folder, names := path.Split(pattern)
	if strings.ContainsAny(folder, "*?[(") || path.Base(to) == names {
		return
	}
	children, _ := (&matcher{w: v.w, c: v.c}).children(path.Clean(folder))
	for _, child := range children {
		if finds(names, child.Name) {
			v.lands(Arg{Text: path.Join(folder, child.Name)}, path.Join(to, child.Name))
			if at := path.Join(to, child.Name); !child.Dir && v.w.at.Class(at)&Guard != 0 {
				v.touch(Arg{Text: at}, Write, false)
			}
		}
	}
	_, seen := v.w.look(path.Clean(folder))
	if (!seen || v.w.unpackedAt(pattern) == streamNetwork) && v.w.isPlace(to) && allHidden(names) {
		v.c.doubt(Moderate, "which hidden files come along cannot be known")
	}
}

// landsIn is lands for what is in a folder, and in those folders of it in which
// agents look.
func (v *visit) landsIn(from, to string, depth int) {
	children, whole := (&matcher{w: v.w, c: v.c}).children(from)
	if !whole && guardFolder(strings.ToLower(to)) {
		v.touch(Arg{Text: to}, Write, true)
	}
	for _, child := range children {
		switch at := path.Join(to, child.Name); {
		case v.w.at.Class(at)&Guard != 0:
			v.touch(Arg{Text: at}, Write, true)
		case !child.Dir && child.Link == "" || !guardFolder(strings.ToLower(at)):
		case child.Dir && depth < 2:
			v.landsIn(path.Join(from, child.Name), at, depth+1)
		default:
			v.touch(Arg{Text: at}, Write, true)
		}
	}
}

// allLand looks at every folder that a copy takes along, and at both places where
// it may come to be: as the target, or in it.
func (v *visit) allLand() {
	sources, target := v.r.args, ""
	if g := v.r.given("-t"); g != nil && g.hasValue {
		target = g.value.Text
	} else if n := len(sources); n > 1 {
		sources, target = sources[:n-1], sources[n-1].Text
	}
	if target == "" || len(target) > maxPath {
		return
	}
	for _, source := range sources {
		if len(source.Text) > maxPath {
			continue
		}
		v.lands(source, target)
		if name := path.Base(source.Text); name != "." && name != ".." {
			v.lands(source, strings.TrimRight(target, "/")+"/"+name)
		}
	}
}
