package script

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A verdict is what ask or deny returns.
type verdict struct {
	effect sayso.Effect
	why    string
	at     string // file:line:column
}

var _ starlark.Value = (*verdict)(nil)

func (v *verdict) String() string        { return fmt.Sprintf("%s(%q)", v.effect, v.why) }
func (v *verdict) Type() string          { return "verdict" }
func (v *verdict) Freeze()               {}
func (v *verdict) Truth() starlark.Bool  { return true }
func (v *verdict) Hash() (uint32, error) { return 0, errors.New("unhashable: verdict") }

func (v *verdict) reason() string {
	word := "asks"
	if v.effect == sayso.Deny {
		word = "denies it"
	}
	return fmt.Sprintf("the policy script %s %s: %s", v.at, word, v.why)
}

// say is the functions ask(why) and deny(why).
func say(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v := &verdict{effect: sayso.Ask, at: t.CallFrame(1).Pos.String()}
	if b.Name() == "deny" {
		v.effect = sayso.Deny
	}
	m := meterOf(t)
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "why", &v.why)
	v.why = shown(v.why)
	if err == nil && strings.TrimSpace(v.why) == "" {
		err = fmt.Errorf("%s: say why, in one sentence", b.Name())
	}
	if err != nil && v.effect == sayso.Deny {
		v.why = err.Error() // it was meant
	} else if err != nil {
		return nil, err
	}
	m.say(v)
	return v, nil
}

// say keeps the strictest of what was said, and of two alike the first.
func (m *meter) say(v *verdict) {
	if m.said == nil || v.effect < m.said.effect {
		m.said = v
	}
}

// shown is text fit to be shown to a person: on one line, not too long, and
// without anything that changes how it is read.
func shown(text string) string {
	const lines, line = 6, 80 // shell.Shown cuts at 80 characters
	var b strings.Builder
	n, from := 0, 0
	for i := range text {
		if n == lines*line {
			b.WriteString("…")
			return b.String()
		}
		if n > 0 && n%line == 0 {
			b.WriteString(shell.Shown(text[from:i]))
			from = i
		}
		n++
	}
	b.WriteString(shell.Shown(text[from:]))
	return b.String()
}
