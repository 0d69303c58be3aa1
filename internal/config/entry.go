package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/tools"
)

// An entry of allow, ask or deny is the text of a rule, or its long form.
type entry struct {
	longForm
	path string
}

func (e *entry) read(d *decoder, n *yaml.Node, path string) {
	e.path = path
	switch n.Kind {
	case yaml.ScalarNode:
		e.Rule.read(d, n, path)
	case yaml.MappingNode:
		before := len(d.errs)
		d.fields(n, reflect.ValueOf(&e.longForm).Elem(), path)
		if e.Rule == "" && len(d.errs) == before {
			d.report(mark{n.Line, n.Column}, label(path)+": the long form needs a rule", "rule: tool(pattern)")
		}
	default:
		d.want(n, path, "a rule", "")
	}
}

// A ruleText is the text of a rule that compiles; otherwise it is empty.
type ruleText string

func (r *ruleText) read(d *decoder, n *yaml.Node, path string) {
	text, ok := d.text(n, path)
	if !ok {
		return
	}
	if err := compiles(text, d.own); err != nil {
		at := mark{n.Line, n.Column}
		at.column += d.inside(n, text, err.Column)
		d.report(at, err.Error(), ruleHint(err))
		return
	}
	*r = ruleText(text)
}

// compiles reports what is wrong with the text of a rule, or nil.
func compiles(text string, own []sayso.Tool) *sayso.RuleError {
	_, err := sayso.NewRuleSet([]sayso.Rule{{Text: text}}, own...)
	if err == nil {
		return nil
	}
	var known *sayso.RuleError
	if errors.As(err, &known) {
		return known
	}
	return &sayso.RuleError{Text: text, Column: 1, Problem: err.Error()}
}

// inside returns how many characters behind the start of its node a byte of a
// text stands, or 0 where the text is not written as it reads.
func (d *decoder) inside(n *yaml.Node, text string, column int) int {
	if len(d.src.line(n.Line)) > 4096 {
		return 0 // counting would take long, and nobody looks there
	}
	raw := d.src.text[min(d.src.offset(mark{n.Line, n.Column}), len(d.src.text)):]
	quote := 0
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		quote = 1
	}
	if column < 1 || len(raw) < quote || !bytes.HasPrefix(raw[quote:], []byte(text)) {
		return 0
	}
	return quote + utf8.RuneCountInString(text[:min(column-1, len(text))])
}

// ruleHint is the hint of the error, or the tool that was probably meant: the
// name of a tool that nobody knows can be a rule, but one that matches nothing.
func ruleHint(err *sayso.RuleError) string {
	tool, rest, ok := strings.Cut(err.Text, "(")
	if near, known := tools.Nearest(tool); ok && known && near != tool && strings.HasSuffix(err.Problem, "has no patterns") {
		return fmt.Sprintf("did you mean %q?", near+"("+rest)
	}
	if err.Hint == "" {
		return ""
	}
	if strings.Contains(err.Hint, " for ") { // several, each with what it is for
		return "write " + err.Hint
	}
	return fmt.Sprintf("write %q", err.Hint)
}

// RuleHint says what to write instead of the text of a rule that does not
// compile; empty: nothing is known.
func RuleHint(err error) string {
	var wrong *sayso.RuleError
	if errors.As(err, &wrong) {
		return ruleHint(wrong)
	}
	return ""
}

// A host is a host or a pattern of hosts, as in a rule for fetch.
type host string

func (h *host) read(d *decoder, n *yaml.Node, path string) {
	text, ok := d.text(n, path)
	if !ok {
		return
	}
	if err := compiles("fetch("+text+")", nil); err != nil || strings.ContainsAny(text, "/(){}") {
		problem := "want a host, such as example.com or *.example.com"
		d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: %s, not %q", label(path), problem, text), "")
		return
	}
	*h = host(strings.ToLower(text))
}

// An until is a day, whose end in UTC is meant, or a moment.
type until struct{ time.Time }

func (u *until) read(d *decoder, n *yaml.Node, path string) {
	text := n.Value
	if n.Tag != "!!timestamp" { // a date needs no quotes
		var ok bool
		if text, ok = d.text(n, path); !ok {
			return
		}
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		u.Time = day.AddDate(0, 0, 1)
		return
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: want a day or a moment, not %q", label(path), text), "such as 2026-12-31 or 2026-12-31T18:00:00Z")
		return
	}
	u.Time = moment
}

// A duration is at least a second: nobody answers faster.
type duration time.Duration

func (t *duration) read(d *decoder, n *yaml.Node, path string) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < time.Second {
		what := kindOf(n)
		if n.Kind == yaml.ScalarNode && n.Value != "" {
			what = fmt.Sprintf("%q", n.Value)
		}
		d.report(mark{n.Line, n.Column}, fmt.Sprintf("%s: want a second or more, not %s", label(path), what), "such as 90s, 5m or 1h30m")
		return
	}
	*t = duration(v)
}
