package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
)

// keepAnswers is how long it is known who answered a request.
const keepAnswers = 30 * 24 * time.Hour

// An approval is a row: a request, and what became of it.
type approval struct {
	id, session, call, contract string
	opened, until               int64
	request, answer             string
	taken                       int

	req sayso.Request
	ans *sayso.Answer
}

func (a *approval) sum() string {
	return sum("approvals", a.id, a.session, a.call, a.contract, a.opened, a.until, a.request, a.answer, a.taken)
}

// read checks the row and reads what is in it.
func (a *approval) read(kept string) error {
	if kept != a.sum() {
		return fmt.Errorf("%w, in approvals", errSum)
	}
	err := json.Unmarshal([]byte(a.request), &a.req)
	if err == nil && a.answer != "" {
		a.ans = &sayso.Answer{}
		err = json.Unmarshal([]byte(a.answer), a.ans)
	}
	return err
}

// stands reports whether whoever asks again about the call finds this request. A
// yes does not lie about for longer than somebody was expected to wait for it.
func (a *approval) stands(now time.Time) bool { return a.taken == 0 && !a.req.Over(now) }

// write puts the row in the place of what stands under its id.
func (a *approval) write(ctx context.Context, tx *sql.Tx) error {
	done, err := tx.ExecContext(ctx, "UPDATE approvals SET answer = ?, taken = ?, sum = ? WHERE id = ?", a.answer, a.taken, a.sum(), a.id)
	return touched(done, err, fmt.Errorf("request %q: %w", a.id, sayso.ErrNotFound))
}

func (db *DB) approvals(ctx context.Context, in queries, where string, args ...any) ([]approval, error) {
	rows, err := in.QueryContext(ctx, "SELECT id, session, call, contract, opened, until, request, answer, taken, sum FROM approvals "+where+" ORDER BY n", args...)
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []approval
	for rows.Next() {
		var a approval
		var kept string
		err := rows.Scan(&a.id, &a.session, &a.call, &a.contract, &a.opened, &a.until, &a.request, &a.answer, &a.taken, &kept)
		if err := errors.Join(err, a.read(kept)); err != nil {
			return nil, db.fail(err)
		}
		out = append(out, a)
	}
	return out, db.fail(rows.Err())
}

// one returns the row of a request, or [sayso.ErrNotFound].
func (db *DB) one(ctx context.Context, in queries, id string) (approval, error) {
	list, err := db.approvals(ctx, in, "WHERE id = ?", id)
	if err != nil {
		return approval{}, err
	}
	if len(list) == 0 {
		return approval{}, fmt.Errorf("request %q: %w", id, sayso.ErrNotFound)
	}
	return list[0], nil
}

// Open makes a request known, or finds the one that stands for the same call.
func (db *DB) Open(ctx context.Context, r sayso.Request) (sayso.Request, error) {
	if r.ID == "" {
		return r, errors.New("the request has no id")
	}
	a := approval{id: r.ID, session: r.Call.Session, call: r.Call.ID, contract: r.Contract.Hash(), opened: r.Opened.UnixMilli()}
	if !r.Until.IsZero() {
		a.until = r.Until.UnixMilli()
	}
	var err error
	if a.request, err = text(r); err != nil {
		return r, fmt.Errorf("request %q: %w", r.ID, err)
	}
	err = db.change(ctx, func(tx *sql.Tx) error {
		same, err := db.approvals(ctx, tx, "WHERE session = ? AND call = ? AND contract = ? AND call <> ''", a.session, a.call, a.contract)
		if err != nil {
			return err
		}
		for i := range same {
			if same[i].stands(db.now()) {
				r = same[i].req
				return nil
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM approvals WHERE opened < ? AND (taken = 1 OR until > 0 AND until < ?)",
			db.now().Add(-keepAnswers).UnixMilli(), db.now().Add(-keepAnswers).UnixMilli()); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx,
			"INSERT INTO approvals (id, session, call, contract, opened, until, request, answer, taken, sum) VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, ?) ON CONFLICT (id) DO NOTHING",
			a.id, a.session, a.call, a.contract, a.opened, a.until, a.request, a.sum())
		return touched(done, err, fmt.Errorf("request %q: %w", r.ID, sayso.ErrExists))
	})
	return r, err
}

// Answer keeps an answer; the first counts.
func (db *DB) Answer(ctx context.Context, a sayso.Answer) error {
	return db.change(ctx, func(tx *sql.Tx) error {
		kept, err := db.one(ctx, tx, a.RequestID)
		if err != nil {
			return err
		}
		if a.Time.IsZero() {
			a.Time = db.now()
		}
		switch {
		case kept.ans != nil:
			return fmt.Errorf("request %q: %w", a.RequestID, &sayso.AnsweredError{Answer: *kept.ans})
		case kept.req.Over(db.now()):
			return fmt.Errorf("request %q: %w", a.RequestID, sayso.ErrLate)
		}
		if err := kept.req.Fits(a); err != nil {
			return fmt.Errorf("request %q: %w", a.RequestID, err)
		}
		if kept.answer, err = text(a); err != nil {
			return err
		}
		return kept.write(ctx, tx)
	})
}

// Take returns the answer of a request, once.
func (db *DB) Take(ctx context.Context, id string) (sayso.Answer, error) {
	var a sayso.Answer
	// Who waits asks often, so that is answered without keeping others out.
	if early, err := db.one(ctx, db.db, id); err != nil || early.ans == nil {
		return a, cmp.Or(err, fmt.Errorf("request %q: %w", id, sayso.ErrWaiting))
	}
	err := db.change(ctx, func(tx *sql.Tx) error {
		kept, err := db.one(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case kept.taken != 0:
			return fmt.Errorf("the answer to request %q was taken: %w", id, sayso.ErrNotFound)
		}
		a, kept.taken = *kept.ans, 1
		if a.Scope == sayso.ForProfile { // rules of the profile are nowhere in the clear
			hidden := a
			hidden.Rule, hidden.More = "", nil
			if kept.answer, err = text(hidden); err != nil {
				return err
			}
		}
		return kept.write(ctx, tx)
	})
	if err != nil {
		return sayso.Answer{}, err
	}
	return a, nil
}

// Waiting lists the requests that can be answered.
func (db *DB) Waiting(ctx context.Context) ([]sayso.Request, error) {
	list, err := db.approvals(ctx, db.db, "WHERE answer = ''")
	var out []sayso.Request
	for i := range list {
		if !list[i].req.Over(db.now()) {
			out = append(out, list[i].req)
		}
	}
	return out, err
}

// WaitingIDs names the requests that can be answered, the oldest first, without
// reading them.
func (db *DB) WaitingIDs(ctx context.Context) ([]string, error) {
	rows, err := db.db.QueryContext(ctx, "SELECT id FROM approvals WHERE answer = '' AND (until = 0 OR until > ?) ORDER BY n", db.now().UnixMilli())
	if err != nil {
		return nil, db.fail(err)
	}
	defer rows.Close() //nolint:errcheck // it was only read
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, db.fail(err)
		}
		out = append(out, id)
	}
	return out, db.fail(rows.Err())
}

// Request returns a request, answered or not, or [sayso.ErrNotFound].
func (db *DB) Request(ctx context.Context, id string) (sayso.Request, error) {
	kept, err := db.one(ctx, db.db, id)
	return kept.req, err
}
