package config

import (
	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
)

// ManagedFile is where the administrator's policy is.
const ManagedFile = local.ManagedFile

// CommittedFile is the name of the policy at the root of a workspace.
const CommittedFile = local.CommittedFile

// Places say where the policy files of a workspace are.
type Places struct {
	Managed    string // the administrator's file; empty: ManagedFile
	Home       string // the user's home folder; empty: there is none
	ConfigHome string // what XDG_CONFIG_HOME says; counts if it is absolute
	Root       string // of the workspace; empty: there is none

	// Preset is one that counts in the place of what the files set; empty:
	// theirs counts.
	Preset string

	// Disk reaches the files.
	Disk Disk

	// Trusted reports whether a person trusts the workspace with this file
	// in it; nil: nobody does.
	Trusted func(file string, text []byte) bool

	// Matches checks the examples of rules, see [CheckExamples]; nil: they
	// are not checked.
	Matches func(r sayso.Rule, example string) (bool, error)

	// RunScript loads a policy script; nil: this program runs none.
	RunScript func(name string, text []byte) (sayso.Stage, error)

	// Guarded are files, and with /** behind them folders, that no agent may
	// change, because they decide about it.
	Guarded []string

	// Tools are those of the program that embeds sayso.
	Tools []sayso.Tool
}

// Files are where the files are.
func (at Places) Files() local.Files {
	return local.Files{Managed: at.Managed, Home: at.Home, ConfigHome: at.ConfigHome, Root: at.Root}
}

// File returns where the file of a layer is, or nothing if it has none.
func (at Places) File(layer sayso.Layer) string { return at.Files().File(layer) }

// Script returns where the policy script of a layer is, or nothing if it has
// none.
func (at Places) Script(layer sayso.Layer) string { return at.Files().Script(layer) }
