package preset_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A place is a sentence of a document that states a behaviour: the line it stands
// in, with the number of the sentence where the line has several.
type place struct {
	at    string
	words string   // what it says
	tests []string // that show it, where it is more than a decision
}

var placeForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\t([^\[\t]+?)((?: \[[A-Za-z_]+\])*)$`)

// readPlaces reads the list of a system.
func readPlaces(text []byte) ([]place, error) {
	var out []place
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		m := placeForm.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%q: want LINE or LINE.SENTENCE, a tab, what it says, and tests as [TestName]", line)
		}
		if seen[m[1]] {
			return nil, fmt.Errorf("%s stands there twice", m[1])
		}
		seen[m[1]] = true
		tests := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(m[3]))
		out = append(out, place{m[1], m[2], tests})
	}
	return out, nil
}

// caseForm finds the places that a case is about. A range of lines is none: it
// says nothing about each of them.
var caseForm = regexp.MustCompile(`(?:lines? |\.txt:)([0-9]+(?:\.[0-9]+)?)([-–][0-9]+)?`)

// placesOf returns the places that the cases of a system are about, by file.
func placesOf(t *testing.T, system string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../testdata/decisions/" + system + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", system, err)
	}
	out := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var c struct{ At string }
			if bytes.HasPrefix(lines.Bytes(), []byte("{")) && json.Unmarshal(lines.Bytes(), &c) == nil {
				for _, m := range caseForm.FindAllStringSubmatch(c.At, -1) {
					if m[2] == "" {
						out[m[1]] = append(out[m[1]], filepath.Base(file))
					}
				}
			}
		}
	}
	return out
}

// testNames are the names of the tests and examples of the presets.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	form := regexp.MustCompile(`(?m)^func ((?:Test|Example)[A-Za-z_]+)\(`)
	out := map[string]bool{}
	for _, dir := range []string{".", "../internal/catalog"} {
		files, _ := filepath.Glob(dir + "/*_test.go")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range form.FindAllSubmatch(text, -1) {
				out[string(m[1])] = true
			}
		}
	}
	return out
}

// uncovered says which places have neither a case nor a test, and which tests do
// not exist.
func uncovered(places []place, cases map[string][]string, tests map[string]bool) []string {
	var out []string
	for _, p := range places {
		covered := len(cases[p.at]) > 0
		for at := range cases {
			covered = covered || strings.HasPrefix(at, p.at+".") // a sentence of the line
		}
		for _, name := range p.tests {
			covered = covered || tests[name]
			if !tests[name] {
				out = append(out, fmt.Sprintf("%s (%s): there is no test %s", p.at, p.words, name))
			}
		}
		if !covered {
			out = append(out, fmt.Sprintf("%s (%s): no case and no test", p.at, p.words))
		}
	}
	return out
}

// TestPlaces: every sentence of a document that states a behaviour has a case or a
// test that is there.
func TestPlaces(t *testing.T) {
	tests := testNames(t)
	for system, least := range map[string]int{"kosmokrator": 230, "agentscope": 120, "cosmo": 65, "kodacode": 90, "cowork": 60} {
		text, err := os.ReadFile("../testdata/decisions/" + system + "/places.txt")
		if err != nil {
			t.Fatal(err)
		}
		places, err := readPlaces(text)
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		if len(places) < least {
			t.Errorf("%s: only %d places, want %d", system, len(places), least)
		}
		cases := placesOf(t, system)
		for _, missing := range uncovered(places, cases, tests) {
			t.Errorf("%s: %s", system, missing)
		}
		listed := map[string]bool{}
		for _, p := range places {
			listed[p.at] = true
		}
		for at, files := range cases {
			if strings.Contains(strings.Join(files, " "), "sentences.jsonl") && !listed[at] {
				t.Errorf("%s: a case is about %s, which is not on the list", system, at)
			}
		}
	}
}

// TestPlacesCatches: a place without a case, and a test that is not there, are
// noticed.
func TestPlacesCatches(t *testing.T) {
	places, err := readPlaces([]byte("# a comment\n1\tone\n2.1\ttwo\n2.2\ttwo again\n3\tthree [TestA]\n4\tfour [TestA] [TestB]\n5\tfive [TestB]\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := uncovered(places, map[string][]string{"1.4": {"x"}, "2.1": {"x"}, "2": {"x"}}, map[string]bool{"TestA": true})
	want := "2.2 (two again): no case and no test; 4 (four): there is no test TestB; 5 (five): there is no test TestB; 5 (five): no case and no test"
	if strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"one\ttwo", "1 two", "1\ttwo [x", "1\ta\n1\tb", "1\t"} {
		if _, err := readPlaces([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	if m := caseForm.FindAllStringSubmatch("Chain Order 2, line 45.3; lines 3-33; cosmo.txt:38", -1); len(m) != 3 || m[0][1] != "45.3" || m[1][2] != "-33" || m[2][1] != "38" {
		t.Errorf("%q", m)
	}
}
