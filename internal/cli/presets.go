package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

const presetsUse = `sayso presets [--json]

Lists the ways in which calls can be judged, with their modes.`

func presets(args []string, std IO) error {
	flags := flag.NewFlagSet("presets", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, err := fmt.Fprintf(std.Out, "usage: %s\n", presetsUse)
			return err
		}
		return &usageError{err.Error(), ""}
	}
	if flags.NArg() > 0 {
		return &usageError{"presets takes no argument", ""}
	}
	list := []sayso.Preset{preset.Native(preset.Policy{})}
	if *asJSON {
		return presetsJSON(list, std.Out)
	}
	for _, p := range list {
		fmt.Fprintf(std.Out, "%s  %s\n", p.Name, p.Doc)
		for i, m := range p.Modes {
			name := m.Name
			if i == 0 {
				name += " (default)"
			}
			fmt.Fprintf(std.Out, "  %-18s %s\n", name, m.Doc)
		}
	}
	return nil
}

func presetsJSON(list []sayso.Preset, out io.Writer) error {
	type mode struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
	}
	type one struct {
		Name  string `json:"name"`
		Doc   string `json:"doc"`
		Modes []mode `json:"modes"`
	}
	all := []one{}
	for _, p := range list {
		o := one{Name: p.Name, Doc: p.Doc}
		for _, m := range p.Modes {
			o.Modes = append(o.Modes, mode{m.Name, m.Doc})
		}
		all = append(all, o)
	}
	return json.NewEncoder(out).Encode(all)
}
