package shell

import "strings"

// A Place is where a command line would run.
type Place struct {
	Dir  string // working directory, absolute
	Home string // the user's home folder, absolute

	// Workspace lists the folders in which changes are part of the work.
	// Empty means Dir.
	Workspace []string

	// Machine lets the analysis look at files. Nil means that nothing can
	// be seen.
	Machine Machine

	// Written reports whether a file was written by the agent itself. Such a
	// script is judged by its content when it is run. Nil: none was.
	Written func(abs string) bool

	// WrittenFiles are the files that Written reports: a pattern may find
	// them, and tools load some by their names. Nil: they cannot be listed.
	WrittenFiles []string
}

// A Machine shows files to the analysis. It is asked only about absolute,
// cleaned paths, at most 512 times an analysis and some more for patterns, if it
// is a [Lister]; what would need more cannot be known.
type Machine interface {
	// ReadFile returns the content of a regular file of at most max bytes.
	// A longer file is an error.
	ReadFile(name string, max int) ([]byte, error)

	// Lstat describes name without following a link. Any error counts as
	// "nothing can be seen there".
	Lstat(name string) (Entry, error)
}

// A Lister is a Machine that can also tell the names in a folder. Without it,
// the links that a pattern may find are not seen.
type Lister interface {
	// ReadDir returns what is in a folder. If that is more than max, at
	// least one more is returned; an error counts as an empty folder.
	ReadDir(name string, max int) ([]Child, error)
}

// A Starter is a Machine that can also show how a file of any size begins.
// Without it, what a compiler made is taken for something that cannot be known.
type Starter interface {
	// Start returns the first n bytes of a regular file, or all of a shorter one.
	Start(name string, n int) ([]byte, error)
}

// An Unpacker is a Machine that can also tell what is in packed files. Without it,
// what an archive brings is not known, and the commits of a repository are not
// looked at. Package unpack has one that a Machine can embed.
type Unpacker interface {
	// Members lists what is in an archive, and reports whether that is all.
	Members(archive []byte) (list []Member, whole bool)

	// Inflate returns at most that many bytes of what zlib has packed, as git does
	// with its objects, and reports whether it could.
	Inflate(packed []byte, most int) (text []byte, ok bool)
}

// A Member is one file in an archive.
type Member struct {
	Name string
	Link string // where it leads to, from the folder of the archive, if it is a link
}

// A Child is one name in a folder.
type Child struct {
	Name string
	Entry
}

// An Entry is what is known of a file without opening it.
type Entry struct {
	Dir  bool   // it is a folder
	Link string // where it points to, if it is a symbolic link; relative links from its folder
}

// An Analysis is everything a command line may do.
type Analysis struct {
	// Commands holds every simple command that may run, in the order in
	// which the shell would reach it; what a wrapper runs follows the wrapper.
	Commands []Command

	// Risk is the worst risk of all commands.
	Risk Risk

	// Effects is the union of the effects of all commands.
	Effects Effects

	// Opaque says why the script as a whole could not be read, if so: a syntax
	// error, or too much to follow. Commands then holds what could be read. The
	// Opaque of a Command speaks of that command alone.
	Opaque string
}

// A Command is one simple command that may run.
type Command struct {
	Args      []Arg      // the program and its arguments, after quote removal
	Assigns   []Assign   // NAME=value in front of it, or alone
	Redirects []Redirect // its redirections
	Span      Span       // where it stands in the source; inside a nested script, where that stands

	Pipe       int  // its place in a pipeline, from 0
	PipeLen    int  // the length of that pipeline; 1 if it stands alone
	Via        int  // index of the command that runs this one, or -1
	Background bool // started with &
	Nested     bool // inside a command or process substitution
	Elsewhere  bool // runs on another machine or in a container
	Typed      bool // what is typed into its terminal can run programs

	Risk    Risk     // the worst of what it does itself; what it runs has its own
	Runs    Origin   // where code comes from that it runs
	Unknown bool     // no table knows the program, or its sub-command
	Effects Effects  // what it does
	Dir     string   // the folder it works in; empty if unknown
	Paths   []Path   // the files it touches; on another machine if Elsewhere
	Hosts   []string // the hosts it talks to, or one of the symbolic names
	Opaque  []string // why what it does cannot be known in full; empty if it can

	// Sentence says in English what the command is about to do.
	Sentence string

	// Prefix holds the words a rule would name ("npm run build"). Suggest
	// reports whether such a rule may be offered at all: never for a
	// wrapper, an interpreter, a shell, or something opaque.
	Prefix  []string
	Suggest bool

	folded bool // its sentence is part of the sentence of Via
}

// Symbolic names of hosts that are not named in the command itself.
const (
	Registries = "package registries"
	Remotes    = "git remotes"
	External   = "external network"
)

// An Arg is one argument. Compare the exported fields, not whole values.
type Arg struct {
	Text    string // after expansion and quote removal; unresolved parts as written
	Span    Span   // where it stands in the source
	Glob    bool   // Text is a pattern that the shell would expand
	Unknown bool   // a part of Text could not be resolved

	many  bool       // may expand to several words, or none
	plain bool       // what is unknown in it has no slash and no leading dash
	made  bool       // it comes from a command substitution
	deep  bool       // found at any depth below its folder
	item  bool       // one of the words that xargs reads
	from  streamKind // of the substitution that it comes from
	extra *argExtra
}

// An argExtra is what only few arguments have.
type argExtra struct {
	proc *procSubst // it is <(…) or >(…)
	why  string     // why the command that has it is opaque, whatever it does with it

	secret secretID // what it has in it
}

func (a *Arg) proc() *procSubst {
	if a.extra == nil {
		return nil
	}
	return a.extra.proc
}

func (a *Arg) why() string {
	if a.extra == nil {
		return ""
	}
	return a.extra.why
}

// An Assign is a variable assignment.
type Assign struct {
	Name  string // of the variable
	Value Arg    // after expansion; Unknown if it cannot be known
}

// A Redirect is a redirection of a command.
type Redirect struct {
	Op     string // as written: ">", ">>", "<", "<<", "2>&1" has the Op ">&"
	Fd     string // the descriptor in front, if any
	Target Arg    // file, descriptor, or here-document text
}

// A Span is a range of bytes in the source, End not included.
type Span struct{ Start, End int }

// Access says how a path is touched. The zero value is none of them, and is
// judged like a change.
type Access uint8

const (
	List   Access = iota + 1 // names and attributes are looked at
	Read                     // its content is read
	Write                    // it is created or changed
	Delete                   // it is removed
	Change                   // its owner, mode or attributes change
)

var accessNames = [...]string{"unknown", "list", "read", "write", "delete", "change"}

// String returns the access in lower case.
func (a Access) String() string {
	if int(a) < len(accessNames) {
		return accessNames[a]
	}
	return "unknown"
}

// MarshalText writes the name of the access.
func (a Access) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// A Path is a file or folder that a command touches. Where the working
// directory may be one of two, because a cd may have failed, a relative path is
// reported for both.
type Path struct {
	Raw       string // as the command has it
	Abs       string // absolute and cleaned; empty if it cannot be known
	Real      string // Abs with links followed, where a Machine could tell
	Access    Access // how it is touched
	Glob      bool   // Abs is a pattern
	Recursive bool   // everything below it, too
	Redirect  bool   // by a redirection, not by the program itself
	Here      bool   // of this machine, though the command runs elsewhere: in a folder that a container was given
	Deep      bool   // the last component is a name at any depth below the others, as find has it
}

// Sentences returns one English sentence for each part of the command line.
func (a *Analysis) Sentences() []string {
	if a.Opaque != "" {
		return []string{"Run a script that cannot be read: " + a.Opaque}
	}
	var out []string
	for i := range a.Commands {
		c := &a.Commands[i]
		if c.folded || c.Sentence == "" {
			continue
		}
		if len(out) > 0 && out[len(out)-1] == c.Sentence {
			continue
		}
		out = append(out, c.Sentence)
	}
	return out
}

// Explain says in English what the command line is about to do: its sentences,
// without full stops, joined by "; ".
func (a *Analysis) Explain() string {
	if s := a.Sentences(); len(s) > 0 {
		return strings.Join(s, "; ")
	}
	return "Do nothing"
}
