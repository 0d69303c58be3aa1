package vector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// A config is the policy of a line for the native preset, with the keys of a
// policy file.
type config struct {
	Mode      string    `json:"mode"`
	Allow     []rule    `json:"allow"`
	Ask       []rule    `json:"ask"`
	Deny      []rule    `json:"deny"`
	Workspace workspace `json:"workspace"`
}

// A rule is its text, or the long form.
type rule struct {
	Rule    string    `json:"rule"`
	Because string    `json:"because"`
	Except  []string  `json:"except"`
	Until   time.Time `json:"until"`
}

func (r *rule) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &r.Rule)
	}
	type plain rule
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode((*plain)(r))
}

func (c *config) rules() []sayso.Rule {
	var out []sayso.Rule
	for _, list := range []struct {
		effect sayso.Effect
		rules  []rule
	}{{sayso.Deny, c.Deny}, {sayso.Ask, c.Ask}, {sayso.Allow, c.Allow}} {
		for _, r := range list.rules {
			out = append(out, sayso.Rule{Effect: list.effect, Text: r.Rule, Because: r.Because, Except: r.Except, Until: r.Until})
		}
	}
	return out
}

// A workspace says what calls in it may do at all.
type workspace struct {
	Also    []string `json:"also"`
	Read    onOff    `json:"read"`
	Write   onOff    `json:"write"`
	Delete  onOff    `json:"delete"`
	Shell   onOff    `json:"shell"`
	Network onOff    `json:"network"`
	MCP     onOff    `json:"mcp"`
}

// An onOff is a switch; the zero value is on.
type onOff bool

func (o *onOff) UnmarshalText(text []byte) error {
	switch string(text) {
	case "on":
		*o = false
	case "off":
		*o = true
	default:
		return fmt.Errorf("want on or off, not %q", text)
	}
	return nil
}

func (w *workspace) off() []preset.Capability {
	var out []preset.Capability
	for _, c := range []struct {
		off  onOff
		name preset.Capability
	}{
		{w.Read, preset.CanRead},
		{w.Write, preset.CanWrite},
		{w.Delete, preset.CanDelete},
		{w.Shell, preset.CanShell},
		{w.Network, preset.CanNetwork},
		{w.MCP, preset.CanMCP},
	} {
		if c.off {
			out = append(out, c.name)
		}
	}
	return out
}
