package config

import (
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// A File is a policy file that was read. What it does not set is zero.
type File struct {
	Name      string
	Preset    string
	Mode      string
	Rules     []sayso.Rule // in the order of the file, each with its place
	Workspace Workspace
	Sandbox   Sandbox
	Approve   Approve

	// Err is what is wrong with the file. Then its rules are those that deny
	// and ask and could still be read, and nothing of it may loosen.
	Err error

	at       map[string]mark // of keys and items, such as workspace.also[0]
	examples []example
}

// A Workspace is what calls in a workspace can do at all.
type Workspace struct {
	Also []string            // folders that belong to it, as written: absolute, ~/ or relative to the root
	Off  []preset.Capability // what is switched off
	Ask  []preset.Capability // what asks
}

// A Sandbox is how commands are confined.
type Sandbox struct {
	Files    string   // read-only, workspace-write or unconfined; empty: not set
	Hosts    []string // those that can be reached; nil: not set
	Required *bool    // without a sandbox nothing runs; nil: not set
	Keep     *bool    // the place of a command is kept for the next one; nil: not set
	Programs string   // what is done about programs that a command starts; empty: not set
}

// Programs are what can be done about programs that a command starts, the laxest first:
// nothing, decide about each as about the command, or also ask about those of which
// nothing is known.
var Programs = [...]string{"open", "decided", "strict"}

// An Approve is how people are asked.
type Approve struct {
	Via     []string      // agent, tty, web; nil: not set
	Offer   []string      // once, turn, session, always; nil: not set
	Timeout time.Duration // 0: not set
}

// Parse reads a policy file. Name is what errors and rules call it, own are the
// tools of the program that embeds sayso.
//
// All mistakes are reported at once, as *[Error], joined in the order of the
// file. The File is never nil: with an error it has what may still tighten.
func Parse(name string, text []byte, own ...sayso.Tool) (*File, error) {
	d := &decoder{src: newSource(name, text), own: own, at: map[string]mark{}}
	var doc document
	if d.src.check(d.report) {
		d.parse(&doc)
	}
	return d.file(&doc)
}

func (d *decoder) parse(doc *document) {
	docs, err := documents(d.src.text)
	if err != nil {
		if len(d.errs) == 0 { // else it is about the same
			d.report(d.src.syntax(err))
		}
		docs = d.src.salvage()
	}
	for i, n := range docs {
		if i > 0 && err == nil {
			d.report(mark{n.Line, n.Column}, "a second document", "a policy file is one document: remove the line with ---")
		}
		d.plain(n)
		if len(n.Content) > 0 {
			d.value(n.Content[0], value(doc), "")
		}
	}
}

// file makes a File of what was decoded.
func (d *decoder) file(doc *document) (*File, error) {
	f := &File{Name: d.src.name, Preset: string(doc.Preset), Mode: d.checkModes(string(doc.Preset)), at: d.at}
	d.rules(f, doc)
	f.Workspace = doc.Workspace.public()
	if s := doc.Sandbox; s != nil {
		f.Sandbox = Sandbox{Files: string(s.Files), Hosts: texts(s.Hosts), Required: s.Required, Keep: s.Keep, Programs: string(s.Programs)}
	}
	if a := doc.Approve; a != nil {
		f.Approve = Approve{Via: texts(a.Via), Offer: texts(a.Offer), Timeout: time.Duration(a.Timeout)}
	}
	f.Err = join(d.errs)
	if f.Err != nil {
		f.tightenOnly()
	}
	return f, f.Err
}

// tightenOnly removes the rules that allow, and the exceptions of the others: in
// a file with a mistake nobody knows what was meant.
func (f *File) tightenOnly() {
	var kept []sayso.Rule
	for _, r := range f.Rules {
		if r.Effect != sayso.Allow {
			r.Except = nil
			kept = append(kept, r)
		}
	}
	f.Rules, f.examples = kept, nil
}

func (w *workspace) public() Workspace {
	if w == nil {
		return Workspace{}
	}
	out := Workspace{Also: w.Also}
	for _, c := range []struct {
		what preset.Capability
		set  string
	}{
		{preset.CanRead, string(w.Read)},
		{preset.CanWrite, string(w.Write)},
		{preset.CanDelete, string(w.Delete)},
		{preset.CanShell, string(w.Shell)},
		{preset.CanNetwork, string(w.Network)},
		{preset.CanMCP, string(w.MCP)},
	} {
		switch c.set {
		case "off":
			out.Off = append(out.Off, c.what)
		case "ask":
			out.Ask = append(out.Ask, c.what)
		}
	}
	return out
}

// texts keeps nil and empty apart.
func texts[T ~string](list []T) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

// Source returns where a key, such as mode or workspace.also[0], stands in the
// file; the place of the file if it is not there.
func (f *File) Source(key string) sayso.Source {
	at := f.at[key]
	return sayso.Source{File: f.Name, Line: at.line, Column: at.column}
}
