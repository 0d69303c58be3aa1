package cli

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manage"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// loaded is the policy of a workspace, ready to decide.
type loaded struct {
	config.Policy
	mode    string
	surface sayso.Surface
	engine  sayso.Engine
	given   []sayso.GivenGrant // by people, in every workspace
	grants  *sayso.Grants      // those that count without a session
}

// load reads the policy files of a workspace. A policy that does not load is no
// error here: it denies, and says why.
func load(root, home string, std IO) (loaded, error) { return loadAs(root, home, "", "", std) }

// loadAs is load with another preset than the policy has, and with a file that
// configures it instead of its own.
func loadAs(root, home, preset, file string, std IO) (loaded, error) {
	at := places(root, home)
	at.RunScript, at.Preset = std.Script, preset
	kept, given, forgot := recall()
	at.Trusted = func(file string, text []byte) bool {
		return manage.TrustsFile(context.Background(), kept, at.Root, file, text)
	}
	p, _ := config.Load(at) // the error is in the policy
	p.Err = errors.Join(p.Err, forgot)
	system, err := catalog.Find(p.Preset)
	if err != nil && preset != "" {
		return loaded{}, &usageError{"--preset: " + err.Error(), ""}
	}
	if err != nil {
		return loaded{}, fmt.Errorf("%s: %w", p.PresetFrom, err)
	}
	setup, err := setupOf(system, at, p, file)
	if err != nil {
		return loaded{}, err
	}
	p.Dropped = append(p.Dropped, setup.Dropped...)
	l := loaded{p, setup.Mode, setup.Surface, setup.Engine(local.Machine{}), given, nil}
	if len(given) > 0 {
		l.engine.Grants = kept
		list, _ := kept.Grants(context.Background(), "", at.Root) // of a memory, which does not fail
		if l.grants, err = setup.Grants(list); err != nil {
			return loaded{}, err
		}
	}
	l.engine.Policy = policyHash(p)
	l.engine.Mode = func(chosen string) string {
		if chosen == "" {
			return setup.Mode
		}
		return p.ModeFor(chosen)
	}
	return l, nil
}

// setupOf configures a preset: from its own files, or from the one that is given.
func setupOf(system catalog.System, at config.Places, p config.Policy, file string) (catalog.Setup, error) {
	here := catalog.Place{Root: at.Root, Home: at.Home, Machine: local.Machine{}}
	if file == "" {
		return system.In(at, p, nil, here)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return catalog.Setup{}, err
	}
	setup, err := system.In(at, p, &config.Other{Name: file, Text: text, Trusted: true}, here)
	if err != nil {
		return setup, fmt.Errorf("configure %s: %w", system.Name, err)
	}
	return setup, nil
}

// places are where the policy files of a workspace are, which has one name
// whatever links lead to it.
func places(root, home string) config.Places {
	root = local.Real(root)
	at := config.Places{Home: home, ConfigHome: os.Getenv("XDG_CONFIG_HOME"), Root: root, Disk: config.OS(), Matches: example}
	at.Guarded = local.Guarded(at.Files())
	return at
}

// example reports whether a rule matches a call as the examples of rules have
// it: a command line for rules about commands, or tool(input).
func example(r sayso.Rule, text string) (bool, error) {
	call := sayso.Call{Tool: "bash", Root: "/workspace", Home: "/home/user"}
	call.Input, _ = json.Marshal(map[string]string{"command": text}) // a string can be written
	a := sayso.Analyzer{}
	c := &sayso.Case{Call: call, Facts: a.Analyze(call), Session: sayso.Session{Now: time.Now()}}
	if c.Facts.Err != nil {
		return false, c.Facts.Err
	}
	r.Until = time.Time{}
	set, err := sayso.NewRuleSet([]sayso.Rule{r})
	if err != nil {
		return false, err
	}
	for i := range c.Facts.Parts {
		if set.Find(r.Effect, c, &c.Facts.Parts[i]) != nil {
			return true, nil
		}
	}
	return false, nil
}

// policyHash identifies the policy in the journal.
func policyHash(p config.Policy) string {
	sources := make([]snapshot.Source, len(p.Sources))
	for i, stamp := range p.Sources {
		sources[i] = snapshot.Source{File: stamp.File, Missing: stamp.Missing, Sum: hex.EncodeToString(stamp.Sum[:])}
	}
	return snapshot.PolicyHash(p.Preset, sources)
}

// recall reads what people have granted and trust. Where nothing was ever kept
// there is nothing to read.
func recall() (*store.Memory, []sayso.GivenGrant, error) {
	m := &store.Memory{}
	state, err := local.State()
	if err != nil {
		return m, nil, nil // there is no place where it could be
	}
	own := &profile.Store{Dir: state.Dir, Key: profile.Key{File: profileKey()}}
	_, noDatabase := os.Lstat(local.Database(state.Dir))
	_, noProfile := os.Lstat(own.File())
	if errors.Is(noDatabase, fs.ErrNotExist) && errors.Is(noProfile, fs.ErrNotExist) {
		return m, nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deskTimeout)
	defer cancel()
	db, err := sqlite.Open(ctx, state.Dir)
	if err != nil {
		return m, nil, err
	}
	given, err1 := (&profile.Grants{GrantStore: db, Profile: own}).AllGrants(ctx)
	trusts, err2 := db.AllTrust(ctx)
	if err := errors.Join(err1, err2, db.Close()); err != nil {
		return m, nil, err
	}
	for _, g := range given {
		err = errors.Join(err, m.AddGrant(ctx, g.Session, g.Root, g.Grant))
	}
	for _, t := range trusts {
		err = errors.Join(err, m.Trust(ctx, t.Root, t.Name, t.Fingerprint))
	}
	return m, given, err
}
