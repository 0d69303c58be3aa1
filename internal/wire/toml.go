package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// requirements is the administrator's file of Codex.
const requirements = "/etc/codex/requirements.toml"

// The block in a file that is sayso's, from sign to sign.
const (
	blockStart = "# sayso: hooks; sayso init writes and removes this block\n"
	blockEnd   = "# sayso: end\n"
)

// quoted is a text as TOML writes it: the escapes of JSON are among those of TOML.
func quoted(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can be written
	return strings.TrimSuffix(b.String(), "\n")
}

// withBlock puts a block at the end of a file, in the place of the one that is there.
// Tables may stand in any order, so that nothing else has to change.
func withBlock(text []byte, block string) []byte {
	text = withoutBlock(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(bytes.Clone(text), '\n')
	}
	return append(bytes.Clone(text), blockStart+block+blockEnd...)
}

// withoutBlock is a file without the block.
func withoutBlock(text []byte) []byte {
	before, rest, ok := bytes.Cut(text, []byte(blockStart))
	if !ok {
		return text
	}
	_, after, ok := bytes.Cut(rest, []byte(blockEnd))
	if !ok {
		return text
	}
	return append(bytes.Clone(before), after...)
}

// A table is a header of a TOML file with the keys below it.
type table struct {
	name string
	end  int               // where more keys go
	keys map[string]string // as they are written
	at   map[string][2]int // where the lines of the keys start and end
}

func newTable(name string, end int) table {
	return table{name, end, map[string]string{}, map[string][2]int{}}
}

// tables reads the headers of a TOML file and the keys that stand in one line. A text
// of several lines is skipped, so that nothing in it is taken for a header.
func tables(text []byte) []table {
	out := []table{newTable("", 0)}
	at, inside := 0, ""
	for line := range bytes.Lines(text) {
		at += len(line)
		within := inside != ""
		var plain string
		plain, inside = uncommented(string(line), inside)
		plain = strings.TrimSpace(plain)
		last := &out[len(out)-1]
		key, value, is := strings.Cut(plain, "=")
		switch {
		case within || inside != "" || plain == "":
		case plain[0] == '[' && strings.Contains(plain, "]"):
			name := strings.TrimSpace(plain[1:strings.LastIndexByte(plain, ']')])
			out = append(out, newTable(name, at))
		case is:
			key = strings.TrimSpace(key)
			last.keys[key], last.at[key], last.end = strings.TrimSpace(value), [2]int{at - len(line), at}, at
		}
	}
	return out
}

// uncommented is a line of TOML without the comment at its end. Inside is the sign of a
// text of several lines that it begins in, and after that of one that it ends in.
func uncommented(line, inside string) (plain, after string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch c := line[i]; {
		case inside != "" && strings.HasPrefix(rest, inside):
			i += len(inside) - 1
			inside = ""
		case inside != "":
			if c == '\\' && inside[0] == '"' {
				i++
			}
		case c == '#':
			return line[:i], ""
		case c == '"' || c == '\'':
			inside = string(c)
			if long := strings.Repeat(inside, 3); strings.HasPrefix(rest, long) {
				inside = long
				i += 2
			}
		}
	}
	if len(inside) == 1 { // such a text ends with its line
		inside = ""
	}
	return line, inside
}

// wireRequirements writes the hooks into the administrator's file of Codex, and that
// hooks cannot be switched off.
func wireRequirements(text []byte, call Call) ([]byte, error) {
	codex, _ := Find("codex") // it is there
	text = withoutBlock(text)
	var b strings.Builder
	features := -1
	for _, t := range tables(text) {
		switch {
		case t.name == "features" && t.keys["hooks"] == "":
			features = t.end
		case t.name == "features" && t.keys["hooks"] != "true":
			return nil, fmt.Errorf("it has hooks = %s under [features], which switches all hooks off", t.keys["hooks"])
		case t.name == "features":
			features = 0
		case t.name == "hooks" || strings.HasPrefix(t.name, "[hooks"):
			return nil, fmt.Errorf("it has hooks already, under [%s]", t.name)
		}
	}
	switch {
	case features > 0:
		text = append(append(bytes.Clone(text[:features]), "hooks = true # sayso\n"...), text[features:]...)
	case features < 0:
		b.WriteString("[features]\nhooks = true\n")
	}
	fmt.Fprintf(&b, "[hooks]\nmanaged_dir = %s\n", quoted(filepath.Dir(call.Program)))
	for _, event := range codex.Wired() {
		fmt.Fprintf(&b, "[[hooks.%s]]\nmatcher = \"*\"\n[[hooks.%s.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = %d\n", event, event, quoted(codex.line(call, event)), int(codex.wait(event)/time.Second))
	}
	return withBlock(text, b.String()), nil
}

// unwireRequirements takes out of the administrator's file of Codex what is sayso's.
func unwireRequirements(text []byte) []byte {
	return bytes.Replace(withoutBlock(text), []byte("hooks = true # sayso\n"), nil, 1)
}

// findRequirements lists the hooks of sayso in the administrator's file of Codex.
func findRequirements(text []byte) []Hook {
	codex, _ := Find("codex") // it is there
	var out []Hook
	for _, t := range tables(text) {
		event, ok := strings.CutPrefix(strings.TrimSuffix(t.name, ".hooks]"), "[hooks.")
		var line string
		if !ok || json.Unmarshal([]byte(t.keys["command"]), &line) != nil {
			continue
		}
		if call, ok := ParseCall(line); !ok || call.Agent != "codex" {
			continue
		}
		seconds := 0
		_, _ = fmt.Sscan(t.keys["timeout"], &seconds) // none is as it always is
		at := t.at["command"][0]
		out = append(out, Hook{Event: event, Command: line, Line: bytes.Count(text[:at], []byte("\n")) + 1, Wait: time.Duration(seconds) * time.Second, Closed: codex.closed(line)})
	}
	return out
}

// TrustFile is where Codex keeps which hooks a person has trusted.
func TrustFile(at At) string { return filepath.Join(at.own("CODEX_HOME", ".codex"), "config.toml") }

// Trusts returns the file of Codex in which a person trusts hooks, with those of
// sayso in a file of hooks trusted. What is not trusted Codex does not run, and says
// nothing.
func Trusts(text []byte, file string, hooks []byte) ([]byte, error) {
	wanted, err := trust(file, hooks)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	text = withoutBlock(text)
	for _, w := range wanted {
		var known bool
		if text, known = retrust(text, w); !known {
			fmt.Fprintf(&b, "[%s]\ntrusted_hash = %s\n", w.table, quoted(w.hash))
		}
	}
	if b.Len() == 0 {
		return text, nil
	}
	return withBlock(text, b.String()), nil
}

// retrust changes the hash of a hook that Codex knows already: a table must not be
// there twice.
func retrust(text []byte, w wantedTrust) (after []byte, known bool) {
	line := "trusted_hash = " + quoted(w.hash) + "\n"
	for _, t := range tables(text) {
		switch at, has := t.at["trusted_hash"]; {
		case t.name != w.table:
		case t.keys["trusted_hash"] == quoted(w.hash):
			return text, true
		case has:
			return slices.Concat(text[:at[0]], []byte(line), text[at[1]:]), true
		default:
			return slices.Concat(text[:t.end], []byte(line), text[t.end:]), true
		}
	}
	return text, false
}

// Untrusted lists the events whose hooks of sayso are not trusted.
func Untrusted(text []byte, file string, hooks []byte) ([]string, error) {
	wanted, err := trust(file, hooks)
	var out []string
	have := tables(text)
	for _, w := range wanted {
		if !trusted(have, w) {
			out = append(out, w.event)
		}
	}
	return out, err
}

// Distrust takes out what Trusts has written.
func Distrust(text []byte) []byte { return withoutBlock(text) }

// HooksOff reports whether a config.toml of Codex switches hooks off.
func HooksOff(text []byte) bool {
	for _, t := range tables(text) {
		if t.name == "features" && t.keys["hooks"] == "false" || t.name == "" && t.keys["features.hooks"] == "false" {
			return true
		}
	}
	return false
}

func trusted(have []table, w wantedTrust) bool {
	for _, t := range have {
		if t.name == w.table && t.keys["trusted_hash"] == quoted(w.hash) {
			return true
		}
	}
	return false
}

// A wantedTrust is what Codex writes when a person trusts a hook.
type wantedTrust struct{ event, table, hash string }

// trust is what must be trusted of a file of hooks, as Codex names it: by the file, the
// event, the group and the entry, and by a hash of what is run.
func trust(file string, hooks []byte) ([]wantedTrust, error) {
	codex, _ := Find("codex") // it is there
	root, err := codex.parse(hooks)
	if err != nil {
		return nil, err
	}
	var out []wantedTrust
	for _, o := range codex.entries(root) {
		event := o.lists[1].Members[o.indexes[1]].Key
		entry := o.lists[4].Items[o.indexes[4]]
		line, _ := codex.call(entry)
		matcher := ""
		if m := o.lists[3].Get("matcher"); m != nil {
			matcher = m.Text
		}
		seconds := 600
		if t := entry.Get("timeout"); t != nil {
			_, _ = fmt.Sscan(t.Raw(hooks), &seconds) // what is no number Codex does not take either
		}
		ident := fmt.Sprintf(`{"event_name":%s,"hooks":[{"async":false,"command":%s,"timeout":%d,"type":"command"}],"matcher":%s}`, quoted(snake(event)), quoted(line), seconds, quoted(matcher))
		sum := sha256.Sum256([]byte(ident))
		name := fmt.Sprintf("%s:%s:%d:%d", file, snake(event), o.indexes[2], o.indexes[4])
		out = append(out, wantedTrust{event, "hooks.state." + quoted(name), "sha256:" + hex.EncodeToString(sum[:])})
	}
	return out, nil
}

// snake writes the name of an event with underscores.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
