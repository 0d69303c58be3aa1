package cli

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/sayso-dev/sayso/internal/config"
)

const versionUse = `sayso version [--json]

Prints the version.

  --json  print it with what it was built from, as one JSON object`

const schemaUse = `sayso schema [--json]

Prints the JSON Schema of policy files. An editor that knows it completes keys
and marks mistakes: put this at the top of .sayso.yaml

  # yaml-language-server: $schema=PATH`

// A build is what a program records about itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // there were changes that are not in the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

func (b *build) read(info *debug.BuildInfo) {
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
}

func version(args []string, std IO) error {
	flags := flag.NewFlagSet("version", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, helped, err := parse(flags, versionUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"version takes no argument", ""}
	}
	if *asJSON {
		return writeJSON(thisBuild(), std.Out)
	}
	_, err = fmt.Fprintln(std.Out, "sayso", thisBuild().Version)
	return err
}

func schema(args []string, std IO) error {
	flags := flag.NewFlagSet("schema", flag.ContinueOnError)
	flags.Bool("json", true, "") // it is, anyway
	rest, helped, err := parse(flags, schemaUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"schema takes no argument", ""}
	}
	_, err = std.Out.Write(config.Schema())
	return err
}
