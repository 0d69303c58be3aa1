package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sayso-dev/sayso/internal/vector"
	"github.com/sayso-dev/sayso/shell"
)

// checkStream answers calls line by line. A bad line gets an answer of its own
// and does not end the stream.
func checkStream(d vector.Defaults, std IO) error {
	in := bufio.NewReaderSize(std.In, 64<<10)
	out := bufio.NewWriter(std.Out)
	err := answerAll(in, out, d)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

func answerAll(in *bufio.Reader, out *bufio.Writer, d vector.Defaults) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		if err == nil && len(line) == 0 {
			continue
		}
		var got vector.Answer
		if err == nil {
			got = d.Answer(context.Background(), line)
		} else {
			got = vector.Bad(err)
		}
		if got.Error != "" {
			got.Error = fmt.Sprintf("line %d: %s", n, got.Error)
		}
		got.Trace = nil // a line is short; --explain tells more
		if err := enc.Encode(got); err != nil {
			return err
		}
		if in.Buffered() == 0 { // answer at once when nobody sends more
			if err := out.Flush(); err != nil {
				return err
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
