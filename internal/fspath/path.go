// Package fspath says which file a path means.
//
// Resolve makes a path absolute and follows its links; Within asks whether it
// is in a folder; Fold and Plain give the name that a file system, or a reader,
// takes another for.
//
// The package does not touch the machine: what it may see of the file system
// is asked for by a function. What it answers was true when that function
// looked. A link that is changed afterwards is for the sandbox to stop.
package fspath

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Why a path cannot be resolved. A path with one of these must not be allowed.
var (
	ErrNUL     = errors.New("the path has a NUL byte")
	ErrLong    = errors.New("the path is too long")
	ErrNoDir   = errors.New("the path is relative, and the working folder is not known")
	ErrNoHome  = errors.New("the path begins with ~, and the home folder is not known")
	ErrLoop    = errors.New("the path has too many symbolic links")
	ErrUnknown = errors.New("the path leads through an open file")
)

const (
	maxLength = 32 << 10 // longer than any system has paths
	maxLinks  = 40       // as Linux
)

// At is where a path is resolved.
type At struct {
	Dir  string // the working folder, absolute; empty if not known
	Home string // the home folder, for ~; empty if not known

	// Look says what there is at an absolute path whose parents are no links:
	// the target if it is a symbolic link, whether it is a folder, and whether
	// there is anything, or anything that can be seen. Nil: nothing can.
	Look func(abs string) (link string, dir, ok bool)
}

// A Path is what a path means. A rule that denies must be asked about every
// one of All; a rule that allows must match each of them.
type Path struct {
	Raw  string // as it was written
	Abs  string // absolute and clean, by its text alone; empty if Err is ErrNoDir or ErrNoHome
	Real string // with every link followed, also a last one that leads to nothing; empty if Err is not nil

	// Others are further paths that Raw may mean: each place that a link led
	// to on the way, what a program opens that cleans the text before it
	// follows links, and what it is with the separators of Windows.
	Others []string

	Exists bool // there is something at Real
	Folder bool // it is a folder
	Unsure bool // part of it is a guess: ~user, the folder of another process, an open file, a share
	Err    error
}

// All returns every path that is meant, Abs first, each once.
func (p Path) All() []string {
	out := make([]string, 0, 2+len(p.Others))
	for _, s := range append([]string{p.Abs, p.Real}, p.Others...) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Resolve says which file raw means. It never fails as a whole: what can be
// known is filled in, and Err says what cannot.
func Resolve(raw string, at At) Path {
	p := Path{Raw: raw}
	if len(raw) > maxLength {
		p.Err = ErrLong
		return p
	}
	text := raw
	windows := volume(fromWindows(at.Dir)) != ""
	if windows {
		at.Dir, at.Home, text = Clean(fromWindows(at.Dir)), fromWindows(at.Home), fromWindows(raw)
	}
	p.resolve(text, at)
	if p.Err == nil && strings.IndexByte(raw, 0) >= 0 { // what was cleaned may have gone with the folder above it
		p.fail(ErrNUL)
	}
	if !windows && p.Err == nil {
		p.spellWindows(at)
	}
	return p
}

// resolve fills in everything but how Windows spells it.
func (p *Path) resolve(text string, at At) {
	if volume(at.Dir) != "" && strings.HasPrefix(text, "//") { // a share of another machine
		p.Abs, p.Unsure = "/"+path.Clean(text), true
		p.Real = p.Abs
		return
	}
	full := p.absolute(text, at)
	if full == "" {
		return
	}
	p.Abs = Clean(full)
	if strings.IndexByte(full, 0) >= 0 {
		p.Err = ErrNUL
		return
	}
	w := walk{at: at}
	p.Real = w.follow(full)
	p.Exists, p.Folder = w.exists, w.folder
	p.take(&w)
	if p.Err == nil && strings.Contains(full, "..") { // what is cleaned first and then followed
		w = walk{at: at}
		p.other(w.follow(p.Abs))
		p.take(&w)
	}
}

// take adds what a walk found on its way.
func (p *Path) take(w *walk) {
	for _, s := range w.via {
		p.other(s)
	}
	p.Unsure = p.Unsure || w.unsure
	if w.err != nil {
		p.fail(w.err)
	}
}

func (p *Path) fail(err error) {
	p.Err, p.Real, p.Exists, p.Folder = err, "", false, false
}

func (p *Path) other(s string) {
	if s != "" && s != p.Abs && s != p.Real && !slices.Contains(p.Others, s) {
		p.Others = append(p.Others, s)
	}
}

// absolute puts the working folder, or a home folder, before text; it leaves
// the rest as it is, for the links must be followed first.
func (p *Path) absolute(text string, at At) string {
	vol := volume(at.Dir)
	if user, rest, ok := tilde(text); ok {
		return p.home(user, rest, at)
	}
	if path.IsAbs(text) || vol != "" && volume(text) != "" {
		if volume(text) == "" {
			return vol + text // on the drive of the working folder
		}
		return text
	}
	if vol == "" && !path.IsAbs(at.Dir) {
		p.fail(ErrNoDir)
		return ""
	}
	if vol != "" && drive(text) { // C:x, in the working folder of that drive
		if !strings.EqualFold(vol, text[:2]) {
			p.fail(ErrNoDir)
			return ""
		}
		text = text[2:]
	}
	return at.Dir + "/" + text
}

// tilde takes ~, ~/x and ~user/x apart. What no user is called, such as ~$x, is
// an ordinary name.
func tilde(text string) (user, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "~")
	user, rest, _ = strings.Cut(text, "/")
	for i := range len(user) {
		c := user[i]
		named := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("._-+@", c) >= 0
		ok = ok && named
	}
	return user, rest, ok
}

// home puts a home folder before rest: our own, that of another user as far as
// it can be guessed, or for ~+ the working folder.
func (p *Path) home(user, rest string, at At) string {
	home := at.Home
	switch {
	case user == "+":
		home = at.Dir
	case user != "" && (at.Home == "" || user != path.Base(at.Home)):
		home = homeOf(user, at.Home)
		p.Unsure = true
		if at.Dir != "" { // or a name that begins with ~
			p.other(Clean(at.Dir + "/~" + user + "/" + rest))
		}
	}
	if !path.IsAbs(home) && volume(home) == "" || volume(at.Dir) != "" && volume(home) == "" {
		p.fail(ErrNoHome)
		return ""
	}
	return home + "/" + rest
}

// homeOf guesses the home folder of another user: next to our own.
func homeOf(user, home string) string {
	switch {
	case user == "root":
		return "/root"
	case home == "" || home == "/root":
		return "/home/" + user
	}
	return path.Dir(home) + "/" + user
}

// Clean makes a path clean by its text alone. It knows drive letters.
func Clean(p string) string {
	vol := volume(p)
	if vol == "" {
		return path.Clean(p)
	}
	return vol + path.Clean("/"+p[len(vol):])
}

// Within reports whether p is root or below it, by path component. Both are
// absolute, or relative to the same folder; they need not be clean.
func Within(p, root string) bool {
	if p == "" || root == "" {
		return false
	}
	p, root = Clean(p), Clean(root)
	if root == "." {
		return !path.IsAbs(p) && volume(p) == "" && p != ".." && !strings.HasPrefix(p, "../")
	}
	rest, ok := strings.CutPrefix(p, root)
	if !ok || rest == "/.." || strings.HasPrefix(rest, "/../") { // ../.. is not in ..
		return false
	}
	return rest == "" || rest[0] == '/' || strings.HasSuffix(root, "/")
}
