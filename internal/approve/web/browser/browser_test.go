package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAnswer: a call arrives by itself, its card shows what will run, Allow lets
// the process that waits go on, and Deny stops it.
func TestAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	v.shows("#nothing", "Nothing waits")
	if at := value[string](v, "location.href"); strings.Contains(at, "#") {
		t.Errorf("what lets somebody in is still in the address: %s", at)
	}
	for _, one := range []struct{ id, button, want, says string }{
		{"call1", ".yes button", "allow person.yes <nil>", "Allowed by "},
		{"call2", ".no button", "deny person.no <nil>", "Denied by "},
	} {
		a := w.asks(one.id, "ls && git push origin "+one.id)
		card := ".card:not(.closed)"
		v.shows(card, "claude, session s1", "wants to run", "git push origin "+one.id, "moderate", "Push commits to the remote repository", "Why it asks",
			"working directory", "protected paths", "environment overrides", "timeout", "output limit", "network policy", "this session: bash(git push *)",
			"every command that starts with git push")
		if got := v.text(card + " .decisive"); got != "git push origin "+one.id {
			t.Errorf("highlighted is %q", got)
		}
		if got := value[string](v, "document.title"); got != "(1) Inbox · sayso" {
			t.Errorf("the title is %q", got)
		}
		v.until("Date.now() - moved > settle")
		v.click(card + " " + one.button)
		if got := a.got(); got != one.want {
			t.Errorf("%s: the process got %q", one.id, got)
		}
		v.until("document.querySelectorAll('.card:not(.closed)').length === 0")
		v.shows(".card.closed:last-of-type .outcome", one.says, "through the page")
	}
	if log := w.must("log", "--kind", "answer"); !strings.Contains(log, "through page") {
		t.Errorf("the journal has:\n%s", log)
	}
}

// TestOthersAnswer: two tabs and a terminal answer at once: one wins, all tabs
// close the card and say who it was, and the process gets that answer.
func TestOthersAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	one := w.tab()
	one.submit("footer form:first-of-type button")
	w.link = strings.TrimSpace(one.text("#link"))
	one.goTo("")
	two := w.tab()
	for round := range 3 {
		a := w.asksIn(fmt.Sprint("s", round), fmt.Sprint("call", round), "git push") // in one session, what was denied is not asked about again
		one.do(visible(".card:not(.closed)"))
		two.do(visible(".card:not(.closed)"))
		id := value[string](one, "document.querySelector('.card:not(.closed)').dataset.id")
		press := func(v *tab, button string) func() {
			return func() {
				_, _ = chromedp.Run(v.ctx, chromedp.Evaluate[chromedp.Void]("moved = 0, document.querySelector('#card-"+id+" "+button+"').click()")) // it may be too late
			}
		}
		var told string
		var failed error
		var all sync.WaitGroup
		all.Go(press(one, ".yes button"))
		all.Go(press(two, ".no button"))
		all.Go(func() { told, failed = w.sayso("approve", id) })
		all.Wait()
		got := a.got()
		for _, v := range []*tab{one, two} {
			v.until("document.querySelector('#card-" + id + "').classList.contains('closed')")
		}
		first, second := one.text("#card-"+id+" .outcome"), two.text("#card-"+id+" .outcome")
		yes, page := strings.HasPrefix(first, "Allowed by"), strings.HasSuffix(first, "through the page")
		if first != second || yes != strings.HasPrefix(got, "allow person.yes") || page != (failed != nil) {
			t.Errorf("one tab says %q, the other %q, the terminal %q (%v), the process got %q", first, second, told, failed, got)
		}
		if said := strings.Count(w.must("log", "--json", "--kind", "answer", "--call", fmt.Sprint("call", round)), `"note":"said"`); said != 1 {
			t.Errorf("%d answers are in the journal", said)
		}
	}
}

// TestKeyboard: everything can be done with keys, and no key alone answers.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	a, b := w.asks("call1", "git push origin one"), w.asks("call2", "git push origin two")
	v.until("document.querySelectorAll('.card').length === 2")
	focus := func() string {
		return value[string](v, "(document.activeElement.closest('.card')?.querySelector('.decisive').textContent ?? '') + '|' + document.activeElement.tagName + '|' + (document.activeElement.dataset.key ?? '')")
	}
	first := value[string](v, "document.querySelector('.card .decisive').textContent")
	v.keys("j")
	if got := focus(); got != first+"|ARTICLE|" {
		t.Errorf("j goes to %s", got)
	}
	if outline := value[string](v, "getComputedStyle(document.activeElement).outlineStyle"); outline == "none" {
		t.Error("it is not to be seen where the focus is")
	}
	v.keys(kb.Enter, " ", "x", "y")
	if got := focus(); got != first+"|BUTTON|y" {
		t.Errorf("y goes to %s", got)
	}
	if n := w.waiting(); n != 2 {
		t.Errorf("%d wait after keys that must not answer", n)
	}
	v.keys(kb.Enter)
	one, other := a, b
	if strings.HasSuffix(first, "two") {
		one, other = b, a
	}
	if got := one.got(); !strings.HasPrefix(got, "allow") {
		t.Errorf("the process got %q", got)
	}
	v.until("document.querySelectorAll('.card.closed').length === 1")
	v.keys("j", "n")
	if got := focus(); !strings.HasSuffix(got, "|BUTTON|n") || strings.HasPrefix(got, first) {
		t.Errorf("j and n go to %s", got)
	}
	v.until("Date.now() - moved > settle")
	v.keys(kb.Enter)
	if got := other.got(); !strings.HasPrefix(got, "deny") {
		t.Errorf("the process got %q", got)
	}
	v.keys("g", "t")
	v.do(visible("nav a[href$=trust][aria-current]"))
	// Tab goes from what skips the links on, in the order of what is seen.
	v.keys(kb.Tab)
	if got := value[string](v, "document.activeElement.textContent"); got != "Skip to the content" {
		t.Errorf("the first is %q", got)
	}
}

// TestSettle: what has just moved cannot be pressed by accident.
func TestSettle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	w.asks("call1", "git push")
	v.do(visible(".card"))
	value[float64](v, "moved = Date.now() + 60000")
	v.click(".card .yes button")
	v.shows("#notices", "Nothing was answered: the cards have just moved")
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
}

// TestDoor: a link counts once, and what was not let in sees nothing.
func TestDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	link := w.link
	w.asks("call1", "git push")
	v := w.tab()
	v.do(visible(".card"))
	other := w.stranger()
	other.do(chromedp.Navigate(link), visible(".notice.bad"))
	other.shows("main", "a link counts once")
	other.do(chromedp.Navigate(strings.Split(link, "login")[0]), visible("#login"))
	other.do(chromedp.Navigate(w.url + "/"))
	other.shows("body", "There is nothing here")
	v.submit("footer form:last-of-type button")
	v.do(visible("#login"))
	v.do(chromedp.Navigate(strings.Split(link, "login")[0]), visible("#login"))
}

// TestHostile: what an agent sends is shown, and never interpreted.
func TestHostile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	w.asks("call1", "git push # </pre><img src=x onerror='window.pwned=1'><script>window.pwned=1</script><form action=answer><button>Allow</button></form> \u202egnihton")
	v.do(visible(".card"))
	v.shows(".card .what", "<img src=x onerror='window.pwned=1'>", `\u{202e}gnihton`)
	v.shows(".card", "Careful:")
	if value[bool](v, "window.pwned !== undefined || document.querySelectorAll('.what img, .what script, .what form, .what button').length > 0") {
		t.Error("it was interpreted")
	}
	if n := value[int](v, "document.querySelectorAll('.card form').length"); n != 4 {
		t.Errorf("the card has %d forms", n)
	}
	v.goTo("journal")
	v.shows("#stories", "<img src=x onerror='window.pwned=1'>")
	v.click("#stories a")
	v.do(visible(".way"))
	v.shows(".way", "<script>window.pwned=1</script>")
	if value[bool](v, "window.pwned !== undefined") {
		t.Error("it was interpreted")
	}
}

// TestRules: a rule that is removed on the page is gone from file and database,
// and what failed in part is said so.
func TestRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	v := w.tab()
	v.goTo("settings")
	add := func(effect, text, place string) {
		v.fill("#add [name=effect]", effect)
		v.fill("#add [name=text]", text)
		v.fill("#add [name=place]", place)
		v.submit("#add button")
	}
	remove := func(rule string) { v.submit(fmt.Sprintf("button[aria-label='Remove the rule %s']", rule)) }
	add("deny", "bash(git push --force *)", "both")
	v.shows("#notices", "Added: deny bash(git push --force *)")
	if text := w.read(".sayso.yaml"); !strings.Contains(text, "git push --force") {
		t.Errorf("the file has:\n%s", text)
	}
	if list := w.must("rule", "list"); strings.Count(list, "git push --force") != 2 || !strings.Contains(list, "sayso.db") {
		t.Errorf("the rules are:\n%s", list)
	}
	remove("deny bash(git push --force *)")
	v.shows("#notices", "Removed: deny bash(git push --force *)")
	if text, list := w.read(".sayso.yaml"), w.must("rule", "list"); strings.Contains(text, "push") || strings.Contains(list, "push") {
		t.Errorf("it is still there:\n%s\n%s", text, list)
	}
	if got := value[string](v, "document.body.innerText"); strings.Contains(strings.Replace(got, "Removed: deny bash(git push --force *)", "", 1), "--force *)") {
		t.Errorf("the page still shows it:\n%s", got)
	}
	add("ask", "bash(make *)", "file")
	add("allow", "bash(cargo test *)", "profile")
	if list := w.must("rule", "list"); !strings.Contains(list, "bash(make *)") || !strings.Contains(list, "profile.age") {
		t.Errorf("the rules are:\n%s", list)
	}
	remove("ask bash(make *)")
	remove("allow bash(cargo test *)")
	if list := w.must("rule", "list"); strings.TrimSpace(list) != "" {
		t.Errorf("these are left:\n%s", list)
	}
	add("deny", "nonsense((", "database")
	v.shows("#notices", "Not as you wanted:")

	// One of the two places cannot be written.
	add("deny", "bash(shutdown *)", "both")
	file := filepath.Join(w.repo, ".sayso.yaml")
	if err := os.Rename(file, file+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+".real", file); err != nil {
		t.Fatal(err)
	}
	v.goTo("settings")
	remove("deny bash(shutdown *)")
	v.shows("#notices", "Only a part of it was done", ".sayso.yaml")
	if text := w.read(".sayso.yaml.real"); !strings.Contains(text, "shutdown") {
		t.Error("it was removed through a link")
	}
}

// TestManaged: mode, grants, trust and the journal can be looked at and changed.
func TestManaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".sayso.yaml", "ask: [bash(make *)]\n")
	w.write(".mcp.json", `{"mcpServers":{"files":{"command":"files-server","args":["--all"],"env":{"KEY":"v"}}}}`)
	w.must("trust", "add")
	w.must("trust", "add", "--server", "files")
	w.serve()
	v := w.tab()
	v.goTo("settings")
	v.fill("#choose-mode", "careful")
	v.submit("section:first-of-type button")
	v.shows("#mode", "careful")
	if out, _ := w.sayso("check", "bash", "touch x"); !strings.HasPrefix(out, "ask") {
		t.Errorf("in the mode careful: %s", out)
	}

	a := w.asks("call1", "git push")
	v.goTo("")
	v.click(".card .answer:nth-of-type(2) button")
	if got := a.got(); !strings.HasPrefix(got, "allow") {
		t.Fatal(got)
	}
	v.goTo("grants")
	v.shows(".grant", "bash(git push *)", "in the session s1")
	v.submit(".grant button")
	if out := w.must("grant", "list", "--json"); out != "" {
		t.Errorf("the grant is still there: %s", out)
	}

	v.goTo("trust")
	v.shows("main", "the workspace itself", "the file .sayso.yaml", "the MCP server files: stdio files-server --all, with KEY")
	v.submit("button[aria-label^='Revoke: the MCP server files']")
	if out := w.must("trust", "list"); strings.Contains(out, "files") || !strings.Contains(out, ".sayso.yaml") {
		t.Errorf("trusted is:\n%s", out)
	}
	v.submit("main > form button")
	v.shows("main", "Nothing is trusted")
	if out := w.must("trust", "list", "--json"); out != "" {
		t.Errorf("trusted is:\n%s", out)
	}

	v.goTo("journal?effect=ask&tool=Bash&text=push")
	if n := value[int](v, "document.querySelectorAll('#stories > li').length"); n != 1 {
		t.Errorf("%d calls are found", n)
	}
	v.click("#stories a")
	v.do(visible(".way"))
	v.shows(".way", "The agent asks", "guards", "has no opinion", "decides to ask", "A person is asked", "The person answers", "through the page")
	if n := value[int](v, "document.querySelectorAll('.way svg .mark').length"); n < 10 {
		t.Errorf("the picture has %d marks", n)
	}
}
