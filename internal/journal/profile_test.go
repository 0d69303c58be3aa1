package journal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

// TestProfileHidden: rules of the profile are in no record, and a rule that reads
// like a key or a kind takes nothing else out of one.
func TestProfileHidden(t *testing.T) {
	for _, text := range []string{"grant", "rule", "deny", "call", "e", "bash(hidden <place> *)", `say "x"`, "bash(curl -H token=ghp_0123456789abcdefghijABCDEFGHIJ0123456 hidden)"} {
		j := journal.Folder{Dir: t.TempDir() + "/state"}
		of := &sayso.Rule{Effect: sayso.Deny, Text: text, Because: "my own cause", Except: []string{"task(own-exception)"}, Source: sayso.Source{Layer: "profile"}}
		d := sayso.Decision{Code: "rule.deny", Rule: of, Subject: text, Reason: "the rule " + text + " says so", Stage: "rule", Trace: []sayso.Step{{Stage: "x", Steps: []sayso.Step{{Stage: "deny", Rule: of, Reason: text}}}}}
		grant := sayso.Grant{ID: "call", Rule: text, Scope: sayso.ForProfile, Given: time.Unix(1, 5)}
		answer := sayso.Answer{Yes: true, Scope: sayso.ForProfile, Rule: "other", More: []string{text}, By: "kim"}
		err := j.Record(context.Background(),
			sayso.Record{Kind: sayso.RecordDecision, Call: "call", Decision: &d, Decider: &sayso.Decider{Kind: "rule", Name: text}},
			sayso.Record{Kind: sayso.RecordGrant, Call: "call", Grant: &grant}, sayso.Record{Kind: sayso.RecordAnswer, Call: "call", Answer: &answer},
			sayso.Record{Kind: sayso.RecordRule, Call: "call", Rule: of})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for line, err := range j.All() {
			if err != nil || line.Err != nil {
				t.Fatal(err, line.Err)
			}
			kinds = append(kinds, string(line.Kind))
			if line.Call != "call" {
				t.Errorf("%q: the call of %s is lost", text, line.Kind)
			}
			if len(text) > 6 && (strings.Contains(string(line.Text), strings.ReplaceAll(text, `"`, `\"`)) || strings.Contains(string(line.Text), "hidden)")) || strings.Contains(string(line.Text), "own") {
				t.Errorf("%q is in the clear: %s", text, line.Text)
			}
			switch {
			case line.Decision != nil && (line.Decision.Rule.Text != "[profile rule]" || line.Decision.Code != "rule.deny" || line.Decision.Trace[0].Steps[0].Rule.Text != "[profile rule]" || line.Decider.Kind != "rule"),
				line.Grant != nil && (line.Grant.Rule != "[profile rule]" || line.Grant.ID != "call" || !line.Grant.Given.Equal(grant.Given)),
				line.Answer != nil && (line.Answer.More[0] != "[profile rule]" || line.Answer.By != "kim"),
				line.Kind == sayso.RecordRule && line.Rule.Text != "[profile rule]":
				t.Errorf("%q: %s", text, line.Text)
			}
		}
		if got := strings.Join(kinds, " "); got != "decision grant answer rule" {
			t.Errorf("%q: %s", text, got)
		}
		if report, err := j.Verify(nil); err != nil || !report.OK() {
			t.Errorf("%+v %v", report, err)
		}
	}
}
