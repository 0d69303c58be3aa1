package shell_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// A fakeRepository makes objects as git keeps those that are new.
type fakeRepository struct{ files map[string]string }

func (r fakeRepository) object(kind, text string) string {
	whole := fmt.Sprintf("%s %d\x00%s", kind, len(text), text)
	sum := sha1.Sum([]byte(whole))
	id := hex.EncodeToString(sum[:])
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(whole))
	_ = w.Close()
	r.files["/home/dev/app/.git/objects/"+id[:2]+"/"+id[2:]] = b.String()
	return id
}

// commit stores a commit whose tree has the settings of an agent, if there are any.
func (r fakeRepository) commit(settings, parent string) string {
	entry := func(mode, name, id string) string {
		raw, _ := hex.DecodeString(id)
		return mode + " " + name + "\x00" + string(raw)
	}
	tree := entry("100644", "a.go", r.object("blob", "package a\n"))
	if settings != "" {
		folder := r.object("tree", entry("100644", "settings.json", r.object("blob", settings)))
		tree = entry("40000", ".claude", folder) + tree
	}
	text := "tree " + r.object("tree", tree) + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	return r.object("commit", text+"author x\n\nparent of nothing\n")
}

// TestGitTree: git brings no other settings of the agent, where the commits can be
// seen; and what does not change them is free.
func TestGitTree(t *testing.T) {
	r := fakeRepository{map[string]string{}}
	first := r.commit("", "")
	plain := r.commit("", first)
	evil := r.commit("{}", first)
	mine := r.commit("{1}", evil)
	heads := map[string]string{"main": first, "plain": plain, "evil": evil, "mine": mine}
	for _, c := range []struct {
		head, command string
		brings        bool
	}{
		{"main", "git checkout evil", true},
		{"main", "git switch evil", true},
		{"main", "git merge evil", true},
		{"main", "git rebase evil", true},
		{"main", "git cherry-pick " + evil, true},
		{"main", "git reset --hard evil", true},
		{"main", "git stash pop", true},
		{"main", "git -C . checkout -f refs/heads/evil", true},
		{"mine", "git checkout main", true}, // they are gone then
		{"main", "git checkout plain", false},
		{"main", "git merge plain", false},
		{"main", "git stash push", false},
		{"main", "git log evil", false},
		{"main", "git checkout nobody", false},
		{"mine", "git merge main", false},
		{"mine", "git merge evil", false}, // what is in it already
		{"mine", "git rebase plain", false},
		{"mine", "git checkout -b new", false},
	} {
		files := map[string]string{"/home/dev/app/.git/HEAD": "ref: refs/heads/" + c.head + "\n", "/home/dev/app/.git/refs/stash": evil + "\n"}
		for name, text := range r.files {
			files[name] = text
		}
		for name, id := range heads {
			files["/home/dev/app/.git/refs/heads/"+name] = id + "\n"
		}
		a, _ := onMachine(t, files, c.command)
		brings := false
		for i := range a.Commands {
			for _, p := range a.Commands[i].Paths {
				brings = brings || p.Access == shell.Write && corpusPlace.Class(p.Abs)&shell.Guard != 0
			}
		}
		if brings != c.brings {
			t.Errorf("at %s, %s: it changes what guards the agent: %v, want %v", c.head, c.command, brings, c.brings)
		}
	}
}
