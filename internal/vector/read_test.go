package vector_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
)

// TestBadLines: a line that two programs could read in different ways is denied,
// with its id.
func TestBadLines(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1,"command":"rm x","Command":"ls"}`:      `the key "Command" is given twice`,
		`{"id":1,"command":"ls","command":"rm -rf /"}`:  `the key "command" is given twice`,
		`{"id":1,"Command":"ls"}`:                       `did you mean "command"?`,
		`{"id":1,"command":5}`:                          `the key "command" has a value of the wrong type`,
		`{"id":1,"args":{"command":"ls","x":{"id":2}}}`: `no "tool"`,
		`[]`:          `not a JSON object`,
		`{"id":1,`:    `column`,
		`{"id":1}  x`: `column`,
	} {
		a := here.Answer(context.Background(), []byte(text))
		if a.Effect != sayso.Deny || a.Code != sayso.CodeInput || !strings.Contains(a.Error, want) || strings.HasPrefix(text, `{"id":1,"`) && string(a.ID) != "1" {
			t.Errorf("%s: %+v", text, a)
		}
	}
}
