package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// backups touches the copies that a program keeps of the files it changes:
// sed -i.bak x writes x.bak. What they are called is chosen on the command line,
// so that sed -ijson makes settings.json out of a file named "settings.".
func (v *visit) backups() {
	keeps, named := v.traits()&table.IsBackups != 0, false
	for i := range v.r.flags {
		k := v.r.flags[i].flag.Kind
		named = named || k == table.KindBackup || k == table.KindBefore
	}
	if !keeps && !named {
		return
	}
	changed := len(v.c.Paths)
	for i := range changed {
		p := v.c.Paths[i]
		if p.Access != Write || p.Redirect {
			continue
		}
		for j := range v.r.flags {
			if g := &v.r.flags[j]; g.hasValue {
				v.backup(&p, g.flag.Kind, g.value)
			}
		}
		if keeps {
			v.backup(&p, table.KindBackup, v.usualEnding())
			v.backup(&p, table.KindBackup, Arg{Text: ".~*~", Glob: true})
		}
	}
}

// usualEnding is the ending of a copy where no option names one.
func (v *visit) usualEnding() Arg {
	if ending, ok := v.st.get("SIMPLE_BACKUP_SUFFIX"); ok && len(ending.value) == 1 {
		return ending.value[0]
	}
	return Arg{Text: "~"}
}

// backup touches one copy of a file: name is its ending, what stands in front,
// or a pattern in which a star is the name of the file, with its folder or
// without.
func (v *visit) backup(p *Path, k table.Kind, name Arg) {
	folder, base := path.Split(p.Raw)
	copied := func(text string) {
		name.Text, name.Glob = text, name.Glob || p.Glob
		v.touch(name, Write, p.Recursive)
	}
	switch text := name.Text; {
	case text == "" && !name.Unknown, base == "": // a folder
	case k == table.KindBefore:
		copied(text + p.Raw)
		copied(folder + text + base)
	case k != table.KindBackup:
	case !name.Glob && strings.Contains(text, "*"):
		copied(strings.ReplaceAll(text, "*", p.Raw))
		copied(folder + strings.ReplaceAll(text, "*", base))
		if strings.Contains(text, "/") {
			copied(strings.ReplaceAll(text, "*", base))
		}
	default:
		copied(p.Raw + text)
	}
}

// nextTo is a file that stands for others which have its name, and more or less
// at the end.
func (v *visit) nextTo(k table.Kind, a Arg, recursive bool) {
	switch k {
	case table.KindPatched: // what was there before, and what does not fit
		v.touch(a, Write, recursive)
		v.touch(a.ending(".orig"), Write, recursive)
		v.touch(a.ending(".rej"), Write, recursive)
	case table.KindPacked:
		v.touch(a, Read, recursive)
		v.packed(a, recursive)
	case table.KindStart:
		a = a.ending("*")
		a.Glob = true
		v.touch(a, Write, recursive)
	}
}

// packed touches what a file becomes: without the ending of a packed file, if it
// has one, else with any.
func (v *visit) packed(a Arg, recursive bool) {
	if recursive { // the files in a folder
		v.touch(a, Write, true)
	}
	chosen := false
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.flag.Kind != table.KindEnding || !g.hasValue {
			continue
		}
		chosen = true
		if name, ok := strings.CutSuffix(a.Text, g.value.Text); ok && name != "" {
			v.touch(a.named(name), Write, false)
		}
		packed := a.ending(g.value.Text)
		packed.Unknown = a.Unknown || g.value.Unknown
		v.touch(packed, Write, false)
	}
	base := path.Base(a.Text)
	for i := range table.KeysPacked.All() {
		for _, ending := range table.KeysPacked.All()[i].Names {
			if name, ok := strings.CutSuffix(a.Text, ending); ok && len(ending) < len(base) {
				v.touch(a.named(name), Write, false)
				v.touch(a.named(name+".tar"), Write, false) // x.tgz
				return
			}
		}
	}
	if !chosen {
		any := a.ending(".*")
		any.Glob = true
		v.touch(any, Write, false)
	}
}

// ending is the word with more behind it.
func (a Arg) ending(more string) Arg { return a.named(a.Text + more) }

// named is another word in the same place.
func (a Arg) named(text string) Arg {
	a.Text = text
	return a
}
