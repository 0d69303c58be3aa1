package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/private"
)

// A Problem is something that is wrong with the journal, and where.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Problem string `json:"problem"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Problem
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Problem)
}

// A Report is what a look through the whole journal has found.
type Report struct {
	Records  uint64    `json:"records"` // that are whole
	Files    int       `json:"files"`
	Last     uint64    `json:"last"` // the number of the last record
	Head     string    `json:"head"` // its hash
	Time     time.Time `json:"time,omitzero"`
	Problems []Problem `json:"problems,omitempty"`
}

// OK reports whether the chain is whole.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Verify reads the whole journal and checks every link of the chain. The error
// is for a journal that cannot be read; what is wrong with it is in the report.
// Told is called now and then; it may be nil. Kept are hashes of records that somebody noted elsewhere: each must be in the chain.
// They show a chain that was written anew as a whole.
func (f Folder) Verify(told Progress, kept ...string) (Report, error) {
	c := checker{report: Report{Head: Genesis}, hash: Genesis, kept: slices.Clone(kept)}
	h, found, err := f.whereHead()
	if err != nil {
		var p *private.Error
		if !errors.As(err, &p) || p.Err != nil { // the system said so
			return c.report, err
		}
		c.add(Problem{File: f.head(), Problem: p.Problem})
	}
	c.head = h
	all, done := f.size(), int64(0)
	for line, err := range f.All() {
		if err != nil {
			return c.report, err
		}
		c.line(&line)
		done += int64(len(line.Text)) + 1
		if told != nil && c.report.Records%1000 == 0 {
			told(done, all)
		}
	}
	switch {
	case c.report.Records == 0 && !found && len(c.report.Problems) == 0:
	case !found && err == nil:
		c.add(Problem{File: f.head(), Problem: "it is missing, so records may have been cut off at the end"})
	case found && c.last < h.seq:
		c.add(Problem{File: f.file(h.first), Problem: fmt.Sprintf("records %d to %d were cut off at the end", c.last+1, h.seq)})
	case found && h.seq > 0 && !c.met:
		c.add(Problem{File: f.head(), Problem: fmt.Sprintf("record %d was another one when it was written", h.seq)})
	}
	for _, hash := range c.kept {
		c.add(Problem{File: f.dir(), Problem: fmt.Sprintf("no record has the hash %s: those up to it were written anew, or cut off", hash)})
	}
	return c.report, nil
}

// A Progress is told how many bytes of the journal were read, and how many there
// are.
type Progress func(done, all int64)

// size is how many bytes the journal has, as far as that is known.
func (f Folder) size() int64 {
	files, err := f.Files()
	if err != nil {
		return 0 // who reads them says why
	}
	var all int64
	for _, file := range files {
		if info, err := os.Lstat(file.Name); err == nil {
			all += info.Size()
		}
	}
	return all
}

// whereHead reads the head without a lock: it is one small write.
func (f Folder) whereHead() (head, bool, error) {
	if err := private.Check(f.Dir, f.dir()); err != nil {
		return head{}, false, err
	}
	file, err := private.Open(f.head(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, false, nil
	}
	if err != nil {
		return head{}, false, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return readHead(file)
}

// A checker follows the chain.
type checker struct {
	report Report
	file   string
	last   uint64 // the number of the last record
	hash   string // what the next one must name
	when   time.Time
	head   head
	met    bool // the record that the head names was there, as it was
	kept   []string
}

func (c *checker) add(p Problem) { c.report.Problems = append(c.report.Problems, p) }

func (c *checker) line(l *Line) {
	if l.File != c.file {
		c.file = l.File
		c.report.Files++
	}
	wrong := func(text string) {
		c.add(Problem{File: l.File, Line: l.Line, Seq: l.Seq, Problem: text})
	}
	if l.Err != nil {
		wrong(named(l.Seq) + l.Err.Error())
	} else {
		c.report.Records++
	}
	if errors.Is(l.Err, errForm) {
		c.last++ // it stood where the next one was
		c.hash, c.report.Last = "", c.last
		return
	}
	if err := l.follows(c.last, c.hash); err != nil && (c.hash != "" || l.Seq != c.last+1) {
		wrong(named(l.Seq) + err.Error())
	}
	if l.Time.Before(c.when) && l.Kind != Repaired {
		wrong(named(l.Seq) + "it is older than the record before it")
	}
	c.last, c.hash, c.when = max(c.last, l.Seq), l.Hash, l.Time
	c.kept = slices.DeleteFunc(c.kept, func(hash string) bool { return l.Err == nil && hash == l.Hash })
	if l.Err == nil && l.Seq == c.head.seq && l.Hash == c.head.hash {
		c.met = true
	}
	c.report.Last, c.report.Head, c.report.Time = c.last, l.Hash, l.Time
}

func named(seq uint64) string {
	if seq == 0 {
		return ""
	}
	return fmt.Sprintf("record %d: ", seq)
}

// Repaired is the kind of a record that says what was wrong with the journal
// before it, and that a person has decided to go on.
const Repaired sayso.RecordKind = "repaired"

// Repair goes on behind a journal that is damaged, or behind a time that has not
// come yet. Nothing is removed: a new file begins with a record of what was found,
// and the problems stay where they are for [Folder.Verify] to find. Told is called
// now and then; it may be nil.
func (f Folder) Repair(ctx context.Context, by string, told Progress) (Report, error) {
	if err := private.Make(f.Dir, f.dir()); err != nil {
		return Report{}, err
	}
	lock, err := private.Lock(ctx, f.head())
	if err != nil {
		return Report{}, err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with it
	report, err := f.Verify(told)
	if err != nil {
		return report, err
	}
	h, _, _ := f.whereHead() // what is wrong with it is in the report
	now := time.Now()
	if f.Clock != nil {
		now = f.Clock()
	}
	if report.OK() && h.time.Sub(now) <= backwards {
		return report, nil // there is nothing to repair
	}
	seq := max(report.Last, h.seq)
	note := fmt.Sprintf("the clock was at %s", h.time.UTC().Format(time.RFC3339))
	if !report.OK() {
		note = ""
		for _, p := range report.Problems[:min(len(report.Problems), 20)] {
			note += p.String() + "\n"
		}
	}
	end := head{first: seq + 1, seq: seq, hash: report.Head}
	if err := lock.Truncate(0); err != nil {
		return report, private.Fail(f.head(), "it cannot be written", "", err)
	}
	f.Sync = true
	return report, f.append(lock, end, nil, []sayso.Record{{Time: now, Kind: Repaired, Note: strings.TrimSpace(note), Decider: &sayso.Decider{Kind: "person", Name: by}}})
}
