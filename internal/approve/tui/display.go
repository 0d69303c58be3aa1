package tui

import (
	"bytes"
	"os"
)

// whichKeys asks a terminal which keys it tells apart. Bubble Tea writes it with the
// first picture, whatever it is told, and nothing here needs the reply.
const whichKeys = "\x1b[?u"

// A display is a terminal that is not asked for its keys.
type display struct{ *os.File }

// Write writes all but the question. A picture is one write, so the question is
// never in two.
func (d display) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte(whichKeys)) {
		return d.File.Write(p)
	}
	if n, err := d.File.Write(bytes.ReplaceAll(p, []byte(whichKeys), nil)); err != nil {
		return n, err
	}
	return len(p), nil
}
