package shell

//go:generate go run ./internal/tablegen tables .

// A tool is what the tables know of a command or sub-command.
type tool struct {
	names []string
	do    action
	says  []string
	flags []flag
	whens []when
	subs  []tool
	use   handler
}

// An action is what a command, an option or a condition brings with it.
type action struct {
	does    Effects
	risk    level
	say     string
	args    []slot
	is      trait
	hosts   []string
	opaque  string
	prefix  int8
	prints  output
	stdin   *slot // what it reads on standard input, if that is more than data
	instead bool
}

// A flag is an option in all its spellings.
type flag struct {
	names    []string
	kind     kind // of its value; 0: it takes none
	keys     *keyTable
	attached bool // the value must be attached (-iSUFFIX, --opt=value)
	skip     int8 // values in front of the one that counts (--arg NAME VALUE)
	do       *action
}

// A slot is the place of one or more operands.
type slot struct {
	kind     kind
	keys     *keyTable
	repeat   bool
	optional bool
	def      string // what stands for it when there is no operand
}

// A keyTable says what KEY=VALUE settings do.
type keyTable []flag

// A when is an action that depends on what was given.
type when struct {
	any     [][]term
	flagged bool // never true without an option
	do      action
}

type term struct {
	op    termOp
	not   bool
	n     int
	flag  string
	globs []string
}

type termOp uint8

const (
	termFlag  termOp = iota
	termCount        // number of operands
	termFewer
	termMore
	termArg   // the n-th operand matches
	termItem  // a part of the n-th operand between commas matches
	termAny   // some operand matches
	termInner // there is a wrapped command
	termPiped // something stands on standard input
)

// A level is a risk as the tables state it; the zero value states none.
type level uint8

const (
	levelUnset level = iota
	levelSafe
	levelModerate
	levelDangerous
	levelBlocked
)

type trait uint32

const (
	isWrapper trait = 1 << iota
	isInterpreter
	isShell
	isRecursive
	isDashword
	isBundled
	isPosix
	isElsewhere
	isNoHelp
	isGlobal
	isFromHere
	isJoined
	isOldShell   // it may know less than Bash: dash
	isOtherShell // its language is another one
	isChained    // ";" among its words starts another command of the same program
	isThisShell  // what it runs, it runs in this shell
	isGlobCode   // a shell in which a pattern can hold code
	isSaves      // it saves what it downloads to a file, without being told
	isBare       // what it runs gets none of the variables
	isWrapping   // a slot of it is a command; the compiler of the tables sets it
	isScripting  // a slot of it is a script; likewise
)

type kind uint8

const (
	kindNone kind = iota
	kindText
	kindList
	kindRead
	kindWrite
	kindDelete
	kindMove
	kindReplace
	kindChange
	kindCd
	kindScript
	kindURL
	kindHost
	kindRemote
	kindRemoteWrite
	kindRepo
	kindPkg
	kindEnv
	kindCmd
	kindShell
	kindPython
	kindNode
	kindPerl
	kindRuby
	kindPHP
	kindLua
	kindR
	kindAppleScript
	kindPowerShell
	kindLisp
	kindOtherCode // only the names that most languages have are known
	kindAwk
	kindSed
	kindSQL
	kindJq
	kindRedis
	kindMongo
	kindKey
	kindMount
	kindEx
	kindRsh
	kindProgram // a program and maybe options, that a setting names
	kindDNS
	kindObject  // a version of a file: REV:PATH
	kindData    // text, or @FILE
	kindForm    // NAME=VALUE, NAME=@FILE or NAME=<FILE
	kindVar     // the name of a variable that gets a value
	kindFilter  // a pattern for the names of files that are read
	kindLines   // a program of one command a line; the keys say which do something
	kindAddress // TYPE:VALUE,OPTION…; the keys say which types do something
	kindCrontab // the lines of a table of planned tasks
	kindSelf    // a command line of the same program, without its name
	kindTyped   // keys that are pressed in a terminal
	kindFormat  // text in which #(…) is a command
	kindRoot    // the folder that the wrapped command sees as /
	kindInnerCd // the folder where the wrapped command starts, as it sees it
	kindSplit   // the first words of the wrapped command, with escapes of their own
	kindUnset   // the name of a variable that the wrapped command does not get
)

// isCode reports whether a value of that kind is a program in a language of its
// own.
func (k kind) isCode() bool { return k >= kindPython && k <= kindOtherCode }

// acts reports whether an option with such a value may do more than read.
func (k kind) acts() bool { return k > kindRead && k != kindObject && k != kindVar && k != kindFilter }

// A handler names the code that reads a small language no table can describe.
type handler uint8

const (
	useNothing handler = iota
	useFind
	useFd
	useSh
	useXargs
	useParallel
	useTest
	useScripts
	useGit
	useBuiltin
	useInterpreter
	useDownload
	useKill
	useEcho
	usePrintf
	useLink
	useCopy
	useMake
	useProgram
)

// An output is what a command prints, as far as $(…) or a pipe can tell.
type output uint8

const (
	printsNothingKnown output = iota
	printsArgs
	printsCwd
	printsTemp
	printsName
	printsPaths
	printsStdin
	printsDecoded
	printsNetwork
	printsNames
	printsLines    // some of the lines that it reads
	printsHash     // a word without a slash, whatever its operands are
	printsUnknown  // anything
	printsBase     // the last component of a path, without an ending
	printsThrough  // what it reads, whatever its operands are
	printsSettings // assignments for a shell, and nothing else

	printsEnvironment // the variables, if it has no operands
)
