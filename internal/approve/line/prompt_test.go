package line_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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
	if _, d, err := e.Authorize(ctx, call); err != nil || d.Effect != sayso.Allow {
		fmt.Printf("%v %v %v\r\n", d.Effect, d.Code, err)
		return 4
	}
	return 0
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

// TestKeys: each documented key does what it says, and nothing else answers.
func TestKeys(t *testing.T) {
	for _, one := range []struct {
		preset, key, want string
		code              int
	}{
		{"native", "y", `choice "y" yes true err <nil>`, 0},
		{"native", "s", `choice "s" yes true err <nil>`, 0},
		{"native", "a", `choice "a" yes true err <nil>`, 0},
		{"native", "n", `choice "n" yes false err <nil>`, 4},
		{"ask-rule", "y", `choice "y" yes true err <nil>`, 0},
		{"ask-rule", "n", `choice "n" yes false err <nil>`, 4},
		{"ask-rule", "s", `[s] is no answer`, 0},
		{"kosmokrator", "y", `choice "y" yes true err <nil>`, 0},
		{"kosmokrator", "s", `choice "s" yes true err <nil>`, 0},
		{"kosmokrator", "n", `choice "n" yes false err <nil>`, 4},
		{"agentscope", "y", `choice "y" yes true err <nil>`, 0},
		{"agentscope", "1", `choice "1" yes true err <nil>`, 0},
		{"agentscope", "2", `choice "2" yes true err <nil>`, 0},
		{"agentscope", "n", `choice "n" yes false err <nil>`, 4},
		{"cosmo", "y", `choice "y" yes true err <nil>`, 0},
		{"cosmo", "n", `choice "n" yes false err <nil>`, 4},
		{"cosmo", "s", `[s] is no answer`, 0},
		{"kodacode", "1", `choice "1" yes true err <nil>`, 0},
		{"kodacode", "2", `choice "2" yes true err <nil>`, 0},
		{"kodacode", "3", `choice "3" yes false err <nil>`, 4},
		{"kodacode", "4", `choice "4" yes true err <nil>`, 0},
		{"kodacode", "5", `choice "5" yes true err <nil>`, 0},
		{"kodacode", "y", `[y] is no answer`, 0},
		{"cowork", "y", `choice "y" yes true err <nil>`, 0},
		{"cowork", "s", `choice "s" yes true err <nil>`, 0},
		{"cowork", "w", `choice "w" yes true err <nil>`, 0},
		{"cowork", "p", `choice "p" yes true err <nil>`, 0},
		{"cowork", "n", `choice "n" yes false err <nil>`, 4},
		{"native", "Y", `[Y] is no answer`, 0},
		{"native", "\r", `Enter is no answer`, 0},
		{"native", "\n", `Enter is no answer`, 0},
		{"native", " ", `this key is no answer`, 0},
		{"native", "\x1b", `this key is no answer`, 0},
		{"native", "\x1b[A", `several keys at once, is no answer`, 0},
		{"native", "\x1a", `this key is no answer`, 0},
		{"native", "é", `this key is no answer`, 0},
		{"native", "yes\r", `several keys at once, is no answer`, 0},
		{"native", "y\r", `several keys at once, is no answer`, 0},
		{"native", "\x1b[200~y\x1b[201~", `what is pasted, or several keys at once`, 0},
		{"native", strings.Repeat("y", 3000), `what is pasted, or several keys at once`, 0},
		{"native", "\x03", `yes false err interrupted`, 4},
		{"native", "\x04", `yes false err interrupted`, 4},
	} {
		for _, cols := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s %.9q %d", one.preset, one.key, cols), func(t *testing.T) {
				t.Parallel()
				term := ask(t, one.preset, push, cols)
				term.Wait("your answer:")
				term.Type(one.key)
				term.Wait(one.want)
				if !strings.Contains(one.want, "yes ") { // it asks again, and can be answered
					term.Until("want a second question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 2 })
					term.Type(map[bool]string{true: "1", false: "y"}[one.preset == "kodacode"])
				}
				if code := term.Exit(); code != one.code {
					t.Errorf("exit code %d, want %d\n%s", code, one.code, term.Text())
				}
				_, behind, _ := strings.Cut(term.Text(), "your answer:")
				termtest.Golden(t, fmt.Sprintf("key-%s-%s-%d", one.preset, keyName(one.key), cols), behind)
			})
		}
	}
}

// keyName is a key as a name of a file.
func keyName(key string) string {
	var b strings.Builder
	for _, r := range fmt.Sprintf("%.9s", key) {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%02x", r)
		}
	}
	return b.String()
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
	term := ask(t, "native", push, 120)
	term.Wait("your answer:")
	term.Resize(60, 24)
	term.Until("want a second question", func(s *termtest.Screen) bool { return strings.Count(s.All(), "your answer:") == 2 })
	_, again, _ := strings.Cut(term.Text(), "your answer:")
	termtest.Golden(t, "resized", again)
	term.Type("y")
	if code := term.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
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
