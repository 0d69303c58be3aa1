package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/shell"
)

// suite runs the cases of a file with tests.
func (t *tester) suite(name string, text []byte) error {
	s, err := config.ParseSuite(name, text)
	if err != nil {
		return err
	}
	p, err := suitePolicy(s)
	if err != nil {
		return err
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		at := fmt.Sprintf("%s:%d", name, c.Line)
		d, err := suiteLine(c, p).Decide(context.Background(), t.at)
		why := ""
		switch {
		case err != nil:
			why = err.Error()
		default:
			why = suiteLine(c, p).Differs(d)
		}
		if why == "" && !strings.Contains(d.Reason, c.Reason) {
			why = fmt.Sprintf("the reason is %q, and %q is not in it", d.Reason, c.Reason)
		}
		id, _ := json.Marshal(shell.Shown(c.Name)) // a string can be written
		t.result(at, id, why)
	}
	return nil
}

// suitePolicy is the policy that a file with tests is about. What it names is
// read as the user's own: a test is about what a policy says, not about trust.
func suitePolicy(s *config.Suite) (*config.Policy, error) {
	file := s.Policy
	if s.File != "" {
		text, err := readBeside(s.Name, s.File)
		if err != nil {
			return nil, fmt.Errorf("%s: policy: %w", s.Name, err)
		}
		if file, err = config.Parse(s.File, text); err != nil {
			return nil, err
		}
	}
	var layers []config.Layered
	if file != nil {
		if err := config.CheckExamples(file, example); err != nil {
			return nil, err
		}
		layers = []config.Layered{{File: file, Layer: sayso.User, Trusted: true}}
	}
	p := config.Merge(layers)
	if p.Preset != "" && p.Preset != "native" {
		return nil, fmt.Errorf("%s: a policy with preset %s is tested with JSON lines", s.Name, p.Preset)
	}
	if s.Script != "" {
		text, err := readBeside(s.Name, s.Script)
		if err != nil {
			return nil, fmt.Errorf("%s: script: %w", s.Name, err)
		}
		p.Scripts = []config.Script{{Name: s.Script, Text: text}}
	}
	return &p, nil
}

// readBeside reads a file that another one names.
func readBeside(name, file string) ([]byte, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(name), filepath.FromSlash(file))
	}
	return local.Machine{}.ReadFile(file, 1<<20)
}

func suiteLine(c *config.Case, p *config.Policy) *vector.Line {
	l := &vector.Line{
		Tool: c.Tool, Args: c.Input, Mode: c.Mode, Dir: c.Dir, AgentMode: c.AgentMode, Policy: p,
		Expect: c.Expect, Code: c.Code, Stage: c.Stage, Risk: c.Risk, FS: &vector.Files{Files: c.Files},
		Session: vector.Session{Tainted: c.Tainted},
	}
	if c.Dir != "" && !path.IsAbs(c.Dir) {
		l.Dir = path.Join("/home/dev/app", c.Dir)
	}
	if c.Subagent != "" {
		l.Agent, _ = json.Marshal("subagent:" + c.Subagent) // a string can be written
	}
	return l
}

// workspace runs the examples of the rules of this workspace, and returns its
// files with tests.
func (t *tester) workspace(std IO) ([]string, error) {
	at, err := place("", "")
	if err != nil {
		return nil, err
	}
	root := local.Root(at.Dir)
	from := places(root, at.Home)
	from.Matches = nil // each is a test of its own here
	p, err := config.Load(from)
	if err != nil {
		return nil, err
	}
	for i := range p.Rules {
		t.examples(&p.Rules[i])
	}
	return findSuites(at.Dir, root)
}

// examples runs the examples of a rule.
func (t *tester) examples(r *sayso.Rule) {
	for _, list := range []struct {
		texts []string
		want  bool
		word  string
	}{{r.Match, true, "matches"}, {r.NotMatch, false, "does not match"}} {
		for _, text := range list.texts {
			got, err := example(*r, text)
			why := ""
			switch {
			case err != nil:
				why = err.Error()
			case got != list.want:
				why = "it is the other way round"
			}
			id, _ := json.Marshal(fmt.Sprintf("%s %s %s", r.Text, list.word, shell.Shown(text))) // a string can be written
			t.result(r.Source.String(), id, why)
		}
	}
}

// How far findSuites looks: a workspace may have a million files.
const (
	maxDepth   = 8
	maxEntries = 50_000
)

var errEnough = errors.New("enough")

// findSuites returns the files with tests of a workspace, as seen from a folder.
// It follows no link, and does not go where a build or a package manager puts
// things.
func findSuites(dir, root string) ([]string, error) {
	var found []string
	seen := 0
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil { // it cannot be looked into
			if e != nil && e.IsDir() && name != root {
				return fs.SkipDir
			}
			return err
		}
		if seen++; seen > maxEntries {
			return errEnough
		}
		if e.IsDir() && name != root && skipped(root, name, e.Name()) {
			return fs.SkipDir
		}
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), config.SuiteEnd) {
			if short, err := filepath.Rel(dir, name); err == nil {
				name = short
			}
			found = append(found, name)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil, fmt.Errorf("%s has more than %d files; name the files with tests", root, maxEntries)
	}
	return found, err
}

func skipped(root, name, last string) bool {
	switch last {
	case "node_modules", "vendor", "target", "dist", "build", "testdata":
		return true
	case ".sayso":
		return false
	}
	return strings.HasPrefix(last, ".") || strings.Count(name[len(root):], string(os.PathSeparator)) > maxDepth
}
