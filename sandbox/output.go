package sandbox

import (
	"fmt"
	"io"
	"sync"
)

// A limiter passes on what a command writes up to a limit: the first half at once, and
// of the rest the end, when it is known to be the end. The two streams share it.
type limiter struct {
	mu      sync.Mutex
	head    int64 // how much may still be passed on at once
	tail    int64 // how much of each stream is kept of the end
	output  int64
	streams [2]cutStream
}

type cutStream struct {
	l    *limiter
	to   io.Writer
	kept []byte // the last of what was not passed on
	cut  int64  // how much of it is not kept
}

func newLimiter(limit int64, out, err io.Writer) *limiter {
	l := &limiter{head: limit - limit/2, tail: limit / 4}
	l.streams = [2]cutStream{{l: l, to: out}, {l: l, to: err}}
	return l
}

// stream is what a stream of the command is written to.
func (l *limiter) stream(i int) io.Writer { return &l.streams[i] }

func (s *cutStream) Write(p []byte) (int, error) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.l.output += int64(len(p))
	n := min(int64(len(p)), s.l.head)
	if s.cut > 0 || len(s.kept) > 0 {
		n = 0 // nothing after a gap is passed on before the end
	}
	if n > 0 {
		s.l.head -= n
		if err := s.send(p[:n]); err != nil {
			return 0, err
		}
	}
	s.kept = append(s.kept, p[n:]...)
	if more := int64(len(s.kept)) - s.l.tail; more > s.l.tail+4<<10 { // not for every byte
		s.drop(more)
	}
	return len(p), nil
}

// drop lets go of what is not the end.
func (s *cutStream) drop(n int64) {
	s.cut += n
	s.kept = append(s.kept[:0], s.kept[n:]...)
}

func (s *cutStream) send(p []byte) error {
	if s.to == nil || len(p) == 0 {
		return nil
	}
	_, err := s.to.Write(p)
	return err
}

// close passes on the ends, and returns how much was written, and how much of that
// was not kept.
func (l *limiter) close() (output, cut int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.streams {
		s := &l.streams[i]
		if more := int64(len(s.kept)) - l.tail; more > 0 {
			s.drop(more)
		}
		if s.cut > 0 {
			_ = s.send(fmt.Appendf(nil, "\n[%d bytes are not shown]\n", s.cut)) // whoever reads it has gone
		}
		_ = s.send(s.kept) // as above
		cut += s.cut
	}
	return l.output, cut
}
