package vector

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
)

// A server is an MCP server: what is known of it, or its name alone.
type server struct{ sayso.Server }

func (s *server) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.Name) == nil {
		return nil
	}
	return json.Unmarshal(text, &s.Server)
}

func (s *server) known() *sayso.Server {
	if s == nil {
		return nil
	}
	return &s.Server
}

// agent reads who makes the call: "subagent:KIND", or an object with the tools
// that the agent is offered.
func (l *Line) agent(call *sayso.Call, s *sayso.Session) error {
	if len(l.Agent) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(l.Agent, &text) == nil {
		kind, ok := strings.CutPrefix(text, "subagent:")
		if !ok {
			return fmt.Errorf("the agent is %q: want subagent:KIND, or an object with its tools", text)
		}
		call.Subagent = kind
		return nil
	}
	var surface struct {
		Allow     []string `json:"AllowTools"`
		Disallow  []string `json:"DisallowedTools"`
		Allow2    []string `json:"allow_tools"`
		Disallow2 []string `json:"disallow_tools"`
	}
	if err := json.Unmarshal(l.Agent, &surface); err != nil {
		return fmt.Errorf("the agent is neither text nor its tools: %w", err)
	}
	if only := either(surface.Allow, surface.Allow2); only != nil {
		s.Surface.Only = only
	}
	s.Surface.Not = append(s.Surface.Not, append(surface.Disallow, surface.Disallow2...)...)
	return nil
}

// either keeps apart a list that is empty and one that is not there.
func either(a, b []string) []string {
	if a != nil {
		return a
	}
	return b
}

// session makes the session that the line describes.
func (l *Line) session(call *sayso.Call, system catalog.System, setup catalog.Setup) (sayso.Session, error) {
	s := sayso.Session{
		Now: time.Now(), Mode: or(l.Mode, setup.Mode), AgentMode: sayso.AgentMode(l.AgentMode), Turn: l.Session.Turn,
		Denied: l.Session.Denied, Tainted: l.Session.Tainted, Surface: setup.Surface, Stopped: l.Session.Stopped,
	}
	if err := l.agent(call, &s); err != nil {
		return s, err
	}
	for _, n := range []*sayso.Denies{l.Session.Soft, l.DenyState} {
		if n != nil {
			s.Soft = map[string]sayso.Denies{call.Fingerprint(): *n}
		}
	}
	for _, name := range l.Session.Written {
		if s.Written == nil {
			s.Written = map[string]int{}
		}
		s.Written[absolute(call.Root, name)] = s.Turn
	}
	list := l.Session.Grants
	for _, raw := range l.Grants {
		g, err := system.ReadGrant(raw)
		if err != nil {
			return s, err
		}
		list = append(list, g)
	}
	var err error
	s.Grants, err = setup.Grants(list)
	return s, err
}
