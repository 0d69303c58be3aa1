package jsontext_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/jsontext"
)

type handler struct {
	Type string `json:"type"`
}

// TestAppend: the item is where it should be, and nothing else has changed.
func TestAppend(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "{}", "{\n  \"hooks\": {\n    \"Pre\": [\n      {\n        \"type\": \"x\"\n      }\n    ]\n  }\n}"},
		{"others", "{\n\t\"z\": 1,\n\t\"a\": [ 1,2 ]\n}\n", "{\n\t\"z\": 1,\n\t\"a\": [ 1,2 ],\n\t\"hooks\": {\n\t\t\"Pre\": [\n\t\t\t{\n\t\t\t\t\"type\": \"x\"\n\t\t\t}\n\t\t]\n\t}\n}\n"},
		{
			"another event", "{\n  \"hooks\": {\n    \"Post\": []\n  },\n  \"b\": \"é<&>\"\n}",
			"{\n  \"hooks\": {\n    \"Post\": [],\n    \"Pre\": [\n      {\n        \"type\": \"x\"\n      }\n    ]\n  },\n  \"b\": \"é<&>\"\n}",
		},
		{
			"the same event", "{\n  \"hooks\": {\n    \"Pre\": [\n      {\"type\": \"y\"}\n    ]\n  }\n}",
			"{\n  \"hooks\": {\n    \"Pre\": [\n      {\"type\": \"y\"},\n      {\n        \"type\": \"x\"\n      }\n    ]\n  }\n}",
		},
		{
			"lines that end in two characters", "{\r\n  \"hooks\": {}\r\n}\r\n",
			"{\r\n  \"hooks\": {\r\n    \"Pre\": [\r\n      {\r\n        \"type\": \"x\"\r\n      }\r\n    ]\r\n  }\r\n}\r\n",
		},
		{
			"the same, behind others", "{\r\n  \"a\": 1\r\n}",
			"{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Pre\": [\r\n      {\r\n        \"type\": \"x\"\r\n      }\r\n    ]\r\n  }\r\n}",
		},
		{"one line", `{"hooks": {"Pre": [{"type": "y"}]}}`, "{\"hooks\": {\"Pre\": [{\"type\": \"y\"},\n      {\n        \"type\": \"x\"\n      }]}}"},
	}
	for _, test := range tests {
		got, err := jsontext.Append([]byte(test.text), handler{"x"}, "hooks", "Pre")
		if err != nil || string(got) != test.want || !json.Valid(got) {
			t.Errorf("%s: %v\n%s", test.name, err, got)
			continue
		}
		root, err := jsontext.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		list := root.Get("hooks").Get("Pre")
		back := jsontext.Remove(got, list, len(list.Items)-1)
		if !json.Valid(back) || strings.Contains(string(back), `"x"`) {
			t.Errorf("%s: removed:\n%s", test.name, back)
		}
	}
}

// TestRemove: an element goes with its comma, wherever it stands.
func TestRemove(t *testing.T) {
	text := []byte("{\n  \"a\": 1,\n  \"b\": [1, 2, 3],\n  \"c\": {\"d\": 4}\n}\n")
	root, err := jsontext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		from  *jsontext.Value
		index int
		want  string
	}{
		{root, 0, `{"b":[1,2,3],"c":{"d":4}}`},
		{root, 1, `{"a":1,"c":{"d":4}}`},
		{root, 2, `{"a":1,"b":[1,2,3]}`},
		{root.Get("b"), 0, `{"a":1,"b":[2,3],"c":{"d":4}}`},
		{root.Get("b"), 1, `{"a":1,"b":[1,3],"c":{"d":4}}`},
		{root.Get("b"), 2, `{"a":1,"b":[1,2],"c":{"d":4}}`},
		{root.Get("c"), 0, `{"a":1,"b":[1,2,3],"c":{}}`},
	} {
		var got, want any
		after := jsontext.Remove(text, test.from, test.index)
		if err := json.Unmarshal(after, &got); err != nil {
			t.Errorf("%s: %v", after, err)
		}
		_ = json.Unmarshal([]byte(test.want), &want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nwant %s", after, test.want)
		}
	}
	if root.Get("c").Line(text) != 4 || root.Get("none") != nil || root.Get("none").Get("x") != nil {
		t.Error("wrong place")
	}
}

// TestMistakes: what cannot be read or edited is said with its place.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "1:1: ",
		"{\n  \"a\": 1,\n}":               "3:1: ",
		"// x\n{}":                        "1:1: ",
		"{}{}":                            "1:3: ",
		"[]":                              "1:1: want an object",
		"{\"a\": 1,\n \"a\": 2}":          `2:2: the key "a" is given twice`,
		"{\n\"é\": {\"a\": 1, \"a\": 2}}": `2:15: the key "a" is given twice`,
		`{"hooks": 3}`:                    "1:11: hooks is not an object",
		"{\"hooks\":\n {\"Pre\": {}}}":    "2:10: hooks.Pre is not a list",
		strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300): "it is nested too deeply",
	} {
		_, err := jsontext.Append([]byte(text), 1, "hooks", "Pre")
		var mistake *jsontext.Error
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if _, err := jsontext.Append([]byte("{}"), make(chan int), "a"); err == nil {
		t.Error("a channel is JSON")
	}
}

// TestCommented: comments and commas behind the last element stay where they are, and
// what is added is taken out again without a trace.
func TestCommented(t *testing.T) {
	for _, text := range []string{
		"{\n  // mine\n  \"a\": 1, // one\n  /* two, } */ \"b\": \"// no\\\" comment\",\n}\n",
		"{\n  // nothing yet\n}\n",
		"{ /* x */ }",
		"{\n  \"hooks\": {\n    // theirs\n    \"Pre\": [\n      {\"type\": \"y\"}, // y\n    ],\n  },\n}\n",
		"{\"hooks\": {\"Pre\": [ // none\n]}}",
		"{}",
	} {
		root, err := jsontext.ParseCommented([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		with, err := root.Append([]byte(text), handler{"x"}, "hooks", "Pre")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if root, err = jsontext.ParseCommented(with); err != nil {
			t.Fatalf("%s: %v", with, err)
		}
		list := root.Get("hooks").Get("Pre")
		if list == nil || list.Items[len(list.Items)-1].Get("type").Text != "x" {
			t.Errorf("%s", with)
		}
		for _, comment := range []string{"// mine", "// one", "/* two, } */", "// no", "// nothing yet", "/* x */", "// theirs", "// y", "// none"} {
			if strings.Contains(text, comment) && !strings.Contains(string(with), comment) {
				t.Errorf("%s is lost: %s", comment, with)
			}
		}
		without := jsontext.Remove(with, list, len(list.Items)-1)
		if _, err := jsontext.ParseCommented(without); err != nil || strings.Contains(string(without), `"x"`) {
			t.Errorf("%v: %s", err, without)
		}
		for _, comment := range []string{"// mine", "// one", "// nothing yet", "/* x */", "// theirs", "// y", "// none"} {
			if strings.Contains(text, comment) && !strings.Contains(string(without), comment) {
				t.Errorf("%s is lost: %s", comment, without)
			}
		}
	}
	for _, text := range []string{"{ /* x }", "{ // x }", "{,}", "{\"a\": 1,, }", "[1,]", "{\"a\" // b\n}"} {
		if _, err := jsontext.ParseCommented([]byte(text)); err == nil {
			t.Errorf("%s is fine", text)
		}
	}
	// between others
	text := []byte("{\"l\": [\n  1, // one\n  2, // two\n  3 // three\n]}")
	for index, want := range []string{"{\"l\": [\n   // one\n  2, // two\n  3 // three\n]}", "{\"l\": [\n  1, // one\n   // two\n  3 // three\n]}", "{\"l\": [\n  1, // one\n  2 // two\n   // three\n]}"} {
		root, err := jsontext.ParseCommented(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsontext.Remove(text, root.Get("l"), index); string(got) != want {
			t.Errorf("%d: %s", index, got)
		}
	}
	root, _ := jsontext.ParseCommented([]byte("{\n  // on\n  \"on\": false,\n}"))
	if got, err := root.Set([]byte("{\n  // on\n  \"on\": false,\n}"), "on", true); err != nil || string(got) != "{\n  // on\n  \"on\": true,\n}" {
		t.Errorf("%s %v", got, err)
	}
}
