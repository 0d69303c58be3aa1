package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// environ is the environment of the command: the variables that the contract passes
// on and that are set, without those that hold a secret; and those that it sets.
func environ(c *sayso.Contract, lookup func(string) (string, bool), all []string) []string {
	env := map[string]string{}
	for _, name := range c.Inherit {
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			for _, v := range all {
				if name, value, ok := strings.Cut(v, "="); ok && name != "" && strings.HasPrefix(name, prefix) && !secret(name, value) {
					env[name] = value
				}
			}
			continue
		}
		if value, ok := lookup(name); ok && !secret(name, value) {
			env[name] = value
		}
	}
	maps.Copy(env, c.Env)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(env[name], "\x00") {
			out = append(out, name+"="+env[name])
		}
	}
	return out
}

// secretNames are what the names of variables contain that hold secrets.
var secretNames = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTH_SOCK"}

// secret reports whether a variable holds a secret: by its name, or because what it
// has looks like one.
func secret(name, value string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(upper, part) }) ||
		strings.HasSuffix(upper, "_KEY") || strings.HasSuffix(upper, "_AUTH") || mask.Text(name+"="+value) != name+"="+value
}
