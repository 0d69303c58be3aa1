package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/internal/snapshot"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// recalled is what people have said for later, as far as it is about a workspace.
type recalled struct {
	root   string // of the workspace
	trusts *store.Memory
	given  []sayso.GivenGrant // in every workspace
	rules  []sayso.Rule       // of the workspace and the profile, each with where it is kept
}

// recallTimeout is how long that may take: a hook waits for it, but not for long,
// and is to be told why there is no answer.
const recallTimeout = 3 * time.Second

// recall reads what people have granted, trust and keep. Where nothing was ever
// kept there is nothing to read.
func recall(root string, key profile.Key) (recalled, error) {
	r := recalled{root: root, trusts: &store.Memory{}}
	state, err := local.State()
	if err != nil {
		return r, nil // there is no place where it could be
	}
	own := &profile.Store{Dir: state.Dir, Key: key}
	if neverKept() {
		return r, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), recallTimeout)
	defer cancel()
	db, err := sqlite.Open(ctx, state.Dir)
	if err != nil {
		return r, err
	}
	trusts, err := db.AllTrust(ctx)
	if err == nil {
		r.given, err = (&profile.Grants{GrantStore: db, Profile: own}).AllGrants(ctx)
	}
	if err == nil {
		r.rules, err = keptRules(ctx, &profile.Rules{RuleStore: db, Profile: own}, root, state.Dir)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return recalled{root: root, trusts: r.trusts}, err
	}
	for _, t := range trusts {
		err = errors.Join(err, r.trusts.Trust(ctx, t.Root, t.Name, t.Fingerprint))
	}
	return r, err
}

// keptRules are the rules that count in a workspace, each with where it is kept.
func keptRules(ctx context.Context, kept sayso.RuleStore, root, state string) ([]sayso.Rule, error) {
	var out []sayso.Rule
	for _, from := range []struct {
		root   string
		source sayso.Source
	}{
		{root, sayso.Source{Layer: sayso.Workspace, File: local.Database(state)}},
		{"", sayso.Source{Layer: sayso.OfProfile, File: local.Profile(state)}},
	} {
		list, err := kept.Rules(ctx, from.root)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			r.Source = from.source
			out = append(out, r)
		}
	}
	return out, nil
}

// keepIn adds the rules to the policy of a preset, and returns the grants that are
// left. What was granted for long under CoWork OS, where an answer may also be to
// deny, is a kept rule under other presets.
func (r *recalled) keepIn(system catalog.System, explicit bool, p *config.Policy) []sayso.GivenGrant {
	if explicit {
		system.Name = "" // it reads the given file alone; what denies and asks stands in front
	}
	rules, given := slices.Clone(r.rules), r.given
	if system.Name != "cowork" {
		given = nil
		for _, g := range r.given {
			theirs, err := preset.ParseCoWorkRule(g.Rule)
			if err != nil {
				given = append(given, g)
				continue
			}
			if lasting(&g) && g.CountsIn("", r.root) {
				rules = append(rules, sayso.Rule{Effect: theirs.Effect, Text: g.Rule, Until: g.Expires, Source: grantSource(&g)})
			}
		}
	}
	p.Err = errors.Join(p.Err, system.Keep(p, rules))
	return given
}

func lasting(g *sayso.GivenGrant) bool {
	return g.Scope == sayso.ForWorkspace || g.Scope == sayso.ForProfile
}

// grantSource is where a grant that lasts is kept.
func grantSource(g *sayso.GivenGrant) sayso.Source {
	state, _ := local.State() // without one there are no grants
	if g.Scope == sayso.ForProfile {
		return sayso.Source{Layer: sayso.OfProfile, File: local.Profile(state.Dir)}
	}
	return sayso.Source{Layer: sayso.Workspace, File: local.Database(state.Dir)}
}

// fitting are the grants in the language of the preset. One in another language
// was given under another preset, and covers nothing here.
func fitting(given []sayso.GivenGrant, setup catalog.Setup, p *config.Policy) []sayso.GivenGrant {
	var out []sayso.GivenGrant
	for _, g := range given {
		if _, err := setup.Grants([]sayso.Grant{g.Grant}); err == nil {
			out = append(out, g)
			continue
		}
		what := "the grant " + g.ID
		p.Dropped = append(p.Dropped, config.Dropped{What: what, Source: grantSource(&g), Why: "it was given under another preset", Remedy: "none is needed; sayso grant revoke " + g.ID + " takes it back"})
	}
	return out
}

// sources say what was kept when a policy was made, for its hash. Of a profile it
// is the encrypted text: the hash of a rule could be guessed.
func (r *recalled) sources() []snapshot.Source {
	var out []snapshot.Source
	var here []sayso.Rule
	for _, rule := range r.rules {
		if rule.Source.Layer != sayso.OfProfile {
			here = append(here, rule)
		} else if len(out) == 0 {
			out = append(out, snapshot.Source{File: rule.Source.File, Sum: snapshot.Sum(rule.Source.File)})
		}
	}
	if len(here) > 0 {
		text, _ := json.Marshal(here) // it was read from JSON
		sum := sha256.Sum256(text)
		out = append(out, snapshot.Source{File: here[0].Source.File, Sum: hex.EncodeToString(sum[:])})
	}
	return out
}
