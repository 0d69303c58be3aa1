package catalog

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// A Kind is a kind of call that every system has a tool for.
type Kind string

// The kinds of calls.
const (
	Command  Kind = "bash"
	Reading  Kind = "read"
	Writing  Kind = "write"
	Deleting Kind = "delete"
	Fetching Kind = "fetch"
)

// A Form is a tool of a system and the argument that matters.
type Form struct {
	Tool, Key string
	List      bool // it is a list
}

//go:embed compare.txt
var compareText string

// A Compared is one call under every preset.
type Compared struct {
	Topic     string           `json:"topic"` // what it is an example of
	Kind      Kind             `json:"kind"`
	Text      string           `json:"text"` // the command, path or address
	Decisions []sayso.Decision `json:"decisions"`
}

// Where the calls of the comparison are made.
const (
	compareRoot = "/home/dev/app"
	compareHome = "/home/dev"
)

// Compare decides the same calls under every preset, each with the defaults of
// its document and in its default mode. The decisions of a call stand in the
// order of [Systems].
func Compare(ctx context.Context) ([]Compared, error) {
	var engines []sayso.Engine
	systems := Systems()
	for _, s := range systems {
		setup, err := s.FromJSON(nil, Place{Root: compareRoot, Home: compareHome})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		engines = append(engines, setup.Engine(nothing{}))
	}
	calls, err := compared()
	for i := range calls {
		for j, s := range systems {
			call, failed := s.call(calls[i].Kind, calls[i].Text)
			if failed != nil {
				return nil, failed
			}
			calls[i].Decisions = append(calls[i].Decisions, engines[j].Check(ctx, call, sayso.Session{}))
		}
	}
	return calls, err
}

// compared reads the calls: a kind and the text behind it, one a line, below the
// topic that they are examples of.
func compared() ([]Compared, error) {
	var out []Compared
	topic := ""
	lines := bufio.NewScanner(strings.NewReader(compareText))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if title, ok := strings.CutPrefix(line, "# "); ok || line == "" {
			topic = title
			continue
		}
		kind, text, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("compare.txt: %q has nothing behind its kind", line)
		}
		out = append(out, Compared{Topic: topic, Kind: Kind(kind), Text: strings.TrimSpace(text)})
	}
	return out, lines.Err()
}

// call makes a call of the kind with the system's own tool.
func (s System) call(kind Kind, text string) (sayso.Call, error) {
	form, ok := s.Forms[kind]
	if !ok {
		return sayso.Call{}, fmt.Errorf("%s has no tool of the kind %q", s.Name, kind)
	}
	args := map[string]any{form.Key: text}
	if form.List {
		args[form.Key] = []string{text}
	}
	if kind == Writing {
		args["content"] = "text"
	}
	input, err := json.Marshal(args)
	return sayso.Call{Tool: form.Tool, Input: input, Root: compareRoot, Home: compareHome}, err
}

// nothing is a machine on which no file can be seen.
type nothing struct{}

func (nothing) Lstat(string) (shell.Entry, error)    { return shell.Entry{}, fs.ErrNotExist }
func (nothing) ReadFile(string, int) ([]byte, error) { return nil, fs.ErrNotExist }
