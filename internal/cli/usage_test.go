package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sayso-dev/sayso/internal/local"
)

// TestHelp: what each verb prints as its help fits a terminal, and says what the
// exit status means.
func TestHelp(t *testing.T) {
	for _, v := range verbs() {
		if !strings.HasPrefix(v.use, "sayso "+v.name) || !strings.Contains(v.use, "\n\nExit status: ") {
			t.Errorf("%s: the help does not begin with the verb, or has no exit status", v.name)
		}
		for line := range strings.Lines("usage: " + v.use) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 88 {
				t.Errorf("%s: a line of the help has %d characters: %s", v.name, n, line)
			}
		}
	}
}

// TestWrongUsage: an error names what was given and where, and not what is inside.
func TestWrongUsage(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	root := local.Real(t.TempDir())
	t.Chdir(root)
	write(t, filepath.Join(root, "two", ".sayso.yaml"), "dney: []\nmode: carefull\n")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"ask --timeout soon bash ls", exitUsage, `error: the option --timeout cannot be "soon"`},
		{"run -x -- ls", exitUsage, "error: unknown option -x\n"},
		{"log --last many", exitUsage, `error: the option --last cannot be "many"`},
		{"log --here=maybe", exitUsage, `error: the option --here cannot be "maybe"`},
		{"log verify --kept abc", exitUsage, `error: --kept "abc": it is no hash of a record`},
		{"log verfy", exitUsage, `error: log knows no "verfy": did you mean sayso log verify?`},
		{"log --kind exce", exitUsage, `error: --kind: there is no kind "exce": did you mean exec?`},
		{"init clade", exitUsage, `error: unknown agent "clade": did you mean claude?`},
		{"hook clade", exitUsage, `error: unknown agent "clade": did you mean claude?`},
		{"test nowhere", exitError, "error: nowhere: no such file or directory\nsayso: hint: is the name right?"},
		{"rule lint nowhere.yaml", exitError, "error: nowhere.yaml: no such file or directory\nsayso: hint: is the name right?"},
		{"check --preset agentscope --config nowhere bash ls", exitError, "error: nowhere: no such file or directory\nsayso: hint: is the name right?"},
		{"check --cwd two bash ls", exitDeny, "the policy does not load: ROOT/two/.sayso.yaml:1:1: unknown key \"dney\" (did you mean \"deny\"?); ROOT/two/.sayso.yaml:2:7: mode: "},
		{"check --cwd two --preset cosmo bash ls", exitDeny, "(did you mean \"deny\"?); ROOT/two/.sayso.yaml:2:7: mode: "},
	} {
		var out, errs bytes.Buffer
		code := Main(strings.Fields(test.args), IO{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code != test.code || !strings.Contains(out.String()+errs.String(), strings.ReplaceAll(test.want, "ROOT", root)) {
			t.Errorf("sayso %s: status %d, %s%s", test.args, code, out.String(), errs.String())
		}
	}
}
