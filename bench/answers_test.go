package bench

import "testing"

// TestAnswers holds the engines to the same answers. Nothing is timed here.
func TestAnswers(t *testing.T) {
	const rules = 25
	type want struct {
		text string
		yes  bool
	}
	questions := map[Kind][]want{
		Command: {
			{"prog7 sub", true},
			{"prog7 sub --flag file.txt", true},
			{"prog0 sub x", true},
			{"prog24 sub x", true},
			{"prog25 sub x", false},
			{"prog7 other x", false},
			{"prog7", false},
			{"prog subtle", false},
			{"prog77 sub", false},
			{"xprog7 sub", false},
			{"prog7 x sub", false},
			{"prog7x sub", false},
			{"sub prog7", false},
		},
		Host: {
			{"api.host7.example", true},
			{"a.b.host7.example", true},
			{"www.host0.example", true},
			{"www.host24.example", true},
			{"www.host25.example", false},
			{"host7.example", false},
			{"xhost7.example", false},
			{"www.xhost7.example", false},
			{"host7.example.com", false},
			{"www.host7.example.com", false},
			{"example", false},
		},
		Tool: {
			{"server7/tool", true},
			{"server0/tool", true},
			{"server24/tool", true},
			{"server25/tool", false},
			{"server7/tools", false},
			{"server7/other", false},
			{"server77/tool", false},
			{"tool/server7", false},
		},
		Path: {
			{"src/pkg7/main.go", true},
			{"src/pkg7/a/b/c.go", true},
			{"src/pkg0/x", true},
			{"src/pkg24/x", true},
			{"src/pkg25/x", false},
			{"src/pkg77/x", false},
			{"src/pkg7x/main.go", false},
			{"src/xpkg7/main.go", false},
			{"pkg7/main.go", false},
			{"lib/src/pkg7/main.go", false},
			{"main.go", false},
		},
		Name: {
			{"name7.txt", true},
			{"a/name7.txt", true},
			{"a/b/c/name7.txt", true},
			{"name0.txt", true},
			{"x/name24.txt", true},
			{"x/name25.txt", false},
			{"xname7.txt", false},
			{"name7.txt/x", false},
			{"a/name7.md", false},
			{"name77.txt", false},
		},
		Script: {
			{"npm run task7", true},
			{"npm run task7 --flag x", true},
			{"npm run task0 x", true},
			{"npm run task24", true},
			{"npm run task25", false},
			{"npm run task77", false},
			{"npm run", false},
			{"npm test task7", false},
			{"pnpm run task7", false},
			{"npm run other task7", false},
		},
		Method: {
			{"github/tool7", true},
			{"github/tool0", true},
			{"github/tool24", true},
			{"github/tool25", false},
			{"github/tool77", false},
			{"gitlab/tool7", false},
			{"github/xtool7", false},
		},
		Deep: {
			{"src/name7.txt", true},
			{"src/a/b/name7.txt", true},
			{"src/a/name0.txt", true},
			{"src/x/name24.txt", true},
			{"src/x/name25.txt", false},
			{"src/name77.txt", false},
			{"lib/name7.txt", false},
			{"name7.txt", false},
			{"src/xname7.txt", false},
			{"lib/src/name7.txt", false},
			{"src/name7.txt/x", false},
		},
	}
	for _, k := range Kinds {
		if len(questions[k]) == 0 {
			t.Errorf("%s rules: no questions", k)
		}
		for _, e := range Engines() {
			policy, err := e.Build(k, rules)
			if err != nil {
				t.Fatalf("%s, %s rules: %v", e.Name, k, err)
			}
			for _, w := range questions[k] {
				if got := answer(t, policy, Question{k, w.text}); got != w.yes {
					t.Errorf("%s, %s rules: %q: got %t, want %t", e.Name, k, w.text, got, w.yes)
				}
			}
		}
	}
}

// TestEveryRule asks for each rule by itself.
func TestEveryRule(t *testing.T) {
	const rules = 110
	for _, k := range Kinds {
		for _, e := range Engines() {
			policy, err := e.Build(k, rules)
			if err != nil {
				t.Fatalf("%s, %s rules: %v", e.Name, k, err)
			}
			for i := range rules + 2 {
				q := Matching(k, i)
				if got, want := answer(t, policy, q), i < rules; got != want {
					t.Errorf("%s, %s rules: %q: got %t, want %t", e.Name, k, q.Text, got, want)
				}
			}
		}
	}
}

func answer(t *testing.T, policy Policy, q Question) bool {
	t.Helper()
	decide, err := policy(q)
	if err != nil {
		t.Fatal(err)
	}
	yes, err := decide()
	if err != nil {
		t.Fatal(err)
	}
	return yes
}
