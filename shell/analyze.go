package shell

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is analysed. Beyond the first two a command line is refused;
// beyond the others what is left is opaque.
const (
	MaxLength = 128 << 10 // bytes of a command line
	MaxDepth  = 100       // nesting of its constructs

	maxWords    = 1000    // words that one expansion may yield
	maxCommands = 4000    // commands of one analysis
	maxSteps    = 1 << 17 // statements and words of one analysis
	maxNested   = 12      // scripts inside scripts, functions inside functions
	maxLooks    = 512     // questions to the Machine
	maxFileSize = 1 << 20
)

// Errors that Analyze returns for a command line it does not read.
var (
	ErrTooLong = errors.New("command line is longer than 131072 bytes")
	ErrTooDeep = errors.New("command line is nested deeper than 100 levels")
	ErrPlace   = errors.New("invalid place")
)

// Analyze says what the command line src would do if a shell ran it at that
// place. It returns an error only for a command line or a place that it
// refuses to read: [ErrTooLong], [ErrTooDeep], [ErrPlace]. A script with a
// syntax error is not an error but an opaque, dangerous analysis, because a
// shell may run the part before it.
func Analyze(src string, at Place) (*Analysis, error) {
	if err := checkPlace(&at); err != nil {
		return nil, err
	}
	if len(src) > MaxLength {
		return nil, fmt.Errorf("%w: it has %d", ErrTooLong, len(src))
	}
	if pos, depth := deepest(src); depth > MaxDepth {
		return nil, fmt.Errorf("%w at byte %d", ErrTooDeep, pos)
	}
	r := runs.Get().(*run)
	defer r.release()
	r.begin(at, len(src))
	r.w.script(&r.st, &r.f, src, Span{0, len(src)}, false)
	r.w.trapsAt(&r.st)
	r.w.uncalled()
	return r.result(), nil
}

func checkPlace(at *Place) error {
	if !path.IsAbs(at.Dir) {
		return fmt.Errorf("%w: the working directory %q is not absolute", ErrPlace, at.Dir)
	}
	if at.Home != "" && !path.IsAbs(at.Home) {
		return fmt.Errorf("%w: the home folder %q is not absolute", ErrPlace, at.Home)
	}
	at.Dir = clean(at.Dir)
	if at.Home != "" {
		at.Home = clean(at.Home)
	}
	if len(at.Workspace) == 0 {
		return nil
	}
	roots := at.Workspace
	for i, root := range at.Workspace {
		if !path.IsAbs(root) {
			return fmt.Errorf("%w: the workspace %q is not absolute", ErrPlace, root)
		}
		tidy := clean(root)
		if tidy != root && &roots[0] == &at.Workspace[0] {
			roots = slices.Clone(roots) // the caller's stays as it is
		}
		if tidy != root {
			roots[i] = tidy
		}
	}
	at.Workspace = roots
	return nil
}

// parse reads a script. The parser is kept: a new one costs as much as reading
// a short command.
func (w *walker) parse(src string) (*syntax.File, error) {
	if w.parser == nil {
		w.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	w.src.Reset(src)
	return w.parser.Parse(&w.src, "")
}
