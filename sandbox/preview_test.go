//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/sandbox/changes"
)

// previewer is an engine that allows everything, and whose person answers with a key.
func previewer(c sayso.Contract, key string) *sayso.Engine {
	return &sayso.Engine{
		Preset: sayso.Preset{Name: "test", Modes: []sayso.Mode{{Name: "test"}}, Plan: func(string) (sayso.Plan, error) {
			return sayso.Plan{sayso.Otherwise(sayso.Allow, "test", "all is allowed")}, nil
		}},
		Contract: func(sayso.Call, *sayso.Facts) sayso.Contract { return c },
		Approver: sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
			for _, choice := range r.Decision.Choices {
				if choice.Key == key {
					return sayso.Answer{RequestID: r.ID, Choice: key, Yes: choice.Yes, ContractHash: choice.Contract(r.Contract).Hash()}, nil
				}
			}
			return sayso.Answer{}, errors.New("no such choice")
		}),
	}
}

var previewCall = sayso.Call{ID: "call", Tool: "bash", Input: []byte(`{"command":"true"}`), Root: "/", Home: "/"}

// A shown is a preview in a test.
type shown struct {
	*sandbox.Preview
	c        sayso.Contract
	out, err string
}

func preview(t *testing.T, c sayso.Contract, o sandbox.PreviewOptions) (shown, error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	permit, _, err := previewer(c, "").AuthorizePreview(context.Background(), previewCall)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	p, err := sandbox.RunPreview(context.Background(), permit, sandbox.Options{Stdout: &out, Stderr: &errs, Box: program}, o)
	if err != nil {
		return shown{}, err
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return shown{p, c, out.String(), errs.String()}, nil
}

// apply makes the changes, as somebody who said yes.
func (s shown) apply(t *testing.T) error {
	t.Helper()
	ctx := context.Background()
	permit, d, err := previewer(s.c, "y").AuthorizeChanges(ctx, previewCall, s.Changes.Hash(), nil)
	if err != nil || d.Effect != sayso.Allow {
		t.Fatalf("%v %v", d, err)
	}
	return s.Apply(ctx, permit)
}

// list is what is changed, a line each.
func (s shown) list(dir string) string {
	var b strings.Builder
	for _, c := range s.Changes.List {
		fmt.Fprintf(&b, "%s %s", c.Kind, strings.TrimPrefix(c.Path, dir+"/"))
		if c.After != nil {
			fmt.Fprintf(&b, " %s", c.After.Type)
			if c.After.Type == changes.Link {
				fmt.Fprintf(&b, " to %s", c.After.To)
			} else {
				fmt.Fprintf(&b, " %o", uint32(c.After.Mode.Perm()))
			}
		}
		if c.Same != "" {
			fmt.Fprintf(&b, " same as %s", strings.TrimPrefix(c.Same, dir+"/"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tree is what is in a folder, as text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		fmt.Fprintf(&b, "%s %s", rel, info.Mode())
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %s %q", info.ModTime().Format(time.RFC3339Nano), text)
		case info.Mode()&os.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " to %s", to)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// workspace makes files to be changed.
func workspace(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "stays\n", "mode": "x", "dir/1": "1", "dir/2": "2", "dir/deep/3": "3", "whole/x": "x", "whole/y": "y", "was-file": "file", "was-dir/in": "in", "blank s/ü": "u"} {
		write(t, filepath.Join(dir, name), text)
	}
	t.Cleanup(func() { _ = os.Chmod(dir+"/closed", 0o755) }) // else it could not be removed
	if err := errors.Join(os.Symlink("a.txt", dir+"/link"), os.Link(dir+"/b.txt", dir+"/second-name")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// everything is a script that changes files in every way.
const everything = `set -e
sed 's/two/zwei/' a.txt >a.new && mv a.new a.txt
chmod 755 mode
rm dir/1
rm -r whole; mkdir whole; echo new >whole/z
mv dir dir2
ln -sfn b.txt link
ln -s /etc/passwd outside
rm was-file; mkdir was-file; echo in >was-file/in
rm -r was-dir; echo file >was-dir
echo more >>second-name
mkdir -m 700 closed; echo c >closed/c; chmod 500 closed
echo h >hard1; ln hard1 hard2
mkfifo pipe
mkdir -p new/folder/deep
printf 'a\0b' >binary
rm "blank s/ü"; echo gone-and-back >"blank s/ü"
touch -d 2001-02-03T04:05:06Z b.txt
echo written`

const everythingChanges = `changed a.txt file 644
changed b.txt file 644
added binary file 644
changed blank s/ü file 644
added closed folder 500
added closed/c file 644
removed dir
removed dir/1
removed dir/2
removed dir/deep
removed dir/deep/3
added dir2 folder 755
added dir2/2 file 644
added dir2/deep folder 755
added dir2/deep/3 file 644
added hard1 file 644
added hard2 file 644 same as hard1
changed link link to b.txt
changed mode file 755
added new folder 755
added new/folder folder 755
added new/folder/deep folder 755
added outside link to /etc/passwd
added pipe pipe 644
changed second-name file 644
changed was-dir file 644
removed was-dir/in
changed was-file folder 755
added was-file/in file 644
removed whole/x
removed whole/y
added whole/z file 644
`

// TestPreview: the files stay as they are, what is shown is what was changed, and what
// is applied is what the command would have done.
func TestPreview(t *testing.T) {
	for _, copied := range []bool{false, true} {
		t.Run(fmt.Sprintf("copy=%t", copied), func(t *testing.T) {
			dir := workspace(t)
			before := tree(t, dir)
			s, err := preview(t, contract(dir, everything), sandbox.PreviewOptions{Copy: copied})
			if err != nil || s.Result.Exit != 0 || s.out != "written\n" {
				t.Fatalf("%v %+v", err, s)
			}
			if after := tree(t, dir); after != before {
				t.Fatalf("it has changed files:\n%s\nbefore:\n%s", after, before)
			}
			if got := s.list(dir); got != everythingChanges && !copied {
				t.Errorf("got:\n%s\nwant:\n%s", got, everythingChanges)
			}
			if want := map[bool]string{false: "overlay: ", true: "copy: "}[copied]; !strings.HasPrefix(s.How, want) {
				t.Errorf("it was done by %s", s.How)
			}
			if !s.Report.Enforced() {
				t.Errorf("not enforced: %v", s.Report)
			}
			if err := s.apply(t); err != nil {
				t.Fatal(err)
			}
			same(t, dir, copied)
		})
	}
}

// same compares a folder in which changes were applied with one in which they were made.
func same(t *testing.T, dir string, copied bool) {
	t.Helper()
	real := workspace(t)
	if r := run(t, contract(real, everything)); r.Exit != 0 || r.failure != nil {
		t.Fatal(r)
	}
	got, want := untimed(tree(t, dir)), untimed(tree(t, real))
	if !copied { // a layer knows nothing of the other name of a file: each is one of its own from then on
		want = strings.Replace(want, `b.txt -rw-r--r-- 2001-02-03T04:05:06Z "stays\nmore\n"`, `b.txt -rw-r--r-- 2001-02-03T04:05:06Z "stays\n"`, 1)
		want = strings.Replace(want, `second-name -rw-r--r-- 2001-02-03T04:05:06Z`, `second-name -rw-r--r--`, 1)
	}
	if got != want {
		t.Errorf("applied:\n%s\nrun:\n%s", got, want)
	}
	one, err1 := os.Stat(dir + "/hard1")
	two, err2 := os.Stat(dir + "/hard2")
	if err := errors.Join(err1, err2); err != nil || !os.SameFile(one, two) {
		t.Errorf("the new names are not of one file (%v)", err)
	}
	if text, err := os.ReadFile("/etc/passwd"); err != nil || strings.Contains(string(text), "written") {
		t.Error("a link was followed")
	}
}

// untimed leaves out the times of files, which are other ones in each run.
func untimed(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for i, f := range fields {
			if _, err := time.Parse(time.RFC3339Nano, f); err == nil && !strings.HasPrefix(f, "2001-") {
				fields[i] = ""
			}
		}
		out = append(out, strings.Join(strings.Fields(strings.Join(fields, " ")), " "))
	}
	return strings.Join(out, "\n")
}
