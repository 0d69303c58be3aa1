package preset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/glob"
	"github.com/sayso-dev/sayso/shell"
)

// A bashContent means commands: those that start with some words, or one
// command exactly.
type bashContent struct {
	raw    string         // as written
	text   string         // without :*, and with single blanks
	words  []string       // of it
	prefix bool           // more words may follow
	size   int            // how much is said, if nothing may follow
	loose  *sayso.RuleSet // the same for rules that deny or ask: in any spelling
}

func newBashContent(text string) (agentScopeContent, error) {
	m := &bashContent{raw: strings.TrimSpace(text)}
	m.text, m.prefix = strings.CutSuffix(m.raw, ":*")
	m.words = strings.Fields(m.text)
	m.text = strings.Join(m.words, " ")
	if m.text == "" {
		return nil, errors.New("there is nothing before :*: write * for every command")
	}
	rules := []sayso.Rule{{Effect: sayso.Deny, Text: sayso.CommandRule(m.words, false)}}
	if m.prefix {
		rules = append(rules, sayso.Rule{Effect: sayso.Deny, Text: sayso.CommandRule(m.words, true)})
	} else {
		cmd := shell.Command{Args: make([]shell.Arg, len(m.words))}
		for i, w := range m.words {
			cmd.Args[i].Text = w
		}
		m.size = sizeOf(&cmd)
	}
	var err error
	m.loose, err = sayso.NewRuleSet(rules)
	return m, err
}

// any reports whether the line, or a command that it reaches, is meant: by its
// text, or by what it is after unwrapping, whatever the order and the spelling
// of its options.
func (m *bashContent) any(c *sayso.Case) bool {
	line := strings.Join(strings.Fields(lineOf(c)), " ")
	if line == m.text || m.prefix && strings.HasPrefix(line, m.text+" ") {
		return true
	}
	for i := range c.Facts.Parts {
		p := &c.Facts.Parts[i]
		if m.loose.Find(sayso.Deny, c, p) != nil && !m.exceeded(p.Command) {
			return true
		}
	}
	return false
}

// exceeded reports whether a command that has all of the content has more, such
// as another option, where the content is to be all of it. Words that cannot be
// known may be none.
func (m *bashContent) exceeded(cmd *shell.Command) bool {
	if m.prefix || cmd == nil || slices.ContainsFunc(cmd.Args, func(a shell.Arg) bool { return a.Unknown }) {
		return false
	}
	return sizeOf(cmd) > m.size
}

// sizeOf counts what a command says behind its name: sub-commands, options one
// by one, their values, and operands.
func sizeOf(cmd *shell.Command) int {
	w := cmd.Words()
	size := len(w.Subs) + len(w.Operands) + len(w.Options)
	for i := range w.Options {
		if w.Options[i].Has {
			size++
		}
	}
	return size
}

// covers reports whether a command is meant word by word, or is run by one that
// is. A file that it writes by a redirection is covered in the workspace: the
// prefix says nothing of files.
func (m *bashContent) covers(c *sayso.Case, p *sayso.Part) bool {
	if !m.prefix && strings.TrimSpace(lineOf(c)) == m.raw {
		return true
	}
	if p.Command == nil {
		return len(p.Opaque) == 0 && len(p.Paths) > 0 && m.coversRedirect(c, p)
	}
	for cmd := p.Command; cmd != nil; cmd = c.Facts.Parent(cmd) {
		if m.means(cmd) {
			return true
		}
	}
	return false
}

func (m *bashContent) means(cmd *shell.Command) bool {
	if len(cmd.Assigns) > 0 || len(cmd.Args) < len(m.words) || !m.prefix && len(cmd.Args) > len(m.words) {
		return false // a variable may change what the program does
	}
	for i, w := range m.words {
		if a := &cmd.Args[i]; a.Unknown || a.Text != w {
			return false
		}
	}
	return true
}

// coversRedirect reports whether a file that a redirection reads or writes may
// be one of a command that is meant.
func (m *bashContent) coversRedirect(c *sayso.Case, p *sayso.Part) bool {
	meant := false
	for i := range c.Facts.Parts {
		cmd := c.Facts.Parts[i].Command
		meant = meant || cmd != nil && m.means(cmd) && slices.Contains(cmd.Paths, p.Paths[0])
	}
	return meant && c.Facts.Inside(p)
}

// lineOf is the command line of a call, as it was sent; empty if there is none or
// more than one.
func lineOf(c *sayso.Case) string {
	if len(c.Facts.Lines) != 1 {
		return ""
	}
	return c.Facts.Lines[0]
}

// A fileContent means files by a glob. In rules that allow, * stays within a
// folder; in rules that deny or ask it crosses folders, and case does not
// matter.
type fileContent struct {
	strict, loose glob.Glob
	home          bool // the pattern begins with ~/
}

func newFileContent(text string) (agentScopeContent, error) {
	m := &fileContent{}
	pattern, home := strings.CutPrefix(text, "~/")
	m.home = home
	pattern = strings.TrimPrefix(pattern, "./")
	var err error
	allowed := pattern
	if strings.HasSuffix(pattern, "/**") {
		allowed += "/*" // what is in the folder, and not the folder itself
	}
	if m.strict, err = glob.Compile(allowed); err != nil {
		return nil, err
	}
	if m.loose, err = glob.CompileLoose(fspath.Fold(pattern), glob.Fold); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *fileContent) any(c *sayso.Case) bool {
	for i := range c.Facts.Parts {
		for _, p := range c.Facts.Parts[i].Paths {
			for _, abs := range meanings(p) {
				if slices.ContainsFunc(m.names(c, abs), func(name string) bool { return m.loose.Match(name) || m.loose.Match(fspath.Fold(name)) }) {
					return true
				}
			}
		}
	}
	return false
}

func (m *fileContent) covers(c *sayso.Case, p *sayso.Part) bool {
	if len(p.Paths) == 0 || len(p.Opaque) > 0 || p.Command != nil {
		return false
	}
	for _, touched := range p.Paths {
		for _, abs := range meanings(touched) {
			if !slices.ContainsFunc(m.names(c, abs), m.strict.Match) {
				return false
			}
		}
	}
	return true
}

// meanings are the path as it is written and with links followed.
func meanings(p shell.Path) []string {
	if p.Real == "" || p.Real == p.Abs {
		return []string{p.Abs}
	}
	return []string{p.Abs, p.Real}
}

// names are the ways to write an absolute path in a pattern: whole, relative to
// the workspace, or to the home folder.
func (m *fileContent) names(c *sayso.Case, abs string) []string {
	if m.home {
		return relativeTo(abs, c.Facts.Place.Home)
	}
	names := []string{abs}
	for _, root := range c.Facts.Place.Workspace {
		names = append(names, relativeTo(abs, root)...)
	}
	return names
}

// relativeTo returns the path from a folder that it is in.
func relativeTo(abs, folder string) []string {
	if folder == "" || abs == folder || !fspath.Within(abs, folder) {
		return nil
	}
	return []string{strings.TrimPrefix(strings.TrimPrefix(abs, path.Clean(folder)), "/")}
}

// A jsonContent means calls with exactly this input.
type jsonContent struct{ value any }

func newJSONContent(text string) (agentScopeContent, error) {
	v, once, err := jsonValue([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("want the input of the tool as JSON, or *: %w", err)
	}
	if !once {
		return nil, errors.New("a key is given twice")
	}
	return jsonContent{v}, nil
}

func (m jsonContent) any(c *sayso.Case) bool {
	v, once, err := inputOf(c)
	return err != nil || !once || sameJSON(v, m.value) // what can be read in two ways may be meant
}

func (m jsonContent) covers(c *sayso.Case, _ *sayso.Part) bool {
	v, once, err := inputOf(c)
	return err == nil && once && sameJSON(v, m.value)
}

func inputOf(c *sayso.Case) (any, bool, error) {
	if len(bytes.TrimSpace(c.Call.Input)) == 0 {
		return map[string]any{}, true, nil
	}
	return jsonValue(c.Call.Input)
}

// jsonValue reads JSON, and reports whether every key is there only once.
func jsonValue(text []byte) (v any, once bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, false, err
	}
	if dec.More() {
		return nil, false, errors.New("there is something behind the value")
	}
	again := json.NewDecoder(bytes.NewReader(text))
	again.UseNumber()
	return v, keysOnce(again), nil
}

// keysOnce walks through a value that is known to be JSON.
func keysOnce(dec *json.Decoder) bool {
	token, _ := dec.Token()
	open, ok := token.(json.Delim)
	if !ok {
		return true
	}
	once, seen := true, map[any]bool{}
	for dec.More() {
		if open == '{' {
			key, _ := dec.Token()
			once = once && !seen[key]
			seen[key] = true
		}
		once = keysOnce(dec) && once
	}
	_, _ = dec.Token() // its end
	return once
}

// sameJSON compares values; the order of keys does not matter.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !sameJSON(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(string(a), string(b))
	}
	return reflect.DeepEqual(a, b)
}

// sameNumber compares numbers by value where that is exact: 1 is 1.0.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	const exact = 15 // digits that a float64 keeps
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y && len(a) <= exact && len(b) <= exact
}

// An ownContent means what a custom tool says it means.
type ownContent struct {
	text    string
	matches func(pattern string, input json.RawMessage) bool
}

func (m ownContent) any(c *sayso.Case) bool { return m.matches(m.text, c.Call.Input) }

func (m ownContent) covers(c *sayso.Case, _ *sayso.Part) bool { return m.matches(m.text, c.Call.Input) }
