package shell

import (
	"path"
	"strings"
)

// unclean is a path with its folder in front, as the kernel gets it: what ".."
// leads to depends on the links before it.
func unclean(p, dir string) string {
	if path.IsAbs(p) || dir == "" {
		return p
	}
	return dir + "/" + p
}

// maxLinks is how many links one path may lead through.
const maxLinks = 16

// follow returns where a path leads to when links are followed, as far as the
// Machine or the script itself tells: both those that exist and those that it
// has made. Abs is the path cleaned, asWritten the same before that. Empty if
// that is abs itself or unknown.
func (w *walker) follow(abs, asWritten string) string {
	if w.at.Machine == nil && len(w.links) == 0 || abs == "" {
		return ""
	}
	if !path.IsAbs(asWritten) || !strings.Contains(asWritten, "/..") {
		asWritten = abs
	}
	real := w.walkLinks(asWritten)
	if real == abs {
		return ""
	}
	return real
}

// walkLinks goes through a path component by component, as the kernel does: a
// link first, then "..". Empty if it goes round in circles.
func (w *walker) walkLinks(p string) string {
	done, rest := "/", strings.Split(p, "/")
	links, missing := 0, false
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		done = path.Join(done, part) // takes the last one away for ..
		if part == ".." {
			missing = false
			continue
		}
		target, ok := w.made(done)
		if !ok && !missing {
			var e Entry
			e, ok = w.look(done)
			missing = !ok // then so is what is below it
			target = e.Link
		}
		if target == "" {
			continue
		}
		if links++; links > maxLinks {
			return ""
		}
		done = path.Dir(done)
		if path.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done
}

func (w *walker) look(p string) (Entry, bool) {
	if w.at.Machine == nil || w.looks >= maxLooks {
		return Entry{}, false
	}
	w.looks++
	e, err := w.at.Machine.Lstat(p)
	return e, err == nil
}

// A link is one that the script itself has made, or another name that it has
// given to something: a hard link, a mounted folder.
type link struct{ at, to string }

// made is where a link leads that the script has made, the last one first.
func (w *walker) made(at string) (string, bool) {
	for i := len(w.links) - 1; i >= 0; i-- {
		if w.links[i].at == at {
			return w.links[i].to, true
		}
	}
	return "", false
}

// link notes where new links lead, because later paths may go through them. The
// last word is the new name or, if it is a folder, where it is made.
func (v *visit) link() {
	targets, folder, name := v.r.args, "", ""
	if len(targets) == 0 || v.r.name == "mount" && !v.binds() {
		return
	}
	if g := v.r.given("-t"); g != nil {
		folder = g.value.Text
	} else if n := len(targets); n > 1 {
		folder, targets = targets[n-1].Text, targets[:n-1]
		if len(targets) == 1 && !v.r.has("-T") {
			name = folder
		}
		if v.r.has("-T") {
			name, folder = folder, ""
		}
	} else {
		folder = "."
	}
	for _, a := range targets {
		if a.Unknown && !a.plain {
			v.c.doubt(Moderate, "where the link leads cannot be known: "+a.Text)
			continue
		}
		if name != "" {
			v.newLink(resolve(name, v.st.dir), a.Text)
		}
		if folder != "" {
			v.newLink(resolve(folder+"/"+path.Base(a.Text), v.st.dir), a.Text)
		}
	}
}

// binds reports whether mount shows a folder of this machine at another place.
func (v *visit) binds() bool {
	o := v.r.given("-o")
	return v.r.has("--bind") || o != nil && (o.value.Unknown || strings.Contains(o.value.Text, "bind"))
}

// newLink notes one link. What a symbolic one has is seen from its own folder.
func (v *visit) newLink(at, target string) {
	if v.r.has("-s") {
		target = unclean(target, path.Dir(at))
	} else {
		target = unclean(target, v.st.dir)
	}
	v.alsoNamed(at, target)
}

// alsoNamed notes that at is another name for what is at to.
func (v *visit) alsoNamed(at, to string) {
	if at == "" || !path.IsAbs(to) || len(at)+len(to) > maxPath || path.Clean(to) == at {
		return
	}
	if len(v.w.links) >= maxUnrolled*4 {
		v.c.doubt(Dangerous, "it makes too many links to follow")
		return
	}
	v.w.links = append(v.w.links, link{at, to})
}
