package sayso

import "fmt"

// An Effect is what is done with a call. Effects are ordered by strictness, so
// that the stricter of two is the smaller one.
type Effect uint8

const (
	Deny  Effect = iota // the call must not run; the zero value
	Ask                 // a person decides
	Allow               // the call may run
)

var effectNames = [...]string{"deny", "ask", "allow"}

// String returns deny, ask or allow.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "deny"
}

// MarshalText returns the same words as [Effect.String].
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText accepts exactly deny, ask and allow.
func (e *Effect) UnmarshalText(text []byte) error {
	for i, name := range effectNames {
		if name == string(text) {
			*e = Effect(i)
			return nil
		}
	}
	*e = Deny
	return fmt.Errorf("unknown effect %q: want deny, ask or allow", text)
}
