package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

// A given is a grant as it is shown.
type given struct {
	sayso.GivenGrant
	For  string
	Over bool
}

func (p *Page) showGrants(w http.ResponseWriter, r *http.Request, s *session) {
	all, err := p.Desk.Grants.AllGrants(r.Context())
	if err != nil {
		p.fail(w, r, s, err)
		return
	}
	var list []given
	for _, g := range slices.Backward(all) { // the newest first
		list = append(list, given{g, counts(&g), !g.Expires.IsZero() && !p.Clock().Before(g.Expires)})
	}
	p.show(w, r, s, "grants", "Grants", list)
}

// counts says where and how long a grant counts.
func counts(g *sayso.GivenGrant) string {
	text := map[sayso.Scope]string{
		sayso.ForProfile: "for you, in every workspace", sayso.ForWorkspace: "in the workspace " + g.Root,
		sayso.ForSession: "in the session " + g.Session + ", in " + g.Root, sayso.ForTurn: "for one turn of the session " + g.Session,
	}[g.Scope]
	if text == "" {
		text = "once, in the session " + g.Session
	}
	if !g.Expires.IsZero() {
		text += ", until " + g.Expires.Local().Format(time.DateTime)
	}
	return view.Safe(text)
}

func (p *Page) revokeGrant(w http.ResponseWriter, r *http.Request, s *session) {
	all, err := p.Desk.Grants.AllGrants(r.Context())
	if err != nil {
		p.back(w, r, s, "grants", "", err)
		return
	}
	id, n := r.PostForm.Get("id"), 0
	every := r.PostForm.Get("all") == "yes"
	for _, g := range all {
		if !every && g.ID != id {
			continue
		}
		switch one := p.Desk.RevokeGrant(r.Context(), g); {
		case errors.Is(one, sayso.ErrNotFound): // somebody else was quicker
		case one != nil:
			err = errors.Join(err, one)
		default:
			n++
		}
	}
	done := fmt.Sprintf("Revoked: %d grants.", n)
	switch {
	case n == 0 && err == nil:
		err = errors.New("there is no such grant any more")
	case n == 1:
		done = "Revoked."
	}
	p.back(w, r, s, "grants", done, err)
}

// A trusted is what a person trusts as it is shown.
type trusted struct {
	sayso.Trust
	About string
	Same  bool
}

// A place is a workspace with what is trusted in it.
type place struct {
	Root string
	List []trusted
}

func (p *Page) showTrust(w http.ResponseWriter, r *http.Request, s *session) {
	all, err := p.Desk.Trusts.AllTrust(r.Context())
	if err != nil {
		p.fail(w, r, s, err)
		return
	}
	var list []place
	for _, t := range all { // ordered by root
		if n := len(list); n == 0 || list[n-1].Root != t.Root {
			list = append(list, place{Root: t.Root})
		}
		about, same := p.Policies.Trusted(t)
		last := &list[len(list)-1]
		last.List = append(last.List, trusted{t, about, same})
	}
	p.show(w, r, s, "trust", "Trust", list)
}

// revokeTrust takes back one, all of a workspace, or all.
func (p *Page) revokeTrust(w http.ResponseWriter, r *http.Request, s *session) {
	all, err := p.Desk.Trusts.AllTrust(r.Context())
	if err != nil {
		p.back(w, r, s, "trust", "", err)
		return
	}
	form, n := r.PostForm, 0
	for _, t := range all {
		switch form.Get("which") {
		case "all":
		case "root":
			if t.Root != form.Get("root") {
				continue
			}
		default:
			if t.Root != form.Get("root") || t.Name != form.Get("name") {
				continue
			}
		}
		switch one := p.Desk.RevokeTrust(r.Context(), t); {
		case errors.Is(one, sayso.ErrNotFound): // somebody else was quicker
		case one != nil:
			err = errors.Join(err, one)
		default:
			n++
		}
	}
	if n == 0 && err == nil {
		err = errors.New("it is not trusted any more")
	}
	p.back(w, r, s, "trust", "No longer trusted.", err)
}
