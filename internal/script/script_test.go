package script

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/sayso-dev/sayso"
)

// decideOn runs a script on a command line.
func decideOn(t testing.TB, text, command string) (sayso.Verdict, error) {
	t.Helper()
	s, err := Load("policy.star", []byte(text))
	if err != nil {
		return sayso.Verdict{}, err
	}
	return check(s, context.Background(), caseOf(command)), nil
}

// check runs a script as the native preset does: an error asks.
func check(s *Script, ctx context.Context, c *sayso.Case) sayso.Verdict {
	v, err := s.Check(ctx, c)
	if err != nil {
		return sayso.Decide(sayso.Ask, codeError, err.Error())
	}
	return v
}

const codeError = "script.error"

func caseOf(command string) *sayso.Case {
	input, _ := json.Marshal(map[string]any{"command": command, "timeout": 1000})
	call := sayso.Call{Tool: "Bash", Input: input, Root: "/home/dev/app", Dir: "/home/dev/app", Home: "/home/dev", Agent: "claude"}
	a := sayso.Analyzer{}
	return &sayso.Case{Call: call, Facts: a.Analyze(call), Session: sayso.Session{ID: "s1", Turn: 3, Tainted: ".env"}}
}

// TestSays: what a script says becomes the verdict, with its place; the strictest
// counts, returned or not.
func TestSays(t *testing.T) {
	for _, tt := range []struct{ script, effect, code, reason string }{
		{`def decide(call): pass`, "pass", "", ""},
		{`def decide(call): return None`, "pass", "", ""},
		{`def decide(call): return ask("look")`, "ask", "script.ask", "the policy script policy.star:1:29 asks: look"},
		{"def decide(call):\n  return deny('no')", "deny", "script.deny", "the policy script policy.star:2:14 denies it: no"},
		{"def decide(call):\n  deny('no')", "deny", "script.deny", "policy.star:2:7"},
		{"def decide(call):\n  ask('a')\n  deny('no')\n  ask('b')", "deny", "script.deny", "policy.star:3:7"},
		{"def decide(call):\n  ask('a')\n  return ask('b')", "ask", "script.ask", ": a"},
		{"NO = deny('at the top')\ndef decide(call): return NO", "deny", "script.deny", "policy.star:1:10"},
		{"NO = deny('at the top')\ndef decide(call): pass", "pass", "", ""},
		{"def decide(call):\n  deny('no')\n  fail('then')", "deny", "script.deny", ": no"},
		{"def decide(call):\n  ask('a')\n  fail('then')", "ask", "script.error", "policy.star:3:7: fail: then"},
		{"def decide(call): deny()", "deny", "script.deny", "missing argument for why"},
		{"def decide(call): deny(5)", "deny", "script.deny", "got int"},
		{"def decide(call): ask('')", "ask", "script.error", "say why"},
		{"def decide(call): return True", "ask", "script.error", "policy.star:1:1: decide returned True"},
		{"def decide(call): return 'deny'", "ask", "script.error", "a value of the type string"},
		{"def decide(call): return call.nothing", "ask", "script.error", "call has no .nothing: it has agent, agent_mode, commands"},
		{"def decide(call): call.commands.append(1)", "ask", "script.error", "frozen"},
		{"L = []\ndef decide(call): L.append(1)", "ask", "script.error", "policy.star:2:27: append: cannot append to frozen list"},
		{"def decide(call): return decide(call)", "ask", "script.error", "called recursively"},
		{"def decide(call): deny('a\\x1b[2J\\u202eb' + 'x' * 1000)", "deny", "script.deny", "…"},
	} {
		v, err := decideOn(t, tt.script, "ls")
		if err != nil {
			t.Errorf("%s\n%v", tt.script, err)
			continue
		}
		effect := "pass"
		if v.Speaks() {
			effect = v.Effect().String()
		}
		if effect != tt.effect || string(v.Code()) != tt.code || !strings.Contains(v.Reason(), tt.reason) || strings.ContainsAny(v.Reason(), "\x1b\u202e\n") {
			t.Errorf("%s\n got %s %s %q\nwant %s %s %q", tt.script, effect, v.Code(), v.Reason(), tt.effect, tt.code, tt.reason)
		}
	}
}

// TestDoesNotLoad: the error names file, line and column.
func TestDoesNotLoad(t *testing.T) {
	for text, want := range map[string]string{
		"":                                             "policy.star: it has no function decide(call)",
		"decide = 5":                                   "policy.star: it has no function decide(call)",
		"def decide(): pass":                           "policy.star:1:1: decide takes one argument",
		"def decide(a, b): pass":                       "policy.star:1:1: decide takes one argument",
		"def decide(*a): pass":                         "policy.star:1:1: decide takes one argument",
		"def decide(call)\n  pass":                     "policy.star:2:1: got newline, want ':'",
		"def decide(call):\n  return nothing":          "policy.star:2:10: undefined: nothing",
		"load('x.star', 'y')":                          "policy.star:1:1: load: a policy script stands alone",
		"def decide(call):\n  while True: pass":        "policy.star:2:3: this statement is not for policy scripts",
		"x = 1 / 0\ndef decide(call): pass":            "policy.star:1:7: floating-point division by zero",
		"def decide(call):\n  call.tool = 'x'":         "policy.star:2:3: this cannot be assigned to",
		"def decide(call):\n  call.tool += 'x'":        "policy.star:2:13: only a variable or an item",
		"def decide(call): open('/etc/passwd')":        "undefined: open",
		"import os\ndef decide(call): pass":            "policy.star:1:1: ",
		"def decide(call): print(time.now())":          "undefined: time",
		strings.Repeat("(", 1000):                      "policy.star:1:78: excessive nesting",
		strings.Repeat("#", MaxSource+1):               "policy.star: the script is larger than 64 KiB",
		"for x in range(3): pass":                      "policy.star:1:1: for loop not within a function",
		"x = " + strings.Repeat("-", 60_000):           "policy.star:1:",
		"x = " + strings.Repeat("not ", 16_000):        "policy.star:1:",
		"x = " + strings.Repeat("lambda:", 9000):       "policy.star:1:",
		"x = 1" + strings.Repeat("+1", 30_000):         "policy.star: it has no function decide(call)",
		"x = 1" + strings.Repeat(" if 1 else 1", 5000): "excessive nesting",
	} {
		_, err := Load("policy.star", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// TestBounds: no script takes more than its share, whatever it does.
func TestBounds(t *testing.T) {
	loop := func(before, body string) string {
		return "def decide(call):\n  " + before + "\n  for i in range(1000000):\n    " + body
	}
	for name, text := range map[string]string{
		"steps":            loop("x = 0", "x = i"),
		"text times":       `def decide(call): x = "x" * (1 << 40)`,
		"times text":       `def decide(call): x = (1 << 30) * "x"`,
		"list times":       `def decide(call): x = [0] * (1 << 29)`,
		"tuple times":      `def decide(call): x = (0,) * (1 << 29)`,
		"times in place":   "def decide(call):\n  x = [0]\n  x *= 1 << 29",
		"text doubling":    loop("x = 'x'", "x = x + x"),
		"text growing":     loop("x = 'x'", "x += 'x' * 1000"),
		"list doubling":    loop("x = [0]", "x = x + x"),
		"list in place":    loop("x = [0]", "x += x"),
		"list in a list":   loop("x = [[0]]", "x[0] += x[0]"),
		"list extend":      loop("x = [0]", "x.extend(x)"),
		"getattr":          loop("x = [0]", "getattr(x, 'extend')(x)"),
		"method kept":      "def decide(call):\n  x = [0]\n  f = x.extend\n  for i in range(100):\n    f(x)",
		"slices":           loop("x = [0] * 100000; l = []", "l.append(x[:])"),
		"arguments":        "def f(*a): return a\n" + loop("x = [0] * 100000; l = []", "l.append(f(*x))"),
		"named arguments":  "def f(**a): return a\n" + loop("x = {str(i): i for i in range(10000)}; l = []", "l.append(f(**x))"),
		"list of range":    `def decide(call): list(range(1 << 40))`,
		"sum of range":     `def decide(call): max(range(1 << 40))`,
		"any of range":     `def decide(call): any(range(0, 1)) or any([0 for i in range(10)]) or all(range(1, 1 << 40))`,
		"numbers":          loop("x = 3", "x = x * x"),
		"numbers in place": loop("x = 3", "x *= x"),
		"shifts":           loop("x = 1", "x = x << 500"),
		"number of text":   `def decide(call): int("9" * 1000000)`,
		"join":             `def decide(call): ("x" * 1000000).join(["y"] * 100000)`,
		"join letters":     `def decide(call): ("x" * 1000000).join(("y" * 100000).codepoints())`,
		"replace":          `def decide(call): ("x" * 1000000).replace("x", "y" * 1000000)`,
		"replace nothing":  `def decide(call): ("x" * 1000000).replace("", "y" * 1000000)`,
		"format":           `def decide(call): ("{0}" * 100000).format("y" * 1000000)`,
		"percent":          `def decide(call): ("%s" * 100) % (("y" * 1000000,) * 100)`,
		"percent dict":     `def decide(call): ("%(a)s" * 100000) % {"a": "y" * 1000000}`,
		"fail":             `def decide(call): fail(sep = "x" * 1000000, *([""] * 100000))`,
		"print":            `def decide(call): print(sep = "x" * 1000000, *([""] * 100000))`,
		"split":            `def decide(call): [("," * 1000000).split(",") for i in range(100)]`,
		"split lines":      `def decide(call): [("\n" * 1000000).splitlines() for i in range(100)]`,
		"elements":         `def decide(call): [list(("x" * 1000000).elems()) for i in range(100)]`,
		"shared, shown":    "def decide(call):\n  x = 'x'\n  for i in range(60):\n    x = [x, x]\n  str(x)",
		"shared, compared": "def decide(call):\n  x = 'x'; y = 'x'\n  for i in range(60):\n    x = (x, x); y = (y, y)\n  return x == y",
		"wide, compared":   "def decide(call):\n  x = 'x'; y = 'x'\n  for i in range(9):\n    x = [x] * 1000; y = [y] * 1000\n  return x == y",
		"shared, a key":    "def decide(call):\n  x = ()\n  for i in range(60):\n    x = (x, x)\n  return {x: 1}",
		"shared, a lookup": "def decide(call):\n  x = (); d = {}\n  for i in range(60):\n    x = (x, x)\n  return d[x]",
		"shared, assigned": "def decide(call):\n  x = (); d = {}\n  for i in range(60):\n    x = (x, x)\n  d[x] = 1",
		"shared, counted":  "def decide(call):\n  x = (); d = {}\n  for i in range(60):\n    x = (x, x)\n  d[x] += 1",
		"shared, in":       "def decide(call):\n  x = ()\n  for i in range(60):\n    x = (x, x)\n  return x in {}",
		"shared, a set":    "def decide(call):\n  x = ()\n  for i in range(60):\n    x = (x, x)\n  return set([x])",
		"shared, get":      "def decide(call):\n  x = ()\n  for i in range(60):\n    x = (x, x)\n  return {}.get(x)",
		"shared, a dict":   "def decide(call):\n  x = ()\n  for i in range(60):\n    x = (x, x)\n  return {k: 1 for k in [x]}",
		"shared, a hash":   "def decide(call):\n  x = 'x'\n  for i in range(60):\n    x = [x, x]\n  return sorted([x, x])",
		"deep":             "def decide(call):\n  x = []\n  for i in range(30000):\n    x = [x]\n  str(x)",
		"itself":           "def decide(call):\n  x = []\n  x.append(x)\n  str(x)",
		"dicts":            loop("l = []", "l.append({'a': i})"),
		"dict in place":    loop("d = {}; n = 0", "d |= {str(i) * 100: i}"),
		"insert":           loop("l = [0] * 100000", "l.insert(0, 0)"),
		"sets":             loop("s = set(range(10000))", "s = s | set([i])"),
		"items":            loop("d = {i: i for i in range(10000)}; l = []", "l.append(d.items())"),
		"zip":              loop("l = [0] * 100000; k = []", "k.append(zip(l, l))"),
		"upper":            loop("l = 'x' * 1000000; k = []", "k.append(l.upper())"),
		"searching":        loop("l = 'x' * 1000000", "l.find('y')"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := decideOn(t, text, "ls")
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if v.Code() != codeError || v.Effect() != sayso.Ask {
				t.Errorf("%s %s %s", v.Effect(), v.Code(), v.Reason())
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 400<<20 {
				t.Errorf("it took %d MiB: %s", used>>20, v.Reason())
			}
		})
	}
}

// TestOperatorsAreStarlarks: what was replaced does what it did.
func TestOperatorsAreStarlarks(t *testing.T) {
	for _, expr := range []string{
		`1 + 2 * 3 - 4 // 3 % 5`, `7 / 2`, `"a" + "b" * 3`, `[1] * 3 + [2]`, `3 * (1,)`, `"%s-%d-%r" % ("a", 3, "x")`, `7 % 4`, `6 & 3 | 8 ^ 1`, `1 << 4 >> 2`,
		`"a" in "abc"`, `1 not in [2]`, `"k" in {"k": 1}`, `1 < 2`, `[1, 2] == [1, 2]`, `(1, 2) != (1, 3)`, `"b" >= "a"`, `not 1 == 2`, `1 < 2 and 2 > 3 or 5`,
		`[x * 2 for x in range(4) if x != 1]`, `{k: v + 1 for k, v in [("a", 1)]}`, `"a,b".split(",")`, `", ".join(["a", "b"])`, `"{} {x}".format(1, x = 2)`,
		`[1, 2, 3, 4][1:3]`, `"hello"[::-1]`, `(lambda x, y = 1 + 1: x * y)(3)`, `max([1, 5, 3], key = lambda x: -x)`, `sorted({"b": 1, "a": 2}.items())`,
		`dict(a = 1, **{"b": 2})`, `"x" if len("abc") == 3 else "y"`, `-5 + +3`, `~1`, `str([1, "a", None, True])`, `set([1, 2]) | set([3])`, `{"a": 1} | {"b": 2}`,
		`type(1.5)`, `getattr("a", "upper")()`, `getattr("a", "nothing", 7)`, `hasattr([], "append")`, `list(enumerate(["a"]))`, `zip([1], [2])`, `"Aa".lower().title()`,
		`(lambda *a, **k: (a, k))(*[1, 2], **{"c": 3})`, `[1, 2].index(2)`, `"a\nb".splitlines()`, `"abab".replace("a", "c", 1)`, `b"ab"[0]`, `list("ab".elems())`,
	} {
		want, err := starlark.EvalOptions(&syntax.FileOptions{Set: true}, &starlark.Thread{}, "x", expr, nil)
		if err != nil {
			t.Errorf("%s: Starlark itself: %v", expr, err)
			continue
		}
		v, err := decideOn(t, "def decide(call): ask(repr("+expr+"))", "ls")
		if err != nil || !strings.HasSuffix(v.Reason(), "asks: "+fmt.Sprint(want)) {
			t.Errorf("%s: %s, %v, want %s", expr, v.Reason(), err, want)
		}
	}
}

// TestAssignments: operators that assign change lists and dictionaries in place,
// and evaluate what they assign to once.
func TestAssignments(t *testing.T) {
	v, err := decideOn(t, `
def decide(call):
    calls = []
    def at():
        calls.append(1)
        return 0
    a = [1]
    b = a
    a += [2]
    a += a
    l = [10, [5]]
    l[at()] += 1
    l[-1] += [6]
    d = {"n": 1, "s": "x"}
    d["n"] -= 3
    d["s"] *= 3
    e = d
    d |= {"m": 2}
    (x, [y, d["z"]]) = (1, (2, 3))
    (x) += 1
    n = 7
    n //= 2; n <<= 3; n |= 1; n &= 29; n ^= 2; n >>= 1; n %= 100
    f = 1
    f /= 2
    ask(repr([a, b, l, d, e == d, len(calls), x, y, n, f]))
`, "ls")
	want := `[[1, 2, 1, 2], [1, 2, 1, 2], [11, [5, 6]], {"n": -2, "s": "xxx", "m": 2, "z": 3}, True, 1, 2, 2, 13, 0.5]`
	if err != nil || !strings.HasSuffix(v.Reason(), want) {
		t.Errorf("%s %v\nwant %s", v.Reason(), err, want)
	}
	for body, want := range map[string]string{
		"x = (1,)\n  x[0] += 1":    "tuple value does not support item assignment",
		"x = [1]\n  x[5] += 1":     "list index 5 out of range",
		"x = [1]\n  x['a'] += 1":   "out of range",
		"x = {}\n  x['a'] += 1":    `key "a" not in dict`,
		"x = {}\n  x[[]] += 1":     "unhashable",
		"x = 1\n  x += 'a'":        "unknown binary op: int + string",
		"call.input['a'] = 1":      "frozen",
		"call.commands[0] += 1":    "unknown binary op",
		"call.input['timeout']+=1": "frozen",
	} {
		v, err := decideOn(t, "def decide(call):\n  "+body, "ls")
		if err != nil || v.Code() != codeError || !strings.Contains(v.Reason(), want) {
			t.Errorf("%s: %s %v, want %s", body, v.Reason(), err, want)
		}
	}
}

// TestCall: a script sees what the other stages see.
func TestCall(t *testing.T) {
	for expr, want := range map[string]string{
		`[call.tool, call.kind, call.input["command"], call.input["timeout"]]`:           `["Bash", "shell", "D=x sudo rm -rf $D ../other /etc/passwd && curl https://example.com > out", 1000]`,
		`[c.argv for c in call.commands]`:                                                `["rm", "-rf", "$D", "../other", "/etc/passwd"]`,
		`[(p.raw, p.abs, p.access, p.inside, p.classes) for p in call.paths]`:            `("/etc/passwd", "/etc/passwd", "delete", False, ["system", "startup"])`,
		`[(p.raw, p.real, p.access, p.inside, p.recursive, p.glob) for p in call.paths]`: `("out", "/home/dev/app/out", "write", True, False, False)`,
		`[call.hosts, call.risk, call.read_only]`:                                        `[["example.com"], "dangerous", False]`,
		`[call.cwd, call.root, call.home, call.mode, call.agent, call.subagent]`:         `["/home/dev/app", "/home/dev/app", "/home/dev", "default", "claude", ""]`,
		`[call.session.turn, call.session.tainted, call.session.id, call.agent_mode]`:    `[3, ".env", "s1", ""]`,
		`[c.env for c in call.commands]`:                                                 `[{"D": "x"}, {}`,
		`[(c.known, c.risk, c.elsewhere, c.cwd) for c in call.commands][-1]`:             `(True, "moderate", False, "/home/dev/app")`,
		`"network" in call.effects and "privilege" in call.effects`:                      `True`,
		`[call.server, call.mcp_tool, call.opaque]`:                                      `["", "", ["a path cannot be known: $D"]]`,
		`call.sentence`: `As root: Delete`,
	} {
		v, err := decideOn(t, "def decide(call): ask(repr("+expr+"))", "D=x sudo rm -rf $D ../other /etc/passwd && curl https://example.com > out")
		if err != nil || !strings.Contains(v.Reason(), want) {
			t.Errorf("%s: %s, %v, want %s", expr, v.Reason(), err, want)
		}
	}
}

// TestCallTooLarge: a call that the script cannot be shown asks.
func TestCallTooLarge(t *testing.T) {
	s, err := Load("policy.star", []byte("def decide(call): pass"))
	if err != nil {
		t.Fatal(err)
	}
	c := caseOf("ls")
	for _, input := range []string{`"` + strings.Repeat("x", MaxCall) + `"`, strings.Repeat("[", 200) + strings.Repeat("]", 200), `{"a":1e999}`, `{`} {
		c.Call.Input = json.RawMessage(input)
		if v := check(s, context.Background(), c); v.Effect() != sayso.Ask || v.Code() != codeError {
			t.Errorf("%.20s: %s %s", input, v.Effect(), v.Code())
		}
	}
	c.Call.Input = json.RawMessage(`{"a": [1.5, null, true, {"b": 12345678901234567890}]}`)
	same, err := Load("policy.star", []byte("def decide(call): ask(repr(call.input))"))
	if err != nil {
		t.Fatal(err)
	}
	if v := check(same, context.Background(), c); !strings.HasSuffix(v.Reason(), `: {"a": [1.5, None, True, {"b": 12345678901234567890}]}`) {
		t.Error(v.Reason())
	}
	c.Call.Input = nil
	if v := check(s, context.Background(), c); v.Speaks() {
		t.Error("a call without input: " + v.Reason())
	}
}

// TestTime: a script ends with its context.
func TestTime(t *testing.T) {
	s, err := Load("policy.star", []byte("def decide(call):\n  for i in range(1000):\n    pass"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // it is told by another goroutine
		v := check(s, ctx, caseOf("ls"))
		if v.Speaks() && v.Code() == codeError && strings.Contains(v.Reason(), "the time is up") {
			return
		}
	}
	t.Error("it does not end with its context")
}

// TestConcurrent: a script may be used by several goroutines.
func TestConcurrent(t *testing.T) {
	s, err := Load("policy.star", []byte("L = [1, 2]\ndef decide(call):\n  for x in L:\n    ask(str(x))"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if v := check(s, context.Background(), caseOf("ls")); v.Code() != CodeAsk {
				t.Error(v.Reason())
			}
		})
	}
	all.Wait()
}
