package config

import (
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// A Policy is what all files together say. What none of them sets is zero.
type Policy struct {
	Preset     string // empty: native
	PresetFrom sayso.Source
	Mode       string // empty: the preset's default; several that count together are joined by +
	ModeFrom   sayso.Source
	ModeFloor  string // what the administrator's file sets; no session is looser

	// ModeBeside says that the mode comes from files that may only tighten:
	// it counts together with the preset's default.
	ModeBeside bool

	Rules   []sayso.Rule        // of the strongest file first, each with its source
	Kept    []sayso.Rule        // that people keep besides the files, in the language of the preset
	Also    []string            // folders that belong to the workspace, as written
	Off     []preset.Capability // what is switched off
	Ask     []preset.Capability // what asks; none of Off
	Sandbox Sandbox
	Approve Approve

	// Scripts are the policy scripts, of the strongest layer first. Each may
	// only tighten, and so needs nobody's trust.
	Scripts []Script

	// Dropped is what files said that they may not say.
	Dropped []Dropped

	// Sources are the files, missing ones too: the policy is out of date
	// when one of them changes.
	Sources []Stamp

	// Err says why a part of the policy did not load. Then nothing may be
	// allowed: a rule that was lost might have denied it.
	Err error
}

// ModeFor returns the mode of a session for which a person has chosen one: that
// one, together with the administrator's. Where none was chosen it is the mode of
// the policy.
func (p *Policy) ModeFor(chosen string) string {
	switch {
	case chosen == "":
		return p.Mode
	case p.ModeFloor == "":
		return chosen
	}
	return together(chosen, p.ModeFloor)
}

// A Dropped is something that a file said and that does not count.
type Dropped struct {
	What   string // such as allow bash(npm *), or mode bypass
	Source sayso.Source
	Why    string
	Remedy string // empty: put it into a file of your own
}

// A Script is the text of a policy script, or why it cannot be read.
type Script struct {
	Name string
	Text []byte
	Err  error
}

// A Layered is a file with what it may do.
type Layered struct {
	File  *File
	Layer sayso.Layer

	// Trusted says that the file may loosen. A file outside the workspace may;
	// one inside it only if a person trusts the workspace with this content.
	Trusted bool
}

// DefaultTimeout is how long a question waits where no file says it. A file that
// may only tighten cannot set a longer one.
const DefaultTimeout = 5 * time.Minute
