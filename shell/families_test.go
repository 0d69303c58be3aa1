package shell_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// fewestOf is how many commands of a family are named, where the tools have so
// many.
const fewestOf = 20

// smallFamilies have fewer commands than that.
var smallFamilies = map[string]int{"data": 10}

// TestFamilies: of every tool family, the commands that everybody uses are
// known, with their risk and what they do. No sentence is the one for unknown
// programs.
func TestFamilies(t *testing.T) {
	text, err := os.ReadFile("testdata/families/families.txt")
	if err != nil {
		t.Fatal(err)
	}
	count, family := map[string]int{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "= "); ok {
			family = name
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) < 3 {
			t.Fatalf("not understood: %s", line)
		}
		effects, risk := fields[len(fields)-1], fields[len(fields)-2]
		command := strings.Join(fields[:len(fields)-2], " | ")
		count[family]++
		t.Run(family+"/"+command, func(t *testing.T) { checkFamily(t, command, risk, effects) })
	}
	if len(count) < 17 {
		t.Errorf("%d families, want 17", len(count))
	}
	for name, n := range count {
		fewest := fewestOf
		if small, ok := smallFamilies[name]; ok {
			fewest = small
		}
		if n < fewest {
			t.Errorf("%d commands of %s, want at least %d", n, name, fewest)
		}
	}
}

func checkFamily(t *testing.T, command, risk, effects string) {
	t.Helper()
	a, err := shell.Analyze(command, corpusPlace)
	if err != nil {
		t.Fatal(err)
	}
	if a.Risk.String() != risk {
		t.Errorf("risk %v, want %s%s", a.Risk, risk, detail(a))
	}
	if want := effectsOf(effects); !a.Effects.Has(want) {
		t.Errorf("does %v, want %v among them%s", a.Effects, want, detail(a))
	}
	if s := a.Explain(); strings.HasPrefix(s, "Run the unknown ") || strings.HasPrefix(s, "Run the program ") {
		t.Errorf("says %q", s)
	}
}
