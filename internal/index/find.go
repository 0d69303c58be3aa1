package index

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
)

// A Query says which records are wanted; what is zero does not matter.
type Query struct {
	Session, Call, Kind, Effect string

	CallStart string                 // how the id of the call starts
	Tool      func(name string) bool // of the call
	Root      func(root string) bool // of the call, or of what people manage
	From, To  time.Time
	Last      int // so many, of the end
}

// Find yields where the records are, the oldest first, and where the lines are
// that are damaged, whatever is asked for.
func (x *Index) Find(ctx context.Context, q Query) iter.Seq2[journal.Place, error] {
	return func(yield func(journal.Place, error) bool) {
		where, args, err := x.where(ctx, q)
		if err != nil {
			yield(journal.Place{}, err)
			return
		}
		text := "SELECT n, first, offset, line FROM records WHERE bad = 0" + where
		if q.Last > 0 {
			text += " ORDER BY n DESC LIMIT ?"
			args = append(args, q.Last)
		}
		text = "SELECT n, first, offset, line FROM (" + text + ") UNION SELECT n, first, offset, line FROM records WHERE bad ORDER BY n"
		rows, err := x.db.QueryContext(ctx, text, args...)
		if err != nil {
			yield(journal.Place{}, err)
			return
		}
		defer rows.Close() //nolint:errcheck // it was only read
		for rows.Next() {
			var n int64
			var at journal.Place
			err := rows.Scan(&n, &at.First, &at.Offset, &at.Lines)
			if !yield(at, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(journal.Place{}, err)
		}
	}
}

// where are the conditions of a query.
func (x *Index) where(ctx context.Context, q Query) (string, []any, error) {
	var text strings.Builder
	var args []any
	and := func(condition string, values ...any) {
		text.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	for _, plain := range []struct{ column, value string }{{"session", q.Session}, {"call", q.Call}, {"kind", q.Kind}, {"effect", q.Effect}} {
		if plain.value != "" {
			and(plain.column+" = ?", plain.value)
		}
	}
	if q.CallStart != "" {
		and("call >= ? AND substr(call, 1, length(?)) = ?", q.CallStart, q.CallStart, q.CallStart)
	}
	if !q.From.IsZero() {
		and("time >= ?", q.From.UnixNano())
	}
	if !q.To.IsZero() {
		and("time <= ?", q.To.UnixNano())
	}
	for column, fits := range map[string]func(string) bool{"tool": q.Tool, "root": q.Root} {
		if fits == nil {
			continue
		}
		values, err := x.values(ctx, column, fits)
		if err != nil {
			return "", nil, err
		}
		and(column+" IN ("+strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")+")", values...)
	}
	return text.String(), args, nil
}

// values are those of a column that fit.
func (x *Index) values(ctx context.Context, column string, fits func(string) bool) ([]any, error) {
	rows, err := x.db.QueryContext(ctx, "SELECT DISTINCT "+column+" FROM records WHERE "+column+" IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []any
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		if fits(value) {
			out = append(out, value)
		}
	}
	return out, rows.Err()
}
