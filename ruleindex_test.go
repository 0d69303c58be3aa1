package sayso

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// linear looks for a rule without the index.
func linear(s *RuleSet, e Effect, c *Case, p *Part) *Rule {
	if s.broken != nil && e == Allow {
		return nil
	}
	f := finder{c: c, part: p, allow: e == Allow, now: c.Session.Now}
	for i, rule := range s.rules {
		r, err := compileRule(rule, i, nil)
		if err == nil && rule.Effect == e && f.matches(r) {
			return rule
		}
	}
	return nil
}

func pick(r *rand.Rand, l ...string) string { return l[r.IntN(len(l))] }

// TestIndex: the index finds exactly the rules that trying all of them finds, on
// random rules and calls. A rule that it missed would be one that does not deny.
func TestIndex(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 99))
		seg := func() string {
			return pick(r, "src", "a", "B", "b", "*", "**", "x.txt", "*.txt", "na?e", "{a,b}", ".env", "X.TXT", "x.txt.", "*.", "[ab]", "*.tar.gz", "a*", "proj", "ſ", "s")
		}
		pat := func() string {
			s := pick(r, "", "", "", "~/", "//", "./", "//home/me/", "//home/me/proj/")
			n := 1 + r.IntN(3)
			for i := range n {
				if i > 0 {
					s += "/"
				}
				s += seg()
			}
			return s
		}
		words := func(n int, star bool) string {
			s := ""
			for range n {
				if star {
					s += " " + pick(r, "run", "-f", "--x=1", "sub", "*", "s*", "-rf", "x.txt", "--", "push", "origin")
				} else {
					s += " " + pick(r, "run", "-f", "--x=1", "sub", "-r", "x.txt", "$U", "--", "push", "origin", "s1", "-rf", "*.txt")
				}
			}
			return s
		}
		host := func() string {
			return pick(r, "example.com", "a.example.com", "b.a.example.com", "myexample.com", "com", "EXAMPLE.com", "x.org", "example.com.")
		}
		rule := func() string {
			switch r.IntN(5) {
			case 0:
				return "bash(" + pick(r, "git", "npm", "/bin/rm", "rm", "*", "g*", "foo") + words(r.IntN(4), true) + ")"
			case 1:
				return "fetch(" + pick(r, "", "*.", "*", "domain:") + host() + ")"
			case 2:
				return "mcp(" + pick(r, "gh", "GH", "g*", "*", "lin") + "/" + pick(r, "create", "c*", "*", "get") + pick(r, "", "", " a=1") + ")"
			case 3:
				return pick(r, "bash", "mcp", "edit", "read", "fetch", "foo", "*", "mcp(*)", "Write", "task")
			}
			return pick(r, "edit", "read", "write", "delete") + "(" + pat() + ")"
		}
		n := 1 + r.IntN(200)
		var rules []Rule
		for range n {
			rl := Rule{Effect: Effect(r.IntN(3)), Text: rule()}
			if r.IntN(6) == 0 {
				rl.Except = []string{rule()}
			}
			rules = append(rules, rl)
		}
		set, _ := NewRuleSet(rules)
		set.broken = nil
		call := Call{Agent: "claude", Root: pick(r, "/home/me/proj", "/", "/home/me", "/Home/Me"), Home: pick(r, "/home/me", "", "/home/me/")}
		p := pick(r, "", "/home/me/", "/home/me/proj/", "/", "../", "~/", "/HOME/me/proj/")
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				p += "/"
			}
			p += pick(r, "src", "a", "B", "b", "x.txt", "name", ".env", "X.TXT", "c.txt", "x.txt.", "foo.", "x.tar.gz", "ſ", "S", "proj", "x.txt::$DATA")
		}
		in := map[string]string{}
		switch r.IntN(6) {
		case 0, 1:
			call.Tool = "Bash"
			in["command"] = pick(r, "git", "npm", "rm", "/bin/rm", "$P", "foo", "FOO=1 git", "sudo rm", "env git") + words(r.IntN(4), false) + pick(r, "", "", " > "+p, " "+p, " | git push")
		case 2:
			call.Tool, in["url"], in["prompt"] = "WebFetch", "https://"+host()+"/v1", "look"
		case 3:
			call.Tool = "mcp__" + pick(r, "gh", "GH", "lin", "gx") + "__" + pick(r, "create", "get", "c")
			in["a"] = pick(r, "1", "2")
		case 4:
			call.Tool, in["file_path"] = "Read", p
		case 5:
			call.Tool, in["file_path"], in["content"] = "Write", p, "text"
		}
		call.Input, _ = json.Marshal(in)
		var an Analyzer
		facts := an.Analyze(call)
		c := &Case{Call: call, Facts: facts, Session: Session{Now: time.Now()}}
		for i := range facts.Parts {
			part := &facts.Parts[i]
			if r.IntN(5) == 0 && len(part.Paths) > 0 {
				part.Paths[0].Real = pick(r, "/home/me/proj/src/x.txt", "/etc/x.txt", "/home/me/a/b/x.txt", "/HOME/me/proj/A/X.txt")
			}
			for e := Deny; e <= Allow; e++ {
				a, b := set.Find(e, c, part), linear(set, e, c, part)
				if a != b {
					at, bt := "nil", "nil"
					if a != nil {
						at = a.Text
					}
					if b != nil {
						bt = b.Text
					}
					k := fmt.Sprintf("%v index=%s linear=%s", e, at, bt)
					if seen[k]++; seen[k] == 1 && len(seen) < 40 {
						t.Errorf("%s | %s %s root=%s home=%s part=%q", k, call.Tool, call.Input, call.Root, call.Home, part.Text)
					}
				}
			}
		}
	}
}
