package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// compile runs the whole compiler over one table.
func compile(text string) (map[string][]byte, error) {
	f, err := parseFile("x.txt", text)
	if err != nil {
		return nil, err
	}
	if err := link([]*file{f}); err != nil {
		return nil, err
	}
	return emit([]*file{f}), nil
}

func TestCompile(t *testing.T) {
	out, err := compile(`# a comment
keys settings
  entry pager, *.cmd <shell> : does executes

group common
  flag -v --verbose

command demo, demo2
  include common
  args <text> <read=.>... <write>
  flag -o --output <write> : does writes; risk dangerous; say "Write {-o}"
  flag -i --in-place [text]
  flag --pair <text> <read>
  flag -c <key-settings>
  when -o & args>1, !-v & arg1=a*|b : instead; risk safe; say "See {arg1}"
  all does network; host registries
  say "Show {args}"
  say "Show"
  sub list, ls : does reads; say "List; or not"
    sub * : say "List {args}"; say "List"
`)
	if err != nil {
		t.Fatal(err)
	}
	index := string(out[indexFile])
	for _, want := range []string{"toolCount = 1\n", "slotCount = 4\n", "var KeysSettings = KeyTable{at: "} {
		if !strings.Contains(index, want) {
			t.Errorf("index lacks %q:\n%s", want, index)
		}
	}
	var place int
	if _, err := fmt.Sscanf(index[strings.Index(index, "var places"):], "var places = [toolCount]uint32{\n\t%d", &place); err != nil {
		t.Fatal(err)
	}
	got := table.ReadTool(string(out[dataFile]), place)
	settings := got.Flags()[4].Keys
	want := &table.Tool{
		Names: []string{"demo", "demo2"},
		Do:    table.Action{Args: []table.Slot{{Kind: table.KindText}, {Kind: table.KindRead, Repeat: true, Def: "."}, {Kind: table.KindWrite}}},
		Says:  []string{"Show {args}", "Show"},
		Whens: []table.When{{
			Any: [][]table.Term{
				{{Flag: "-o"}, {Op: table.TermMore, N: 1}},
				{{Not: true, Flag: "-v"}, {Op: table.TermArg, N: 1, Globs: []string{"a*", "b"}}},
			},
			Do: table.Action{Risk: table.LevelSafe, Say: "See {arg1}", Instead: true},
		}},
	}
	if got.Subs() != 1 || !slices.Equal(got.SubNames(0), []string{"list", "ls"}) || settings == nil {
		t.Errorf("sub-commands: %d, keys: %v", got.Subs(), settings)
	}
	flags := []table.Flag{
		{Names: []string{"-v", "--verbose"}},
		{Names: []string{"-o", "--output"}, Kind: table.KindWrite, Do: &table.Action{Does: table.Writes, Risk: table.LevelDangerous, Say: "Write {-o}"}},
		{Names: []string{"-i", "--in-place"}, Kind: table.KindText, Attached: true},
		{Names: []string{"--pair"}, Kind: table.KindRead, Skip: 1},
		{Names: []string{"-c"}, Kind: table.KindKey, Keys: settings},
	}
	for _, pair := range [][2]any{{got, want}, {got.Flags(), flags}} {
		if text, expected := inText(t, pair[0]), inText(t, pair[1]); text != expected {
			t.Errorf("got  %s\nwant %s", text, expected)
		}
	}
}

// inText is what is exported of a tool.
func inText(t *testing.T, tool any) string {
	t.Helper()
	text, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMistakes: a mistake in a table is reported with file and line.
func TestMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"effect", "command a\n  does sings\n  say \"X\"", `x.txt:2: unknown effect "sings"`},
		{"risk", "command a\n  risk low\n  say \"X\"", `x.txt:2: unknown risk "low"`},
		{"trait", "command a\n  is nice\n  say \"X\"", `x.txt:2: unknown trait "nice"`},
		{"kind", "command a\n  args <thing>\n  say \"X\"", `x.txt:2: unknown kind "thing"`},
		{"value kind", "command a\n  flag -x <thing>\n  say \"X\"", `x.txt:2: unknown kind "thing"`},
		{"keys", "command a\n  flag -x <key-none>\n  say \"X\"", `x.txt:2: no block keys none`},
		{"line", "command a\n  dance\n  say \"X\"", `x.txt:2: unknown line or action "dance"`},
		{"block", "tool a", `x.txt:1: unknown block "tool"`},
		{"block name", "keys a b", "x.txt:1: keys wants a name of small letters"},
		{"slot keys", "command a\n  args <key-none>\n  say \"X\"", "x.txt:1: no block keys none"},
		{"indent", "command a\n   say \"X\"", "x.txt:2: odd indentation"},
		{"deep", "command a\n    say \"X\"", "x.txt:2: wrong indentation"},
		{"tab", "command a\n\tsay \"X\"", "x.txt:2: tab"},
		{"orphan", "  say \"X\"", "x.txt:1: indented line outside a block"},
		{"below flag", "command a\n  flag -x\n    say \"X\"", "x.txt:3: only a sub-command has lines of its own"},
		{"no sentence", "command a\n  does reads", "x.txt:1: a has no sentence"},
		{"no plain sentence", "command a\n  say \"See {args}\"", "x.txt:1: a has no sentence"},
		{"sub without sentence", "command a\n  say \"X\"\n  sub b\n    does reads", "x.txt:3: b has no sentence"},
		{"full stop", "command a\n  say \"X.\"", "x.txt:2: a sentence is not empty and has no full stop"},
		{"lower case", "command a\n  say \"see\"", "x.txt:2: a sentence starts with a capital letter"},
		{"placeholder", "command a\n  say \"X {what}\"", "x.txt:2: unknown placeholder {what}"},
		{"unquoted", "command a\n  say X", "x.txt:2: say wants a sentence in double quotes"},
		{"twice", "command a\n  say \"X\"\ncommand b, a\n  say \"Y\"", `x.txt:3: command "a" stands at tables/x.txt:1 too`},
		{"flag twice", "command a\n  flag -x\n  flag -y -x\n  say \"X\"", "x.txt:3: option -x stands twice"},
		{"sub twice", "command a\n  say \"X\"\n  sub b : say \"X\"\n  sub c, b : say \"X\"", `x.txt:4: sub-command "b" stands twice`},
		{"condition", "command a\n  when -x : risk safe\n  say \"X\"", "x.txt:2: condition names the option -x, which has no flag line"},
		{"condition form", "command a\n  when x : risk safe\n  say \"X\"", `x.txt:2: condition "x"`},
		{"two repeats", "command a\n  args <read>... <text>...\n  say \"X\"", "x.txt:2: only one slot may repeat"},
		{"handler", "command a\n  use magic\n  say \"X\"", `x.txt:1: unknown handler "magic"`},
		{"group", "command a\n  include none\n  say \"X\"", `x.txt:2: no group "none"`},
		{"option", "command a\n  flag x\n  say \"X\"", `x.txt:2: an option starts with - or +`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestTables: the tables of the project compile, and the generated files are
// what they compile to.
func TestTables(t *testing.T) {
	if err := run("../../tables", "../..", true); err != nil {
		t.Fatal(err)
	}
}

// TestStale: -check notices a changed and a missing file.
func TestStale(t *testing.T) {
	tables, out := t.TempDir(), t.TempDir()
	table := filepath.Join(tables, "a.txt")
	if err := os.WriteFile(table, []byte("command a\n  say \"X\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(tables, out, true); err == nil || !strings.Contains(err.Error(), "tools.bin") {
		t.Errorf("missing file: %v", err)
	}
	if err := run(tables, out, false); err != nil {
		t.Fatal(err)
	}
	if err := run(tables, out, true); err != nil {
		t.Errorf("fresh files: %v", err)
	}
	if err := os.WriteFile(table, []byte("command a\n  say \"Y\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(tables, out, true); err == nil {
		t.Error("a changed table is not noticed")
	}
	if err := run(tables, out, false); err != nil {
		t.Fatal(err)
	}
}

// FuzzParse: no table makes the compiler panic.
func FuzzParse(f *testing.F) {
	f.Add("command a\n  flag -x <read> : say \"X\"\n  say \"X\"")
	f.Add("keys a\n  entry b <text> : does reads")
	f.Add("group g\n  flag -x\ncommand a\n  include g\n  when -x=a|b, args>1 : instead\n  say \"X {args}\"\n  say \"X\"\n  sub * : say \"Y\"")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = compile(text)
	})
}
