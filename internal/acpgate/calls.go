package acpgate

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/shell"
)

// fields are an object of JSON. Keys count as they are written.
type fields map[string]json.RawMessage

func read(raw json.RawMessage) fields {
	var out fields
	_ = json.Unmarshal(raw, &out) // what is no object has none
	return out
}

func (f fields) text(name string) (out string) {
	_ = json.Unmarshal(f[name], &out) // what is no text is none
	return out
}

func (f fields) list(name string) (out []json.RawMessage) {
	_ = json.Unmarshal(f[name], &out) // what is no list is empty
	return out
}

// promptOf is the text of what a user has said.
func promptOf(about fields) string {
	var out []string
	for _, raw := range about.list("prompt") {
		if block := read(raw); block.text("type") == "text" {
			out = append(out, block.text("text"))
		}
	}
	return strings.Join(out, "\n")
}

// A toolCall is what an agent says of a call.
type toolCall fields

// with is what is said of a call by now: later messages have only what is new.
func (t toolCall) with(more fields) toolCall {
	out := toolCall{}
	for _, part := range []fields{fields(t), more} {
		for name, value := range part {
			if string(value) != "null" {
				out[name] = value
			}
		}
	}
	return out
}

// Where agents write the file and the new text of a call.
var (
	pathKeys = []string{"file_path", "filePath", "path", "abs_path", "absPath", "notebook_path", "target_file"}
	textKeys = []string{"content", "new_string", "newString", "newText", "new_text", "file_text", "new_source", "patch", "diff"}
)

// calls are what a call would do, by all that is said of it: a command in its input,
// files that it shows changes of, and then what its kind and its input or its places
// name. What says nothing of that kind is a tool that nobody knows.
func (t toolCall) calls(dir string) []Question {
	input := read(t["rawInput"])
	var out []Question
	add := func(tool string, input any) {
		out = append(out, Question{Call: sayso.Call{Tool: tool, Input: jsonOf(input), Dir: dir}})
	}
	if command, ok := commandIn(input); ok {
		add("bash", map[string]string{"command": command})
		if in := input.text("cwd"); filepath.IsAbs(in) {
			out[0].Call.Dir = in
		}
	}
	kind := fields(t).text("kind")
	written := t.diffs(add)
	paths := t.paths(input)
	changes := kind == "edit" || slices.ContainsFunc(textKeys, func(name string) bool { return input[name] != nil })
	for _, path := range paths {
		switch {
		case kind == "delete":
			add("delete_file", map[string]string{"path": path})
		case changes && !slices.Contains(written, path):
			add("Write", map[string]string{"file_path": path, "content": textOf(input)})
		case kind == "read" && !changes:
			add("Read", map[string]string{"file_path": path})
		case kind == "search" && !changes:
			add("Grep", map[string]string{"pattern": input.text("pattern"), "path": path})
		}
	}
	if url := input.text("url"); kind == "fetch" && url != "" {
		add("WebFetch", map[string]string{"url": url, "prompt": input.text("prompt")})
	}
	if len(out) == 0 {
		about, title := t["rawInput"], fields(t).text("title")
		if input == nil {
			about = jsonOf(map[string]string{"title": title})
		}
		out = []Question{{Call: sayso.Call{Tool: "acp_" + word(kind), Input: about, Dir: dir}}}
		if kind == "execute" && title != "" { // as some agents write their commands
			claim := Question{Call: sayso.Call{Tool: "bash", Input: jsonOf(map[string]string{"command": title}), Dir: dir}, Claim: true}
			out = append([]Question{claim}, out...)
		}
	}
	return out
}

// word is a kind as a part of the name of a tool.
func word(kind string) string {
	if kind == "" || strings.ContainsFunc(kind, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }) {
		return "other"
	}
	return kind
}

// diffs adds the changes that a call shows, and returns their files.
func (t toolCall) diffs(add func(string, any)) []string {
	var out []string
	for _, raw := range fields(t).list("content") {
		if part := read(raw); part.text("type") == "diff" {
			add("Write", map[string]string{"file_path": part.text("path"), "content": part.text("newText")})
			out = append(out, part.text("path"))
		}
	}
	return out
}

// paths are the files that a call names.
func (t toolCall) paths(input fields) []string {
	var out []string
	for _, name := range pathKeys {
		if path := input.text(name); path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, raw := range fields(t).list("locations") {
		if path := read(raw).text("path"); path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// textOf is the text that an input would write.
func textOf(input fields) string {
	for _, name := range textKeys {
		if text := input.text(name); text != "" {
			return text
		}
	}
	return ""
}

// commandIn is the command in an input: a text, or a list of words.
func commandIn(input fields) (string, bool) {
	for _, name := range []string{"command", "cmd", "script"} {
		raw, ok := input[name]
		if !ok {
			continue
		}
		var text string
		var words []string
		switch {
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text, true
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			return commandLine(words), true
		}
	}
	return "", false
}

// plainWord is a word that a shell takes as it is, wherever it stands; reserved are
// those that mean something where a command stands.
var (
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-]+$`)
	reserved  = strings.Fields("if then else elif fi do done case esac while until for in function select time coproc")
)

// commandLine is a list of words as a shell reads them.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; !plainWord.MatchString(w) || i == 0 && slices.Contains(reserved, w) {
			out[i] = shell.Quote([]string{w})
		}
	}
	return strings.Join(out, " ")
}
