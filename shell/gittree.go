package shell

import (
	"bytes"
	hexadecimal "encoding/hex"
	"path"
	"strings"
)

// What git puts into the working tree stands in the repository. Commits that were
// made here lately are files of their own there, and are read; those that came from
// a server or are old are packed, and not looked at: to work with them is free.

// How a sub-command of git changes the working tree.
type treeChange uint8

const (
	notTree    treeChange = iota
	wholeTree             // it becomes that of the commit
	oneCommit             // it gets what the commit has changed
	allCommits            // it gets what all commits have changed that are not in HEAD
)

func (v *visit) treeChange() treeChange {
	subs := v.r.subs
	switch subs[0].Text {
	case "checkout", "switch", "reset", "restore", "read-tree":
		return wholeTree
	case "cherry-pick":
		return oneCommit
	case "stash":
		if len(subs) > 1 && (subs[1].Text == "pop" || subs[1].Text == "apply" || subs[1].Text == "branch") {
			return oneCommit
		}
	case "merge", "rebase", "pull":
		return allCommits
	}
	return notTree
}

// gitTree touches what guards the agent and would change because git puts another
// commit into the working tree; and what is put into the index by its name.
func (v *visit) gitTree() {
	r := &v.r
	if len(r.subs) == 0 || v.c.Elsewhere {
		return
	}
	if g := r.given("--cacheinfo"); g != nil && g.hasValue {
		v.cacheInfo(g.value)
	}
	root, how := v.w.rootOf(v.st.dir), v.treeChange()
	if how == notTree || root == "" || v.w.at.Machine == nil || v.c.Effects&(Writes|Irreversible) == 0 {
		return
	}
	repo := repository{v.w, path.Join(root, ".git")}
	head := repo.commit("HEAD")
	for _, name := range v.commits() {
		commit := repo.commit(name)
		guard := ""
		switch how {
		case wholeTree:
			guard = repo.changed(head, commit)
		case oneCommit:
			guard = repo.changed(repo.parent(commit), commit)
		case allCommits:
			guard = repo.changedSince(head, commit)
		}
		if guard != "" {
			v.touch(Arg{Text: path.Join(root, guard)}, Write, true)
			return
		}
	}
}

// changedSince is changed for the commits that lead to one and are not among those
// that lead to head.
func (r repository) changedSince(head, commit string) string {
	old := map[string]bool{}
	for at := head; at != "" && len(old) < maxUnrolled*2; at = r.parent(at) {
		old[at] = true
	}
	for range maxUnrolled * 2 {
		if commit == "" || old[commit] {
			break
		}
		parent := r.parent(commit)
		if guard := r.changed(parent, commit); guard != "" {
			return guard
		}
		commit = parent
	}
	return ""
}

// changed is a file that guards an agent and is another one in a commit than in one
// before; empty if there is none that can be seen.
func (r repository) changed(before, commit string) string {
	tree, ok := r.tree(commit)
	old, known := r.tree(before)
	if !ok || known && tree == old {
		return ""
	}
	for _, guard := range guardNames() {
		then, seen := r.entry(tree, guard)
		now, compared := r.entry(old, guard)
		if compared = compared && known; seen && (compared && now != then || !compared && r.loose(then)) {
			return guard
		}
	}
	return ""
}

// commits are the words of the command that may name a commit.
func (v *visit) commits() []string {
	if v.r.subs[0].Text == "stash" {
		return []string{"refs/stash"}
	}
	var out []string
	for _, a := range v.r.args {
		if !a.Unknown && len(out) < 4 {
			out = append(out, a.Text)
		}
	}
	if g := v.r.given("--source"); g != nil && g.hasValue {
		out = append(out, g.value.Text)
	}
	return out
}

// cacheInfo is MODE,OBJECT,PATH, or the first of these three words.
func (v *visit) cacheInfo(a Arg) {
	parts := strings.SplitN(a.Text, ",", 3)
	if len(parts) == 3 {
		v.touch(a.named(parts[2]), Write, false)
		return
	}
	for _, word := range v.r.args {
		v.touch(word, Write, false)
	}
}

// guardNames are the files and folders that guard an agent, from its workspace on.
func guardNames() []string {
	out := append([]string{}, pathsGuard.names...)
	for i := range pathsGuard.deep {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(pathsGuard.deep[i].pattern, "**/"), "/**"))
	}
	return out
}

// A repository reads what stands in a folder of git as files of their own.
type repository struct {
	w   *walker
	dir string
}

// tree is the tree of a commit.
func (r repository) tree(commit string) (string, bool) {
	text, ok := r.object(commit)
	_, rest, found := bytes.Cut(text, []byte("\x00tree "))
	if !ok || !found || len(rest) < 40 {
		return "", false
	}
	return string(rest[:40]), true
}

// parent is the commit before one.
func (r repository) parent(commit string) string {
	text, _ := r.object(commit)
	header, _, _ := bytes.Cut(text, []byte("\n\n"))
	_, rest, found := bytes.Cut(header, []byte("\nparent "))
	if !found || len(rest) < 40 {
		return ""
	}
	return string(rest[:40])
}

// commit is what a name stands for: a branch, a tag, or the object itself.
func (r repository) commit(name string) string {
	name, _, _ = strings.Cut(name, "~")
	name, _, _ = strings.Cut(name, "^")
	for range 3 { // HEAD leads to a branch
		if isObject(name) {
			return name
		}
		next := ""
		for _, place := range [...]string{"", "refs/", "refs/heads/", "refs/tags/", "refs/remotes/"} {
			if text, ok := r.w.readFile(path.Join(r.dir, place+name)); ok && next == "" {
				next = strings.TrimPrefix(strings.TrimSpace(string(text)), "ref: ")
			}
		}
		if next == "" {
			return ""
		}
		name = next
	}
	return ""
}

func isObject(name string) bool {
	_, err := hexadecimal.DecodeString(name)
	return err == nil && len(name) == 40
}

// entry is the object that a tree has under a path; empty if there is none. It
// reports whether that could be seen.
func (r repository) entry(tree, name string) (string, bool) {
	for _, part := range strings.Split(name, "/") {
		if tree == "" {
			return "", true
		}
		text, ok := r.object(tree)
		if !ok {
			return "", false
		}
		_, list, _ := bytes.Cut(text, []byte{0})
		tree = ""
		for len(list) > 0 {
			head, rest, ok := bytes.Cut(list, []byte{0})
			if !ok || len(rest) < 20 {
				return "", false
			}
			if _, file, _ := strings.Cut(string(head), " "); strings.EqualFold(file, part) {
				tree = hexadecimal.EncodeToString(rest[:20])
			}
			list = rest[20:]
		}
	}
	return tree, true
}

// loose reports whether an object was made lately.
func (r repository) loose(id string) bool {
	_, ok := r.object(id)
	return ok
}

// object is the content of an object that is a file of its own.
func (r repository) object(id string) ([]byte, bool) {
	if !isObject(id) {
		return nil, false
	}
	unpacker, ok := r.w.at.Machine.(Unpacker)
	if !ok {
		return nil, false
	}
	packed, ok := r.w.readFile(r.dir + "/objects/" + id[:2] + "/" + id[2:])
	if !ok {
		return nil, false
	}
	return unpacker.Inflate(packed, maxFileSize)
}
