package tools

import "strings"

// loose reads the input of a tool that no table knows. All keys are extra; what
// goes by the name of a path, a URL or a command is taken for one.
func (r *reader) loose(prefix string, n node) {
	r.looseArgv(n)
	for i, kid := range n.kids {
		key := strings.TrimSuffix(prefix, ".") + "[]"
		if n.kind == '{' {
			key = prefix + n.keys[i]
			if !strings.Contains(prefix, "[]") { // once for a list, not for each item
				r.in.Extra = append(r.in.Extra, key)
			}
		}
		r.looseValue(key, kid)
	}
}

// looseArgv reads a program with its arguments, in one list or in two keys.
func (r *reader) looseArgv(n node) {
	var program, list, args []string
	for i, key := range n.keys {
		kid := n.kids[i]
		switch {
		case lastWord(key) == "args" || lastWord(key) == "arguments":
			args = append(args, textsOf(kid)...)
		case sounds(key) == kCommand && kid.kind == '[':
			list = append(list, textsOf(kid)...)
		case sounds(key) == kCommand:
			program = append(program, textsOf(kid)...)
		}
	}
	argv := append(append(program, list...), args...)
	if len(argv) > 1 && len(list)+len(args) > 0 && r.in.Argv == nil {
		r.in.Argv = argv
	}
}

// textsOf returns the words of a list of strings, or of a string; nothing of what
// is something else.
func textsOf(n node) []string {
	if n.kind == '"' {
		return strings.Fields(n.text)
	}
	var out []string
	for _, kid := range n.kids {
		if n.kind != '[' || kid.kind != '"' || strings.IndexByte(kid.text, 0) >= 0 {
			return nil
		}
		out = append(out, kid.text)
	}
	return out
}

func (r *reader) looseValue(key string, n node) {
	switch n.kind {
	case '{':
		r.loose(key+".", n)
	case '[':
		for _, kid := range n.kids {
			r.looseValue(key+"[]", kid)
		}
	case '"':
		if n.text == "" {
			return
		}
		switch sounds(key) {
		case kWrite:
			r.path(key, n.text, Touches)
		case kURL:
			r.url(key, n.text, Touches)
		case kCommand:
			if strings.IndexByte(n.text, 0) >= 0 {
				r.fail(key, "holds a NUL")
			}
			r.in.Commands = append(r.in.Commands, n.text)
		case kText:
			r.in.Text, r.in.Programs = join(r.in.Text, n.text), []string{"python3 -c", "node -e", "lua -e"}
		default:
			if len(n.text) >= 5 && strings.EqualFold(n.text[:5], "file:") {
				r.url(key, n.text, Touches)
			}
		}
	}
}

// Suspicious reports whether a key sounds as if it held a path, a URL or a
// command.
func Suspicious(key string) bool { return sounds(key) != kIgnore }

// What the last word of a key sounds like; a hyphen in front: the end of that word
// suffices (workdir, filepath).
var (
	commandSounds = [...]string{"-command", "commands", "-cmd", "cmds", "script", "shell", "exec", "argv", "program", "executable"}
	urlSounds     = [...]string{"-url", "-urls", "uri", "uris", "href", "endpoint", "link"}
	pathSounds    = [...]string{
		"-path", "-paths", "file", "files", "-filename", "filenames", "-dir", "dirs", "-directory", "directories",
		"-folder", "folders", "source", "destination", "src", "dst", "dest", "cwd", "root", "notebook",
	}
)

// sounds guesses what a key holds: kWrite for a path, kURL, kCommand, kText for a
// program, or kIgnore.
func sounds(key string) kind {
	word := lastWord(key)
	switch {
	case isOne(word, commandSounds[:]), strings.EqualFold(key, "commandline"), strings.EqualFold(key, "command_line"):
		return kCommand
	case word == "code":
		return kText
	case isOne(word, urlSounds[:]):
		return kURL
	case isOne(word, pathSounds[:]):
		return kWrite
	}
	return kIgnore
}

func isOne(word string, sounds []string) bool {
	for _, s := range sounds {
		end, suffix := strings.CutPrefix(s, "-")
		if word == end || suffix && strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// lastWord returns the last word of a key in lower case: path for filePath,
// file_path, args.FILE-PATH, path2 and path[].
func lastWord(key string) string {
	key = strings.TrimRight(key, "[]0123456789_- ")
	start := strings.LastIndexAny(key, "_-. ") + 1
	word := key[start:]
	for i := len(word) - 1; i > 0; i-- {
		if isUpper(word[i]) && !isUpper(word[i-1]) {
			word = word[i:]
			break
		}
	}
	return strings.ToLower(word)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
