package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
)

// form is the form of the file. One of another form is made anew.
const form = "6"

var errForm = errors.New("it is no snapshot")

// encode writes a snapshot: nothing but strings, in rows; see text. To decode JSON
// would take longer than all else that a hook does with it. Empty lists have no row,
// but for Only: none at all is not the same as all.
func encode(s Snapshot) []byte {
	r := rows{}
	r.add("about", form, s.Root, stamp(s.Made), strconv.FormatBool(s.Rich), s.Hash, s.Mode, s.ModeFloor, s.Err, s.Home, s.Program, strconv.FormatInt(int64(s.Queued), 10))
	for _, list := range []struct {
		name  string
		texts []string
	}{{"also", s.Also}, {"off", texts(s.Off)}, {"ask", texts(s.Ask)}, {"not", s.Surface.Not}} {
		if len(list.texts) > 0 {
			r.add(list.name, list.texts...)
		}
	}
	if s.Surface.Only != nil {
		r.add("only", s.Surface.Only...)
	}
	for _, o := range s.Sources {
		r.add("sources", o.File, strconv.FormatBool(o.Missing), strconv.FormatInt(o.Size, 10), stamp(o.ModTime), strconv.FormatUint(o.Inode, 10), o.Sum, strconv.FormatUint(uint64(o.Changes), 10), strconv.FormatInt(o.Changed, 10))
	}
	for _, rule := range s.Rules {
		at := rule.Source
		row := []string{
			rule.Effect.String(), rule.Text, rule.Because, stamp(rule.Until),
			string(at.Layer), at.File, strconv.Itoa(at.Line), strconv.Itoa(at.Column),
		}
		r.add("rules", append(row, rule.Except...)...)
	}
	for _, g := range s.Grants {
		r.add("grants", g.ID, g.Rule, string(g.Scope), strconv.Itoa(g.Turn), stamp(g.Expires), g.By, g.Call, stamp(g.Given), g.Session, g.Root)
	}
	if s.Sealed != "" {
		r.add("sealed", s.Sealed)
	}
	return r.text
}

// decode reads a snapshot.
func decode(text []byte) (Snapshot, error) {
	var s Snapshot
	d := decoder{}
	err := each(string(text), func(name string, row []string) error {
		if !d.known {
			d.known = name == "about" && len(row) == 11 && row[0] == form
			if !d.known {
				return errForm
			}
		}
		d.take(&s, name, row)
		return d.err
	})
	if err == nil && !d.known {
		err = errForm
	}
	return s, err
}

// take adds a row to a snapshot.
func (d *decoder) take(s *Snapshot, name string, row []string) {
	switch {
	case name == "about" && len(row) == 11:
		s.Root, s.Made, s.Rich, s.Hash, s.Mode, s.ModeFloor, s.Err, s.Home, s.Program = row[1], d.time(row[2]), row[3] == "true", row[4], row[5], row[6], row[7], row[8], row[9]
		s.Queued = time.Duration(d.number(row[10]))
	case name == "also":
		s.Also = slices.Clone(row)
	case name == "off":
		s.Off = capabilities(row)
	case name == "ask":
		s.Ask = capabilities(row)
	case name == "only":
		s.Surface.Only = slices.Clone(row)
	case name == "not":
		s.Surface.Not = slices.Clone(row)
	case name == "sealed" && len(row) == 1:
		s.Sealed = row[0]
	case name == "sources" && len(row) == 8:
		if s.Sources == nil {
			s.Sources = make([]Source, 0, usual)
		}
		s.Sources = append(s.Sources, Source{File: row[0], Missing: row[1] == "true", Size: d.number(row[2]), ModTime: d.time(row[3]), Inode: uint64(d.number(row[4])), Sum: row[5], Changes: uint32(d.number(row[6])), Changed: d.number(row[7])})
	case name == "rules" && len(row) >= 8:
		rule := sayso.Rule{Text: row[1], Because: row[2], Until: d.time(row[3]), Except: slices.Clone(row[8:])}
		d.fail(rule.Effect.UnmarshalText([]byte(row[0])))
		rule.Source = sayso.Source{Layer: sayso.Layer(row[4]), File: row[5], Line: int(d.number(row[6])), Column: int(d.number(row[7]))}
		if len(rule.Except) == 0 {
			rule.Except = nil
		}
		s.Rules = append(s.Rules, rule)
	case name == "grants" && len(row) == 10:
		g := sayso.Grant{ID: row[0], Rule: row[1], Scope: sayso.Scope(row[2]), Turn: int(d.number(row[3])), Expires: d.time(row[4]), By: row[5], Call: row[6], Given: d.time(row[7])}
		s.Grants = append(s.Grants, sayso.GivenGrant{Grant: g, Session: row[8], Root: row[9]})
	default:
		d.fail(errForm)
	}
}

func texts(list []preset.Capability) []string {
	var out []string
	for _, c := range list {
		out = append(out, string(c))
	}
	return out
}

func capabilities(list []string) []preset.Capability {
	var out []preset.Capability
	for _, c := range list {
		out = append(out, preset.Capability(c))
	}
	return out
}

// stamp is a time to the nanosecond; the zero time is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond())
}

// A decoder keeps the first error.
type decoder struct {
	known bool // the form is
	err   error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *decoder) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil { // an inode may be larger
		var large uint64
		large, err = strconv.ParseUint(s, 10, 64)
		n = int64(large)
	}
	d.fail(err)
	return n
}

func (d *decoder) time(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	if len(s) < 11 || s[len(s)-10] != '.' {
		d.fail(errForm)
		return time.Time{}
	}
	return time.Unix(d.number(s[:len(s)-10]), d.number(s[len(s)-9:]))
}
