package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/sayso-dev/sayso/shell"
)

const checkUse = `sayso check [--json] [--cwd DIR] [--home DIR] bash COMMAND
       sayso check --jsonl

Says what a command line would do, without running it: how risky it is, and
one sentence for each of its parts. It looks at links and at package.json in
the working directory, and at nothing else.

  --json      print the whole analysis as one JSON object
  --jsonl     read calls as JSON lines from standard input, write one JSON line
              for each: {"id", "risk", "explanation"}. A call has "command", and
              may have "id", "tool" (bash), "cwd" and "home"
  --cwd DIR   the working directory (default: this one)
  --home DIR  the home folder (default: yours)

Exit status: 0 if everything was analysed, 1 if something could not be, 2 for
wrong usage.`

func check(args []string, std IO) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	stream := flags.Bool("jsonl", false, "")
	cwd := flags.String("cwd", "", "")
	home := flags.String("home", "", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, err := fmt.Fprintf(std.Out, "usage: %s\n", checkUse)
			return err
		}
		return &usageError{err.Error(), "sayso help check lists the options"}
	}
	at, err := place(*cwd, *home)
	if err != nil {
		return err
	}
	if *stream {
		if flags.NArg() > 0 {
			return &usageError{"--jsonl reads calls from standard input and takes no argument", ""}
		}
		return checkStream(at, std)
	}
	if flags.NArg() != 2 || flags.Arg(0) != "bash" {
		return &usageError{"check wants a tool and a command line", "for example: sayso check bash 'git status'"}
	}
	return checkOne(flags.Arg(1), at, *asJSON, std)
}

// place is where the call would run, from the options or this process.
func place(cwd, home string) (shell.Place, error) {
	var err error
	if cwd == "" {
		if cwd, err = os.Getwd(); err != nil {
			return shell.Place{}, fmt.Errorf("find the working directory: %w", err)
		}
	}
	if home == "" {
		home, _ = os.UserHomeDir() // without one, ~ stays unresolved
	}
	return shell.Place{Dir: cwd, Home: home, Machine: machine{}}, nil
}

func checkOne(command string, at shell.Place, asJSON bool, std IO) error {
	a, err := shell.Analyze(command, at)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(std.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(analysisJSON(a))
	}
	_, err = fmt.Fprintf(std.Out, "%s  %s\n", a.Risk, a.Explain())
	return err
}

// A call is one line of input.
type call struct {
	ID      json.RawMessage `json:"id"`
	Tool    string          `json:"tool"`
	Command *string         `json:"command"`
	Cwd     string          `json:"cwd"`
	Home    string          `json:"home"`
}

// An answer is one line of output. A call that could not be analysed is
// dangerous and says why.
type answer struct {
	ID          json.RawMessage `json:"id,omitempty"`
	Risk        shell.Risk      `json:"risk"`
	Explanation string          `json:"explanation"`
	Error       string          `json:"error,omitempty"`
}

// checkStream answers calls line by line. A bad line gets an answer of its own
// and does not end the stream.
func checkStream(at shell.Place, std IO) error {
	in := bufio.NewReaderSize(std.In, 64<<10)
	out := bufio.NewWriter(std.Out)
	bad, err := answerAll(in, out, at, std.Err)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("lines that could not be analysed: %d", bad)
	}
	return err
}

// answerAll answers each line and returns how many were bad.
func answerAll(in *bufio.Reader, out *bufio.Writer, at shell.Place, errs io.Writer) (bad int, err error) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return bad, nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return bad, fmt.Errorf("read line %d: %w", n, err)
		}
		if err == nil && len(line) == 0 {
			continue
		}
		var got answer
		if err == nil {
			got, err = answerLine(line, at)
		}
		if err != nil {
			bad++
			got.Risk, got.Explanation, got.Error = shell.Dangerous, "Something that could not be analysed", fmt.Sprintf("line %d: %v", n, err)
			fmt.Fprintf(errs, "sayso: error: standard input, %s\n", got.Error)
		}
		if err := enc.Encode(got); err != nil {
			return bad, err
		}
		if in.Buffered() == 0 { // answer at once when nobody sends more
			if err := out.Flush(); err != nil {
				return bad, err
			}
		}
	}
}

// maxLine is the longest line that is read: a command line of the largest
// size, all of it escaped.
const maxLine = 8 * shell.MaxLength

var errLongLine = fmt.Errorf("longer than %d bytes", maxLine)

// readLine returns the next line without its end. A line that is too long is
// read to its end and reported as errLongLine.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			return nil, err
		}
		if !long {
			line = append(line, part...)
			long = len(line) > maxLine
		}
		if !more {
			break
		}
	}
	if long {
		return nil, errLongLine
	}
	return line, nil
}

func answerLine(line []byte, at shell.Place) (answer, error) {
	var c call
	if err := json.Unmarshal(line, &c); err != nil {
		return answer{}, err
	}
	got := answer{ID: c.ID}
	switch {
	case c.Command == nil:
		return got, errors.New(`no "command"`)
	case c.Tool != "" && c.Tool != "bash":
		return got, fmt.Errorf("tool %q is not known: only bash is", c.Tool)
	}
	if c.Cwd != "" {
		at.Dir = c.Cwd
	}
	if c.Home != "" {
		at.Home = c.Home
	}
	a, err := shell.Analyze(*c.Command, at)
	if err != nil {
		return got, err
	}
	got.Risk, got.Explanation = a.Risk, a.Explain()
	return got, nil
}
