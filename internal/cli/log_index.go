package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/approve/tui"
	"github.com/sayso-dev/sayso/internal/index"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/session"
)

// indexFrom is how large a journal must be before it is indexed: a smaller one is
// read as quickly.
const indexFrom = 4 << 20

// worthIndex reports whether the journal is so large that an index pays.
func worthIndex(folder journal.Folder) bool {
	files, err := folder.Files()
	if err != nil {
		return false // who reads it says why
	}
	var size int64
	for _, f := range files {
		if info, err := os.Lstat(f.Name); err == nil {
			size += info.Size()
		}
	}
	return size >= indexFrom
}

// selects reports whether not all records are wanted.
func (o *logOptions) selects() bool {
	return o.session+o.call+o.tool+o.kind+o.effect+o.since+o.until != "" || o.here || o.last > 0
}

// query is what the options ask the index for.
func (o *logOptions) query() index.Query {
	q := index.Query{Session: o.session, Call: o.call, Kind: o.kind, Effect: o.effect, From: o.from, To: o.to, Last: o.last}
	if o.tool != "" {
		q.Tool = func(name string) bool { return strings.EqualFold(name, o.tool) }
	}
	if o.root != "" {
		q.Root = func(root string) bool { return local.Real(root) == o.root }
	}
	return q
}

// printIndexed shows the records that the index finds. It reports whether it
// could: an index that cannot be used is no reason to show nothing.
func (o *logOptions) printIndexed(ctx context.Context, folder journal.Folder, std IO) (bool, error) {
	x, err := upToDate(ctx, folder, std)
	if err != nil {
		if ctx.Err() == nil {
			printf(std.Err, "sayso: note: the index of the journal cannot be used, so all of it is read: %v\n", err)
		}
		return ctx.Err() != nil, nil
	}
	defer x.Close() //nolint:errcheck // it was only read
	return true, o.printAll(ctx, folder.Read(x.Find(ctx, o.query())), func(*journal.Line) bool { return true }, std)
}

// upToDate is the index, with all that the journal has.
func upToDate(ctx context.Context, folder journal.Folder, std IO) (*index.Index, error) {
	p := newProgress("indexing", std)
	defer p.end()
	return updated(ctx, folder, p.told)
}

// updated is upToDate for who tells people in another way how far it is.
func updated(ctx context.Context, folder journal.Folder, told func(done, all int64)) (*index.Index, error) {
	x, err := index.Open(ctx, folder.Dir)
	if err != nil {
		return nil, err
	}
	if err = x.Update(ctx, folder, told); err != nil {
		_ = x.Close() // it is of no use
		return nil, err
	}
	return x, nil
}

// linesOf are the records of the calls whose id starts so, and perhaps others; to
// be closed by the caller.
func linesOf(folder journal.Folder, id string, std IO) (iter.Seq2[journal.Line, error], func()) {
	if worthIndex(folder) {
		ctx := context.Background()
		if x, err := upToDate(ctx, folder, std); err == nil {
			return folder.Read(x.Find(ctx, index.Query{CallStart: id})), func() { _ = x.Close() } // it was only read
		}
	}
	return folder.All(), func() {}
}

// manySessions is how many there must be before they are indexed.
const manySessions = 500

// indexedSession is the latest session of a workspace as the index finds it, read
// from its file; false: the index does not pay, cannot be used, or knows none.
func indexedSession(folder session.Folder, root string, here func(session.Summary) bool) (session.Summary, bool) {
	files, err := folder.Files()
	if err != nil || len(files) < manySessions {
		return session.Summary{}, false
	}
	ctx := context.Background()
	x, err := index.Open(ctx, folder.Dir)
	if err != nil {
		return session.Summary{}, false
	}
	defer x.Close() //nolint:errcheck // it was only read
	found, err := x.Sessions(ctx, folder, files, func(of string) bool { return local.Real(of) == local.Real(root) })
	if err != nil || len(found) == 0 {
		return session.Summary{}, false
	}
	s := folder.Read(found[0])
	return s, here(s)
}

// progress tells how far something is that takes more than a moment: on a
// terminal as a bar in one line that changes, elsewhere now and then in a line of its
// own.
type progress struct {
	does     string // to the journal
	out      io.Writer
	terminal bool
	next     time.Time
	shown    bool
}

// newProgress tells people how far something is with the journal.
func newProgress(does string, std IO) *progress {
	return &progress{does: does, out: std.Err, next: time.Now().Add(time.Second), terminal: isTerminal(std.Err) && tui.Fits(os.Getenv("TERM"))}
}

// barWidth is how many columns a bar has: with the text beside it, it fits 60.
const barWidth = 8

func (p *progress) told(done, all int64) {
	now := time.Now()
	if all == 0 || now.Before(p.next) {
		return
	}
	done = min(done, all) // more may be written meanwhile
	text := fmt.Sprintf("%d %% of %d MiB", done*100/all, all>>20)
	what := "sayso: " + p.does + " the journal: "
	if p.terminal {
		p.next, p.shown = now.Add(100*time.Millisecond), true
		full := int(done * barWidth / all)
		fmt.Fprintf(p.out, "\r%s[%s%s] %s\x1b[K", what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), text)
		return
	}
	p.next = now.Add(5 * time.Second)
	fmt.Fprintln(p.out, what+text)
}

// end takes the line away.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
