package index

import (
	"context"
	"database/sql"
	"time"

	"github.com/sayso-dev/sayso/internal/session"
)

// Sessions returns those of the sessions that were listed whose workspace fits, the
// one that was changed last first, without their states. Only files that are not as
// they were at the last use are read. One that cannot be read may be of any workspace
// if it does not say of which.
func (x *Index) Sessions(ctx context.Context, f session.Folder, files []session.Summary, fits func(root string) bool) ([]session.Summary, error) {
	roots, damaged := map[string]string{}, map[string]bool{} // by file
	err := x.change(ctx, func(tx *sql.Tx) error {
		had, err := knownSessions(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range files {
			seen := look(s.File, time.Now())
			old, known := had[s.File]
			delete(had, s.File)
			if known && seen != "" && old.look == seen {
				roots[s.File] = old.root
				continue
			}
			if s = f.Read(s); s.Err != nil {
				seen = "" // the next time it may be mended
				damaged[s.File] = true
			}
			roots[s.File] = s.State.Root
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO sessions (file, look, root) VALUES (?, ?, ?)", s.File, seen, s.State.Root); err != nil {
				return err
			}
		}
		for gone := range had {
			if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE file = ?", gone); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []session.Summary
	for _, s := range files {
		if root := roots[s.File]; root == "" && damaged[s.File] || root != "" && fits(root) {
			out = append(out, s)
		}
	}
	return out, nil
}

// knownSession is what the index has of a session.
type knownSession struct{ look, root string }

func knownSessions(ctx context.Context, tx *sql.Tx) (map[string]knownSession, error) {
	rows, err := tx.QueryContext(ctx, "SELECT file, look, root FROM sessions")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	out := map[string]knownSession{}
	for rows.Next() {
		var file string
		var s knownSession
		if err := rows.Scan(&file, &s.look, &s.root); err != nil {
			return nil, err
		}
		out[file] = s
	}
	return out, rows.Err()
}
