package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/jsontext"
)

// strict reads parameters. Keys that nobody knows, those that stand there twice, those
// that are missing, and values of another kind are errors: what is decided must be what
// the client meant, and what another reader of the same text would take it for.
func strict(params json.RawMessage, to any) error {
	if len(bytes.TrimSpace(params)) == 0 {
		params = json.RawMessage(`{}`)
	}
	v, err := jsontext.Parse(params)
	if err == nil {
		err = fits(params, v, reflect.TypeOf(to).Elem(), "")
	}
	if err == nil {
		err = json.Unmarshal(params, to)
	}
	if err != nil {
		return &Error{Usage, err.Error()}
	}
	return nil
}

// fits checks a value against the type that it is read into. The package that reads it
// would take keys in other letters for the same.
func fits(text []byte, v *jsontext.Value, t reflect.Type, at string) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	raw := v.Raw(text)
	want := ""
	switch t.Kind() {
	case reflect.Struct:
		if v.Kind == jsontext.Object {
			return fitsObject(text, v, t, at)
		}
		want = "an object"
	case reflect.String:
		if v.Kind != jsontext.String {
			want = "a text"
		}
	case reflect.Bool:
		if raw != "true" && raw != "false" {
			want = "true or false"
		}
	case reflect.Int, reflect.Int64, reflect.Float64:
		if json.Unmarshal([]byte(raw), reflect.New(t).Interface()) != nil || raw == "null" {
			want = "a number"
		}
		if want != "" && t.Kind() != reflect.Float64 {
			want = "a whole number"
		}
	}
	if want != "" {
		return fmt.Errorf("%s: want %s", strings.TrimPrefix(at, "."), want)
	}
	return nil
}

// fitsObject checks the keys of an object. One that may be left out says so where its
// type has it.
func fitsObject(text []byte, v *jsontext.Value, t reflect.Type, at string) error {
	var known []string
	for _, f := range reflect.VisibleFields(t) {
		name, optional, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
		value := v.Get(name)
		if value == nil {
			if optional != "omitempty" {
				return fmt.Errorf("%s is missing", strings.TrimPrefix(at+"."+name, "."))
			}
			continue
		}
		if err := fits(text, value, f.Type, at+"."+name); err != nil {
			return err
		}
	}
	for _, m := range v.Members {
		if !slices.Contains(known, m.Key) {
			return fmt.Errorf("nobody knows the key %q; known are %s", strings.TrimPrefix(at+"."+m.Key, "."), cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	return nil
}
