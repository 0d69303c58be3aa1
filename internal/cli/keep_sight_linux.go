package cli

import (
	"encoding/json"
	"errors"
	"net"
	"strconv"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/sandbox"
)

// What is looked for: what the contract of a run names, and repositories.
const (
	sightOfRun = "run"
	sightOfGit = "git"
)

// lookout asks whoever keeps the place of a session what is there in the workspace: that
// one is told of changes, and need not look each time. Without one, it is looked.
func lookout(session, root, sight string) *sandbox.Lookout {
	far := sandbox.Far{
		See: func(c sayso.Contract) (sandbox.Sight, error) {
			steps, err := askKeeper(session, root, &placeRequest{Sight: sight, Contract: c})
			if err != nil {
				return sandbox.Sight{}, err
			}
			return readSight(steps)
		},
		Unchanged: func(number uint64) bool {
			steps, err := askKeeper(session, root, &placeRequest{Sight: sight, Number: number})
			return err == nil && len(steps) == 1 && len(steps[0]) == 1 && steps[0][0] == unchanged
		},
	}
	return far.Lookout()
}

// unchanged says that all is as it was in a sight.
const unchanged = "unchanged"

// errSight is what is said of an answer that is none.
var errSight = errors.New("it is not known what is there")

// readSight reads a sight as see writes it.
func readSight(steps []box.Step) (out sandbox.Sight, err error) {
	if len(steps) != 4 || len(steps[0]) != 1 {
		return out, errSight
	}
	out.Number, err = strconv.ParseUint(steps[0][0], 10, 64)
	out.Barred, out.Watched, out.Folders = steps[1], steps[2], steps[3]
	return out, err
}

// askKeeper asks whoever keeps the place of a session, if there is somebody.
func askKeeper(session, root string, r *placeRequest) ([]box.Step, error) {
	name, err := keptSocket(session, root)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	conn, err := callKeeper(name, text)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // all was said
	return box.Receive(conn)
}

// see answers what is there, or whether it is still so.
func (k *keeper) see(conn net.Conn, r *placeRequest) error {
	l := k.sights[r.Sight]
	switch {
	case l == nil:
		return box.Send(conn)
	case r.Number == 0:
		s, err := l.Sight(r.Contract)
		if err != nil {
			return box.Send(conn)
		}
		return box.Send(conn, box.Step{strconv.FormatUint(s.Number, 10)}, s.Barred, s.Watched, s.Folders)
	case l.Unchanged(r.Number):
		return box.Send(conn, box.Step{unchanged})
	default:
		return box.Send(conn)
	}
}
