package cli

import (
	"flag"

	"github.com/sayso-dev/sayso/internal/build"
	"github.com/sayso-dev/sayso/internal/config"
)

const versionUse = `sayso version [--json]

Prints the version.

  --json  print it with what it was built from, as one JSON object

Exit status: 0 done, 1 error, 2 wrong usage.`

const schemaUse = `sayso schema [--json]

Prints the JSON Schema of policy files. An editor that knows it completes keys
and marks mistakes: put this at the top of .sayso.yaml

  # yaml-language-server: $schema=PATH

  --json  the same: a schema is JSON

Exit status: 0 done, 1 error, 2 wrong usage.`

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
	return build.Print(std.Out, *asJSON)
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
