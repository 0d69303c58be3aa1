package sayso_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
)

// chooses answers with one of the choices that are offered, and keeps what was shown.
func chooses(key string, shown *sayso.Request) sayso.Approver {
	return sayso.ApproverFunc(func(_ context.Context, r sayso.Request) (sayso.Answer, error) {
		if shown != nil {
			*shown = r
		}
		for _, c := range r.Decision.Choices {
			if c.Key == key {
				return sayso.Answer{RequestID: r.ID, ContractHash: c.Contract(r.Contract).Hash(), Choice: key}, nil
			}
		}
		return sayso.Answer{}, errors.New("nobody")
	})
}

// TestAuthorizePreview: what is not denied may be previewed, without asking anybody,
// and what that permits is a preview.
func TestAuthorizePreview(t *testing.T) {
	for command, want := range map[string]sayso.Effect{"ls": sayso.Allow, "git push": sayso.Ask, "rm -rf /": sayso.Deny, "curl https://example.com/": sayso.Allow} {
		m := &store.Memory{}
		asked := false
		e := engine(m, sayso.ApproverFunc(func(context.Context, sayso.Request) (sayso.Answer, error) {
			asked = true
			return sayso.Answer{}, errors.New("nobody")
		}))
		permit, d, err := e.AuthorizePreview(context.Background(), bash(command))
		if err != nil || d.Effect != want || asked || kinds(m) != "request decision" || permit.Changes() != "" {
			t.Errorf("%s: %+v %v, asked %t, recorded %s", command, d, err, asked, kinds(m))
		}
		c, err := permit.Use()
		switch {
		case want == sayso.Deny && err == nil:
			t.Errorf("%s: it is denied, and may be previewed", command)
		case want != sayso.Deny && (err != nil || !c.Preview || !c.Required || c.Network != sayso.NetworkNone || len(c.Hosts) > 0 || c.Hash() != m.Records()[1].Contract):
			t.Errorf("%s: %+v %v", command, c, err)
		}
	}
}

// TestAuthorizeChanges: a person is asked about what was shown, also where the policy
// allows it, and gets what they chose; what is denied stays denied.
func TestAuthorizeChanges(t *testing.T) {
	for _, one := range []struct {
		command, key string
		want         sayso.Effect
		code         sayso.Code
		changes      string
	}{
		{"ls", "y", sayso.Allow, sayso.CodePersonYes, "hash"},
		{"ls", "r", sayso.Allow, sayso.CodePersonYes, ""},
		{"ls", "n", sayso.Deny, sayso.CodePersonNo, ""},
		{"git push", "y", sayso.Allow, sayso.CodePersonYes, "hash"},
		{"git push", "", sayso.Deny, sayso.CodeNobodyAsk, ""},
	} {
		m := &store.Memory{}
		var shown sayso.Request
		call := bash(one.command)
		call.ID = "call"
		permit, d, err := engine(m, chooses(one.key, &shown)).AuthorizeChanges(context.Background(), call, "hash", []string{"added x"})
		if err != nil || d.Effect != one.want || d.Code != one.code || permit.Changes() != one.changes {
			t.Errorf("%+v: %+v %v", one, d, err)
		}
		if len(shown.Shows) != 1 || shown.Contract.Changes != "hash" || one.command == "ls" && shown.Decision.Code != sayso.CodePreview {
			t.Errorf("%+v: shown was %+v", one, shown)
		}
		c, err := permit.Use()
		if one.want == sayso.Allow && (err != nil || c.Changes != one.changes || c.Preview) || one.want == sayso.Deny && err == nil {
			t.Errorf("%+v: %+v %v", one, c, err)
		}
	}
}

// TestAuthorizeChangesDenied: nobody is asked about what is denied.
func TestAuthorizeChangesDenied(t *testing.T) {
	m := &store.Memory{}
	call := bash("rm -rf /")
	call.ID = "call"
	permit, d, err := engine(m, chooses("y", nil)).AuthorizeChanges(context.Background(), call, "hash", nil)
	if _, used := permit.Use(); err != nil || d.Effect != sayso.Deny || used == nil || kinds(m) != "decision" {
		t.Errorf("%+v %v", d, err)
	}
}

// TestPreviewFailures: whatever fails, nothing is allowed.
func TestPreviewFailures(t *testing.T) {
	oops := errors.New("oops")
	call := bash("ls")
	call.ID = "call"
	for name, b := range map[string]*broken{"session": {update: oops}, "remember": {update: oops, updates: 1}, "grants": {grants: oops}, "journal": {record: oops}} {
		e := engine(&b.Memory, chooses("y", nil))
		e.Sessions, e.Grants, e.Journal = b, b, b
		if name != "remember" {
			if p, d, err := e.AuthorizePreview(context.Background(), call); err == nil || d.Effect != sayso.Deny || used(p) {
				t.Errorf("preview, %s: %+v %v", name, d, err)
			}
		}
		if p, d, err := e.AuthorizeChanges(context.Background(), call, "hash", nil); err == nil || d.Effect != sayso.Deny || used(p) {
			t.Errorf("changes, %s: %+v %v", name, d, err)
		}
	}
	if p, d, err := engine(&store.Memory{}, chooses("y", nil)).AuthorizeChanges(context.Background(), call, "", nil); err == nil || d.Effect != sayso.Deny || used(p) {
		t.Errorf("no changes: %+v %v", d, err)
	}
	if p, _, err := engine(&store.Memory{}, nil).AuthorizePreview(context.Background(), bash("ls")); err != nil || !used(p) {
		t.Errorf("without an id: %v", err)
	}
}

func used(p sayso.Permit) bool {
	_, err := p.Use()
	return err == nil
}
