package sayso

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/tools"
	"github.com/sayso-dev/sayso/shell"
)

// An Analyzer turns calls into facts. The zero value knows the tools of the
// agents and sees no files.
type Analyzer struct {
	// Tools are those of the program that embeds sayso. They come before the
	// built-in ones of the same name.
	Tools []Tool

	// Machine shows files: links, package.json. Nil: nothing can be seen.
	Machine shell.Machine

	// Also are further folders that belong to the workspace.
	Also []string

	// Written reports whether the session has written a file. A script among
	// them is judged by its content when it is run. Nil: none was.
	Written func(abs string) bool

	// WrittenFiles are the files that Written reports, if they can be listed.
	WrittenFiles []string

	// Servers are the names of the MCP servers that are known, which settles
	// where the name of a server ends in the name of a tool.
	Servers []string
}

// Analyze says what a call would do. It always answers; what it cannot judge
// has [Facts.Err], and is denied by every plan that begins with [Readable].
func (a *Analyzer) Analyze(call Call) (f *Facts) {
	defer func() {
		if r := recover(); r != nil { // a mistake of ours must not let a call through
			f = &Facts{Class: ClassUnknown}
			f.fail(fmt.Errorf("panic: %v", r))
		}
	}()
	f = &Facts{Class: ClassUnknown, Risk: shell.Blocked}
	if err := a.place(f, &call); err != nil {
		f.fail(err)
		return f
	}
	in, err := a.read(f, &call)
	if err != nil {
		f.fail(err)
		return f
	}
	a.collect(f, &call, in)
	f.finish()
	return f
}

// fail makes facts of a call that cannot be judged.
func (f *Facts) fail(err error) {
	f.Err = err
	f.Sentence = "Use a tool in a way that cannot be judged: " + err.Error()
	f.Parts = []Part{{Text: "input", Sentence: f.Sentence, Opaque: []string{err.Error()}}}
}

// place settles where the call happens.
func (a *Analyzer) place(f *Facts, call *Call) error {
	if !path.IsAbs(call.Root) {
		return fmt.Errorf("the workspace %q is not absolute", call.Root)
	}
	if call.Home != "" && !path.IsAbs(call.Home) {
		return fmt.Errorf("the home folder %q is not absolute", call.Home)
	}
	dir := call.Dir
	switch {
	case dir == "":
		dir = call.Root
	case !path.IsAbs(dir):
		dir = path.Join(call.Root, dir)
	}
	f.Place = shell.Place{Dir: path.Clean(dir), Home: call.Home, Machine: a.Machine, Written: a.Written, WrittenFiles: a.WrittenFiles, Workspace: []string{path.Clean(call.Root)}}
	if call.Home != "" {
		f.Place.Home = path.Clean(call.Home)
	}
	if p := fspath.Resolve(call.Root, a.at(f)); p.Err == nil && p.Real != f.Place.Workspace[0] {
		f.Place.Workspace = append(f.Place.Workspace, p.Real) // a workspace that is reached by a link
	}
	for _, also := range a.Also {
		if p := fspath.Resolve(also, fspath.At{Dir: call.Root, Home: call.Home}); p.Err == nil {
			f.Place.Workspace = append(f.Place.Workspace, p.Abs)
		}
	}
	return nil
}

// read finds the tool and takes its input apart.
func (a *Analyzer) read(f *Facts, call *Call) (tools.Input, error) {
	for i := range a.Tools {
		if a.Tools[i].Name == call.Tool {
			return a.Tools[i].read(f, call.Input)
		}
	}
	agent, ok := tools.ParseAgent(call.Agent)
	if !ok {
		agent = tools.Any
	}
	spec, ok := agent.Lookup(call.Tool, a.servers(call)...)
	if !ok {
		err := validObject(call.Input)
		if err == nil {
			f.guessed, _ = tools.Spec{}.Read(call.Input) // it is not known in any case
		}
		return tools.Input{}, err
	}
	f.Class = classOf(spec.Class)
	in, err := spec.Read(call.Input)
	if err != nil {
		return in, fmt.Errorf("%s: %w", call.Tool, err)
	}
	f.Server, f.Tool = in.Server, in.Tool
	return in, nil
}

func (a *Analyzer) servers(call *Call) []string {
	if call.Server == nil || call.Server.Name == "" {
		return a.Servers
	}
	return append(a.Servers[:len(a.Servers):len(a.Servers)], call.Server.Name)
}

// validObject checks the input of a tool that nobody knows.
func validObject(input json.RawMessage) error {
	if len(input) == 0 {
		return nil
	}
	var object map[string]any
	if err := json.Unmarshal(input, &object); err != nil {
		return errors.New("the input is not a JSON object")
	}
	return nil
}

// read takes the input of a program's own tool apart.
func (t *Tool) read(f *Facts, input json.RawMessage) (tools.Input, error) {
	f.Class = t.Class
	if f.Class == "" {
		f.Class = ClassUnknown
	}
	var in tools.Input
	var object map[string]any
	if len(input) > 0 {
		if err := json.Unmarshal(input, &object); err != nil {
			return in, errors.New("the input is not a JSON object")
		}
	}
	take := func(keys []string, each func(string)) error {
		for _, key := range keys {
			texts, ok := textsOf(object[key])
			if !ok {
				return fmt.Errorf("%s: the argument %s is not text", t.Name, key)
			}
			for _, s := range texts {
				each(s)
			}
		}
		return nil
	}
	paths := func(access tools.Access) func(string) {
		return func(s string) { in.Paths = append(in.Paths, tools.Path{Path: s, Access: access}) }
	}
	err := errors.Join(
		take(t.Command, func(s string) { in.Commands = append(in.Commands, s) }),
		take(t.Reads, paths(tools.Reads)), take(t.Writes, paths(tools.Writes)), take(t.Deletes, paths(tools.Deletes)),
		take(t.URLs, func(s string) { in.URLs = append(in.URLs, s) }),
	)
	return in, err
}

// textsOf returns a string or a list of strings; nothing for what is missing.
func textsOf(v any) ([]string, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, false
			}
			out = append(out, s)
		}
		return out, true
	}
	return nil, false
}

// collect makes the parts of the call.
func (a *Analyzer) collect(f *Facts, call *Call, in tools.Input) {
	if in.Dir != "" {
		if p := fspath.Resolve(in.Dir, a.at(f)); p.Err == nil {
			f.Place.Dir = p.Abs
		}
	}
	for _, line := range in.Commands {
		f.command(line)
	}
	if in.PowerShell {
		f.forPowerShell(in.Commands)
	}
	if len(in.Argv) > 0 {
		f.command(quoted(in.Argv))
	}
	for i := range in.Paths {
		a.file(f, &in.Paths[i])
	}
	for _, u := range in.URLs {
		if f.Class != ClassMCP { // there it is a name that only the server knows
			f.request(u)
		}
	}
	switch {
	case len(f.Parts) == 0 && len(f.Shell) > 0: // only a comment
		f.Parts = []Part{{Text: call.Tool, Effects: shell.Reads, Risk: shell.Safe, Sentence: "Do nothing"}}
	case len(f.Parts) == 0:
		f.Parts = []Part{f.whole(call, in)}
	}
	a.harm(f, in)
	a.harm(f, f.guessed)
	if in.Escalated {
		f.Parts[0].Effects |= shell.Privilege
		f.Parts[0].Risk = min(f.Parts[0].Risk, shell.Dangerous)
	}
}

// command adds the parts of a command line: its commands, and apart from them
// the files that redirections write.
func (f *Facts) command(line string) {
	analysis, err := shell.Analyze(line, f.Place)
	if err != nil {
		f.fail(err)
		return
	}
	f.Lines, f.Shell = append(f.Lines, line), append(f.Shell, analysis)
	for i := range analysis.Commands {
		c := &analysis.Commands[i]
		text := ""
		if c.Span.End <= len(line) {
			text = line[c.Span.Start:c.Span.End]
		}
		f.Parts = append(f.Parts, Part{
			Text: text, Command: c, Paths: c.Paths, Hosts: c.Hosts, Effects: c.Effects, Risk: c.Risk, Opaque: c.Opaque, Sentence: c.Sentence, shell: true, named: namedHosts(c),
		})
		for _, p := range c.Paths {
			if p.Redirect && (!c.Elsewhere || p.Here) {
				part := f.part(p)
				part.shell = true
				f.Parts = append(f.Parts, part)
			}
		}
	}
	if analysis.Opaque != "" {
		f.Parts = append(f.Parts, Part{Text: line, Risk: shell.Dangerous, Effects: shell.Executes, Opaque: []string{analysis.Opaque}, shell: true})
	}
}

// forPowerShell notes that the commands are for PowerShell: what a shell would make
// of them tells what they do only where both read the same.
func (f *Facts) forPowerShell(lines []string) {
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Command != nil && !p.Command.Unknown && shell.SameInPowerShell(strings.Join(lines, "\n")) {
			continue
		}
		p.Risk = min(p.Risk, shell.Dangerous)
		p.Opaque = append([]string{"PowerShell is read only where a shell reads the same"}, p.Opaque...)
	}
}

// quoted writes a program and its arguments as a command line. There is no shell
// between, but many that run programs so expand a leading ~ themselves.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		rest, home := strings.CutPrefix(arg, "~/")
		switch {
		case arg == "~":
			words[i] = arg
		case home:
			words[i] = "~/" + shell.Quote([]string{rest})
		default:
			words[i] = shell.Quote([]string{arg})
		}
	}
	return strings.Join(words, " ")
}

func (a *Analyzer) at(f *Facts) fspath.At {
	at := fspath.At{Dir: f.Place.Dir, Home: f.Place.Home}
	if a.Machine != nil {
		at.Look = func(abs string) (string, bool, bool) {
			e, err := a.Machine.Lstat(abs)
			return e.Link, e.Dir, err == nil
		}
	}
	return at
}

// request adds the part for an address that a tool asks.
func (f *Facts) request(address string) {
	part := Part{Text: address, Effects: shell.Network | shell.Reads, Risk: shell.Moderate, Sentence: "Fetch data from: " + shell.Shown(address)}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" && u.Scheme != "file":
		part.Risk, part.Opaque = shell.Dangerous, []string{"the address cannot be read: " + shell.Shown(address)}
	case u.Scheme == "file":
		part = f.part(shell.Path{Raw: u.Path, Abs: path.Clean("/" + u.Path), Access: shell.Read})
	case u.Scheme == connectScheme && u.Port() != "":
		part.Hosts, part.Effects = []string{shell.Host(fspath.Fold(u.Host))}, part.Effects|shell.Publishes
		part.Sentence = "Open a connection to " + shell.Shown(u.Hostname()) + ", port " + u.Port() + ", and send it what the program wants"
		part.metadata()
	case u.Scheme != "http" && u.Scheme != "https":
		part.Risk, part.Opaque = shell.Dangerous, []string{"the address is of an unusual kind: " + shell.Shown(address)}
		part.Hosts = []string{strings.ToLower(u.Hostname())}
	default:
		part.Hosts = []string{shell.Host(fspath.Fold(u.Host))}
		part.metadata()
	}
	f.Parts = append(f.Parts, part)
}

// connectScheme is that of an address that stands for a connection, such as
// connect://example.com:443: what is sent through it is not known.
const connectScheme = "connect"

// metadata notes that the part asks for the credentials of a machine.
func (p *Part) metadata() {
	if shell.IsMetadata(p.Hosts[0]) {
		p.Effects |= shell.Secrets
		p.Risk = shell.Dangerous
	}
}

// finish fills in what follows from the parts.
func (f *Facts) finish() {
	if f.Err != nil {
		return
	}
	f.Risk, f.ReadOnly = shell.Safe, true
	var sentences []string
	for _, a := range f.Shell {
		sentences = append(sentences, a.Sentences()...)
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		f.Risk = min(f.Risk, p.Risk)
		f.ReadOnly = f.ReadOnly && p.Risk == shell.Safe && p.Effects&^(shell.Reads|shell.LongRunning) == 0
		if !p.shell && p.Sentence != "" {
			sentences = append(sentences, p.Sentence)
		}
	}
	f.Sentence = strings.Join(sentences, "; ")
}
