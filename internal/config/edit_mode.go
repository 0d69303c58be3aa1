package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// SetMode returns the text of a policy file with another mode; empty: with none.
// All else stays as it is. A text with a mistake in it is not edited.
func SetMode(text []byte, mode string) ([]byte, error) {
	f, err := Parse("", text)
	if err != nil {
		return nil, err
	}
	if f.Mode == mode {
		return text, nil
	}
	e, err := newEditor(text)
	if err != nil {
		return nil, err
	}
	f.Mode = mode
	return verified(f, e.setMode(mode), nil)
}

func (e *editor) setMode(mode string) []byte {
	key, val := e.find("mode")
	switch {
	case e.root != nil && isFlow(e.root), val != nil && (val.Kind != yaml.ScalarNode || val.Line != key.Line):
		return e.text // by hand
	case key == nil && e.root == nil:
		return e.insertLines(len(e.starts)+1, "mode: "+mode)
	case key == nil:
		return e.insertLines(e.root.Line, strings.Repeat(" ", e.root.Column-1)+"mode: "+mode)
	case mode == "":
		return e.splice(e.start(key.Line), e.start(key.Line+1), "")
	}
	long := len(val.Value)
	if val.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		long += 2
	}
	at := e.offset(mark{val.Line, val.Column})
	return e.splice(at, at+long, mode)
}
