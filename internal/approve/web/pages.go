package web

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sayso-dev/sayso/internal/approve/view"
)

//go:embed pages/*.html static/*
var files embed.FS

// A safeHTML was made by a template.
type safeHTML = template.HTML

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"safe":    view.Safe,
	"stamp":   func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
	"exact":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"action":  action,
	"short":   short,
	"marked":  marked,
	"sign":    sign,
	"effects": func() []string { return []string{"allow", "ask", "deny"} },
}).ParseFS(files, "pages/*.html"))

// action is what a choice does, in one word, where its label does not begin with
// that.
func action(c view.Choice) string {
	word := "Deny"
	if c.Yes {
		word = "Allow"
	}
	if len(c.Label) >= len(word) && strings.EqualFold(c.Label[:len(word)], word) {
		return ""
	}
	return word
}

// short is a text fit to be shown, with the home folder as ~.
func short(home, text string) string {
	if home != "" {
		text = strings.ReplaceAll(text, home+"/", "~/")
	}
	return view.Safe(text)
}

// marked reports whether the part that asks is to be seen in what is shown.
func marked(what []view.Line) bool {
	return slices.ContainsFunc(what, func(l view.Line) bool { return l.Is(view.Decisive) })
}

// sign stands beside a colour, for those who do not see it.
func sign(what string) string {
	signs := map[string]string{
		"safe": "○", "moderate": "◐", "dangerous": "●", "blocked": "●",
		"allow": "✓", "ask": "?", "deny": "✕", "pass": "·",
	}
	if s, ok := signs[what]; ok {
		return s
	}
	return "●"
}

// render writes a page as a whole, or an error.
func render(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "The page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // whoever asked may have gone
}

// frame is what is around every page.
type frame struct {
	Base, Title, Name, Token, By string
	Waiting                      int
	Notices                      []notice
	Body                         safeHTML
}

// show writes a page for somebody who is logged in.
func (p *Page) show(w http.ResponseWriter, r *http.Request, s *session, name, title string, data any) {
	p.showAs(w, r, s, http.StatusOK, page{name, title, data})
}

// A page is the name of its template, its title and what it shows.
type page struct {
	name, title string
	data        any
}

func (p *Page) showAs(w http.ResponseWriter, _ *http.Request, s *session, status int, what page) {
	var b bytes.Buffer
	inner := struct {
		Base, Token, Home string
		Data              any
	}{p.base, s.token, p.Home, what.data}
	if err := templates.ExecuteTemplate(&b, what.name, inner); err != nil {
		http.Error(w, "The page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	render(w, status, "frame", frame{
		Base: p.base, Title: what.title, Name: what.name, Token: s.token, By: view.Safe(p.Desk.By),
		Waiting: p.inbox.count(), Notices: s.said(), Body: safeHTML(b.String()),
	})
}

// fail writes a page that says what went wrong.
func (p *Page) fail(w http.ResponseWriter, r *http.Request, s *session, err error) {
	p.showAs(w, r, s, http.StatusInternalServerError, page{"problem", "Something is wrong", view.Safe(err.Error())})
}

// back goes to a page of ours and says what became of a change.
func (p *Page) back(w http.ResponseWriter, r *http.Request, s *session, to, done string, err error) {
	if err != nil {
		s.say(true, partly(err))
	} else {
		s.say(false, done)
	}
	http.Redirect(w, r, p.base+to, http.StatusSeeOther)
}

// static is a file that belongs to the page.
func static(w http.ResponseWriter, r *http.Request) {
	kinds := map[string]string{"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}
	kind, ok := kinds[r.PathValue("name")]
	if !ok {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	text, err := fs.ReadFile(files, "static/"+r.PathValue("name"))
	if err != nil {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text) // whoever asked may have gone
}
