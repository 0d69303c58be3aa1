package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/private"
	"github.com/sayso-dev/sayso/internal/snapshot"
)

// settled is how long ago a file must have been changed for its time to tell a
// later change.
const settled = 3 * time.Second

// look is what a file looks like, as text; empty: a later change might look the
// same.
func look(name string, now time.Time) string {
	s := snapshot.Look(name)
	if s.Missing || s.ModTime.IsZero() || s.ModTime.Add(settled).After(now) || s.Changed == 0 || time.Unix(0, s.Changed).Add(settled).After(now) {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", s.Size, s.ModTime.UnixNano(), s.Inode, s.Changed)
}

// known is what the index has of a file of the journal.
type known struct {
	journal.Place
	sum  []byte // of the file up to the place
	look string
}

// Update reads what the journal has more than the index. What was changed since
// it was read is read again, and all behind it.
func (x *Index) Update(ctx context.Context, j journal.Folder, told journal.Progress) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		files, err := j.Files()
		if err != nil {
			return err
		}
		had, err := knownFiles(ctx, tx)
		if err != nil {
			return err
		}
		u := updater{tx: tx, journal: j, told: told, calls: map[string]*about{}}
		same := 0
		for same < len(files) && same < len(had) && had[same].First == files[same].First && u.unchanged(&had[same], files[same].Name) {
			same++
		}
		if same < len(had) { // from there on it is another journal
			if err := forget(ctx, tx, had[same].First); err != nil {
				return err
			}
		}
		had = had[:same]
		for i, f := range files {
			from := known{Place: journal.Place{First: f.First}}
			if i < len(had) {
				from = had[i]
			}
			u.todo = append(u.todo, from)
			u.all += max(0, snapshot.Look(f.Name).Size-from.Offset)
		}
		return u.run(ctx, files)
	})
}

func knownFiles(ctx context.Context, tx *sql.Tx) ([]known, error) {
	rows, err := tx.QueryContext(ctx, "SELECT first, offset, lines, sum, look FROM files ORDER BY first")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []known
	for rows.Next() {
		var k known
		if err := rows.Scan(&k.First, &k.Offset, &k.Lines, &k.sum, &k.look); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, rows.Err()
}

// forget takes out what comes from a file and those behind it.
func forget(ctx context.Context, tx *sql.Tx, first uint64) error {
	_, err1 := tx.ExecContext(ctx, "DELETE FROM records WHERE first >= ?", first)
	_, err2 := tx.ExecContext(ctx, "DELETE FROM files WHERE first >= ?", first)
	return errors.Join(err1, err2)
}

// An updater brings an index up to date.
type updater struct {
	tx        *sql.Tx
	journal   journal.Folder
	told      journal.Progress
	todo      []known
	done, all int64
	calls     map[string]*about // what the last request of each call said; nil: there was none
}

// unchanged reports whether a file begins as it did when it was read: it looks the
// same, or its text has the same sum.
func (u *updater) unchanged(k *known, name string) bool {
	if k.look != "" && look(name, time.Now()) == k.look {
		return true
	}
	k.look = ""
	sum, err := sumOf(name, k.Offset)
	return err == nil && string(sum.Sum(nil)) == string(k.sum)
}

// sumOf is the SHA-256 of a file up to a place.
func sumOf(name string, size int64) (hash.Hash, error) {
	sum := sha256.New()
	file, err := private.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	n, err := io.Copy(sum, io.LimitReader(file, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return sum, err
}

// run reads what is new in each file.
func (u *updater) run(ctx context.Context, files []journal.File) error {
	add, err := u.tx.PrepareContext(ctx, `INSERT INTO records (first, offset, line, bad, time, kind, call, session, effect, tool, root) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer add.Close() //nolint:errcheck // it ends with the transaction
	for i, f := range files {
		if u.todo[i].look != "" {
			continue // nothing is new in it
		}
		if err := u.file(ctx, add, f, u.todo[i]); err != nil {
			return err
		}
	}
	return nil
}

func (u *updater) file(ctx context.Context, add *sql.Stmt, f journal.File, from known) error {
	sum, err := sumOf(f.Name, from.Offset)
	if err != nil {
		return err
	}
	seen := look(f.Name, time.Now()) // before it is read: what comes later changes it
	at := from.Place
	for line, err := range u.journal.Scan(from.Place) {
		if err != nil {
			return err
		}
		if err := u.record(ctx, add, &line); err != nil {
			return err
		}
		sum.Write(line.Text) // of one that is too long not all, and then its file is read anew each time
		sum.Write([]byte{'\n'})
		at.Offset, at.Lines = line.At.Offset+line.Size, line.At.Lines+1
		u.done += line.Size
		if u.told != nil && line.At.Lines%1000 == 0 {
			u.told(u.done, u.all)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	_, err = u.tx.ExecContext(ctx, "INSERT OR REPLACE INTO files (first, offset, lines, sum, look) VALUES (?, ?, ?, ?, ?)", at.First, at.Offset, at.Lines, sum.Sum(nil), seen)
	return err
}

// about is what a request tells about its call.
type about struct{ tool, root string }

// record adds one line. What a request tells about its call counts for all records
// of the call that follow.
func (u *updater) record(ctx context.Context, add *sql.Stmt, l *journal.Line) error {
	if l.Err != nil {
		_, err := add.ExecContext(ctx, l.At.First, l.At.Offset, l.At.Lines, 1, 0, "", "", "", "", nil, nil)
		return err
	}
	var tool, root any
	if l.Request != nil {
		u.calls[l.Call] = &about{l.Request.Tool, l.Request.Root}
	}
	of, err := u.about(ctx, l.Call)
	if err != nil {
		return err
	}
	if of != nil {
		tool, root = of.tool, of.root
	} else if l.Root != "" { // what people manage
		root = l.Root
	}
	effect := ""
	if l.Decision != nil {
		effect = l.Decision.Effect.String()
	}
	_, err = add.ExecContext(ctx, l.At.First, l.At.Offset, l.At.Lines, 0, l.Time.UnixNano(), string(l.Kind), l.Call, l.Session, effect, tool, root)
	return err
}

// about is what is known of a call so far; nil: nothing.
func (u *updater) about(ctx context.Context, call string) (*about, error) {
	if of, ok := u.calls[call]; ok {
		return of, nil
	}
	of := &about{}
	err := u.tx.QueryRowContext(ctx, "SELECT tool, root FROM records WHERE call = ? AND tool IS NOT NULL ORDER BY n DESC LIMIT 1", call).Scan(&of.tool, &of.root)
	if errors.Is(err, sql.ErrNoRows) {
		of, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	u.calls[call] = of
	return of, nil
}
