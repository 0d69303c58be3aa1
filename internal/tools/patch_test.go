package tools_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/tools"
)

func begin(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func showPatch(paths []tools.PatchPath) string {
	var out []string
	for _, p := range paths {
		s := fmt.Sprintf("%v %s", p.Op, p.Path)
		if p.MovedTo != "" {
			s += " -> " + p.MovedTo
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

const hunk = "@@ -1 +1 @@\n-a\n+b\n"

func TestPatchPaths(t *testing.T) {
	for _, c := range []struct{ patch, want string }{
		{begin("*** Add File: a", "+x"), "add a"},
		{begin("*** Add File: a", "*** Delete File: /b", "", "*** Update File: c d", "@@ f()", " x", "-y", "+z", "", "*** End of File"), "add a, delete /b, update c d"},
		{begin("*** Update File: a", "*** Move to: ../b", "@@", "-x", "+y"), "move a -> ../b"},
		{begin("*** Update File: a", "+*** Delete File: b", "-*** Delete File: b"), "update a"},
		{"\n" + strings.ReplaceAll(begin("*** Add File: a", "+x"), "\n", "\r\n"), "add a"},
		{begin("*** Add File: C:\\x", "+x"), "add C:\\x"},

		{"--- a\n+++ a\n" + hunk, "update a"},
		{"--- a/x\n+++ b/x\n" + hunk, "update x"},
		{"--- x.orig\n+++ x\n" + hunk, "update x.orig, update x"},
		{"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "add x"},
		{"--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete x"},
		{"--- a/x\t2024-01-01 00:00:00\n+++ b/x\t2024-01-01\n" + hunk, "update x"},
		{"--- a/x y\t\n+++ b/x y\t\n" + hunk, "update x y"},
		{"--- \"a/x y\"\n+++ \"b/x y\"\n" + hunk, "update x y"},
		{"--- \"a/\\303\\244\\\"\\\\\"\n+++ \"b/\\303\\244\\\"\\\\\"\n" + hunk, "update ä\"\\"},
		{"--- a/../../etc/passwd\n+++ b/../../etc/passwd\n" + hunk, "update ../../etc/passwd"},
		{"--- a\n+++ a\n@@ -1,3 +1,2 @@ f()\n x\n--- y\n z\n@@ -9 +8 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n--- c\n+++ c\n" + hunk, "update a, update c"},
		{"Index: /p/a\n=====\n--- /p/a\n+++ /p/a\n" + hunk, "update /p/a"},
		{"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n" + hunk + "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n", "update x, update y"},
		{"diff --git a/x b/x\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a", "add x"},
		{"diff --git a/x b/x\nnew file mode 100644\nindex 0..0\n", "add x"},
		{"diff --git a/x y b/x y\nnew file mode 100644\n", "add x y"},
		{"diff --git \"a/\\t\" \"b/\\101\"\n", ""},
		{"diff --git \"a/x\\303\\244\" \"b/x\\303\\244\"\ndeleted file mode 100644\n", "delete xä"},
		{"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "move x -> y"},
		{"diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n" + hunk, "move x -> y"},
		{"diff --git a/.env b/pub\nsimilarity index 100%\ncopy from .env\ncopy to pub\n", "copy .env -> pub"},
		{"diff --git a/x b/x\nindex 0..1\nBinary files a/x and b/x differ\n", "update x"},
		{"diff --git a/x b/x\nindex 0..1\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV\n\ndiff --git a/y b/y\ndeleted file mode 100644\n", "update x, delete y"},
		{"diff --git x x\n--- x\n+++ x\n" + hunk, "update x"},

		// no patch, or not all of one
		{"", ""},
		{"x", ""},
		{"*** Begin Patch\n*** End Patch", ""},
		{"*** Begin Patch\n*** Add File: a\n+x", ""},
		{"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Add File: b\n", ""},
		{"*** Begin Patch \n*** Add File: a\n+x\n*** End Patch\n", ""},
		{"apply_patch <<EOF\n" + begin("*** Add File: a", "+x"), ""},
		{begin("*** Add File: a", "x"), ""},
		{begin("*** Delete File: a", "+x"), ""},
		{begin("*** Remove File: a"), ""},
		{begin("*** Move to: b"), ""},
		{begin("*** Update File: a", "@@", "*** Move to: b"), ""},
		{begin("*** Environment ID: x", "*** Delete File: a"), ""},
		{begin("*** Add File: "), ""},
		{begin("*** Add File:a", "+x"), ""},
		{begin("*** Add File:  a", "+x"), ""},
		{begin("*** Add File: a ", "+x"), ""},
		{begin("*** Add File: a\x00b", "+x"), ""},
		{begin("*** Add File: a\ufeff", "+x"), ""},
		{begin("*** Add File: a\xff", "+x"), ""},
		{strings.Repeat("x", 1<<20+1), ""},

		// what is a header for some
		{begin("*** Add File: a", " *** Delete File: b", "+x"), ""},
		{begin("*** Update File: a", "@@", " *** Delete File: b"), ""},
		{begin("*** Update File: a", "@@", "\t*** Delete File: b"), ""},
		{begin("*** Add File: a", "+x\r*** Delete File: b"), ""},
		{begin("*** Add File: a", "+x\u2028*** Delete File: b"), ""},
		{begin("*** Add File: a", "+x\v  *** Delete File: b"), ""},
		{"--- a\n+++ a\n@@ -1 +1 @@\n-a\r--- /etc/passwd\n+b\n", ""},
		{"--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- /etc/passwd\n+++ /etc/passwd\n x\n", ""},
		{"--- a\n+++ a\n@@ -1,9 +1,9 @@\n-a\n+b\ndiff --git a/x b/x\n", ""},
		{"--- a\n+++ a\n@@ -1 +1 @@\n-a\n-b\n", ""},
		{"--- a\n+++ a\n@@ -1 +1 @\n-a\n+b\n", ""},
		{"--- a\n+++ a\n@@ -x +1 @@\n-a\n+b\n", ""},
		{"--- a\n+++ a\n@@ - + @@\n", ""},
		{"--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n+++ c\n", ""},
		{"--- a\n", ""},
		{"+++ a\n" + hunk, ""},
		{"*** a\n--- a\n***************\n*** 1 ****\n", ""},
		{"Only in x: y\n--- a\n+++ a\n" + hunk, ""},

		// names that are not the same for all
		{"--- a\n+++ .env 2024-01-01\n" + hunk, ""},
		{"--- a/x\n+++ y\n" + hunk, ""},
		{"--- /dev/null\n+++ /dev/null\n", ""},
		{"--- \"a\n+++ a\n", ""},
		{"--- \"\\400\"\n+++ \"\\400\"\n", ""},
		{"--- \"\\377\"\n+++ \"\\377\"\n", ""},
		{"--- \"a\"x\n+++ \"a\"x\n", ""},
		{"--- \"\\q\"\n+++ \"\\q\"\n", ""},
		{"--- \"a\\nb\"\n+++ \"a\\nb\"\n", ""},
		{"Index: other\n--- x\n+++ x\n" + hunk, ""},
		{"Index: x\n", ""},
		{"diff --git a/x b/x\n--- a/y\n+++ b/y\n" + hunk, ""},
		{"diff --git a/x b/y\n", ""},
		{"diff --git a/x b/y\n--- a/x\n+++ b/y\n" + hunk, ""},
		{"diff --git a/x b/y\nrename from x\n", ""},
		{"diff --git a/x b/y\nrename from x\ncopy to y\n", ""},
		{"diff --git a/x b/y\nrename from x\nrename from z\nrename to y\n", ""},
		{"diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n" + hunk, ""},
		{"diff --git a/x b/y\nrename from x\nrename to z\n", ""},
		{"diff -u x y\n--- x\n+++ x\n" + hunk, ""},
		{"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n", ""},
		{"diff --git a/x b/x\nnew file mode 160000\n", ""},
	} {
		paths, err := tools.PatchPaths(c.patch)
		if got := showPatch(paths); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%.300q:\n got %s, %v\nwant %s", c.patch, got, err, c.want)
		}
		var e *tools.PatchError
		if err != nil && (!errors.As(err, &e) || e.Problem == "") {
			t.Errorf("%.300q: %v", c.patch, err)
		}
	}
}

// TestGitDiff reads what git itself wrote: names with blanks, quotes and letters
// that are not ASCII, binary data, modes, renames and copies.
func TestGitDiff(t *testing.T) {
	b, err := os.ReadFile("testdata/git.diff")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := tools.PatchPaths(string(b))
	want := `update a.txt, update back\slash, update bin, copy space/z -> copy.txt, delete del.txt, update dir/b c.txt, ` +
		`update mode.sh, add new file, move empty -> newempty, update quote"x, move renold.txt -> rennew.txt, update space/z, ` +
		`update tabx, update ä.txt`
	if got := showPatch(paths); got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestPatchPathPaths(t *testing.T) {
	for want, p := range map[string]tools.PatchPath{
		"[{a writes }]":                   {Path: "a"},
		"[{b writes }]":                   {Path: "b", Op: tools.PatchAdd},
		"[{a deletes }]":                  {Path: "a", Op: tools.PatchDelete},
		"[{a moves from } {b moves to }]": {Path: "a", Op: tools.PatchMove, MovedTo: "b"},
		"[{a reads } {b writes }]":        {Path: "a", Op: tools.PatchCopy, MovedTo: "b"},
	} {
		if got := fmt.Sprint(p.Paths()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
