package browser

import (
	"bytes"
	"encoding/base64"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayso-dev/sayso/internal/termtest"
)

var images = flag.String("images", "", "the folder to write pictures of the page to")

// TestImages writes pictures of the page, for the README; make images runs it.
func TestImages(t *testing.T) {
	t.Parallel()
	if *images == "" {
		return // make images names the folder
	}
	w := lived(t)
	w.write(".git/config", "[remote \"origin\"]\n\turl = git@example.com:team/app.git\n")
	v := w.tab()
	v.happens("npm publish", "git push origin main")
	v.do(chromedp.EmulateViewport(860, 760))
	v.asks("call3", "ssh build@example.com 'rm -rf /srv/app/cache'")
	v.until("document.querySelectorAll('.card:not(.closed)').length === 2")
	shoot := func(name, page, scheme string) {
		t.Helper()
		v.scheme(scheme)
		v.goTo(page)
		if err := os.WriteFile(filepath.Join(*images, name+".png"), small(t, get(v, chromedp.CaptureScreenshot())), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shoot("inbox", "", "light")
	shoot("inbox-dark", "", "dark")
	shoot("settings", "settings", "light")
	shoot("trust", "trust", "light")
	shoot("journal", "journal", "dark")
	shoot("way", "journal/call?id=call1", "light")
	v.do(chromedp.EmulateViewport(390, 800, chromedp.EmulateMobile))
	shoot("phone", "", "dark")
	terminals(t, v)
}

// terminals writes pictures of what is seen in terminals: the line prompt, the full
// screen with a call that waits, and the question of trust.
func terminals(t *testing.T, v *tab) {
	t.Helper()
	shoot := func(name string, term *termtest.Terminal, height int64) {
		t.Helper()
		var page string
		term.See(func(s *termtest.Screen) { page = s.HTML() })
		v.elsewhere = true
		v.do(chromedp.EmulateViewport(880, height), chromedp.Navigate("data:text/html;base64,"+base64.StdEncoding.EncodeToString([]byte(page))))
		if err := os.WriteFile(filepath.Join(*images, name+".png"), small(t, get(v, chromedp.CaptureScreenshot())), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prompt := termtest.Start(t, v.command("sayso", "ask", "bash", "git status && git push origin main"), 100, 20)
	prompt.Wait("your answer")
	shoot("prompt", prompt, 380)
	prompt.Type("\x03")
	prompt.Exit()
	screen := termtest.Start(t, v.command("sayso", "approve"), 100, 25)
	screen.Wait("git push origin main")
	screen.Type("\r")
	screen.Wait("Ctrl+P commands · Ctrl+C leave")
	shoot("screen", screen, 470)
	screen.Type("\x03")
	screen.Exit()
	v.must("trust", "revoke", "--here")
	trust := termtest.Start(t, v.command("sayso", "trust"), 100, 24)
	trust.Wait("Ctrl+P commands · Ctrl+C leave")
	shoot("trust-start", trust, 450)
	trust.Type("\x03")
	trust.Exit()
}

// small is a picture with the 256 colours that it has most of, which takes a third
// of the space and looks the same.
func small(t *testing.T, text []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	area := from.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var used color.Palette
	for c := range count {
		used = append(used, c)
	}
	slices.SortFunc(used, func(a, b color.Color) int { return count[b.(color.RGBA)] - count[a.(color.RGBA)] })
	used = used[:min(256, len(used))]
	near := map[color.RGBA]uint8{}
	for c := range count {
		near[c] = uint8(used.Index(c))
	}
	to := image.NewPaletted(area, used)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			to.SetColorIndex(x, y, near[at(x, y)])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
