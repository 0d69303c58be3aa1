package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/mask"
	"github.com/sayso-dev/sayso/sandbox"
	"github.com/sayso-dev/sayso/sandbox/changes"
)

// How much a preview shows. What is more is told to be left out.
const (
	mostLines    = 5000
	mostText     = 512 << 10
	mostDiffJSON = 8 << 20
	longestLine  = 2000
)

// previewJSON is a preview, for programs.
type previewJSON struct {
	How     string            `json:"how"`
	Hash    string            `json:"hash"` // of all changes
	Changes []changeJSON      `json:"changes"`
	Notes   []string          `json:"notes,omitempty"`
	Tried   []sandbox.Attempt `json:"tried,omitempty"`
	Result  sandbox.Result    `json:"result"`
	Report  sandbox.Report    `json:"report"`
	Stdout  string            `json:"stdout,omitempty"`
	Stderr  string            `json:"stderr,omitempty"`
	Hidden  bool              `json:"hidden,omitempty"` // what is in files, and what it wrote, is for whoever decides it
}

type changeJSON struct {
	changes.Change
	Diff *changes.Diff `json:"diff,omitempty"`
}

// json is the preview for programs; all: also what is in the files.
func (p *previewing) json(all bool) *previewJSON {
	s := p.shown
	out := &previewJSON{How: s.How, Hash: s.Changes.Hash(), Notes: s.Changes.Notes, Tried: s.Tried, Result: s.Result, Report: s.Report, Hidden: !all, Changes: []changeJSON{}}
	size := 0
	for i := range s.Changes.List {
		one := changeJSON{Change: s.Changes.List[i]}
		if all {
			diff := s.Changes.Diff(&s.Changes.List[i], mask.Text)
			if size += len(strings.Join(diff.Lines, "")); size > mostDiffJSON {
				diff = changes.Diff{Note: "left out: there is too much of it"}
			}
			if diff.Note != "" || len(diff.Lines) > 0 {
				one.Diff = &diff
			}
		}
		out.Changes = append(out.Changes, one)
	}
	if all {
		out.Stdout, out.Stderr = p.outs[0].String(), p.outs[1].String()
	}
	return out
}

// text is the preview for people, line by line; all: also what is in the files.
func (p *previewing) text(all bool) []string {
	w := &previewText{dir: p.call.Root}
	if p.told.Contract != nil {
		w.contract = *p.told.Contract
	}
	s := p.shown
	r := s.Result
	w.line("%s; %s", endedAs(r), s.How)
	w.line("files: %s", s.Changes)
	for i := range s.Changes.List {
		c := &s.Changes.List[i]
		w.line("%-8s %s", c.Kind, w.about(c))
		if all {
			w.diff(s.Changes.Diff(c, mask.Text))
		}
	}
	for _, n := range s.Changes.Notes {
		w.line("note: %s", n)
	}
	w.tried(s.Tried)
	if all {
		w.wrote("it wrote", p.outs[0].String())
		w.wrote("it wrote as errors", p.outs[1].String())
	}
	if w.left > 0 {
		w.out = append(w.out, fmt.Sprintf("%d lines of this are left out: there is too much of it", w.left))
	}
	return w.out
}

func endedAs(r sandbox.Result) string {
	switch {
	case r.Ended != "":
		return "it was ended: " + r.Ended
	case r.Signal != 0:
		return fmt.Sprintf("it was ended by signal %d", r.Signal)
	}
	return fmt.Sprintf("exit status %d", r.Exit)
}

// previewText collects lines.
type previewText struct {
	dir      string
	contract sayso.Contract
	out      []string
	size     int
	left     int // lines that are too many
}

func (w *previewText) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(text) > longestLine {
		text = fmt.Sprintf("%s [and %d bytes more]", strings.ToValidUTF8(text[:longestLine], ""), len(text)-longestLine)
	}
	if len(w.out) >= mostLines || w.size+len(text) > mostText {
		w.left++
		return
	}
	w.out, w.size = append(w.out, text), w.size+len(text)
}

// about says what happens at one path.
func (w *previewText) about(c *changes.Change) string {
	text := w.name(c.Path)
	if c.Same != "" {
		return text + ": another name of " + w.name(c.Same)
	}
	switch {
	case c.Kind == changes.Added:
		text += ": " + stateText(c.After)
	case c.Kind == changes.Removed:
		text += ": " + stateText(c.Before)
	case c.Before.Type != c.After.Type:
		text += fmt.Sprintf(": %s, which was %s", stateText(c.After), stateText(c.Before))
	case c.Touched():
		text += ": only the time at which it was written"
	default:
		text += changedText(c)
	}
	if a := c.After; a != nil && a.Type == changes.Link && w.leadsOut(c) {
		text += "; it leads out of the workspace"
	}
	if c.Kind == changes.Added && w.watched(c.Path) {
		text += "; tools read it by themselves: look at it"
	}
	if c.Names > 1 {
		text += fmt.Sprintf("; it has %d names, of which the others keep what it was", c.Names)
	}
	return text
}

// changedText says what is another than it was.
func changedText(c *changes.Change) string {
	b, a := c.Before, c.After
	var parts []string
	if b.Mode != a.Mode {
		parts = append(parts, fmt.Sprintf("mode %s, which was %s", modeText(a), modeText(b)))
	}
	if b.To != a.To {
		parts = append(parts, fmt.Sprintf("link to %q, which was to %q", a.To, b.To))
	}
	if b.Hash != a.Hash {
		parts = append(parts, fmt.Sprintf("%d bytes, which were %d", a.Size, b.Size))
	}
	return ": " + strings.Join(parts, "; ")
}

func stateText(s *changes.State) string {
	switch s.Type {
	case changes.Link:
		return fmt.Sprintf("link to %q", s.To)
	case changes.File:
		return fmt.Sprintf("file, %d bytes, mode %s", s.Size, modeText(s))
	}
	return fmt.Sprintf("%s, mode %s", s.Type, modeText(s))
}

func modeText(s *changes.State) string {
	text := fmt.Sprintf("%03o", s.Mode.Perm())
	if special := s.Mode.String(); special[0] != '-' {
		text += " " + strings.TrimRight(special, "-rwx") // setuid and the like
	}
	return text
}

// name is a path, from the workspace on.
func (w *previewText) name(path string) string {
	if rel, err := filepath.Rel(w.dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// leadsOut reports whether a link leads out of the workspace.
func (w *previewText) leadsOut(c *changes.Change) bool {
	to := c.After.To
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(c.Path), to)
	}
	rel, err := filepath.Rel(w.dir, to)
	return err != nil || !filepath.IsLocal(rel)
}

// watched reports whether a path is one of those that are told if they are made.
func (w *previewText) watched(path string) bool {
	return slices.ContainsFunc(slices.Concat(w.contract.Barred, w.contract.Watched), func(pattern string) bool {
		ok, err := w.contract.Matches(pattern, path)
		return ok && err == nil
	})
}

func (w *previewText) diff(d changes.Diff) {
	for _, l := range d.Lines {
		w.line("%s", l)
	}
	if d.Note != "" {
		w.line("  (%s)", d.Note)
	}
}

func (w *previewText) tried(list []sandbox.Attempt) {
	if len(list) == 0 {
		return
	}
	w.line("it tried to reach (every address led to nowhere, and was seen there):")
	for _, a := range list {
		switch a.Protocol {
		case "dns":
			w.line("  %s, of which it only looked up the address", a.Host)
		default:
			host := a.Host
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			w.line("  %s:%s (%s)", host, a.Port, a.Protocol)
		}
	}
}

func (w *previewText) wrote(title, text string) {
	if text == "" {
		return
	}
	w.line("%s:", title)
	for l := range strings.Lines(mask.Text(text)) {
		w.line("> %s", strings.TrimSuffix(l, "\n"))
	}
}
