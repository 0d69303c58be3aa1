package cli

import (
	"crypto/rand"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/snapshot"
)

const snapshotUse = `sayso snapshot [--root DIR] [--json] [--preset NAME]

Reads the policy of a workspace and keeps what it comes to for sayso-hook, which
runs this by itself whenever a policy file has changed.

  --root DIR     the workspace (default: that of the current folder)
  --preset NAME  print what it would be with this preset, and keep nothing:
                 sayso-hook goes by the policy alone
  --json         print what is kept

Exit status: 0 done, 1 error, 2 wrong usage.`

func snapshotVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("snapshot", flag.ContinueOnError)
	root := flags.String("root", "", "")
	asJSON := flags.Bool("json", false, "")
	preset := flags.String("preset", "", "")
	rest, helped, err := parse(flags, snapshotUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) > 0 {
		return &usageError{"snapshot takes no argument", "sayso snapshot --root DIR names the workspace"}
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	if *root == "" {
		*root = local.Root(at.Dir)
	}
	if *root, err = filepath.Abs(*root); err != nil {
		return err
	}
	s, err := takeSnapshot(local.Real(*root), at.Home, *preset, std)
	if err != nil {
		return err
	}
	if *preset != "" {
		return writeJSON(s, std.Out)
	}
	state, err := local.State()
	if err != nil {
		return err
	}
	folder := snapshot.Folder{Dir: state.Dir}
	if err := folder.Save(s); err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(s, std.Out)
	}
	return nil
}

// takeSnapshot reads the policy of a workspace. What changes while it is read is
// read again.
func takeSnapshot(root, home, preset string, std IO) (snapshot.Snapshot, error) {
	files := local.Files{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: root}
	state, err := local.State()
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	database := local.Database(state.Dir)
	for range 5 {
		before, _ := snapshot.Sources(files, database)
		sum := snapshot.Sum(local.Profile(state.Dir))
		l, err := loadAs(root, home, preset, "", std)
		if err != nil {
			return snapshot.Snapshot{}, err
		}
		after, _ := snapshot.Sources(files, database)
		if slices.Equal(before, after) && sum == snapshot.Sum(local.Profile(state.Dir)) {
			for i := range after {
				if after[i].File == local.Profile(state.Dir) {
					after[i].Sum = sum
				}
			}
			s := snapshotOf(root, l, after)
			s.Home, s.Program = home, snapshot.Program()
			return s, nil
		}
	}
	return snapshot.Snapshot{}, fmt.Errorf("the policy files of %s change all the time", root)
}

func snapshotOf(root string, l loaded, sources []snapshot.Source) snapshot.Snapshot {
	s := snapshot.Snapshot{
		Root: root, Made: time.Now(), Sources: sources, Hash: l.engine.Policy,
		Rich: l.engine.Preset.Name != "native" || len(l.Scripts) > 0,
		Mode: l.mode, ModeFloor: l.ModeFloor, Also: l.Also, Off: l.Off, Ask: l.Ask, Surface: l.surface,
		Queued: queued(l.Approve),
	}
	var own snapshot.Own
	for _, r := range l.Rules {
		if r.Source.Layer == sayso.OfProfile {
			own.Rules = append(own.Rules, r)
		} else {
			s.Rules = append(s.Rules, r)
		}
	}
	for _, g := range l.given {
		switch {
		case g.Scope == sayso.ForProfile:
			own.Grants = append(own.Grants, g)
		case g.Root == root:
			s.Grants = append(s.Grants, g)
		}
	}
	if s.Seal(own, profileKey(), rand.Reader) != nil { // there is no key, so the rich program decides, and says why
		s.Rich = true
	}
	if l.Err != nil {
		s.Err = l.Err.Error()
	}
	for i := range s.Sources {
		for _, stamp := range l.Sources {
			if stamp.File == s.Sources[i].File && !stamp.Missing {
				s.Sources[i].Sum = hex.EncodeToString(stamp.Sum[:])
			}
		}
	}
	return s
}
