package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A record is whatever an agent sends, and an agent must not be able to write one
// that nobody can read any more.
const (
	longest   = 4 << 10  // how much of one value is kept: a file that is written stands in the input of its call
	maxRecord = 4 << 20  // how long a record may be
	maxLine   = 16 << 20 // the longest line that is read
	maxBehind = 64 << 20 // what a process that was killed may have left behind the head
)

// cut keeps the beginning and the end of a long text.
func cut(s string) string {
	if len(s) <= longest {
		return s
	}
	const end = longest / 4
	head, tail := s[:longest-end], s[len(s)-end:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("[cut:%d]", len(s)-longest) + strings.ToValidUTF8(tail, "")
}

// cutAll cuts the texts in a value, and leaves at most so many entries of a list.
func cutAll(v any, entries int) any {
	switch v := v.(type) {
	case string:
		return cut(v)
	case []any:
		v = v[:min(len(v), entries)]
		for i := range v {
			v[i] = cutAll(v[i], entries)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[cut(key)] = cutAll(value, entries)
		}
		return out
	}
	return v
}

// shrink takes entries out of the lists of an object until it is short enough.
func shrink(object []byte) ([]byte, error) {
	var text []byte
	for entries := 1000; entries > 0; entries /= 10 {
		v, err := decode(object)
		if err != nil {
			return nil, err
		}
		fields := v.(map[string]any) // it is one
		fields["note"] = strings.TrimSpace(fmt.Sprintf("%v [cut:%d]", or(fields["note"], ""), len(object)))
		if request, ok := fields["request"].(map[string]any); ok {
			request["input"] = shortInput(request["input"], entries)
		}
		if terms, ok := fields["terms"].(map[string]any); ok {
			terms["input"] = shortInput(terms["input"], entries)
		}
		if text, err = encode(cutAll(v, entries)); err != nil || len(text) <= maxRecord {
			return text, err
		}
	}
	return nil, fmt.Errorf("the record would have %d bytes, and may have %d", len(object), maxRecord)
}

// shortInput is the input of a call, as a text if it has too many keys.
func shortInput(v any, entries int) any {
	v = cutAll(v, entries)
	text, err := encode(v)
	if err == nil && len(text) <= maxRecord/4 {
		return v
	}
	return cut(string(text))
}

func or(v, otherwise any) any {
	if v == nil {
		return otherwise
	}
	return v
}

// decode reads a value with its numbers as they are.
func decode(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// encode writes a value in one line.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// errLong is for a line that is too long to be a record.
func errLong() error { return fmt.Errorf("%w: it is longer than %d MiB", errForm, maxLine>>20) }

// readLine reads a line to its end, of which io.EOF says that it is not there, and
// how long it is with it. Of one that is too long to be a record only the beginning
// is kept.
func readLine(in *bufio.Reader) (text []byte, size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if len(text) < maxLine {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return text, size, err
	}
}

// lineOf reads the line at a place.
func lineOf(in *bufio.Reader, file string, at Place) (Line, error) {
	text, size, err := readLine(in)
	l := Line{File: file, Line: at.Lines + 1, Size: size, At: at}
	switch {
	case err != nil:
		return l, err
	case size > maxLine:
		l.Text, l.Err = text[:longest], errLong()
	default:
		l.Text = text[:len(text)-1]
		l.Entry, l.Err = open(l.Text)
	}
	return l, nil
}
