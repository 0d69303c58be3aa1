// Package packed lets one program ask another what is in packed files, over a pipe:
// the quick program for hooks links nothing that unpacks, and the rich one does.
//
// A question is a letter, two numbers of four bytes and so many bytes as the second
// says; an answer is one number and so many bytes of JSON.
package packed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sayso-dev/sayso/shell"
)

// The questions.
const (
	members = 'm'
	inflate = 'i'
)

// maxMessage is the longest question and answer.
const maxMessage = 64 << 20

// An answer to either question.
type answer struct {
	Members []shell.Member `json:"members,omitempty"`
	Text    []byte         `json:"text,omitempty"`
	OK      bool           `json:"ok"`
}

// Serve answers questions until there are no more.
func Serve(in io.Reader, out io.Writer, u shell.Unpacker) error {
	for {
		var head [9]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read a question: %w", err)
		}
		most, n := binary.BigEndian.Uint32(head[1:]), binary.BigEndian.Uint32(head[5:])
		if n > maxMessage || most > maxMessage {
			return errors.New("the question is too long")
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(in, data); err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		var a answer
		switch head[0] {
		case members:
			a.Members, a.OK = u.Members(data)
		case inflate:
			a.Text, a.OK = u.Inflate(data, int(most))
		default:
			return fmt.Errorf("the question %q is not known", head[0])
		}
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
			return err
		}
	}
}

// A Client is a [shell.Unpacker] that asks another program. If that fails, nothing
// is known of what is packed.
type Client struct {
	// Start starts the other program, and returns a pipe to it. It is called once,
	// when something is asked.
	Start func() (io.ReadWriter, error)

	pipe   io.ReadWriter
	failed bool
}

// Members asks what is in an archive.
func (c *Client) Members(archive []byte) ([]shell.Member, bool) {
	a := c.ask(members, 0, archive)
	return a.Members, a.OK
}

// Inflate asks for what zlib has packed.
func (c *Client) Inflate(packed []byte, most int) ([]byte, bool) {
	a := c.ask(inflate, most, packed)
	return a.Text, a.OK
}

func (c *Client) ask(question byte, most int, data []byte) answer {
	if c.failed {
		return answer{}
	}
	a, err := c.try(question, most, data)
	if err != nil { // what is left in the pipe would answer another question
		c.failed = true
		return answer{}
	}
	return a
}

func (c *Client) try(question byte, most int, data []byte) (a answer, err error) {
	if c.pipe == nil {
		if c.pipe, err = c.Start(); err != nil {
			return a, err
		}
	}
	if len(data) > maxMessage || most < 0 || most > maxMessage {
		return a, errors.New("it is too long")
	}
	head := binary.BigEndian.AppendUint32([]byte{question}, uint32(most))
	head = binary.BigEndian.AppendUint32(head, uint32(len(data)))
	if _, err := c.pipe.Write(append(head, data...)); err != nil {
		return a, err
	}
	var size [4]byte
	if _, err := io.ReadFull(c.pipe, size[:]); err != nil {
		return a, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > 2*maxMessage {
		return a, errors.New("the answer is too long")
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(c.pipe, text); err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}

var _ shell.Unpacker = (*Client)(nil)
