package mcpgate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxMessage is how long a message may be, in bytes.
	maxMessage = 16 << 20
	// maxDepth is how deep values may be nested in it: readers of JSON recurse.
	maxDepth = 200
	// maxBatch is how many messages may come as one.
	maxBatch = 100
)

// A MessageError is about one message that cannot be read; those behind it can.
type MessageError struct{ Err error }

func (e *MessageError) Error() string { return "a message that cannot be read: " + e.Err.Error() }

func (e *MessageError) Unwrap() error { return e.Err }

// ErrTooLong is for a message that is longer than one may be.
var ErrTooLong = fmt.Errorf("it is longer than %d MiB", maxMessage>>20)

// Lines is a connection over two streams, with one message a line. Unlike the one of
// the SDK it goes on behind a line that is no message, and says which is too long.
// Closing it calls end, whose error is what reading ends with.
func Lines(in io.Reader, out io.Writer, end func() error) mcp.Connection {
	l := &lines{out: out, end: sync.OnceValue(end), in: make(chan line), closed: make(chan struct{})}
	go l.pump(bufio.NewReaderSize(in, 64<<10))
	return l
}

type line struct {
	text []byte
	err  error
}

type lines struct {
	in     chan line
	queue  []jsonrpc.Message
	mu     sync.Mutex // of writing
	out    io.Writer
	end    func() error
	once   sync.Once
	closed chan struct{}
}

// pump reads lines until there are no more. Reading cannot be interrupted
// everywhere, so it is done apart.
func (l *lines) pump(in *bufio.Reader) {
	for {
		text, err := oneLine(in)
		select {
		case l.in <- line{text, err}:
		case <-l.closed:
			return
		}
		var one *MessageError
		if err != nil && !errors.As(err, &one) {
			return
		}
	}
}

// oneLine reads a line. Of one that is too long the rest is skipped.
func oneLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxMessage {
			long, text = true, nil
		}
		if !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(text) == 0):
			return nil, err
		case long:
			return nil, &MessageError{ErrTooLong}
		}
		return text, nil // the last one may have no end
	}
}

func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) > 0 {
			next := l.queue[0]
			l.queue = l.queue[1:]
			return next, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closed:
			return nil, io.EOF
		case got := <-l.in:
			if got.err != nil {
				return nil, got.err
			}
			var err error
			if l.queue, err = messages(got.text); err != nil {
				return nil, &MessageError{err}
			}
		}
	}
}

// messages reads what stands in a line: a message, or, as an old version of the
// protocol allows, several.
func messages(text []byte) ([]jsonrpc.Message, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, nil
	}
	if err := shallow(text); err != nil {
		return nil, err
	}
	if text[0] != '[' {
		m, err := jsonrpc.DecodeMessage(text)
		return []jsonrpc.Message{m}, err
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if len(all) > maxBatch {
		return nil, fmt.Errorf("%d messages came at once", len(all))
	}
	out := make([]jsonrpc.Message, len(all))
	for i, raw := range all {
		var err error
		if out[i], err = jsonrpc.DecodeMessage(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shallow refuses text that is nested deeper than anybody means it to be, before
// anything reads it that recurses.
func shallow(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is nested more than %d deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(text, '\n'))
	return err
}

func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.end()
}

func (l *lines) SessionID() string { return "" }
