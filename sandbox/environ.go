package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
)

// Variables are the environment that a run of a contract gets, NAME=VALUE.
func Variables(c sayso.Contract) []string { return environ(&c, os.LookupEnv, os.Environ()) }

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
		strings.HasSuffix(upper, "_KEY") || strings.HasSuffix(upper, "_AUTH") || looksSecret(name+"="+value)
}

// judged has the variables that do not look like secrets: they are those of this process,
// and hardly change from one command to the next.
var judged struct {
	sync.Mutex
	plain map[string]bool
}

// mostJudged is how many are remembered.
const mostJudged = 256

// looksSecret reports whether what a variable has looks like a secret.
func looksSecret(text string) bool {
	judged.Lock()
	defer judged.Unlock()
	if judged.plain[text] {
		return false
	}
	if mask.Text(text) != text {
		return true
	}
	if judged.plain == nil || len(judged.plain) >= mostJudged {
		judged.plain = map[string]bool{}
	}
	judged.plain[text] = true
	return false
}

// proxyPort is where the proxy of a run listens, in the run's own network.
const proxyPort = 808

// proxied is an environment with the variables that tell programs of the proxy. Those of
// the system lead nowhere inside.
func proxied(env []string) []string {
	address := fmt.Sprintf("http://127.0.0.1:%d", proxyPort)
	set := map[string]string{"NODE_USE_ENV_PROXY": "1"}
	for name, value := range map[string]string{"HTTP_PROXY": address, "HTTPS_PROXY": address, "ALL_PROXY": address, "NO_PROXY": "localhost,127.0.0.1,::1"} {
		set[name], set[strings.ToLower(name)] = value, value
	}
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, ours := set[name]
		return ours || strings.HasPrefix(strings.ToLower(name), "npm_config_") && strings.HasSuffix(strings.ToLower(name), "proxy")
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, name+"="+set[name])
	}
	return out
}
