package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// rulesOf reads "allow bash(ls), deny read(x)": one rule a line.
func rulesOf(text string) []sayso.Rule {
	var out []sayso.Rule
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		effect, rule, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := sayso.Rule{Text: rule, Source: sayso.Source{Layer: sayso.User, File: "p", Line: i + 1, Column: 1}}
		if err := r.Effect.UnmarshalText([]byte(effect)); err != nil {
			panic(err)
		}
		out = append(out, r)
	}
	return out
}

// kinds lists what was found but for what is broad: "1 never, 2 twice".
func kinds(list []Finding) string {
	var out []string
	for _, f := range list {
		if f.Kind != Broad {
			out = append(out, fmt.Sprintf("%d %s", f.Rule.Source.Line, f.Kind))
		}
	}
	return strings.Join(out, ", ")
}

// TestShadow: a rule that another one covers is found by what they match, not by
// how they are written; one that is covered in part is not.
func TestShadow(t *testing.T) {
	for _, test := range []struct{ rules, want string }{
		{"allow bash(git push *)\ndeny bash(git *)", "1 shadowed"},
		{"allow bash(git push *)\nask bash(git push *)", "1 shadowed"},
		{"deny bash(git *)\nallow bash(git push origin main)", "2 shadowed"},
		{"ask bash(rm -rf *)\ndeny bash(rm *)", "1 shadowed"},
		{"ask bash(rm -rf *)\ndeny bash(rm -fr *)", "1 shadowed"},
		{"ask bash(rm -rf *)\ndeny bash(rm --recursive --force *)", "1 shadowed"},
		{"allow bash(npm i *)\ndeny bash(npm install *)", "1 shadowed"},
		{"allow bash(sudo rm *)\ndeny bash(rm *)", "1 shadowed"},
		{"allow bash(ls *)\ndeny bash", "1 shadowed"},
		{"allow bash(ls *)\ndeny bash(*)", "1 shadowed"},
		{"allow bash(ls *)\ndeny *", "1 shadowed"},
		{"allow bash\nask bash(*)", "1 shadowed"},
		{"allow bash(npm run build-*)\nask bash(npm run *)", "1 shadowed"},
		{"allow bash(npm run build-?)\nask bash(npm run b*)", "1 shadowed"},
		{"allow bash(git push *)\nask fetch(*)", "1 shadowed"},
		{"allow mcp(github/get_issue owner=acme repo=x)\ndeny mcp(github/* owner=acme)", "1 shadowed"},
		{"allow read(src/**)\ndeny read(**)", "1 shadowed"},
		{"allow bash\ndeny bash(git *)\ndeny bash(npm *)", ""},
		{"allow bash(make *)\ndeny bash(make)\nask bash(make ?* *)", "1 shadowed"}, // by two together
		{"allow bash(make *)\ndeny bash(make)", ""},
		{"allow bash(make *)\ndeny bash(make test)\nask bash(make ?* ?* *)", ""},
		{"allow read(src/*.go)\ndeny read(src/**)", "1 shadowed"},
		{"allow read(x/{src,lib}/a.go)\ndeny read(**/*.go)", "1 shadowed"},
		{"allow read(src/[ab].go)\ndeny read(src/*.go)", "1 shadowed"},
		{"ask delete(a/**)\ndeny edit(a/**)", "1 shadowed"},
		{"allow Write(a/**)\ndeny edit(a/**)", "1 shadowed"},
		{"allow read(~/x/**)\ndeny read(~/**)", "1 shadowed"},
		{"allow fetch(api.example.com)\ndeny fetch(*.example.com)", "1 shadowed"},
		{"allow fetch(api.example.com)\ndeny fetch(*)", "1 shadowed"},
		{"allow mcp(github/get_*)\ndeny mcp(github/*)", "1 shadowed"},
		{"allow mcp(github/get_issue owner=acme)\nask mcp(*/get_*)", "1 shadowed"},
		{"allow mcp__github__get_issue\nask mcp(github/get_*)", "1 shadowed"},
		{"allow mytool({\"dry\": true})\ndeny mytool", "1 shadowed"},

		{"deny bash(git push --force *)\ndeny bash(git push *)", "1 twice"},
		{"deny bash(git push *)\ndeny bash(git push --force *)", "2 twice"},
		{"allow read(a/b/**)\nallow read(a/**)", "1 twice"},
		{"allow bash(ls *)\nallow bash(ls *)", "2 twice"},
		{"allow bash(rm -rf *)\nallow bash(rm -fr *)", "2 twice"},
		{"allow WebFetch(domain:example.com)\nallow fetch(example.com)", "2 twice"},
		{"allow bash(ls -l *)\nallow bash(ls *)\nask bash(cat *)", "1 twice"},

		{"allow bash(git *)\ndeny bash(git push *)", ""},
		{"allow bash(git push *)\ndeny bash(git push --force *)", ""},
		{"deny bash(git push *)\nallow bash(git pull *)", ""},
		{"deny bash(git *)\nask bash(gitk *)", ""},
		{"deny bash(git push *)\nask bash(git)", ""},
		{"allow bash(ls)\nask bash(ls ?*)", ""},
		{"deny bash(curl *)\nask bash(curl* *)", ""},
		{"allow read(**)\ndeny read(src/**)", ""},
		{"allow read(src/**)\ndeny read(src/*.go)", ""},
		{"allow read(src/[a-z].go)\ndeny read(src/q.go)", ""},
		{"allow read({a,b}/x)\ndeny read(a/x)", ""},
		{"ask edit(a/**)\ndeny delete(a/**)", ""},
		{"allow read(a)\ndeny edit(a)", ""},
		{"allow read(a/**)\nallow edit(a/**)", ""},
		{"allow fetch(*.example.com)\ndeny fetch(api.example.com)", ""},
		{"allow mcp(github/*)\ndeny mcp(github/get_*)", ""},
		{"allow mcp(github/get_issue)\ndeny mcp(github/get_issue owner=acme)", ""},
		{"allow bash(* --version)\nask bash(git --version)", ""},
	} {
		if got := kinds(Rules(rulesOf(test.rules), now)); got != test.want {
			t.Errorf("%s\n got %q\nwant %q", test.rules, got, test.want)
		}
	}
}

// TestShadowParts: what else a rule says may be why it is there.
func TestShadowParts(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(list []sayso.Rule)
		want   string
	}{
		{"plain", func([]sayso.Rule) {}, "1 twice"},
		{"a reason of its own, found first", func(l []sayso.Rule) { l[0].Because = "x" }, ""},
		{"the other has an exception", func(l []sayso.Rule) { l[1].Except = []string{"bash(git push * sandbox)"} }, ""},
		{"the other has an exception that is equal", func(l []sayso.Rule) { l[1].Except = []string{"bash(git push --force *)"} }, ""},
		{"it has an exception itself", func(l []sayso.Rule) { l[0].Except = []string{"bash(git push --force x)"} }, "1 twice"},
		{"an exception that leaves nothing", func(l []sayso.Rule) { l[0].Except = []string{"bash(git *)"} }, "1 never"},
		{"an exception of something else", func(l []sayso.Rule) { l[0].Except = []string{"bash(npm publish *)"} }, "1 never"},
		{"an exception by another tool", func(l []sayso.Rule) { l[0].Except = []string{"fetch(github.com)"} }, "1 twice"},
		{"the other ends", func(l []sayso.Rule) { l[1].Until = now.AddDate(1, 0, 0) }, ""},
		{"the other ends later", func(l []sayso.Rule) { l[0].Until, l[1].Until = now.AddDate(1, 0, 0), now.AddDate(2, 0, 0) }, "1 twice"},
		{"the other has ended", func(l []sayso.Rule) { l[1].Until = now.AddDate(-1, 0, 0) }, "2 ended"},
		{"for others, too", func(l []sayso.Rule) { l[0].Source.Layer = sayso.Committed }, ""},
	} {
		list := rulesOf("deny bash(git push --force *)\ndeny bash(git push *)")
		test.change(list)
		if got := kinds(Rules(list, now)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestBesides: what is switched off counts as a rule that denies, and is not
// looked at itself.
func TestBesides(t *testing.T) {
	off := sayso.Rule{Effect: sayso.Deny, Text: "edit(**)", Because: "workspace: {write: off}"}
	list := Rules(rulesOf("allow edit(src/**)\nallow read(src/**)\ndeny edit(vendor/**)"), now, off)
	if kinds(list) != "1 shadowed" || !strings.Contains(list[0].Problem, "can never count: workspace: {write: off} denies all that it matches") {
		t.Errorf("%+v", list)
	}
}

// TestNever: rules that match nothing say why, and what to write instead.
func TestNever(t *testing.T) {
	for rule, want := range map[string]string{
		"deny bash(curl * | sh)":             "bash(curl *), bash(sh)",
		"allow bash(cd x && make)":           "bash(cd x), bash(make)",
		"allow bash(a ; b)":                  "bash(a), bash(b)",
		"allow bash(FOO=1 ls)":               "write bash(ls)",
		"allow bash(ls > out)":               "write bash(ls), and for the file",
		"allow bash(ls 2>&1)":                "write bash(ls), and for the file",
		"allow bash(echo $(id))":             "write * in its place",
		"deny bash(cat ~/.ssh/id_rsa)":       "read(~/.ssh/**)",
		"allow Bash(git push:*)":             "bash(git push *)",
		"allow Bash(npm run test:*)":         "bash(npm run test *)",
		"allow bash(ls:*)":                   "bash(ls *)",
		"deny read(../../x)":                 "from // on",
		"deny read($HOME/x)":                 "read(~/x)",
		"deny read(~)":                       "read(~/**)",
		"deny fetch(example.com:8080)":       "fetch(example.com)",
		"deny mcp__github":                   "mcp(github/*)",
		"deny mcp__github__*":                "mcp(github/*)",
		"deny mcp__github__get_*":            "mcp(github/get_*)",
		"allow bash(npm run test:*)":         "",
		"allow bash(find . -exec rm {} ;)":   "",
		"allow bash(find . -exec rm {} \\;)": "",
		"allow bash(grep 'a|b' *)":           "",
		"allow bash(git commit -m *)":        "",
		"allow bash(./scripts/*)":            "",
		"allow bash(* --version)":            "",
		"deny bash(rm -rf /*)":               "",
		"deny read(src/)":                    "",
		"deny read(**/.env*)":                "",
		"deny read([!a]/x)":                  "",
		"deny read(//etc/**)":                "",
		"deny memory":                        "",
		"deny *":                             "",
		"deny mcp(github)":                   "",
		"deny lua":                           "",
		"deny fetch(https://example.com)":    "",
		"deny fetch(*.example.com)":          "",
		"deny bash(echo \"a b\" *)":          "",
		"deny mcp__github__get_issue":        "",
		"deny mytool({\"dry\": true})":       "",
		"deny Agent":                         "",
	} {
		got := ""
		for _, f := range Rules(rulesOf(rule), now) {
			if f.Kind == Never {
				got = f.Problem + " | " + f.Remedy
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
}

// TestUnknown: typing errors in the names of tools.
func TestUnknown(t *testing.T) {
	for rule, want := range map[string]string{
		"ask Bsah": "did you mean bash?", "ask baash": "bash", "ask fech": "fetch", "ask Raed": "read", "ask WebFetsh": "WebFetch", "ask mcpp": "mcp",
		"ask bash": "", "ask mytool": "", "ask WebFetch": "", "ask *": "", "ask mcp__a__b": "",
	} {
		got := ""
		for _, f := range Rules(rulesOf(rule), now) {
			if f.Kind == Unknown {
				got = f.Problem
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
	for _, w := range ruleWords {
		if _, ok := sayso.RuleClass(w); !ok {
			t.Errorf("%s is no word of rules", w)
		}
	}
}

// TestBroadCaught: whoever asks about the rest is told no more of it.
func TestBroadCaught(t *testing.T) {
	for _, rules := range []string{"allow bash(git push *)", "allow bash(sort *)", "allow bash(find . *)", "allow bash(gofmt *)", "allow bash(git log *)", "allow bash(tar -c *)"} {
		for range 20 {
			remedy := ""
			for _, f := range Rules(rulesOf(rules), now) {
				if f.Kind == Broad {
					_, remedy, _ = strings.Cut(strings.TrimSuffix(f.Remedy, "'"), "sayso rule add ask '")
				}
			}
			if remedy == "" {
				break
			}
			rules += "\nask " + remedy
		}
		for _, f := range Rules(rulesOf(rules), now) {
			t.Errorf("%s\n%s", rules, f.Problem)
		}
	}
}

// TestBroad: what a rule allows besides comes from the tables of the commands.
func TestBroad(t *testing.T) {
	for rule, want := range map[string]string{
		"allow bash(find *)":            "delete files (find -delete)",
		"allow bash(find . -name *)":    "delete files (find . -name qzw -delete)",
		"allow bash(make *)":            "publish (make deploy)",
		"allow bash(tar *)":             "write files (tar -x)",
		"allow bash(git *)":             "publish (git push)",
		"allow bash(git log *)":         "write files (git log --output x)",
		"allow bash(npm *)":             "publish (npm publish)",
		"allow bash(docker *)":          "run other programs or code (docker run)",
		"allow bash(sed *)":             "run other programs or code (sed -f x)",
		"allow bash(awk *)":             "run other programs or code",
		"allow bash(xargs *)":           "run other programs or code (xargs)",
		"allow bash(ssh *)":             "run other programs or code (ssh)",
		"allow bash(env *)":             "run other programs or code (env)",
		"allow bash(sudo *)":            "run other programs or code",
		"allow bash(sh *)":              "run other programs or code",
		"allow bash(python3 *)":         "run other programs or code",
		"allow bash(rg *)":              "run other code",
		"allow bash(sort *)":            "write files (sort -o x)",
		"allow bash(kubectl get *)":     "show secrets",
		"allow bash(mvn test *)":        "publish (mvn test deploy)",
		"allow Bash(curl *)":            "write files (curl -o x)",
		"allow bash":                    "every command",
		"allow bash(*)":                 "every command",
		"allow *":                       "every call",
		"allow bash(ls* *)":             "every program with such a name",
		"allow mcp":                     "every MCP server",
		"allow mcp(*/get_*)":            "every MCP server",
		"allow fetch(https://a.b/api/)": "only the host counts, and /api/ is not looked at",
		"allow fetch(*example.com)":     "otherexample.com matches, too",

		"allow bash(go test *)":             "",
		"allow bash(git status *)":          "",
		"allow bash(git commit *)":          "",
		"allow bash(npm run *)":             "",
		"allow bash(npm test *)":            "",
		"allow bash(ls *)":                  "",
		"allow bash(cat *)":                 "",
		"allow bash(grep *)":                "",
		"allow bash(cargo test *)":          "",
		"allow bash(pytest *)":              "",
		"allow bash(python3 -m pytest *)":   "",
		"allow bash(bundle exec rspec *)":   "",
		"allow bash(git push origin main)":  "",
		"allow bash(find . -name x -print)": "",
		"allow bash(nosuchprogram *)":       "",
		"allow read(**)":                    "",
		"allow mcp(github/*)":               "",
		"allow fetch(*.example.com)":        "",
		"allow fetch(https://example.com/)": "",
		"ask bash(git *)":                   "",
		"deny bash(*)":                      "",
	} {
		got := ""
		for _, f := range Rules(rulesOf(rule), now) {
			if f.Kind == Broad {
				got = f.Problem
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
}
