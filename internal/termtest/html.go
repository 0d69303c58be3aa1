package termtest

import (
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// palette are the colours of a dark terminal.
var palette = map[string]string{"red": "#ff7b72", "green": "#7ee787", "yellow": "#f2cc60"}

// HTML is a page that shows the screen, for pictures of it.
func (s *Screen) HTML() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><body style="margin:0;background:#16191f;color:#dde1e7"><pre style="margin:16px;font:14px/1.25 'DejaVu Sans Mono','Liberation Mono',monospace">`)
	for _, l := range s.lines {
		for i, c := range l {
			switch {
			case c.text == "" && i > 0 && len(l[i-1].text) > 1 && ansi.StringWidth(l[i-1].text) == 2:
				continue
			case c.text == "":
				c.text = " "
			}
			if css := c.style.css(); css != "" {
				fmt.Fprintf(&b, `<span style="%s">%s</span>`, css, html.EscapeString(c.text))
				continue
			}
			b.WriteString(html.EscapeString(c.text))
		}
		b.WriteString("\n")
	}
	b.WriteString("</pre>")
	return b.String()
}

// css is how it looks in a browser.
func (s style) css() string {
	var out []string
	add := func(on bool, text string) {
		if on {
			out = append(out, text)
		}
	}
	add(s.bold, "font-weight:bold")
	add(s.dim, "opacity:.62")
	add(s.italic, "font-style:italic")
	add(s.under, "text-decoration:underline")
	add(s.inverse, "background:#dde1e7;color:#16191f")
	add(!s.inverse && palette[s.fg] != "", "color:"+palette[s.fg])
	return strings.Join(out, ";")
}
