package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
	"github.com/sayso-dev/sayso/preset"
)

// form is the form of the file. One of another form is made anew.
const form = "3"

// rows is a snapshot as it is kept: JSON of nothing but strings, in rows by name.
// To decode it into structs would take longer than all else that a hook does with
// it.
type rows map[string][][]string

var errForm = errors.New("it is no snapshot")

// encode writes a snapshot.
func encode(s Snapshot) ([]byte, error) {
	r := rows{
		"form":  {{form}},
		"about": {{s.Root, stamp(s.Made), strconv.FormatBool(s.Rich), s.Hash, s.Mode, s.ModeFloor, s.Err, s.Home, s.Program}},
		"also":  {s.Also}, "off": {texts(s.Off)}, "ask": {texts(s.Ask)}, "only": {s.Surface.Only}, "not": {s.Surface.Not},
	}
	if s.Surface.Only != nil {
		r["narrow"] = [][]string{{}} // none at all is not the same as all
	}
	for _, o := range s.Sources {
		r["sources"] = append(r["sources"], []string{o.File, strconv.FormatBool(o.Missing), strconv.FormatInt(o.Size, 10), stamp(o.ModTime), strconv.FormatUint(o.Inode, 10), o.Sum, strconv.FormatUint(uint64(o.Changes), 10), strconv.FormatInt(o.Changed, 10)})
	}
	for _, rule := range s.Rules {
		at := rule.Source
		row := []string{
			rule.Effect.String(), rule.Text, rule.Because, stamp(rule.Until),
			string(at.Layer), at.File, strconv.Itoa(at.Line), strconv.Itoa(at.Column),
		}
		r["rules"] = append(r["rules"], append(row, rule.Except...))
	}
	for _, g := range s.Grants { // seldom, and not many
		text, err := json.Marshal(g)
		if err != nil {
			return nil, err
		}
		r["grants"] = append(r["grants"], []string{string(text)})
	}
	if s.Sealed != "" {
		r["sealed"] = [][]string{{s.Sealed}}
	}
	text, err := json.Marshal(r)
	return append(text, '\n'), err
}

// decode reads a snapshot.
func decode(text []byte) (Snapshot, error) {
	r, err := cut(text)
	if err != nil {
		return Snapshot{}, err
	}
	about := r.one("about")
	if head := r.one("form"); len(head) != 1 || head[0] != form || len(about) != 9 {
		return Snapshot{}, errForm
	}
	d := decoder{}
	s := Snapshot{
		Root: about[0], Made: d.time(about[1]), Rich: about[2] == "true", Hash: about[3], Mode: about[4], ModeFloor: about[5], Err: about[6], Home: about[7], Program: about[8],
		Also: r.one("also"), Off: capabilities(r.one("off")), Ask: capabilities(r.one("ask")),
	}
	s.Surface.Only, s.Surface.Not = r.one("only"), r.one("not")
	if _, narrow := r["narrow"]; narrow && s.Surface.Only == nil {
		s.Surface.Only = []string{}
	}
	for _, row := range r["sources"] {
		if len(row) != 8 {
			return Snapshot{}, errForm
		}
		s.Sources = append(s.Sources, Source{File: row[0], Missing: row[1] == "true", Size: d.number(row[2]), ModTime: d.time(row[3]), Inode: uint64(d.number(row[4])), Sum: row[5], Changes: uint32(d.number(row[6])), Changed: d.number(row[7])})
	}
	for _, row := range r["rules"] {
		if len(row) < 8 {
			return Snapshot{}, errForm
		}
		rule := sayso.Rule{Text: row[1], Because: row[2], Until: d.time(row[3]), Except: row[8:]}
		d.fail(rule.Effect.UnmarshalText([]byte(row[0])))
		rule.Source = sayso.Source{Layer: sayso.Layer(row[4]), File: row[5], Line: int(d.number(row[6])), Column: int(d.number(row[7]))}
		if len(rule.Except) == 0 {
			rule.Except = nil
		}
		s.Rules = append(s.Rules, rule)
	}
	if sealed := r.one("sealed"); sealed != nil {
		s.Sealed = sealed[0]
	}
	for _, row := range r["grants"] {
		var g sayso.GivenGrant
		if len(row) != 1 {
			return Snapshot{}, errForm
		}
		d.fail(json.Unmarshal([]byte(row[0]), &g))
		s.Grants = append(s.Grants, g)
	}
	return s, d.err
}

// cut takes the text of a snapshot apart.
func cut(text []byte) (rows, error) {
	all, err := plainjson.Parse(text)
	if err != nil {
		return nil, err
	}
	fields, err := all.Fields()
	if err != nil {
		return nil, err
	}
	r := make(rows, len(fields))
	for _, f := range fields {
		list, err := f.Value.Items()
		if err != nil {
			return nil, err
		}
		of := make([][]string, len(list))
		for i, item := range list {
			words, err := item.Items()
			if err != nil {
				return nil, err
			}
			row := make([]string, len(words))
			for j, word := range words {
				if row[j], err = word.Text(); err != nil {
					return nil, err
				}
			}
			of[i] = row
		}
		r[f.Key] = of
	}
	return r, nil
}

// one is the only row of a name.
func (r rows) one(name string) []string {
	if list := r[name]; len(list) == 1 && len(list[0]) > 0 {
		return list[0]
	}
	return nil
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
type decoder struct{ err error }

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
