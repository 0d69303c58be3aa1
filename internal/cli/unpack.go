package cli

import (
	"flag"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/packed"
	"github.com/sayso-dev/sayso/shell/unpack"
)

const unpackUse = `sayso unpack

Tells what is in packed files that come on standard input: archives, and objects
of git. sayso-hook runs this by itself when a command unpacks one; it is of no use
in a terminal.

Exit status: 0 done, 1 error, 2 wrong usage.`

func unpackVerb(args []string, std IO) error {
	rest, helped, err := parse(flag.NewFlagSet("unpack", flag.ContinueOnError), unpackUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"unpack takes no argument", "sayso-hook runs it by itself"}
	}
	return packed.Serve(std.In, std.Out, unpack.Unpacker{})
}

// machine shows the files of this machine to the analysis, packed ones too.
type machine struct {
	local.Machine
	unpack.Unpacker
}
