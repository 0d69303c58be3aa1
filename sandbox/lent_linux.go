package sandbox

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/sayso-dev/sayso/internal/box"
)

// lasting are the steps of a plan that are the same for all commands of a contract and
// stay while none runs: not the command itself, and not what keeps paths away that are
// not there, whose places stand only as long as a command runs.
func (p *plan) lasting() (out []box.Step) {
	for _, s := range p.steps {
		switch s[0] {
		case box.Dir, box.Env, box.Argv:
			continue
		case box.Protect:
			if slices.Contains(p.places, s[1]) {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// passing are the other steps.
func (p *plan) passing() (out []box.Step) {
	var roots, guards []box.Step
	done := map[string]bool{}
	for _, name := range p.places {
		guards = append(guards, box.Step{box.Protect, name})
		root := rootOf(name, p.c.Write)
		if !done[root] && !p.moves(root) { // what is mounted in it goes with it
			roots = append(roots, box.Step{box.Pin, root})
		}
		done[root] = true
	}
	slices.SortFunc(roots, func(a, b box.Step) int { return strings.Compare(a[1], b[1]) }) // those above others first
	out = append(roots, guards...)
	return append(out, box.Step{box.Dir, p.c.Dir}, append(box.Step{box.Env}, p.env...), append(box.Step{box.Argv}, p.c.Argv...))
}

// key identifies the place that a plan makes: its lasting steps, and which files those
// name now.
func (p *plan) key() string {
	text := make([]byte, 0, 8<<10)
	for _, s := range p.lasting() {
		for _, word := range s {
			text = append(append(text, word...), 0)
		}
		switch s[0] {
		case box.Bind, box.Protect, box.Pin, box.Scratch, box.Hide:
			if s[len(s)-1] == "dev" || s[1] == keys {
				break // devices stay what they are, and so does what the kernel shows
			}
			var stat unix.Stat_t
			if err := unix.Lstat(s[1], &stat); err != nil {
				text = append(text, err.Error()...)
			}
			text = strconv.AppendUint(append(text, ' '), uint64(stat.Dev), 10) //nolint:unconvert // it is shorter elsewhere
			text = strconv.AppendUint(append(text, ' '), stat.Ino, 10)
		}
		text = append(text, '\n')
	}
	sum := sha256.Sum256(append(text, inheritance()...))
	return hex.EncodeToString(sum[:])
}

// inheritance is what commands have from the process that has made their place, as it
// was when this process first looked.
var inheritance = sync.OnceValue(func() string {
	var b strings.Builder
	for which := range 16 { // all limits that there are
		var l unix.Rlimit
		err := unix.Getrlimit(which, &l)
		fmt.Fprintln(&b, l.Cur, l.Max, err)
	}
	text, err := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Umask:") || strings.HasPrefix(line, "Groups:") || strings.HasPrefix(line, "Gid:") {
			b.WriteString(line)
		}
	}
	priority, errno := unix.Getpriority(unix.PRIO_PROCESS, 0)
	fmt.Fprintln(&b, priority, errno, err)
	return b.String()
})

// lent runs the command in a place that somebody keeps. Ok is false if nothing was run,
// and it can be run in a place of its own.
func (j *job) lent(ctx context.Context, p *plan) (result Result, ok bool, err error) {
	key := p.key()
	channel := j.o.Borrow(key, j.c)
	if channel == nil {
		return result, false, nil
	}
	text, std, places, err := j.ready(p, key)
	defer places.free()
	if err != nil {
		return result, false, channel.Close() // it is told by whoever tries it next
	}
	defer std.close()
	begun, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		std.given()
		return result, false, channel.Close() // as above
	}
	defer unix.Close(begun) //nolint:errcheck // it was only read
	if err := j.begin(); err != nil {
		std.given()
		return result, true, errors.Join(err, channel.Close())
	}
	err = sendFiles(channel, text, int(std.theirs[0].Fd()), int(std.theirs[1].Fd()), int(std.theirs[2].Fd()), begun)
	std.given()
	if err != nil {
		return result, false, channel.Close()
	}
	std.begin()
	last := j.attend(ctx, channel)
	std.copies.Wait() // everybody who could write more has ended
	var number [8]byte
	_, err = unix.Read(begun, number[:])
	if result.Ran = err == nil; result.Ran {
		result.Ran = kind(last) != box.CannotDo && kind(last) != box.NotFound
	} else if (kind(last) == "" || kind(last) == box.Failed) && std.takes == nil && ctx.Err() == nil { // some of the input may be gone
		return result, false, nil
	}
	result.Kept, result.TimedOut = true, errors.Is(context.Cause(ctx), errTime)
	result, err = j.ended(ctx, result, last, nil)
	return result, true, err
}

// ready has what is sent to the place, which wakes up meanwhile. That all is as planned is
// seen by the key, unless what is protected had to be looked for again.
func (j *job) ready(p *plan, key string) (text []byte, std *streams, places *holding, err error) {
	if len(p.places) > 0 {
		before := p.looked
		if places, err = p.hold(); err == nil && p.looked > before && p.key() != key {
			err = errors.New("what is protected has changed")
		}
	}
	if err == nil {
		text, err = box.Pack(p.passing()...)
	}
	if err == nil {
		std, err = j.streams(p.abi == 0)
	}
	return text, std, places, err
}

// kind is what a message is about; empty: there is none.
func kind(s box.Step) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// attend waits for the end of a command in a kept place, and brings it about when the
// time is over. It returns what was told of it.
func (j *job) attend(ctx context.Context, channel *os.File) (last box.Step) {
	in := &inner{j: j, orders: channel, kill: func() { _ = box.Send(channel, box.Step{box.Kill}) }} // it may have ended
	over := make(chan struct{})
	defer context.AfterFunc(ctx, func() { in.end(ctx, over) })()
	if j.o.Signals != nil {
		go j.forward(over, in.signal)
	}
	for told := bufio.NewReader(channel); ; {
		steps, err := box.Receive(told)
		if err != nil || len(steps) == 0 {
			break // it has ended without a word
		}
		if last = steps[0]; kind(last) != box.Late {
			break
		}
		last = nil
		j.vigil.begin()
	}
	close(over)
	_ = channel.Close() // all was told
	return last
}

// streams are the standard streams of a command that is started by another process.
type streams struct {
	theirs [3]*os.File
	extra  []*os.File // of theirs, those that were made here
	mine   []*os.File // the other ends of those
	takes  func()     // passes on what is to be read; nil: it is a file, or nothing
	copies sync.WaitGroup
}

// streams makes descriptors of what the command reads and writes.
func (j *job) streams(onlyPipes bool) (*streams, error) {
	s := &streams{}
	in := j.o.Stdin
	if onlyPipes { // without Landlock, a file could be opened again through its descriptor, to write
		in = throughPipe(in)
	}
	err := s.in(in)
	if err == nil {
		err = s.out(1, j.o.Stdout)
	}
	switch {
	case err != nil:
	case sameWriter(j.o.Stdout, j.o.Stderr):
		s.theirs[2] = s.theirs[1]
	default:
		err = s.out(2, j.o.Stderr)
	}
	if err != nil {
		s.given()
		s.close()
	}
	return s, err
}

// sameWriter reports whether both are one, which must not be written to by two at once.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false // of a kind that cannot be compared
		}
	}()
	return a != nil && a == b
}

func (s *streams) in(r io.Reader) error {
	if f, ok := r.(*os.File); ok && f != nil {
		s.theirs[0] = f
		return nil
	}
	if r == nil {
		return s.nothing(0)
	}
	theirs, mine, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs[0], s.extra, s.mine = theirs, append(s.extra, theirs), append(s.mine, mine)
	s.takes = func() {
		_, _ = io.Copy(mine, r) // the command may not want all of it
		_ = mine.Close()
	}
	return nil
}

// begin starts to read what the command is to read: not before it is certain that it
// runs here.
func (s *streams) begin() {
	if s.takes != nil {
		go s.takes()
	}
}

func (s *streams) out(i int, w io.Writer) error {
	if f, ok := w.(*os.File); ok && f != nil {
		s.theirs[i] = f
		return nil
	}
	if w == nil {
		return s.nothing(i)
	}
	mine, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs[i], s.extra, s.mine = theirs, append(s.extra, theirs), append(s.mine, mine)
	s.copies.Go(func() {
		_, _ = io.Copy(w, mine) // as above
		_ = mine.Close()        // so that the command learns that nobody reads on
	})
	return nil
}

// nothing is what is read where there is nothing to be read, or written where nobody
// reads it. It stays open.
var noStreams = sync.OnceValues(func() ([3]*os.File, error) {
	in, err := os.Open(os.DevNull)
	if err != nil {
		return [3]*os.File{}, err
	}
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return [3]*os.File{in, out, out}, err
})

func (s *streams) nothing(i int) (err error) {
	all, err := noStreams()
	s.theirs[i] = all[i]
	return err
}

// given closes what the other process has now.
func (s *streams) given() {
	for _, f := range s.extra {
		_ = f.Close() // nothing was written to it here
	}
	s.extra = nil
}

func (s *streams) close() {
	for _, f := range s.mine {
		_ = f.Close() // all was read
	}
}
