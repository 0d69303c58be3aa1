package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pages are the pages, by their names.
var pages = []string{"", "settings", "grants", "trust", "journal", "journal/call?id=call1"}

// lived is a world in which something has happened.
func lived(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.write(".sayso.yaml", "ask: [bash(make deploy *)]\ndeny:\n  - rule: bash(git push --force *)\n    because: rewrites shared history; use --force-with-lease\n")
	w.write(".mcp.json", `{"mcpServers":{"files":{"command":"files-server","args":["--root","/srv/a-rather-long-path-that-a-phone-cannot-show-in-one-line/and-more"],"env":{"KEY":"v"}}}}`)
	w.must("trust", "add")
	w.must("trust", "add", "--server", "files")
	w.must("rule", "add", "--kept", "allow", "bash(npm run *)")
	w.must("rule", "add", "--profile", "deny", "bash(shutdown *)")
	w.serve()
	return w
}

// long is a command that is wider than any screen.
var long = "npm ci && rm -rf /srv/" + strings.Repeat("very-long-name-", 12) + "/cache && ssh build@example.com 'make deploy TARGET=production'"

// happens lets a call be approved for the session, and another one wait.
func (v *tab) happens(approved, command string) {
	v.t.Helper()
	a := v.asks("call1", approved)
	v.click(".card .answer:nth-of-type(2) button")
	if got := a.got(); !strings.HasPrefix(got, "allow") {
		v.t.Fatal(got)
	}
	v.asks("call2", command)
	v.do(visible(".card:not(.closed)"))
}

func (v *tab) emulate(features ...*emulation.MediaFeature) {
	v.t.Helper()
	if _, err := chromedp.Call(v.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		v.t.Fatal(err)
	}
}

func (v *tab) scheme(name string) {
	v.t.Helper()
	v.emulate(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: name})
}

// contrasts is a script that returns what is hard to read: text with less contrast
// to what is behind it than 4.5 to 1.
const contrasts = `(() => {
	const numbers = (c) => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
	const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
	const out = [];
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		if (!own || !e.checkVisibility() || e.closest(".closed, .quiet, .skip") || ["OPTION", "SCRIPT", "STYLE"].includes(e.tagName)) continue;
		const front = light(numbers(getComputedStyle(e).color)), back = light(behind(e));
		const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
		if (ratio < 4.5) out.push(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.trim().slice(0, 40));
	}
	return out;
})()`

// TestLook: light and dark are told apart, everything can be read in both, and
// nothing is wider than a telephone.
func TestLook(t *testing.T) {
	t.Parallel()
	w := lived(t)
	v := w.tab()
	v.happens("git push origin main", long)
	back := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		v.scheme(scheme)
		for _, page := range pages {
			v.goTo(page)
			back[scheme] = value[string](v, "getComputedStyle(document.body).backgroundColor")
			for _, bad := range value[[]string](v, contrasts) {
				t.Errorf("%s, /%s: hard to read: %s", scheme, page, bad)
			}
		}
	}
	if back["light"] == back["dark"] || back["dark"] != "rgb(20, 22, 26)" {
		t.Errorf("behind everything is %v", back)
	}
	const width = 320 // the smallest that there is
	v.do(chromedp.EmulateViewport(width, 740, chromedp.EmulateMobile))
	for _, page := range pages {
		v.goTo(page)
		if wide := value[int64](v, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("/%s is %d wide on a screen of %d: %s", page, wide, width, value[string](v, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className).join(" ")`))
		}
		if small := value[[]string](v, `[...document.querySelectorAll("button, nav a, select")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.textContent)`); len(small) > 0 {
			t.Errorf("/%s: too small for a finger: %q", page, small)
		}
	}
}

// TestReader: a screen reader finds its way: landmarks, names of everything that
// can be pressed, the risk as a word, and what arrives.
func TestReader(t *testing.T) {
	t.Parallel()
	w := lived(t)
	v := w.tab()
	v.happens("git push origin main", long)
	if _, err := chromedp.Call(v.ctx, accessibility.Enable, struct{}{}); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		v.goTo(page)
		if page == "" { // the page is there before what waits
			v.do(visible(".card:not(.closed)"))
		}
		tree, err := chromedp.Call(v.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			t.Fatal(err)
		}
		names := map[string][]string{}
		for _, n := range tree.Nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			name := ""
			if n.Name != nil {
				name = strings.Trim(string(n.Name.Value), `"`)
			}
			as := strings.Trim(string(n.Role.Value), `"`)
			names[as] = append(names[as], name)
		}
		for _, as := range []string{"banner", "navigation", "main", "contentinfo", "heading", "status"} {
			if len(names[as]) == 0 {
				t.Errorf("/%s has no %s", page, as)
			}
		}
		for _, as := range []string{"button", "link", "textbox", "searchbox", "combobox", "article"} {
			for _, name := range names[as] {
				if name == "" {
					t.Errorf("/%s: a %s has no name", page, as)
				}
			}
		}
		if page != "" {
			continue
		}
		if len(names["log"]) != 1 || len(names["article"]) != 1 || !strings.Contains(names["article"][0], "claude") || !strings.HasSuffix(names["article"][0], "dangerous") {
			t.Errorf("what arrives is told by %q, the card is %q", names["log"], names["article"])
		}
	}
	v.goTo("")
	v.asks("call3", "npm publish")
	v.until(`document.querySelector("#news").textContent.includes("claude, session s1 wants to run")`)
}
