package cli

import "github.com/sayso-dev/sayso/shell"

// The JSON form of an analysis. Its fields are stable.
type reportJSON struct {
	Risk        shell.Risk    `json:"risk"`
	Explanation string        `json:"explanation"`
	Effects     []string      `json:"effects"`
	Opaque      string        `json:"opaque,omitempty"`
	Commands    []commandJSON `json:"commands"`
}

type commandJSON struct {
	Args      []string   `json:"args"`
	Risk      shell.Risk `json:"risk"`
	Sentence  string     `json:"sentence"`
	Effects   []string   `json:"effects"`
	Paths     []pathJSON `json:"paths,omitempty"`
	Hosts     []string   `json:"hosts,omitempty"`
	Opaque    []string   `json:"opaque,omitempty"`
	Prefix    []string   `json:"prefix,omitempty"`
	Suggest   bool       `json:"suggest"`
	Dir       string     `json:"dir,omitempty"`
	Span      [2]int     `json:"span"`
	Via       *int       `json:"via,omitempty"`
	Pipe      [2]int     `json:"pipe"`
	Elsewhere bool       `json:"elsewhere,omitempty"`
}

type pathJSON struct {
	Access string `json:"access"`
	Raw    string `json:"raw"`
	Abs    string `json:"abs,omitempty"`
	Real   string `json:"real,omitempty"`
}

func report1(a *shell.Analysis) reportJSON {
	out := reportJSON{Risk: a.Risk, Explanation: a.Explain(), Effects: a.Effects.Names(), Opaque: a.Opaque, Commands: []commandJSON{}}
	for i := range a.Commands {
		c := &a.Commands[i]
		j := commandJSON{
			Args: []string{}, Risk: c.Risk, Sentence: c.Sentence, Effects: c.Effects.Names(), Hosts: c.Hosts, Opaque: c.Opaque,
			Prefix: c.Prefix, Suggest: c.Suggest, Dir: c.Dir, Span: [2]int{c.Span.Start, c.Span.End},
			Pipe: [2]int{c.Pipe, c.PipeLen}, Elsewhere: c.Elsewhere,
		}
		for _, arg := range c.Args {
			j.Args = append(j.Args, arg.Text)
		}
		for _, p := range c.Paths {
			j.Paths = append(j.Paths, pathJSON{p.Access.String(), p.Raw, p.Abs, p.Real})
		}
		if c.Via >= 0 {
			j.Via = &c.Via
		}
		out.Commands = append(out.Commands, j)
	}
	return out
}
