package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestOtherPort: a page that an agent serves at another port of this machine is
// looked at in the very browser that is logged in. It is sent no session, and can
// neither answer, nor read, nor frame the page, though it is told where that is.
func TestOtherPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	w.asks("call1", "git push")
	v.do(visible(".card"))
	base := w.url + value[string](v, "document.body.dataset.base")
	form := value[string](v, "document.querySelector('.card .yes').outerHTML") // with the token, as if it had leaked
	form = strings.Replace(form, `action="answer"`, `id="evil" action="`+base+`answer"`, 1)

	var mu sync.Mutex
	var cookies []string
	var answers int
	agent := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range r.Cookies() {
			cookies = append(cookies, c.String())
		}
		answers++
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, "<title>evil</title><iframe id=frame src=%q></iframe>%s", base, form)
	}))
	t.Cleanup(agent.Close)
	v.mu.Lock()
	v.elsewhere = true
	v.mu.Unlock()
	v.do(chromedp.Navigate(agent.URL), visible("#frame"))
	if mu.Lock(); answers == 0 || len(cookies) > 0 {
		t.Errorf("it was asked %d times, and sent %q", answers, cookies)
	}
	mu.Unlock()
	if value[bool](v, "(() => { try { return frame.contentDocument !== null } catch { return false } })()") {
		t.Error("the page can be read in a frame")
	}
	read := get(v, chromedp.Evaluate[string](`fetch("`+base+`", {credentials: "include"}).then((r) => r.text()).catch(() => "refused")`, chromedp.EvalAwaitPromise))
	if read != "refused" {
		t.Errorf("it reads %.200s", read)
	}
	sent := get(v, chromedp.Evaluate[string](`fetch("`+base+`answer", {method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams(new FormData(evil))}).then(() => "sent").catch(() => "refused")`, chromedp.EvalAwaitPromise))
	v.click("#evil button")
	v.until("document.body && document.body.innerText.includes('Another page has sent this.')")
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait: another page has answered (%s)", n, sent)
	}
}

// TestRebinding: a name of somebody else that leads to this machine opens nothing.
func TestRebinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.stranger()
	v.mu.Lock()
	v.elsewhere = true
	v.mu.Unlock()
	v.do(chromedp.Navigate(strings.Replace(w.link, "127.0.0.1", rebound, 1)))
	v.shows("body", "This is not the address of the page.")
	if strings.Contains(value[string](v, "document.body.innerHTML"), "login") {
		t.Error("it can be logged in there")
	}
}
