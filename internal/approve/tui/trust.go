package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve/view"
	"github.com/sayso-dev/sayso/preset"
)

type (
	offerMsg struct {
		offer Offer
		asked bool // somebody wants to see it
		err   error
	}
	managerMsg struct {
		manager preset.TrustManager
		notes   []string
		said    string
		err     error
	}
)

// loadOffer looks for what can be trusted.
func (m *Model) loadOffer(asked bool) tea.Cmd {
	trusts := m.desk.Trusts
	return m.command(func(ctx context.Context) tea.Msg {
		offer, err := trusts.Offer(ctx)
		return offerMsg{offer, asked || m.o.Start == AtTrust, err}
	})
}

// loadManager looks for what is trusted, after something was done.
func (m *Model) loadManager(said string, failed error) tea.Cmd {
	trusts := m.desk.Trusts
	return m.command(func(ctx context.Context) tea.Msg {
		manager, notes, err := trusts.Manager(ctx)
		if failed != nil {
			err = failed
		}
		return managerMsg{manager, notes, said, err}
	})
}

// setOffer asks what is to be trusted, where that is not known and wanted.
func (m *Model) setOffer(msg offerMsg) tea.Cmd {
	m.ready = true
	msg.offer.First = msg.offer.First && !msg.asked // who wants to see it sees the manager then
	switch {
	case msg.err != nil:
		m.say("", msg.err)
		if msg.asked {
			return m.loadManager("", msg.err)
		}
	case msg.offer.Needed && (msg.asked || msg.offer.First):
		m.push(&startup{offer: msg.offer, prompt: msg.offer.Prompt})
	case msg.asked:
		return m.loadManager("", nil)
	case len(msg.offer.Missing) > 0:
		m.warn("not trusted here: " + strings.Join(msg.offer.Missing, ", ") + " · /trust")
	}
	return nil
}

// setManager shows the trust manager, or what it has now.
func (m *Model) setManager(msg managerMsg) tea.Cmd {
	if msg.err != nil || msg.said != "" {
		m.say(msg.said, msg.err)
	}
	for _, o := range m.over {
		if shown, ok := o.(*manager); ok {
			shown.m, shown.notes = msg.manager, msg.notes
			m.changed()
			return nil
		}
	}
	m.push(&manager{m: msg.manager, notes: msg.notes})
	return nil
}

// startup asks what is trusted before anything else happens.
type startup struct {
	offer  Offer
	prompt preset.TrustPrompt
}

func (s *startup) key(m *Model, name string) tea.Cmd {
	next, a, done := s.prompt.Press(name)
	if !done {
		s.prompt = next
		return nil
	}
	return m.commit(func() tea.Cmd {
		m.remove(s)
		switch {
		case a.Exit && (s.offer.First || m.o.Start == AtTrust):
			return tea.Quit
		case a.Exit:
			return nil
		}
		return m.trust(s.offer, a)
	})
}

// trust keeps what was chosen, and goes on.
func (m *Model) trust(o Offer, a preset.TrustAnswer) tea.Cmd {
	trusts := m.desk.Trusts
	var what []string
	if a.Workspace {
		what = append(what, "the workspace")
	}
	for _, s := range a.Servers {
		what = append(what, "the MCP server "+s.Name)
	}
	said := "nothing more is trusted"
	if len(what) > 0 {
		said = "trusted: " + strings.Join(what, ", ")
	}
	later := m.loadManager
	if o.First {
		later = func(said string, err error) tea.Cmd { return func() tea.Msg { return noteMsg{said, err} } }
	}
	return m.command(func(ctx context.Context) tea.Msg {
		err := trusts.Trust(ctx, o, a)
		return later(said, err)()
	})
}

func (s *startup) draw(m *Model) box {
	p := &paper{width: m.boxWidth()}
	p.text("", "Do you trust this workspace and its MCP servers? A server that is not trusted is not started, and a policy file that is not trusted can only make things stricter.", view.Plain)
	p.rows = append(p.rows, view.Line{})
	b := box{title: "trust", full: true}
	root := s.offer.Root
	if rest, ok := strings.CutPrefix(root, m.o.View.Home+"/"); ok && m.o.View.Home != "" {
		root = "~/" + rest
	}
	for _, l := range s.prompt.Lines() {
		l = strings.Replace(l, "] workspace "+s.offer.Root, "] workspace "+root, 1)
		if strings.HasPrefix(l, "> ") {
			b.on = len(p.rows) + 1
		}
		indent := "      "
		if len(l) > 3 && l[2] != '[' {
			indent = "     "
		}
		p.put(l[:2], indent, view.Words(l[2:], view.Plain))
	}
	p.rows = append(p.rows, view.Line{})
	if len(s.offer.Files) > 0 {
		var files []string
		for _, t := range s.offer.Files {
			files = append(files, strings.TrimPrefix(t.Name, "file:"))
		}
		p.text("", "with the workspace its policy files are trusted, as they are now: "+view.Safe(strings.Join(files, ", ")), view.Note)
	}
	b.foot = "Up, Down, j, k · Space, x · Enter confirm · Esc cancel"
	b.rows = p.rows
	return b
}

// manager shows what is trusted, and takes it back.
type manager struct {
	m     preset.TrustManager
	notes []string // behind the entries
}

func (s *manager) key(m *Model, name string) tea.Cmd {
	if name == "t" && s.m.Confirming() == 0 {
		return m.loadStartup()
	}
	next, do := s.m.Press(name)
	switch {
	case do.Close:
		m.remove(s)
		if m.o.Start == AtTrust && len(m.over) == 0 {
			return tea.Quit
		}
	case len(do.Revoke) > 0:
		return m.commit(func() tea.Cmd {
			s.m = next
			return m.revoke(do.Revoke)
		})
	default:
		if next.Confirming() != s.m.Confirming() {
			m.changed()
		}
		s.m = next
	}
	return nil
}

// loadStartup asks again what is to be trusted.
func (m *Model) loadStartup() tea.Cmd {
	trusts := m.desk.Trusts
	return m.command(func(ctx context.Context) tea.Msg {
		offer, err := trusts.Offer(ctx)
		offer.Needed, offer.First = err == nil, false
		return offerMsg{offer, true, err}
	})
}

func (m *Model) revoke(list []sayso.Trust) tea.Cmd {
	trusts, load := m.desk.Trusts, m.loadManager
	return m.command(func(ctx context.Context) tea.Msg {
		err := trusts.Revoke(ctx, list)
		return load("revoked: "+count(len(list), "trust entry"), err)()
	})
}

func (s *manager) draw(m *Model) box {
	p := &paper{width: m.boxWidth()}
	b := box{title: "trust manager", full: true}
	entries := s.m.Entries()
	for i, t := range entries {
		mark := "  "
		if i == s.m.Row() {
			mark, b.on = "> ", len(p.rows)+1
		}
		what := "workspace"
		if file, ok := strings.CutPrefix(t.Name, "file:"); ok {
			what = "policy file " + view.Safe(file)
		} else if t.Name != "" {
			what = "MCP server " + view.Safe(t.Name)
		}
		l := view.Line{{Text: what}, {Text: " in " + view.Safe(t.Root), Role: view.Note}}
		if t.Fingerprint != "" {
			l = append(l, view.Span{Text: " " + view.Safe(t.Fingerprint[:min(12, len(t.Fingerprint))]), Role: view.Note})
		}
		if i < len(s.notes) && s.notes[i] != "" {
			l = append(l, view.Span{Text: " " + view.Safe(s.notes[i]), Role: view.RiskModerate})
		}
		p.put(mark, "    ", l)
	}
	if len(entries) == 0 {
		p.text("", "nothing is trusted", view.Note)
	}
	p.rows = append(p.rows, view.Line{})
	if n := s.m.Confirming(); n > 0 {
		p.text("", "Revoke "+count(n, "trust entry")+"? Enter or y: yes · Esc or n: no", view.RiskModerate)
	} else {
		p.text("", "r revoke · a revoke all of this workspace · A revoke all everywhere · t trust more · Esc back", view.Note)
	}
	b.rows = p.rows
	return b
}
