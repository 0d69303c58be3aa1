package sayso

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/plainjson"
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
	Hidden    []string `json:"hidden,omitempty"`    // what it does not see at all
	Write     []string `json:"write,omitempty"`     // below which it may write
	Protected []string `json:"protected,omitempty"` // in a folder of Write, what it may not
	Barred    []string `json:"barred,omitempty"`    // patterns of the same: what is there it may not change; what it makes ends it, and is put aside
	Watched   []string `json:"watched,omitempty"`   // patterns of paths: those that it makes are only told at the end, also barred ones
	Skipped   []string `json:"skipped,omitempty"`   // names of folders that ** in such a pattern does not go into
	Scratch   []string `json:"scratch,omitempty"`   // below which it may write what is gone at the end

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

	// Preview says that nothing of what it changes stays: it is run to see what it
	// would do. Changes is the hash of what such a run has shown, which is done
	// instead of running anything.
	Preview bool   `json:"preview,omitempty"`
	Changes string `json:"changes,omitempty"`

	// Required says that it must not run where this cannot be enforced.
	Required bool `json:"required"`
}

// Bars reports whether a path, or a folder that it is in, has a name under which
// nothing may be made or changed. A pattern with ** says so of folders that are there
// before anything runs, as far as they are looked into, which a report tells: what a
// command makes in a folder that it has made itself is its own.
func (c *Contract) Bars(name string) bool {
	for ; name != "/" && name != "."; name = path.Dir(name) {
		told := slices.ContainsFunc(c.Watched, func(pattern string) bool {
			named, err := c.Matches(pattern, name)
			return named && err == nil
		})
		if !told && slices.ContainsFunc(c.Barred, func(pattern string) bool {
			named, err := c.Matches(pattern, name)
			return named || err != nil // what cannot be read bars everything
		}) {
			return true
		}
	}
	return false
}

// Matches reports whether a pattern of Barred or Watched names a path. It is one of
// [path.Match], in which the element ** stands for any number of folders, also for none,
// but for those that are Skipped.
func (c *Contract) Matches(pattern, name string) (bool, error) {
	if !strings.Contains(pattern, "/**/") {
		return path.Match(pattern, name)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return false, err
	}
	if named, err := path.Match(path.Base(pattern), path.Base(name)); !named && err == nil && !strings.Contains(pattern, "[") { // most names are others
		return false, nil
	}
	return c.match(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

// match compares element by element.
func (c *Contract) match(pattern, name []string) (bool, error) {
	for i, element := range pattern {
		switch {
		case element == "**" && i < len(pattern)-1: // the last one stands for a name
			return c.matchBelow(pattern[i+1:], name[i:])
		case i == len(name):
			return false, nil
		}
		if named, err := path.Match(element, name[i]); !named || err != nil {
			return false, err
		}
	}
	return len(pattern) == len(name), nil
}

// matchBelow compares what is behind ** with whatever may be behind it.
func (c *Contract) matchBelow(pattern, name []string) (bool, error) {
	for ; len(name) > 0; name = name[1:] {
		if named, err := c.match(pattern, name); named || err != nil {
			return named, err
		}
		if slices.Contains(c.Skipped, name[0]) {
			break
		}
	}
	return false, nil
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

// sets are the lists of a contract whose order means nothing.
func (c *Contract) sets() [10]*[]string {
	return [...]*[]string{&c.Read, &c.Hidden, &c.Write, &c.Protected, &c.Barred, &c.Watched, &c.Skipped, &c.Scratch, &c.Inherit, &c.Hosts}
}

// clone is the same contract, with nothing in it that somebody else can change.
func (c Contract) clone() Contract {
	for _, set := range c.sets() {
		*set = slices.Clone(*set)
	}
	c.Argv, c.Input, c.Env = slices.Clone(c.Argv), bytes.Clone(c.Input), maps.Clone(c.Env)
	return c
}

// Canonical returns the contract as JSON in which the same contract always
// reads the same: lists that are sets are in order, and the input of a tool has
// its keys in order.
func (c Contract) Canonical() []byte {
	for _, set := range c.sets() {
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
	text := func(name, v string, there bool) {
		if there {
			key(name)
			b = plainjson.AppendText(b, v, true)
		}
	}
	number := func(name string, n int64) {
		if n != 0 {
			key(name)
			b = strconv.AppendInt(b, n, 10)
		}
	}
	list := func(name string, texts []string) {
		for i, v := range texts {
			if i == 0 {
				key(name)
			}
			b = plainjson.AppendText(append(b, "[,"[min(i, 1)]), v, true)
		}
		if len(texts) > 0 {
			b = append(b, ']')
		}
	}
	text("tool", c.Tool, true)
	if len(c.Input) > 0 {
		key("input")
		b = append(b, c.Input...) // in canonical form
	}
	list("argv", c.Argv)
	text("script", c.Script, c.Script != "")
	text("shell", c.Shell, c.Shell != "")
	text("dir", c.Dir, true)
	list("read", c.Read)
	list("hidden", c.Hidden)
	list("write", c.Write)
	list("protected", c.Protected)
	list("barred", c.Barred)
	list("watched", c.Watched)
	list("skipped", c.Skipped)
	list("scratch", c.Scratch)
	if len(c.Env) > 0 {
		key("env")
		env, _ := json.Marshal(c.Env) // strings can be written
		b = append(b, env...)
	}
	list("inherit", c.Inherit)
	number("timeout", int64(c.Timeout))
	number("grace", int64(c.Grace))
	number("output", c.Output)
	number("cpu", int64(c.CPU))
	number("memory", c.Memory)
	number("procs", int64(c.Procs))
	text("network", string(c.Network), true)
	list("hosts", c.Hosts)
	if c.Preview {
		key("preview")
		b = append(b, "true"...)
	}
	text("changes", c.Changes, c.Changes != "")
	key("required")
	return append(strconv.AppendBool(b, c.Required), '}')
}

// canonicalJSON returns JSON with its keys in order; what is no JSON becomes a
// string, so that it still counts.
func canonicalJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if text, ok := plainjson.Canonical(nil, raw); ok {
		return text
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
