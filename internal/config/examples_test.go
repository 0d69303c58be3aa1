package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

func TestCheckExamples(t *testing.T) {
	const text = `allow:
  - rule: bash(git status *)
    match: [git status, git log]
    not_match:
      - git push
      - git status -s
deny:
  - {rule: bash(rm *), match: [rm x, "?"]}
  - bash(rm *)
`
	f, err := Parse("p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	err = CheckExamples(f, func(r sayso.Rule, example string) (bool, error) {
		if example == "?" {
			return false, errors.New("no call")
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(r.Text, "bash("), " *")
		return strings.HasPrefix(example, head), nil
	})
	want := `p:3:25: the rule bash(git status *) does not match its example "git log"
p:6:9: the rule bash(git status *) matches "git status -s", which it must not
p:8:38: the example "?" of the rule bash(rm *) cannot be checked: no call`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !errors.Is(f.Err, err) || len(f.Rules) != 2 || f.Rules[0].Effect != sayso.Deny {
		t.Errorf("%v, %v", f.Err, f.Rules)
	}
}

// TestCheckExamplesGood: the rule is given as a whole, and a file whose examples
// are right stays as it is.
func TestCheckExamplesGood(t *testing.T) {
	f, err := Parse("sample.yaml", read(t, "testdata/good/sample.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = CheckExamples(f, func(r sayso.Rule, example string) (bool, error) {
		n++
		if len(r.Except) != 1 || r.Source.Line != 10 || r.Effect != sayso.Deny {
			t.Errorf("%+v", r)
		}
		return example == "git push --force origin main", nil
	})
	if err != nil || f.Err != nil || n != 2 || len(f.Rules) != 12 {
		t.Errorf("%v, %d examples, %d rules", err, n, len(f.Rules))
	}
}
