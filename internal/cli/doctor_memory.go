package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
)

// memory looks at what people have said for later: whether it can be read, and
// how much there is of it.
func (r *doctorReport) memory(std IO) {
	state, err := local.State()
	if err != nil {
		return // that was told
	}
	if _, err := os.Lstat(local.Database(state.Dir)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	err = atDesk(std.key(nil), func(ctx context.Context, d *manage.Desk) error {
		trusts, err1 := d.Trusts.AllTrust(ctx)
		waiting, err2 := d.Approvals.Waiting(ctx)
		grants, err3 := d.Grants.AllGrants(ctx)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		r.add(fine, "memory", fmt.Sprintf("%d grants, %d times trust, %d calls that wait for an answer", len(grants), len(trusts), len(waiting)), "")
		return nil
	})
	if err != nil {
		r.add(problem, "memory", err.Error(), "every call is denied until you do as it says")
	}
}
