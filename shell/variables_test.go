package shell_test

import (
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestShownVariables: a variable with the name of a secret is one, all variables have some
// among them, and others that a pattern picks out are safe to see.
func TestShownVariables(t *testing.T) {
	for _, c := range []struct {
		line string
		want shell.Risk
	}{
		{"printenv GH_PAT", shell.Dangerous},
		{"printenv db_pass", shell.Dangerous},
		{"printenv MYSQL_PWD HOME", shell.Dangerous},
		{"printenv MAX_TOKENS", shell.Safe},
		{"printenv HOME SHELL", shell.Safe},
		{`printenv "$NAME"`, shell.Moderate},
		{"echo $GH_PAT", shell.Dangerous},
		{`printf '%s' "user:${DB_PASS}"`, shell.Dangerous},
		{"x=$GITHUB_TOKEN; echo $x", shell.Dangerous},
		{"echo $MAX_TOKENS", shell.Safe},
		{"echo ${GITHUB_TOKEN:+set}", shell.Safe},
		{"GITHUB_TOKEN=none; echo $GITHUB_TOKEN", shell.Safe},
		{"P=$(env | grep HOST); echo $P", shell.Safe},
		{"env", shell.Moderate},
		{"(env)", shell.Moderate},
		{"sh -c 'env'", shell.Moderate},
		{"nice env | grep PATH", shell.Safe},
		{"{ env | cat; } | grep PATH", shell.Safe},
		{"env | grep PATH | sort | head -1", shell.Safe},
		{"env | sort | grep -v LANG", shell.Moderate},
		{"env | grep .", shell.Moderate},
		{"env | sort | grep -i SECRET", shell.Dangerous},
		{"env | grep AWS | grep KEY", shell.Dangerous},
		{"env > /dev/null", shell.Safe},
		{"HOST=$(env | grep HOST)", shell.Safe},
		{"set -e", shell.Safe},
		{"set -o", shell.Safe},
		{"declare -f", shell.Safe},
		{"f() { local x; }; f", shell.Safe},
		{"docker inspect web", shell.Safe},
		{"docker inspect web | head", shell.Safe},
		{"cat ~/.ssh/config", shell.Moderate},
		{"cat ~/.ssh/id_ed25519.pub", shell.Safe},
	} {
		a, err := shell.Analyze(c.line, corpusPlace)
		if err != nil {
			t.Fatal(err)
		}
		if a.Risk != c.want {
			t.Errorf("%s: %v, want %v (%s)", c.line, a.Risk, c.want, a.Explain())
		}
	}
}

// TestEchoedOptions: echo prints whatever is none of its three options.
func TestEchoedOptions(t *testing.T) {
	for line, want := range map[string]string{
		"echo --pre=./x":     "Print --pre=./x",
		"echo -x y":          "Print -x, y",
		"echo -ne y":         "Print y",
		"echo -n":            "Print an empty line",
		"echo -- y":          "Print --, y",
		"echo --help | head": "Print --help; Keep the first lines",
	} {
		a, err := shell.Analyze(line, corpusPlace)
		if err != nil || a.Explain() != want || a.Risk != shell.Safe {
			t.Errorf("%s: %v %q, want %q (%v)", line, a.Risk, a.Explain(), want, err)
		}
	}
}
