package line

import "github.com/sayso-dev/sayso/internal/approve/view"

// Draw is all that is written about a request to a terminal so wide.
func Draw(v *view.View, cols int, env func(string) string) string {
	p := &page{look: lookFor(env), cols: cols}
	p.question(v)
	p.choices(v)
	p.explain(v)
	return p.String()
}
