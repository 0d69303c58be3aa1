package shell

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// TestSettingNames: a name of lower-case letters alone is no setting of a
// program, which lets most variables pass without a look at the table.
func TestSettingNames(t *testing.T) {
	for i := range table.KeysEnvironment.All() {
		e := &table.KeysEnvironment.All()[i]
		if e.Do == nil && e.Kind == table.KindNone {
			continue
		}
		for _, name := range e.Names {
			if name == strings.ToLower(name) && !strings.Contains(name, "_") {
				t.Errorf("%s", name)
			}
		}
	}
	for name, want := range map[string]bool{"PATH": true, "BASH_ENV": true, "f": false, "file": false} {
		if got := isSetting(name); got != want {
			t.Errorf("isSetting(%s) = %v", name, got)
		}
	}
}
