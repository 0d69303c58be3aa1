// Package table holds what the command tables say. The tables are text files,
// shell/tables/*.txt; tablegen compiles them into tools.bin and index.go, and a
// tool becomes Go values when it is first asked for.
//
// As Go values in the program they would be several megabytes of pointers, which
// the runtime goes through at every start: half a millisecond, in a program that
// lives for two.
package table

import (
	"cmp"
	"sync/atomic"
)

// Effects is a set of things that a command does, as package shell has them.
type Effects uint16

const (
	Reads Effects = 1 << iota
	Writes
	Deletes
	Executes
	Installs
	Network
	Permissions
	Privilege
	Processes
	System
	Irreversible
	Publishes
	LongRunning
	Secrets
)

// Has reports whether e contains all of what.
func (e Effects) Has(what Effects) bool { return e&what == what }

// A Tool is what the tables know of a command or sub-command.
type Tool struct {
	Names []string
	Do    Action
	Says  []string
	Whens []When
	Use   Handler
	flags KeyTable
	subs  subs
}

// Flags returns its options.
func (t *Tool) Flags() []Flag { return t.flags.All() }

// Is reports whether it has one of the traits.
func (t *Tool) Is(what Trait) bool { return t.Do.Is&what != 0 }

// Chooses reports whether an operand decides what the command does, like the name
// of a sub-command.
func (t *Tool) Chooses() bool {
	for i := range t.Whens {
		for _, all := range t.Whens[i].Any {
			for j := range all {
				if op := all[j].Op; op == TermArg || op == TermAny || op == TermItem {
					return true
				}
			}
		}
	}
	return false
}

// AnyNames reports whether it sets variables of any name, not only of those that
// a shell allows: it can clear them all, too.
func (t *Tool) AnyNames() bool {
	for _, f := range t.Flags() {
		if f.Do != nil && f.Do.Is&IsBare != 0 {
			return true
		}
	}
	return false
}

// An Action is what a command, an option or a condition brings with it.
type Action struct {
	Does    Effects
	Risk    Level
	Say     string // sentences, one a line; the first is used whose placeholders have a value
	Args    []Slot
	Is      Trait
	Hosts   []string
	Opaque  string
	Prefix  int8
	Prints  Output
	Stdin   *Slot // what it reads on standard input, if that is more than data
	Instead bool
}

// A Flag is an option in all its spellings.
type Flag struct {
	Names    []string
	Kind     Kind // of its value; 0: it takes none
	Keys     *KeyTable
	Attached bool // the value must be attached (-iSUFFIX, --opt=value)
	Skip     int8 // values in front of the one that counts (--arg NAME VALUE)
	Do       *Action
}

// A Slot is the place of one or more operands.
type Slot struct {
	Kind     Kind
	Keys     *KeyTable
	Repeat   bool
	Optional bool
	Def      string // what stands for it when there is no operand
}

// A KeyTable says what KEY=VALUE settings do, or names of any kind.
type KeyTable struct {
	at      int    // in the data
	data    string // empty: that of this package
	entries atomic.Pointer[[]Flag]
}

// All returns what the table says.
func (k *KeyTable) All() []Flag {
	if list := k.entries.Load(); list != nil {
		return *list
	}
	if k.at == 0 {
		return nil // there is none
	}
	r := reader{data: cmp.Or(k.data, data), at: k.at}
	list := r.flags()
	k.entries.CompareAndSwap(nil, &list)
	return *k.entries.Load()
}

// A When is an action that depends on what was given.
type When struct {
	Any     [][]Term
	Flagged bool // never true without an option
	Do      Action
}

// A Term is one part of a condition.
type Term struct {
	Op    TermOp
	Not   bool
	N     int
	Flag  string
	Globs []string
}

// A TermOp is what a term looks at.
type TermOp uint8

const (
	TermFlag  TermOp = iota
	TermCount        // number of operands
	TermFewer
	TermMore
	TermArg   // the n-th operand matches
	TermItem  // a part of the n-th operand between commas matches
	TermAny   // some operand matches
	TermInner // there is a wrapped command
	TermPiped // something stands on standard input
	TermAsks  // what stands there are statements that only ask
)

// A Level is a risk as the tables state it; the zero value states none.
type Level uint8

const (
	LevelUnset Level = iota
	LevelSafe
	LevelModerate
	LevelDangerous
	LevelBlocked
)

// A Trait is a property of a tool that the analysis acts on.
type Trait uint32

const (
	IsWrapper Trait = 1 << iota
	IsInterpreter
	IsShell
	IsRecursive
	IsDashword
	IsBundled
	IsPosix
	IsElsewhere
	IsNoHelp
	IsGlobal
	IsFromHere
	IsJoined
	IsOldShell   // it may know less than Bash: dash
	IsOtherShell // its language is another one
	IsChained    // ";" among its words starts another command of the same program
	IsThisShell  // what it runs, it runs in this shell
	IsGlobCode   // a shell in which a pattern can hold code
	IsSaves      // it saves what it downloads to a file, without being told
	IsBare       // what it runs gets none of the variables
	IsBackups    // it keeps copies of the files that it changes
	IsAgent      // it starts an AI agent
	IsUnpacks    // it unpacks an archive into a folder
	IsPacks      // it packs files into an archive
	IsTyped      // what is typed into its terminal can run programs
	IsBatch      // it takes no commands from its terminal
	IsWrapping   // a slot of it is a command; the compiler of the tables sets it
	IsScripting  // a slot of it is a script; likewise
)

// A Kind is what an operand or the value of an option is.
type Kind uint8

const (
	KindNone Kind = iota
	KindText
	KindList
	KindRead
	KindWrite
	KindDelete
	KindMove
	KindReplace
	KindChange
	KindCd
	KindScript
	KindURL
	KindHost
	KindRemote
	KindRemoteWrite
	KindRepo
	KindPkg
	KindEnv
	KindCmd
	KindShell
	KindPython
	KindNode
	KindPerl
	KindRuby
	KindPHP
	KindLua
	KindR
	KindAppleScript
	KindPowerShell
	KindLisp
	KindCompiled  // the names by which Go, Rust, C and their like start programs and change files
	KindOtherCode // only the names that most languages have are known
	KindAwk
	KindSed
	KindSQL
	KindJq
	KindRedis
	KindMongo
	KindKey
	KindMount
	KindEx
	KindRsh
	KindProgram // a program and maybe options, that a setting names
	KindDNS
	KindShown    // the name of a variable whose value is shown
	KindObject   // a version of a file: REV:PATH
	KindData     // text, or @FILE
	KindForm     // NAME=VALUE, NAME=@FILE or NAME=<FILE
	KindVar      // the name of a variable that gets a value
	KindFilter   // a pattern for the names of files that are read
	KindLines    // a program of one command a line; the keys say which do something
	KindAddress  // TYPE:VALUE,OPTION…; the keys say which types do something
	KindCrontab  // the lines of a table of planned tasks
	KindSelf     // a command line of the same program, without its name
	KindTyped    // keys that are pressed in a terminal
	KindFormat   // text in which #(…) is a command
	KindRoot     // the folder that the wrapped command sees as /
	KindInnerCd  // the folder where the wrapped command starts, as it sees it
	KindSplit    // the first words of the wrapped command, with escapes of their own
	KindBackup   // how the copies are called that it keeps of what it changes
	KindBefore   // what stands in front of their names
	KindPatched  // a file that a patch changes
	KindPatch    // a file that holds a patch
	KindPacked   // a file that is packed or unpacked, into another next to it
	KindEnding   // the ending of packed files
	KindStart    // how the names of files start that are written
	KindServer   // where a client connects to
	KindDatabase // the same, or the name of a database
	KindImage    // a container image
	KindTrace    // a file, if it is an absolute path
	KindArchive  // a file that is read or written, as the other options say
	KindOutput   // a folder, or TYPE=…,DEST=PATH
	KindUnset    // the name of a variable that the wrapped command does not get
)

// IsCode reports whether a value of that kind is a program in a language of its
// own.
func (k Kind) IsCode() bool { return k >= KindPython && k <= KindOtherCode }

// Acts reports whether an option with such a value may do more than read.
func (k Kind) Acts() bool { return k > KindRead && k != KindObject && k != KindVar && k != KindFilter }

// A Handler names the code that reads a small language no table can describe.
type Handler uint8

const (
	UseNothing Handler = iota
	UseFind
	UseFd
	UseSh
	UseXargs
	UseParallel
	UseTest
	UseScripts
	UseGit
	UseBuiltin
	UseInterpreter
	UseDownload
	UseKill
	UseEcho
	UsePrintf
	UseLink
	UseCopy
	UseMake
	UseProgram
)

// An Output is what a command prints, as far as $(…) or a pipe can tell.
type Output uint8

const (
	PrintsNothingKnown Output = iota
	PrintsArgs
	PrintsCwd
	PrintsTemp
	PrintsName
	PrintsPaths
	PrintsStdin
	PrintsDecoded
	PrintsUnpacked // the same, of something that was packed
	PrintsNetwork
	PrintsNames
	PrintsLines    // some of the lines that it reads
	PrintsHash     // a word without a slash, whatever its operands are
	PrintsUnknown  // anything
	PrintsBase     // the last component of a path, without an ending
	PrintsThrough  // what it reads, whatever its operands are
	PrintsTop      // the folder of the project
	PrintsSettings // assignments for a shell, and nothing else

	PrintsEnvironment // all variables
	PrintsPrivate     // something with secrets among it, maybe
)
