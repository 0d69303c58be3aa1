package preset_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/vector"
)

// choicesWrong says in what the choices of a decision that asks are not those of
// the system's document; empty: in nothing.
var choicesWrong = map[string]func(tool string, d sayso.Decision, labels []string) string{
	"kosmokrator": func(tool string, d sayso.Decision, labels []string) string {
		if !slices.Equal(labels, []string{"y Allow once", "s Allow for session", "n Deny"}) || d.Choices[1].Rule != tool {
			return "want y, s for the tool, and n"
		}
		return ""
	},
	"cosmo": func(_ string, d sayso.Decision, labels []string) string {
		if !slices.Equal(labels, []string{"y Allow", "n Deny"}) || len(d.Suggestions) > 0 || d.Choices[0].Scope != sayso.Once {
			return "want Allow and Deny, and nothing that is kept"
		}
		return ""
	},
	"agentscope": func(_ string, d sayso.Decision, labels []string) string {
		if len(labels) != len(d.Suggestions)+2 || labels[0] != "y allow" || labels[len(labels)-1] != "n deny" {
			return "want allow, one for each suggested rule, and deny"
		}
		for i, s := range d.Suggestions {
			if d.Choices[i+1].Key != strconv.Itoa(i+1) || d.Choices[i+1].Rule != s.Rule {
				return "a choice is not the rule that is suggested"
			}
		}
		if (d.Immune || d.Stage == "ask rules") && len(d.Suggestions) > 0 {
			return "a rule is suggested that would not help"
		}
		return ""
	},
	"kodacode": func(_ string, d sayso.Decision, labels []string) string {
		if len(labels) < 3 || !slices.Equal(labels[:3], []string{"1 Allow once", "2 Allow for session duration", "3 Deny"}) {
			return "want once, session and deny first"
		}
		for i, label := range labels[3:] {
			if !strings.HasPrefix(label, strconv.Itoa(i+4)+" Allow with ") {
				return "what comes behind them is not numbered on"
			}
		}
		if len(labels) > 5 || len(d.Suggestions) > 2 {
			return "there are more choices than the document has"
		}
		return ""
	},
	"cowork": func(_ string, d sayso.Decision, labels []string) string {
		if labels[0] != "y Allow once" || labels[len(labels)-1] != "n Deny once" {
			return "want Allow once first and Deny once last"
		}
		for _, c := range d.Choices[1 : len(d.Choices)-1] {
			if !slices.Contains(d.Keep, c.Scope) || !strings.HasPrefix(c.Rule, "allow ") {
				return "something is kept where it cannot be"
			}
		}
		return ""
	},
}

// TestChoicesEverywhere: every decision of the corpus that asks has the choices of
// its document, and no other decision has any.
func TestChoicesEverywhere(t *testing.T) {
	for system, wrong := range choicesWrong {
		asked := 0
		files, _ := filepath.Glob("../testdata/decisions/" + system + "/*.jsonl")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				l, err := vector.Parse(bytes.TrimSpace(line))
				if err != nil || !l.Decision() {
					continue
				}
				d, err := l.Decide(context.Background(), vector.Defaults{})
				switch {
				case err != nil:
				case d.Effect != sayso.Ask && len(d.Choices)+len(d.Suggestions) > 0:
					t.Errorf("%s: %s: nobody is asked, and there are choices: %+v", system, l.ID, d.Choices)
				case d.Effect == sayso.Ask:
					asked++
					var labels []string
					for _, c := range d.Choices {
						labels = append(labels, c.Key+" "+c.Label)
					}
					if len(labels) < 2 {
						t.Errorf("%s: %s: %q", system, l.ID, labels)
					} else if why := wrong(l.Tool, d, labels); why != "" {
						t.Errorf("%s: %s: %s: %q", system, l.ID, why, labels)
					}
				}
			}
		}
		if asked < 100 {
			t.Errorf("%s: only %d decisions ask", system, asked)
		}
	}
}
