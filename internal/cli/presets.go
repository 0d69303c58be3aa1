package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
)

const presetsUse = `sayso presets [--list] [--json | --markdown]

Decides the same calls under every preset, side by side, each with its defaults.
A preset is a way of judging calls: choose one with preset: in a policy file, or
for one command with --preset.

  --list      list the presets with their modes instead
  --json      print JSON
  --markdown  print the comparison as a page

Exit status: 0 done, 1 error, 2 wrong usage.`

func presets(args []string, std IO) error {
	flags := flag.NewFlagSet("presets", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	list := flags.Bool("list", false, "")
	asJSON := flags.Bool("json", false, "")
	page := flags.Bool("markdown", false, "")
	if helped, err := parseBefore(flags, presetsUse, args, std); helped || err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return &usageError{"presets takes no argument", ""}
	case *asJSON && *page || *list && *page:
		return &usageError{"--markdown goes with neither --list nor --json", ""}
	case *list:
		return listPresets(*asJSON, std.Out)
	}
	calls, err := catalog.Compare(context.Background())
	if err != nil {
		return err
	}
	switch {
	case *asJSON:
		return compareJSON(calls, std.Out)
	case *page:
		return comparePage(calls, std.Out)
	}
	return compareTable(calls, std.Out)
}

// listPresets prints the presets and their modes.
func listPresets(asJSON bool, out io.Writer) error {
	type mode struct {
		Name   string `json:"name"`
		Symbol string `json:"symbol,omitempty"`
		Doc    string `json:"doc"`
	}
	type one struct {
		Name  string `json:"name"`
		Doc   string `json:"doc"`
		Modes []mode `json:"modes"`
	}
	var all []one
	for _, s := range catalog.Systems() {
		setup, err := s.FromJSON(nil, catalog.Place{Root: "/", Home: "/"})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		o := one{Name: setup.Preset.Name, Doc: setup.Preset.Doc}
		for _, m := range setup.Preset.Modes {
			o.Modes = append(o.Modes, mode{m.Name, m.Symbol, m.Doc})
		}
		all = append(all, o)
	}
	if asJSON {
		return json.NewEncoder(out).Encode(all)
	}
	for _, p := range all {
		fmt.Fprintf(out, "%s  %s\n", p.Name, p.Doc)
		for i, m := range p.Modes {
			name := strings.TrimSpace(m.Symbol + " " + m.Name)
			if i == 0 {
				name += " (default)"
			}
			fmt.Fprintf(out, "  %-24s %s\n", name, m.Doc)
		}
	}
	return nil
}

// compareTable prints the comparison for a terminal.
func compareTable(calls []catalog.Compared, out io.Writer) error {
	width := 0
	for _, c := range calls {
		width = max(width, len(c.Kind)+len(c.Text)+3)
	}
	row := func(first string, cells []string) {
		line := fmt.Sprintf("%-*s", width, first)
		for _, cell := range cells {
			line += fmt.Sprintf("  %-11s", cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	var names []string
	for _, s := range catalog.Systems() {
		names = append(names, s.Name)
	}
	topic := ""
	for _, c := range calls {
		if c.Topic != topic {
			if topic != "" {
				fmt.Fprintln(out)
			}
			topic = c.Topic
			row(topic, names)
		}
		var effects []string
		for _, d := range c.Decisions {
			effects = append(effects, d.Effect.String())
		}
		row("  "+string(c.Kind)+" "+c.Text, effects)
	}
	return nil
}

// comparePage prints the comparison as Markdown.
func comparePage(calls []catalog.Compared, out io.Writer) error {
	fmt.Fprint(out, "# The same calls under every preset\n\nMade by `sayso presets --markdown`. Each preset has the defaults of its document and its default mode; the calls are made in\n`/home/dev/app`, with the home folder `/home/dev`, and no file can be seen.\n")
	topic := ""
	for _, c := range calls {
		if c.Topic != topic {
			topic = c.Topic
			fmt.Fprintf(out, "\n## %s\n\n| call |", topic)
			rule := "|---|"
			for _, s := range catalog.Systems() {
				fmt.Fprintf(out, " %s |", s.Name)
				rule += "---|"
			}
			fmt.Fprintf(out, "\n%s\n", rule)
		}
		fmt.Fprintf(out, "| %s `` %s `` |", c.Kind, strings.ReplaceAll(c.Text, "|", "\\|"))
		for _, d := range c.Decisions {
			fmt.Fprintf(out, " %s |", mark[d.Effect])
		}
		fmt.Fprintln(out)
	}
	return nil
}

// mark makes what is not allowed stand out.
var mark = map[sayso.Effect]string{sayso.Allow: "allow", sayso.Ask: "*ask*", sayso.Deny: "**deny**"}

// compareJSON prints the comparison, a call a line.
func compareJSON(calls []catalog.Compared, out io.Writer) error {
	type line struct {
		Topic   string                    `json:"topic"`
		Kind    catalog.Kind              `json:"kind"`
		Text    string                    `json:"text"`
		Presets map[string]sayso.Decision `json:"presets"`
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, c := range calls {
		l := line{c.Topic, c.Kind, c.Text, map[string]sayso.Decision{}}
		for i, s := range catalog.Systems() {
			d := c.Decisions[i]
			d.Trace = nil
			l.Presets[s.Name] = d
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
