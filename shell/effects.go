package shell

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// Effects is the set of things that a command does to the machine.
type Effects uint16

const (
	Reads        Effects = 1 << iota                   // reads files or asks a server
	Writes               = Effects(table.Writes)       // creates or changes files
	Deletes              = Effects(table.Deletes)      // removes files, or things of a server
	Executes             = Effects(table.Executes)     // runs code it was given, or the project's
	Installs             = Effects(table.Installs)     // installs packages
	Network              = Effects(table.Network)      // talks to the network
	Permissions          = Effects(table.Permissions)  // changes owners, modes, attributes
	Privilege            = Effects(table.Privilege)    // acts as another user
	Processes            = Effects(table.Processes)    // starts, stops or signals processes
	System               = Effects(table.System)       // changes the machine beyond the user's files
	Irreversible         = Effects(table.Irreversible) // cannot be brought back
	Publishes            = Effects(table.Publishes)    // makes something visible to others
	LongRunning          = Effects(table.LongRunning)  // a server, a watcher: does not end by itself
	Secrets              = Effects(table.Secrets)      // shows keys, passwords or tokens
)

var effectNames = [...]string{
	"reads", "writes", "deletes", "executes", "installs", "network", "permissions",
	"privilege", "processes", "system", "irreversible", "publishes", "longrunning", "secrets",
}

// Has reports whether e contains all of what.
func (e Effects) Has(what Effects) bool { return e&what == what }

// Names returns the names of the effects in e, in a fixed order.
func (e Effects) Names() []string {
	var names []string
	for i, name := range effectNames {
		if e&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names separated by spaces.
func (e Effects) String() string { return strings.Join(e.Names(), " ") }

// MarshalJSON writes the names as a list.
func (e Effects) MarshalJSON() ([]byte, error) {
	names := e.Names()
	if names == nil {
		names = []string{}
	}
	return json.Marshal(names)
}

// UnmarshalJSON reads a list of names and accepts nothing else.
func (e *Effects) UnmarshalJSON(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	*e = 0
	for _, name := range names {
		one, err := ParseEffect(name)
		if err != nil {
			return err
		}
		*e |= one
	}
	return nil
}

// ParseEffect returns the effect of that name.
func ParseEffect(name string) (Effects, error) {
	for i, n := range effectNames {
		if n == name {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("unknown effect %q: want one of %s", name, strings.Join(effectNames[:], ", "))
}

// Risk says how much is at stake. The zero value is the worst, so a risk that
// was never set is not a safe one; the worse of two is the smaller.
type Risk uint8

const (
	Blocked   Risk = iota // never wanted: wiping a disk, deleting the home folder
	Dangerous             // system-wide, outside the workspace, irreversible, or unknown
	Moderate              // changes inside the workspace, or of limited scope
	Safe                  // only reads
)

var riskNames = [...]string{"blocked", "dangerous", "moderate", "safe"}

// String returns the risk in lower case.
func (r Risk) String() string {
	if int(r) < len(riskNames) {
		return riskNames[r]
	}
	return fmt.Sprintf("Risk(%d)", uint8(r))
}

// MarshalText writes the name of the risk.
func (r Risk) MarshalText() ([]byte, error) {
	if int(r) >= len(riskNames) {
		return nil, fmt.Errorf("invalid risk %d", uint8(r))
	}
	return []byte(riskNames[r]), nil
}

// UnmarshalText reads the name of a risk and accepts nothing else.
func (r *Risk) UnmarshalText(text []byte) error {
	for i, name := range riskNames {
		if name == string(text) {
			*r = Risk(i)
			return nil
		}
	}
	return fmt.Errorf("unknown risk %q: want one of %s", text, strings.Join(riskNames[:], ", "))
}

// levelRisk translates a level of the tables; an unset one is safe.
func levelRisk(l table.Level) Risk {
	switch l {
	case table.LevelBlocked:
		return Blocked
	case table.LevelDangerous:
		return Dangerous
	case table.LevelModerate:
		return Moderate
	}
	return Safe
}

// risk is what effects alone amount to; paths are judged apart.
func (e Effects) risk() Risk {
	switch {
	case e&(Privilege|System|Irreversible|Secrets) != 0:
		return Dangerous
	case e&^(Reads|LongRunning) != 0:
		return Moderate
	}
	return Safe
}
