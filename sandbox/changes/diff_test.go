package changes

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sayso-dev/sayso/internal/mask"
)

// TestCompared: a diff reads as people know it.
func TestCompared(t *testing.T) {
	long := strings.Repeat("same\n", 20)
	for _, one := range []struct{ before, after, want, note string }{
		{"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b", ""},
		{"a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b", ""},
		{"a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c", ""},
		{long + "x\n" + long, long + "y\n" + long, "@@ -18,7 +18,7 @@\n same\n same\n same\n-x\n+y\n same\n same\n same", ""},
		{"x\n" + long + "y\n", "X\n" + long + "Y\n", "@@ -1,4 +1,4 @@\n-x\n+X\n same\n same\n same\n@@ -19,4 +19,4 @@\n same\n same\n same\n-y\n+Y", ""},
		{"a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", "@@ -1,5 +1,5 @@\n-a\n+A\n 1\n 2\n 3\n-b\n+B", ""},
		{"", "", "", ""},
		{"a", "a\n", "", "the last line ends otherwise"},
		{"password=hunter2hunter2\n", "password=geheimgeheim1\n", "@@ -1 +1 @@\n-password=[masked:14]\n+password=[masked:13]", ""},
	} {
		got := compared(one.before, one.after, mask.Text)
		if text := strings.Join(got.Lines, "\n"); text != one.want || got.Note != one.note {
			t.Errorf("%q to %q:\n%s\n(%s)\nwant:\n%s\n(%s)", one.before, one.after, text, got.Note, one.want, one.note)
		}
	}
}

// TestMasked: a secret of several lines is in no diff, also where lines around it change.
func TestMasked(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQDExample\n-----END PRIVATE KEY-----\n"
	got := strings.Join(compared("a\n"+key, "b\n"+key+"c\n", mask.Text).Lines, "\n")
	if strings.Contains(got, "MIIE") || !strings.Contains(got, "+c") {
		t.Errorf("%s", got)
	}
}

// TestCompareHolds: the edits make the old text and the new one, whatever they are.
func TestCompareHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 40)
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		var gotOld, gotNew []string
		for _, e := range compare(old, new) {
			if e.op != '+' {
				gotOld = append(gotOld, old[e.old])
			}
			if e.op != '-' {
				gotNew = append(gotNew, new[e.new])
			}
			if e.op == ' ' && old[e.old] != new[e.new] {
				t.Fatalf("%v: the lines differ", e)
			}
		}
		if strings.Join(gotOld, "") != strings.Join(old, "") || strings.Join(gotNew, "") != strings.Join(new, "") {
			t.Fatalf("%v and %v became %v and %v", old, new, gotOld, gotNew)
		}
	})
}

// TestCompareMuch: what differs too much is still shown whole.
func TestCompareMuch(t *testing.T) {
	old, new := make([]string, 3000), make([]string, 3000)
	for i := range old {
		old[i], new[i] = strings.Repeat("o", i%7)+"x", strings.Repeat("n", i%5)+"y"
	}
	minus, plus := 0, 0
	for _, e := range compare(old, new) {
		switch e.op {
		case '-':
			minus++
		case '+':
			plus++
		}
	}
	if minus != len(old) || plus != len(new) {
		t.Errorf("%d and %d lines", minus, plus)
	}
}
