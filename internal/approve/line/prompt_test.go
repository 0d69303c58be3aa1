package line_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/line"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/internal/termtest"
	"github.com/sayso-dev/sayso/preset"
)

// TestMain is also the program that asks: the tests start it in a terminal.
func TestMain(m *testing.M) {
	if os.Getenv("ASK_PRESET") != "" {
		os.Exit(asker())
	}
	os.Exit(m.Run())
}

// presets are those that are asked by, with the tool that runs commands there.
var presets = map[string]struct {
	preset sayso.Preset
	tool   string
}{
	"native":      {preset.Native(preset.Policy{}), "bash"},
	"ask-rule":    {withRule("bash(git push *)"), "bash"},
	"kosmokrator": {preset.KosmoKrator(preset.KosmoKratorDefaults()), "bash"},
	"agentscope":  {preset.AgentScope(preset.AgentScopeConfig{}), "Bash"},
	"cosmo":       {preset.Cosmo(), "bash"},
	"kodacode":    {preset.KodaCode(preset.KodaCodeConfig{}), "bash"},
	"cowork":      {preset.CoWork(preset.CoWorkConfig{}), "run_command"},
}

// contracts are those of presets that have their own.
var contracts = map[string]func(sayso.Call, *sayso.Facts) sayso.Contract{"kodacode": preset.KodaCodeContract(preset.KodaCodeConfig{})}

func withRule(text string) sayso.Preset {
	set, err := sayso.NewRuleSet([]sayso.Rule{{Effect: sayso.Ask, Text: text, Source: sayso.Source{File: "/home/dev/app/.sayso.yaml", Line: 7}}})
	if err != nil {
		panic(err)
	}
	return preset.Native(preset.Policy{Rules: set})
}

// asker asks about one call in the terminal, and prints the answer.
func asker() int {
	p := presets[os.Getenv("ASK_PRESET")]
	tty, err := line.OpenTerminal(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer tty.Close() //nolint:errcheck // the process ends
	prompt := line.NewPrompt(tty, os.Getenv, "kim", view.Options{Home: "/home/dev"})
	if os.Getenv("ASK_SLOW") == "" {
		prompt.Calm = time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e := sayso.Engine{Preset: p.preset, Contract: contracts[os.Getenv("ASK_PRESET")], Approver: sayso.ApproverFunc(func(ctx context.Context, r sayso.Request) (sayso.Answer, error) {
		a, err := prompt.Approve(ctx, r)
		if err == nil {
			err = r.Fits(a)
		}
		fmt.Printf("choice %q yes %v err %v\r\n", a.Choice, a.Yes, err)
		return a, err
	})}
	input, _ := json.Marshal(map[string]string{"command": os.Getenv("ASK_COMMAND")})
	call := sayso.Call{ID: "c", Agent: os.Getenv("ASK_AGENT"), Session: "s1", Tool: p.tool, Input: input, Root: "/home/dev/app", Home: "/home/dev"}
	code := 0
	times, _ := strconv.Atoi(os.Getenv("ASK_TIMES")) // once if it is not set
	for range max(1, times) {
		_, d, err := e.Authorize(ctx, call)
		if code = 0; err != nil || d.Effect != sayso.Allow {
			code = 4
		}
		fmt.Printf("%v %v %v\r\n", d.Effect, d.Code, err)
	}
	return code
}

const push = "git push origin main"

// ask starts the program that asks.
func ask(t *testing.T, preset, command string, cols int, env ...string) *termtest.Terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append([]string{}, env...), "ASK_PRESET="+preset, "ASK_COMMAND="+command, "TERM=xterm-256color")
	cmd.Env = append(cmd.Env, env...)
	return termtest.Start(t, cmd, cols, 24)
}

// TestScreens: each preset's prompt at each width.
func TestScreens(t *testing.T) {
	for name := range presets {
		for _, cols := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s-%d", name, cols), func(t *testing.T) {
				t.Parallel()
				term := ask(t, name, "git status && "+push, cols)
				term.Wait("your answer:")
				term.Golden(fmt.Sprintf("%s-%d", name, cols))
				if name == "native" && cols == 80 {
					inDocs(t, term.Text())
				}
				term.Type("\x03")
				if code := term.Exit(); code != 4 {
					t.Errorf("exit code %d", code)
				}
			})
		}
	}
}

// inDocs: docs/asking.md shows the prompt as it is.
func inDocs(t *testing.T, screen string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/asking.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "<!-- prompt -->\n```\n"+screen+"```\n") {
		t.Errorf("docs/asking.md does not show\n%s", screen)
	}
}

const (
	yes, no  = "yes true err <nil>\nallow person.yes <nil>", "yes false err <nil>\ndeny person.no <nil>"
	nobody   = "yes false err interrupted\ndeny person.none <nil>"
	pasted   = "what is pasted, or several keys at once, is no answer"
	noAnswer = "this key is no answer"
)

// keys are what each key of a preset does, and keys that do nothing.
var keys = map[string][][2]string{
	"native": {
		{"y", yes},
		{"s", yes},
		{"a", yes},
		{"n", no},
		{"Y", "[Y] is no answer"},
		{"1", "[1] is no answer"},
		{"\r", "Enter is no answer"},
		{"\n", "Enter is no answer"},
		{" ", noAnswer},
		{"\x1b", noAnswer},
		{"\x1b[A", pasted},
		{"\x1a", noAnswer},
		{"é", noAnswer},
		{"yes\r", pasted},
		{"y\r", pasted},
		{"\x1b[200~y\x1b[201~", pasted},
		{strings.Repeat("y", 3000), pasted},
		{"\x03", nobody},
		{"\x04", nobody},
		{"y", yes},
	},
	"ask-rule":    {{"y", yes}, {"s", "[s] is no answer"}, {"a", "[a] is no answer"}, {"n", no}},
	"kosmokrator": {{"y", yes}, {"s", yes}, {"n", no}, {"a", "[a] is no answer"}},
	"agentscope":  {{"y", yes}, {"1", yes}, {"2", yes}, {"3", "[3] is no answer"}, {"n", no}},
	"cosmo":       {{"y", yes}, {"s", "[s] is no answer"}, {"n", no}},
	"kodacode":    {{"1", yes}, {"2", yes}, {"3", no}, {"4", yes}, {"5", yes}, {"6", "[6] is no answer"}, {"y", "[y] is no answer"}},
	"cowork":      {{"y", yes}, {"s", yes}, {"w", yes}, {"p", yes}, {"n", no}, {"a", "[a] is no answer"}},
}

// TestKeys: each documented key does what it says, and nothing else answers: it
// repeats the question.
func TestKeys(t *testing.T) {
	for name, list := range keys {
		for _, cols := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s-%d", name, cols), func(t *testing.T) {
				t.Parallel()
				term := ask(t, name, push, cols, "ASK_TIMES=100")
				var seen strings.Builder
				for i, one := range list {
					term.Until("want a question", asked(i+1))
					term.Type(one[0])
					term.Until("want another question", asked(i+2))
					said := strings.Split(term.Text(), "your answer:")[i+1]
					said, _, _ = strings.Cut(said, "sayso: an agent wants")
					flat := strings.Join(strings.Fields(said), " ")
					if want := strings.Join(strings.Fields(one[1]), " "); !strings.Contains(flat, want) {
						t.Errorf("%.9q: %s\nwant %s", one[0], said, want)
					}
					fmt.Fprintf(&seen, "== %.9q\n%s\n", one[0], said)
				}
				termtest.Golden(t, fmt.Sprintf("keys-%s-%d", name, cols), seen.String())
			})
		}
	}
}

// asked reports whether so many questions wait, or have waited, for a key.
func asked(n int) func(*termtest.Screen) bool {
	return func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == n }
}

// TestPasteInPieces: what is pasted answers nothing, however slowly it arrives.
func TestPasteInPieces(t *testing.T) {
	term := ask(t, "native", push, 80)
	term.Wait("your answer:")
	for _, piece := range []string{"\x1b[20", "0~", "y", "\r", "y", "\x1b[2", "01~"} {
		term.Type(piece)
		time.Sleep(80 * time.Millisecond) // longer than between two keys of a burst
	}
	term.Wait("what is pasted")
	term.Until("want a second question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 2 })
	term.Type("n")
	term.Wait(`choice "n" yes false`)
}

// TestTypedAhead: what was typed before the question was there is forgotten.
func TestTypedAhead(t *testing.T) {
	term := ask(t, "native", push, 80, "ASK_SLOW=1")
	term.Type("y")
	term.Wait("[?] explain")
	term.Type("y")
	term.Wait("your answer:")
	term.Type("n")
	term.Wait(`choice "n" yes false`)
}

// TestExplain: ? shows the stages, the contract and what the answers store, and
// then the question stands again.
func TestExplain(t *testing.T) {
	for name := range presets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := ask(t, name, push, 80)
			term.Wait("your answer:")
			term.Type("?")
			term.Until("want a second question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 2 })
			term.Golden(name + "-explain")
		})
	}
}

// TestResize: the question is drawn again for the new width.
func TestResize(t *testing.T) {
	for _, cols := range []int{60, 80, 120} {
		t.Run(strconv.Itoa(cols), func(t *testing.T) {
			t.Parallel()
			term := ask(t, "native", push, 100)
			term.Until("want a question", asked(1))
			term.Resize(cols, 24)
			term.Until("want a second question", asked(2))
			_, again, _ := strings.Cut(term.Text(), "your answer:")
			termtest.Golden(t, fmt.Sprintf("resized-%d", cols), again)
			term.Type("y")
			if code := term.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestLooks: without colours there are none, and a plain terminal gets letters
// only, with the decisive part in a line of its own.
func TestLooks(t *testing.T) {
	for name, env := range map[string]string{"no-color": "NO_COLOR=1", "dumb": "TERM=dumb", "no-term": "TERM="} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := ask(t, "cosmo", "git status && "+push, 80, env)
			term.Wait("your answer:")
			term.Golden(name)
			term.See(func(s *termtest.Screen) {
				for _, bad := range []string{"{red", "{green", "{yellow", " red", "yellow"} {
					if strings.Contains(s.Marked(), bad) {
						t.Errorf("there is %q in\n%s", bad, s.Marked())
					}
				}
				if plain := name != "no-color"; plain && (s.Marked() != s.All() || s.Mode(2004)) || s.Mode(2004) == plain {
					t.Errorf("%s", s.Marked())
				}
			})
		})
	}
}

// TestRisks: Cosmo's colours.
func TestRisks(t *testing.T) {
	for command, want := range map[string]string{"ls": "{bold green:safe}", push: "{bold yellow:moderate}", "curl https://example.com": "{bold red:dangerous}"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			term := ask(t, "cosmo", command, 80)
			term.Wait("your answer:")
			term.See(func(s *termtest.Screen) {
				if !strings.Contains(s.Marked(), want) {
					t.Errorf("want %s in\n%s", want, s.Marked())
				}
			})
		})
	}
}
