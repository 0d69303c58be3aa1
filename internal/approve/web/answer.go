package web

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
)

func (p *Page) showInbox(w http.ResponseWriter, r *http.Request, s *session) {
	p.inbox.look(r.Context(), true)
	list, seq, err := p.inbox.all()
	cards := make([]safeHTML, len(list))
	for i, one := range list {
		cards[i] = one.withToken(s)
	}
	problem := ""
	if err != nil {
		problem = view.Safe(err.Error())
	}
	p.show(w, r, s, "inbox", "Inbox", struct {
		Cards   []safeHTML
		Seq     int
		Problem string
	}{cards, seq, problem})
}

// tokenHere stands in a card where the token of the session is to be: cards are
// drawn once for all sessions. It is longer than what a person could be shown as
// a piece of a command by chance, and nobody knows it.
var tokenHere = secret()

// card draws a request.
func card(w *waiting) string {
	var b bytes.Buffer
	data := struct {
		*view.View
		Token string
	}{&w.view, tokenHere}
	if err := templates.ExecuteTemplate(&b, "card", data); err != nil {
		return `<article class="card">` + template.HTMLEscapeString("it cannot be shown: "+err.Error()) + `</article>`
	}
	return b.String()
}

// withToken is the card for one session.
func (w *waiting) withToken(s *session) safeHTML {
	return safeHTML(strings.ReplaceAll(w.html, tokenHere, s.token))
}

// events tells a browser what comes and goes, until it goes away.
func (p *Page) events(w http.ResponseWriter, r *http.Request, s *session) {
	done, ok := s.listen()
	if !ok {
		tooMany(w, "5")
		return
	}
	defer done()
	seq := number(r.URL.Query().Get("after"))
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		seq = number(last)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := stream{w: w, to: http.NewResponseController(w)}
	out.write(": hello\n\n")
	alive := time.NewTicker(15 * time.Second)
	defer alive.Stop()
	for out.err == nil {
		list, more, known := p.inbox.since(seq)
		if !known {
			out.send(p.inbox.lastSeq(), "reload", nil)
			return
		}
		for _, e := range list {
			p.sendEvent(&out, e, s)
			seq = e.seq
		}
		select {
		case <-r.Context().Done():
			return
		case <-more:
		case <-alive.C:
			out.write(": alive\n\n")
		}
		if !p.doors.lives(s) {
			out.send(seq, "reload", nil)
			return
		}
	}
}

func (b *inbox) lastSeq() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seq
}

func (p *Page) sendEvent(out *stream, e event, s *session) {
	switch {
	case e.id == "":
		_, _, err := p.inbox.all()
		text := ""
		if err != nil {
			text = view.Safe(err.Error())
		}
		out.send(e.seq, "problem", map[string]any{"text": text})
	case e.close:
		out.send(e.seq, "gone", map[string]any{"id": e.id, "text": e.text, "waiting": p.inbox.count()})
	default:
		w := p.inbox.find(e.id)
		if w == nil {
			return
		}
		out.send(e.seq, "come", map[string]any{
			"id": e.id, "html": w.withToken(s), "waiting": p.inbox.count(),
			"text": fmt.Sprintf("%s %s. Risk: %s.", w.view.Asks(), w.view.Wants, w.view.Risk.Word),
		})
	}
}

// A stream writes events to a browser.
type stream struct {
	w   http.ResponseWriter
	to  *http.ResponseController
	err error
}

func (s *stream) send(seq int, name string, data any) {
	text, err := json.Marshal(data) // on one line, and < as \u003c
	if err != nil {
		s.err = err
		return
	}
	s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", seq, name, text))
}

func (s *stream) write(text string) {
	if s.err != nil {
		return
	}
	_ = s.to.SetWriteDeadline(time.Now().Add(30 * time.Second)) // where there is none it lasts
	if _, s.err = fmt.Fprint(s.w, text); s.err == nil {
		s.err = s.to.Flush()
	}
}

// answer is one of the choices of a request that was pressed.
func (p *Page) answer(w http.ResponseWriter, r *http.Request, s *session) {
	form := r.PostForm
	text, err := p.give(r, form.Get("id"), form.Get("choice"), form.Get("contract"), form.Get("yes") == "yes")
	status := http.StatusOK
	if err != nil {
		status, text = http.StatusConflict, whyNot(err)
	}
	if r.Header.Get("Accept") == "application/json" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": err == nil, "text": text}) // whoever asked has gone
		return
	}
	s.say(err != nil, text)
	http.Redirect(w, r, p.base, http.StatusSeeOther)
}

// give gives an answer to what the person saw, or says why it does not count.
func (p *Page) give(r *http.Request, id, key, contract string, yes bool) (string, error) {
	w := p.inbox.find(id)
	if w == nil {
		return "", sayso.ErrNotFound
	}
	shown := false
	for _, c := range w.view.Choices {
		shown = shown || c.Name == key && c.Yes == yes && subtle.ConstantTimeCompare([]byte(c.Contract), []byte(contract)) == 1
	}
	if !shown {
		return "", sayso.ErrContract
	}
	a, err := p.Desk.Answer(r.Context(), w.request, yes, key)
	if err != nil && a.RequestID == "" {
		return "", err
	}
	p.inbox.look(r.Context(), true)
	text := toldOf(a)
	if err != nil { // it counts, and could not be recorded
		text += ". " + view.Safe(err.Error())
	}
	return text, nil
}

// whyNot says why an answer does not count.
func whyNot(err error) string {
	var by *sayso.AnsweredError
	switch {
	case errors.As(err, &by):
		return "Too late, somebody was quicker. " + toldOf(by.Answer) + "."
	case errors.Is(err, sayso.ErrLate):
		return "Too late: nobody waits for the answer any more, and the call was denied."
	case errors.Is(err, sayso.ErrNotFound):
		return "There is no such request any more."
	case errors.Is(err, sayso.ErrChannel):
		return "The policy lets nobody say yes on this page."
	case errors.Is(err, sayso.ErrContract), errors.Is(err, sayso.ErrChoice):
		return "That is not what was shown. Load the page again, and look at it once more."
	}
	return "It was not answered: " + view.Safe(err.Error())
}
