package sayso

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// A Contract is what will run and inside what. It is shown to the person who
// approves, and what runs is exactly the contract that was approved: its
// [Contract.Hash] is part of the answer.
type Contract struct {
	Tool   string          `json:"tool"`             // as the agent named it
	Input  json.RawMessage `json:"input,omitempty"`  // for a tool that is no command
	Argv   []string        `json:"argv,omitempty"`   // a program and its arguments, or
	Script string          `json:"script,omitempty"` // the text of a script, and
	Shell  string          `json:"shell,omitempty"`  // the shell that runs it
	Dir    string          `json:"dir"`              // where it runs

	Read      []string `json:"read,omitempty"`      // what it may read; empty: everything
	Write     []string `json:"write,omitempty"`     // below which it may write
	Protected []string `json:"protected,omitempty"` // in a folder of Write, what it may not

	Env     map[string]string `json:"env,omitempty"`     // variables that are set
	Inherit []string          `json:"inherit,omitempty"` // names of variables that are passed on

	Timeout time.Duration `json:"timeout,omitempty"`
	Grace   time.Duration `json:"grace,omitempty"`  // between the polite and the hard end
	Output  int64         `json:"output,omitempty"` // bytes that are kept
	CPU     time.Duration `json:"cpu,omitempty"`
	Memory  int64         `json:"memory,omitempty"` // bytes
	Procs   int           `json:"procs,omitempty"`

	Network Network  `json:"network"`
	Hosts   []string `json:"hosts,omitempty"` // for NetworkHosts

	// Required says that it must not run where this cannot be enforced.
	Required bool `json:"required"`
}

// A Network is what a run may reach; the zero value: nothing.
type Network string

// The networks, the narrowest first.
const (
	NetworkNone     Network = ""
	NetworkLoopback Network = "loopback"
	NetworkHosts    Network = "hosts"
	NetworkAll      Network = "all"
)

// Canonical returns the contract as JSON in which the same contract always
// reads the same: lists that are sets are in order, and the input of a tool has
// its keys in order.
func (c Contract) Canonical() []byte {
	for _, set := range [...]*[]string{&c.Read, &c.Write, &c.Protected, &c.Inherit, &c.Hosts} {
		*set = slices.Clone(*set)
		slices.Sort(*set)
		*set = slices.Compact(*set)
	}
	c.Input = canonicalJSON(c.Input)
	return c.text()
}

// text is the contract as its type says, written by hand: hooks hash a contract in
// every process, and to find out how a type is written takes longer than to write.
func (c *Contract) text() []byte {
	b := []byte("{")
	key := func(name string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), '"', ':')
	}
	value := func(name string, v any, there bool) {
		if there {
			key(name)
			text, _ := json.Marshal(v) // strings, lists of them and numbers can be written
			b = append(b, text...)
		}
	}
	value("tool", c.Tool, true)
	value("input", c.Input, len(c.Input) > 0)
	value("argv", c.Argv, len(c.Argv) > 0)
	value("script", c.Script, c.Script != "")
	value("shell", c.Shell, c.Shell != "")
	value("dir", c.Dir, true)
	value("read", c.Read, len(c.Read) > 0)
	value("write", c.Write, len(c.Write) > 0)
	value("protected", c.Protected, len(c.Protected) > 0)
	value("env", c.Env, len(c.Env) > 0)
	value("inherit", c.Inherit, len(c.Inherit) > 0)
	value("timeout", int64(c.Timeout), c.Timeout != 0)
	value("grace", int64(c.Grace), c.Grace != 0)
	value("output", c.Output, c.Output != 0)
	value("cpu", int64(c.CPU), c.CPU != 0)
	value("memory", c.Memory, c.Memory != 0)
	value("procs", c.Procs, c.Procs != 0)
	value("network", string(c.Network), true)
	value("hosts", c.Hosts, len(c.Hosts) > 0)
	value("required", c.Required, true)
	return append(b, '}')
}

// canonicalJSON returns JSON with its keys in order; what is no JSON becomes a
// string, so that it still counts.
func canonicalJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		v = string(raw)
	}
	text, _ := json.Marshal(v) // what was read can be written
	return text
}

// Hash identifies the contract.
func (c Contract) Hash() string {
	sum := sha256.Sum256(c.Canonical())
	return hex.EncodeToString(sum[:])
}
