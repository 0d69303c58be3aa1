package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// programs are the names of Chromium.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// patience is how long anything may take: others may use the machine, too.
const patience = 90 * time.Second

// rebound is a name that leads to this machine, and is not ours.
const rebound = "rebound.example"

// chromium is one browser for all tests; each tab has cookies of its own.
var chromium struct {
	sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error
}

func openBrowser(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser is not started for -short")
	}
	at := slices.IndexFunc(programs, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if at < 0 {
		t.Fatal("there is no Chromium: scripts/setup installs it")
	}
	chromium.Do(func() {
		options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(programs[at]), chromedp.WindowSize(1000, 800), chromedp.WSURLReadTimeout(patience),
			chromedp.Flag("host-resolver-rules", "MAP "+rebound+" 127.0.0.1"))
		if os.Getuid() == 0 { // its sandbox does not work for root, who runs the tests in a container
			options = append(options, chromedp.NoSandbox)
		}
		ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, end := chromedp.NewContext(ctx)
		chromium.ctx, chromium.cancel = ctx, []context.CancelFunc{end, stop}
		chromium.err = chromedp.Do(ctx)
	})
	if chromium.err != nil {
		t.Fatalf("start Chromium: %v", chromium.err)
	}
	return chromium.ctx
}

func closeBrowser() {
	for _, f := range chromium.cancel {
		f()
	}
}

// A tab is a tab of the browser.
type tab struct {
	*world
	ctx context.Context

	mu       sync.Mutex
	problems []string // what went wrong in it: scripts that fail, rules that were broken

	elsewhere bool // it goes to other pages, too, in which anything may go wrong
}

// tab opens a tab with cookies of its own, and logs in.
func (w *world) tab() *tab {
	w.t.Helper()
	v := w.stranger()
	v.do(chromedp.Navigate(w.link), visible("nav"))
	w.link = ""
	return v
}

// stranger is a tab that is not logged in.
func (w *world) stranger() *tab {
	w.t.Helper()
	ctx, cancel := chromedp.NewContext(openBrowser(w.t), chromedp.WithNewBrowserContext())
	v := &tab{world: w, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil { // it opens, and stays open for longer than one action
		w.t.Fatalf("open a tab: %v", err)
	}
	var all sync.WaitGroup
	note := func(text string) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if !v.elsewhere {
			v.problems = append(v.problems, text)
		}
	}
	messages, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	all.Go(func() {
		for m, err := range messages {
			if err == nil && (m.IsException() || m.Type == "error" && m.Source != "network") {
				note(m.String())
			}
		}
	})
	all.Go(func() {
		for e, err := range requests {
			if err == nil && !strings.HasPrefix(e.Request.URL, w.url) && !strings.HasPrefix(e.Request.URL, "about:") && !strings.HasPrefix(e.Request.URL, "data:") { // pictures of its own
				note("it fetched " + e.Request.URL)
			}
		}
	})
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		cancel()
		all.Wait()
		for _, p := range v.problems {
			w.t.Errorf("in the browser: %s", p)
		}
	})
	return v
}

// do runs actions in the tab.
func (v *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	for _, a := range actions {
		get(v, a)
	}
}

// get runs an action in the tab, and returns what comes of it.
func get[T any](v *tab, a chromedp.Action[T]) T {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, a)
	if err != nil {
		v.lost(err)
	}
	return out
}

// lost ends the test and tells what the page shows.
func (v *tab) lost(err error) {
	v.t.Helper()
	text, _ := chromedp.Run(v.ctx, chromedp.Evaluate[string]("document.body ? document.body.innerText : ''")) // for the message only
	v.t.Fatalf("%v\nthe page shows:\n%s", err, text)
}

// visible waits until something is to be seen.
func visible(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector), chromedp.RetryInterval(20*time.Millisecond))
}

// text is the text of the first element, once it is to be seen.
func (v *tab) text(selector string) string {
	v.t.Helper()
	v.do(visible(selector))
	return get(v, chromedp.Text(chromedp.CSS(selector)))
}

// until waits until an expression is true, also on the next page.
func (v *tab) until(expression string) {
	v.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool](expression)); err == nil && ok {
			return
		}
	}
	v.lost(errors.New("it never happens: " + expression))
}

// value is what an expression comes to.
func value[T any](v *tab, expression string) T {
	v.t.Helper()
	return get(v, chromedp.Evaluate[T](expression))
}

// goTo goes to a page by its name.
func (v *tab) goTo(name string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.url+value[string](v, "document.body.dataset.base")+name), visible("h1"))
}

// click presses what a selector finds.
func (v *tab) click(selector string) {
	v.t.Helper()
	v.do(visible(selector), chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// fill gives a field a value.
func (v *tab) fill(selector, text string) {
	v.t.Helper()
	v.do(chromedp.SetValue(chromedp.CSS(selector), text))
}

// keys presses keys, one by one.
func (v *tab) keys(keys ...string) {
	v.t.Helper()
	for _, key := range keys {
		v.do(chromedp.KeyEvent(key))
	}
}

// submit presses a button that leads to another page.
func (v *tab) submit(selector string) {
	v.t.Helper()
	value[bool](v, "document.body.dataset.old = true")
	v.click(selector)
	v.until("document.body !== null && !document.body.dataset.old && document.readyState === 'complete'")
}

// shows fails unless the page shows all the texts.
func (v *tab) shows(selector string, texts ...string) {
	v.t.Helper()
	got := v.text(selector)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			v.t.Errorf("%s does not show %q:\n%s", selector, want, got)
		}
	}
}
