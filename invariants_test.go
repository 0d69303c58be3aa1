package sayso_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// counting is a machine that counts how often it is looked at.
type counting struct {
	machine
	looks int
}

func (m *counting) Lstat(name string) (shell.Entry, error) {
	m.looks++
	return m.machine.Lstat(name)
}

func (m *counting) ReadFile(name string, limit int) ([]byte, error) {
	m.looks++
	return m.machine.ReadFile(name, limit)
}

// TestOneAnalysis: files are looked at by the analysis, once, and by no stage.
func TestOneAnalysis(t *testing.T) {
	m := &counting{machine: machine{"/home": "", "/home/dev": "", "/home/dev/app": "", "/home/dev/app/l": "/etc/shadow"}}
	a := sayso.Analyzer{Machine: m}
	call := bash("cat l; rm -rf build; echo x > out; git push; grep -r x . ; cat .e*")
	c := &sayso.Case{Call: call, Facts: a.Analyze(call)}
	once := m.looks
	if once == 0 {
		t.Fatal("the analysis looks at nothing")
	}
	rules, err := sayso.NewRuleSet([]sayso.Rule{{Text: "read(**/.env)"}, {Text: "bash(git push *)"}})
	if err != nil {
		t.Fatal(err)
	}
	native := preset.Native(preset.Policy{Rules: rules})
	for _, mode := range native.Modes {
		plan, err := native.For(mode.Name)
		if err != nil {
			t.Fatal(err)
		}
		plan.Evaluate(context.Background(), c)
	}
	if m.looks != once {
		t.Errorf("deciding looks at %d files", m.looks-once)
	}
	e := sayso.Engine{Preset: native, Analyzer: a}
	e.Check(context.Background(), call, sayso.Session{})
	if m.looks != 2*once {
		t.Errorf("a call is looked at %d times, not %d", m.looks-once, once)
	}
}

// TestInvariants: the tests that the list of invariants names are there.
func TestInvariants(t *testing.T) {
	list, err := os.ReadFile("docs/invariants.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	err = filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			code.Write(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(string(list), -1)
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, n := range names {
		if !strings.Contains(code.String(), "\nfunc "+n[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", n[1])
		}
	}
}
