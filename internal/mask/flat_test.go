package mask

import "testing"

// FuzzFlat: an object that is masked field by field reads as if it was masked as a
// whole.
func FuzzFlat(f *testing.F) {
	for _, s := range []string{
		`{"command":"curl -H 'Authorization: Bearer abcdefghijklmnop'","timeout":1000}`, `{"password":"x","a":"b"}`, `{"a":"<&>","a":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`,
		`{"ghp_0123456789abcdefghijklmnopqrstuvwxyz":"a"}`, `{"token":5,"x":null}`, `{"b":true,"a":"\u00e9\n"}`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := flat(raw)
		if !ok {
			return
		}
		if want := deep(raw); string(got) != string(want) {
			t.Fatalf("%q: %s, want %s", raw, got, want)
		}
	})
}
