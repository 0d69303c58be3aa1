package fspath

import (
	"path"
	"strings"
)

// A walk follows one path, component by component, as the kernel does.
type walk struct {
	at      At
	done    string // what was walked, without links; empty for the root
	rest    string // what is left
	missing int    // how many of the last components there is nothing at
	links   int
	via     []string // where the path led to each time that a link was followed

	exists, folder, unsure bool
	err                    error
}

// follow returns where an absolute path leads; empty if err is set.
func (w *walk) follow(full string) string {
	root := volume(full)
	w.done, w.rest = root, full[len(root):]
	w.exists, w.folder = true, true
	for w.rest != "" && w.err == nil {
		var name string
		name, w.rest, _ = strings.Cut(w.rest, "/")
		switch name {
		case "", ".":
		case "..":
			w.up(root)
		default:
			w.down(name, root)
		}
	}
	if w.err != nil {
		return ""
	}
	w.exists = w.exists && w.missing == 0
	w.folder = w.folder && w.exists
	if w.done == root {
		return root + "/"
	}
	return w.done
}

// up leaves a folder. The root is its own parent.
func (w *walk) up(root string) {
	if w.done != root {
		w.done = w.done[:strings.LastIndexByte(w.done, '/')]
	}
	if w.missing > 0 {
		w.missing--
	}
	w.exists, w.folder = w.at.Look != nil, true
}

// down goes to a name in the folder.
func (w *walk) down(name, root string) {
	next := w.done + "/" + name
	link, dir, ok := w.look(next)
	if link == "" {
		w.done = next
		w.exists, w.folder = ok, dir
		if !ok {
			w.missing++
		}
		return
	}
	if w.links++; w.links > maxLinks || len(link)+len(w.rest) > maxLength {
		w.err = ErrLoop
		return
	}
	if root != "" {
		link = fromWindows(link)
	}
	if vol := volume(link); vol != "" && root != "" {
		w.done, w.missing, link = vol, 0, link[len(vol):]
	} else if path.IsAbs(link) {
		w.done, w.missing = root, 0
	}
	w.exists, w.folder = true, true // the folder that the link goes on from
	w.rest = link + "/" + w.rest
	w.via = append(w.via, Clean(w.done+"/"+w.rest))
}

// look says what there is at a path, of which the parents are no links.
func (w *walk) look(next string) (link string, dir, ok bool) {
	if link, ours := w.magic(next); ours {
		return link, true, true
	}
	if w.at.Look == nil || w.missing > 0 {
		return "", false, false
	}
	return w.at.Look(next)
}

// magic knows the links of /proc and /dev that mean something else to each
// process: to look at them would show our own. It returns the target, empty if
// the path is to stay as it is.
func (w *walk) magic(next string) (link string, ours bool) {
	switch next {
	case "/dev/fd":
		return "/proc/self/fd", true
	case "/dev/stdin":
		return "/proc/self/fd/0", true
	case "/dev/stdout":
		return "/proc/self/fd/1", true
	case "/dev/stderr":
		return "/proc/self/fd/2", true
	}
	rest, ok := strings.CutPrefix(next, "/proc/")
	if !ok {
		return "", false
	}
	process, what, _ := strings.Cut(rest, "/")
	self := process == "self" || process == "thread-self"
	if !self && !digits(process) {
		return "", false
	}
	if thread, ok := strings.CutPrefix(what, "task/"); ok {
		_, what, _ = strings.Cut(thread, "/")
	}
	return w.process(next, what, self)
}

// process follows the links in the folder of a process.
func (w *walk) process(next, what string, self bool) (link string, ours bool) {
	kind, name, _ := strings.Cut(what, "/")
	seen := ""
	if !self && w.at.Look != nil {
		seen, _, _ = w.at.Look(next)
	}
	switch {
	case what == "root":
		w.unsure = w.unsure || !self
		return "/", true
	case what == "cwd" && path.IsAbs(seen):
		w.unsure = true // it may go elsewhere
		return seen, true
	case what == "cwd":
		w.unsure = w.unsure || !self
		if !path.IsAbs(w.at.Dir) {
			w.err = ErrNoDir
		}
		return w.at.Dir, true
	case (kind == "fd" || kind == "map_files") && name != "":
		if path.IsAbs(seen) {
			return seen, true
		}
		if strings.Trim(w.rest, "/") != "" {
			w.err = ErrUnknown
		}
		w.unsure = w.unsure || name != "0" && name != "1" && name != "2"
		return "", true
	case what == "exe" && self:
		w.unsure = true
	}
	return "", self
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
