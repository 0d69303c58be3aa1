package shell

import (
	"strings"
	"testing"
)

// TestSettingNames: a name of lower-case letters alone is no setting of a
// program, which lets most variables pass without a look at the table.
func TestSettingNames(t *testing.T) {
	for i := range keysEnvironment {
		e := &keysEnvironment[i]
		if e.do == nil && e.kind == kindNone {
			continue
		}
		for _, name := range e.names {
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
