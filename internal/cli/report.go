package cli

import (
	"encoding/json"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// fullJSON is a decision with the analysis it was made from.
type fullJSON struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	sayso.Decision
	Analysis []reportJSON `json:"analysis,omitempty"` // of each command line
}

func decisionJSON(call sayso.Call, d sayso.Decision) fullJSON {
	out := fullJSON{Tool: call.Tool, Input: call.Input, Decision: d}
	a := sayso.Analyzer{Machine: machine{}}
	for _, one := range a.Analyze(call).Shell {
		out.Analysis = append(out.Analysis, analysisJSON(one))
	}
	return out
}

// The JSON form of an analysis. Its fields are stable.
type reportJSON struct {
	Risk        shell.Risk    `json:"risk"`
	Explanation string        `json:"explanation"`
	Effects     []string      `json:"effects"`
	Opaque      string        `json:"opaque,omitempty"`
	Commands    []commandJSON `json:"commands"`
}

type commandJSON struct {
	Args       []argJSON      `json:"args"`
	Assigns    []assignJSON   `json:"assigns,omitempty"`
	Redirects  []redirectJSON `json:"redirects,omitempty"`
	Risk       shell.Risk     `json:"risk"`
	Sentence   string         `json:"sentence"`
	Effects    []string       `json:"effects"`
	Paths      []pathJSON     `json:"paths,omitempty"`
	Hosts      []string       `json:"hosts,omitempty"`
	Opaque     []string       `json:"opaque,omitempty"`
	Prefix     []string       `json:"prefix,omitempty"`
	Suggest    bool           `json:"suggest"`
	Dir        string         `json:"dir,omitempty"`
	Span       [2]int         `json:"span"`
	Via        *int           `json:"via,omitempty"`
	Pipe       [2]int         `json:"pipe"`
	Background bool           `json:"background,omitempty"`
	Nested     bool           `json:"nested,omitempty"`
	Elsewhere  bool           `json:"elsewhere,omitempty"`
}

type argJSON struct {
	Text    string `json:"text"`
	Glob    bool   `json:"glob,omitempty"`
	Unknown bool   `json:"unknown,omitempty"`
}

type assignJSON struct {
	Name  string  `json:"name"`
	Value argJSON `json:"value"`
}

type redirectJSON struct {
	Op     string  `json:"op"`
	Fd     string  `json:"fd,omitempty"`
	Target argJSON `json:"target"`
}

type pathJSON struct {
	Access    string `json:"access"`
	Raw       string `json:"raw"`
	Abs       string `json:"abs,omitempty"`
	Real      string `json:"real,omitempty"`
	Glob      bool   `json:"glob,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
}

func analysisJSON(a *shell.Analysis) reportJSON {
	out := reportJSON{Risk: a.Risk, Explanation: a.Explain(), Effects: names(a.Effects), Opaque: a.Opaque, Commands: []commandJSON{}}
	for i := range a.Commands {
		out.Commands = append(out.Commands, oneCommand(&a.Commands[i]))
	}
	return out
}

func oneCommand(c *shell.Command) commandJSON {
	j := commandJSON{
		Args: []argJSON{}, Risk: c.Risk, Sentence: c.Sentence, Effects: names(c.Effects), Hosts: c.Hosts, Opaque: c.Opaque,
		Prefix: c.Prefix, Suggest: c.Suggest, Dir: c.Dir, Span: [2]int{c.Span.Start, c.Span.End},
		Pipe: [2]int{c.Pipe, c.PipeLen}, Background: c.Background, Nested: c.Nested, Elsewhere: c.Elsewhere,
	}
	for _, a := range c.Args {
		j.Args = append(j.Args, oneArg(a))
	}
	for _, a := range c.Assigns {
		j.Assigns = append(j.Assigns, assignJSON{a.Name, oneArg(a.Value)})
	}
	for _, r := range c.Redirects {
		j.Redirects = append(j.Redirects, redirectJSON{r.Op, r.Fd, oneArg(r.Target)})
	}
	for _, p := range c.Paths {
		j.Paths = append(j.Paths, pathJSON{p.Access.String(), p.Raw, p.Abs, p.Real, p.Glob, p.Recursive})
	}
	if c.Via >= 0 {
		j.Via = &c.Via
	}
	return j
}

func oneArg(a shell.Arg) argJSON { return argJSON{a.Text, a.Glob, a.Unknown} }

// names is never nil, so that it is never null.
func names(e shell.Effects) []string { return append([]string{}, e.Names()...) }
