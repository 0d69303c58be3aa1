// Package build tells which sayso this is.
package build

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// Info is what a program records about itself.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // there were changes that are not in the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// This returns what this program records about itself.
func This() Info {
	b := Info{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

func (b *Info) read(info *debug.BuildInfo) {
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

// Text is the version for people.
func (b *Info) Text() string {
	text := b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	if b.Modified {
		text += " (modified)"
	}
	return text
}

// Print writes the version, or all that is known as one JSON object.
func Print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(This())
	}
	_, err := fmt.Fprintln(out, "sayso", This().Version)
	return err
}
