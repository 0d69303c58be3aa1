package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/preset"
)

// Merge makes one policy of the files, in whatever order they are given. Rules
// of all files count together, and of settings the strictest: the strongest file
// that sets it counts only for the preset.
//
// A file that is not trusted or has a mistake in it only tightens; Policy.Dropped
// lists what would have loosened.
func Merge(files []Layered) Policy { return mergeAs(files, "") }

// mergeAs is Merge with another preset than the files set; empty: theirs.
func mergeAs(files []Layered, chosen string) Policy {
	files = slices.DeleteFunc(slices.Clone(files), func(l Layered) bool { return l.File == nil })
	slices.SortStableFunc(files, func(a, b Layered) int { return cmp.Compare(a.rank(), b.rank()) })
	var m merger
	m.Preset, m.PresetFrom = presetOf(files)
	if chosen != "" {
		m.Preset, m.PresetFrom = chosen, sayso.Source{}
	}
	files, m.Dropped = fitting(files, m.Preset, chosen != "")
	var errs []error
	full := make([]bool, len(files))
	for i := range files {
		err := cmp.Or(files[i].File.Err, files[i].mayBypass(m.Preset))
		full[i] = err == nil && files[i].Trusted
		errs = append(errs, err)
	}
	m.Err = errors.Join(errs...)
	for i := range files {
		m.rules(&files[i], full[i])
		m.switches(&files[i])
		if full[i] {
			m.loosen(&files[i])
		}
	}
	for i := range files {
		if !full[i] {
			m.tighten(&files[i])
		}
	}
	m.Ask = slices.DeleteFunc(m.Ask, func(c preset.Capability) bool { return slices.Contains(m.Off, c) })
	return m.Policy
}

// rank is the place of the file's layer; one that is not known is the weakest.
func (l *Layered) rank() int {
	if i := slices.Index(local.Layers[:], l.Layer); i >= 0 {
		return i
	}
	return len(local.Layers)
}

// source is the place of a key in the file, with its layer.
func (l *Layered) source(key string) sayso.Source {
	s := l.File.Source(key)
	s.Layer = l.Layer
	return s
}

// mayBypass returns an error if a file that comes with a repository sets the
// mode bypass, even if it is trusted: to trust a workspace is not to give up
// being asked.
func (l *Layered) mayBypass(name string) error {
	if !isLoose(name, l.File.Mode) || !l.Trusted || l.rank() < slices.Index(local.Layers[:], sayso.Committed) {
		return nil
	}
	at := l.source("mode")
	return &Error{at.File, at.Line, at.Column, "mode: only a file of your own can set " + l.File.Mode, "put it into ~/.config/sayso/policy.yaml"}
}

// A merger is a policy that is being made.
type merger struct{ Policy }

func (m *merger) drop(l *Layered, key, what string) {
	m.dropWhy(l.source(key), what, l.why())
}

func (m *merger) dropWhy(at sayso.Source, what, why string) {
	m.Dropped = append(m.Dropped, Dropped{What: what, Source: at, Why: why})
}

// why says why the file may only tighten.
func (l *Layered) why() string {
	if l.File.Err != nil || l.Trusted {
		return "the file has a mistake"
	}
	return "the workspace is not trusted, and its file may only tighten"
}

// rules adds the rules of a file, those that allow only if it may loosen.
func (m *merger) rules(l *Layered, full bool) {
	for _, r := range l.File.Rules {
		r.Source.Layer = l.Layer
		if r.Effect >= sayso.Allow && !full {
			m.dropWhy(r.Source, "allow "+r.Text, l.why())
			continue
		}
		m.Rules = append(m.Rules, r)
	}
}

// switches adds what a file switches off. Off is stronger than ask, ask than on.
func (m *merger) switches(l *Layered) {
	m.Off = union(m.Off, l.File.Workspace.Off)
	m.Ask = union(m.Ask, l.File.Workspace.Ask)
}

// loosen adds the settings of a file that may set them.
func (m *merger) loosen(l *Layered) {
	f := l.File
	if f.Mode != "" {
		m.addMode(l, m.Mode)
	}
	if l.Layer == sayso.Managed {
		m.ModeFloor = f.Mode
	}
	m.Also = union(m.Also, f.Workspace.Also)
	if s := f.Sandbox; s.Files != "" && (m.Sandbox.Files == "" || stricter(s.Files, m.Sandbox.Files)) {
		m.Sandbox.Files = s.Files
	}
	m.Sandbox.Hosts = bothHosts(m.Sandbox.Hosts, f.Sandbox.Hosts)
	if r := f.Sandbox.Required; r != nil && (m.Sandbox.Required == nil || *r) {
		m.Sandbox.Required = r
	}
	if k := f.Sandbox.Keep; k != nil && (m.Sandbox.Keep == nil || !*k) {
		m.Sandbox.Keep = k
	}
	m.Sandbox.Programs = StricterPrograms(m.Sandbox.Programs, f.Sandbox.Programs)
	m.Approve.Via = both(m.Approve.Via, f.Approve.Via)
	m.Approve.Offer = both(m.Approve.Offer, f.Approve.Offer)
	if t := f.Approve.Timeout; t > 0 && (m.Approve.Timeout == 0 || t < m.Approve.Timeout) {
		m.Approve.Timeout = t
	}
}

// tighten adds the settings of a file that may only tighten, after all others.
func (m *merger) tighten(l *Layered) {
	f := l.File
	if f.Preset != "" && m.Preset == "" && f.Preset != "native" {
		m.drop(l, "preset", "preset "+f.Preset)
	}
	m.tightenMode(l)
	for i, folder := range f.Workspace.Also {
		if !slices.Contains(m.Also, folder) {
			m.drop(l, fmt.Sprintf("workspace.also[%d]", i), "workspace.also "+folder)
		}
	}
	m.tightenSandbox(l)
	m.Approve.Via = both(m.Approve.Via, f.Approve.Via)
	m.Approve.Offer = both(m.Approve.Offer, f.Approve.Offer)
	switch t := f.Approve.Timeout; {
	case t > 0 && t <= cmp.Or(m.Approve.Timeout, DefaultTimeout):
		m.Approve.Timeout = t
	case t > 0 && m.Approve.Timeout == 0:
		m.drop(l, "approve.timeout", "approve.timeout "+t.String())
	}
}

func (m *merger) tightenMode(l *Layered) {
	mode, now := l.File.Mode, cmp.Or(m.Mode, preset.Default)
	switch {
	case mode == "" || mode == now:
	case isLoose(m.Preset, mode):
		m.drop(l, "mode", "mode "+mode)
	case !slices.Contains(modes, mode):
		m.ModeBeside = m.ModeBeside || m.Mode == ""
		m.addMode(l, m.Mode)
	case together(now, mode) != now:
		m.addMode(l, now)
	}
}

// addMode adds the mode of a file to those that count. The source is that of the
// strictest.
func (m *merger) addMode(l *Layered, now string) {
	m.Mode = together(now, l.File.Mode)
	if first, _, _ := strings.Cut(m.Mode, "+"); first == l.File.Mode && !strings.HasPrefix(now+"+", first+"+") {
		m.ModeFrom = l.source("mode")
	}
}

func (m *merger) tightenSandbox(l *Layered) {
	s := l.File.Sandbox
	switch {
	case s.Files == "":
	case stricter(s.Files, cmp.Or(m.Sandbox.Files, "workspace-write")):
		m.Sandbox.Files = s.Files
	case m.Sandbox.Files == "" && s.Files == "unconfined":
		m.drop(l, "sandbox.files", "sandbox.files "+s.Files)
	}
	if m.Sandbox.Hosts == nil && len(s.Hosts) > 0 { // a list opens hosts where there was none
		m.drop(l, "sandbox.hosts", "sandbox.hosts "+strings.Join(s.Hosts, ", "))
	} else {
		m.Sandbox.Hosts = bothHosts(m.Sandbox.Hosts, s.Hosts)
	}
	switch {
	case s.Required == nil:
	case *s.Required:
		m.Sandbox.Required = s.Required
	case m.Sandbox.Required == nil: // it may be the default
		m.drop(l, "sandbox.required", "sandbox.required false")
	}
	switch {
	case s.Keep == nil:
	case !*s.Keep:
		m.Sandbox.Keep = s.Keep
	case m.Sandbox.Keep == nil: // a process stays behind
		m.drop(l, "sandbox.keep", "sandbox.keep true")
	}
	m.Sandbox.Programs = StricterPrograms(m.Sandbox.Programs, s.Programs)
}

// StricterPrograms is the stricter of two of [Programs]; empty: neither is set.
func StricterPrograms(a, b string) string {
	if slices.Index(Programs[:], b) > slices.Index(Programs[:], a) {
		return b
	}
	return a
}

// stricter compares what files a sandbox lets a command write.
func stricter(a, b string) bool {
	words := fileAccess("").words()
	return slices.Index(words, a) < slices.Index(words, b)
}
