package shell

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// maxScripts is how many package scripts are followed into each other.
const maxScripts = 3

// packageScript follows npm run NAME and the like into package.json, if it can
// be seen.
func (v *visit) packageScript() {
	v.watching()
	name, ok := v.scriptName()
	if !ok {
		return
	}
	if codeOf(name) != table.KindNone { // bun x.ts
		v.runsFile(resolve(name, v.st.dir))
		return
	}
	if v.f.scripts >= maxScripts {
		return
	}
	dir, scripts := v.w.packageScripts(v.c, v.st.dir)
	for _, script := range [...]string{"pre" + name, name, "post" + name} {
		text, ok := scripts[script]
		if !ok || text == "" {
			continue
		}
		f := v.below()
		f.scripts++
		st := v.st.fork()
		st.dir, st.alt = dir, ""
		before := len(v.w.commands)
		v.w.script(st, f, text, v.c.Span, true)
		for i := before; i < len(v.w.commands); i++ {
			v.c.Effects |= v.w.commands[i].Effects & LongRunning
		}
	}
}

// watching notes that the script is told to go on by itself.
func (v *visit) watching() {
	for _, a := range v.c.Args[1:] {
		if strings.HasPrefix(a.Text, "--w") && slices.ContainsFunc(table.KeysWatching.All(), func(f table.Flag) bool { return matchAny(f.Names, a.Text) }) {
			v.c.Effects |= LongRunning
		}
	}
}

// scriptName is the name of the script: the first operand where that belongs to
// the prefix of the command (npm run NAME), else the sub-command, which the
// table may know under several names (npm t).
func (v *visit) scriptName() (string, bool) {
	t := v.r.tool()
	if t.Do.Prefix > 0 {
		if len(v.r.args) == 0 {
			return "", false
		}
		if a := v.r.args[0]; a.Unknown {
			v.c.doubt(Dangerous, "which script runs cannot be known: "+a.Text)
			return "", false
		}
		return v.r.args[0].Text, true
	}
	if strings.Contains(t.Names[0], "*") {
		return v.r.subs[len(v.r.subs)-1].Text, true
	}
	return t.Names[0], true
}

// packageScripts reads the scripts of the package.json in dir or the nearest
// folder above it.
func (w *walker) packageScripts(c *Command, dir string) (string, map[string]string) {
	for dir != "" && dir != "/" {
		text, ok := w.packageFile(c, path.Join(dir, "package.json"))
		if !ok {
			dir = path.Dir(dir)
			continue
		}
		var pkg struct {
			Scripts map[string]string `json:"scripts"`
		}
		if json.Unmarshal(text, &pkg) != nil {
			return dir, nil
		}
		return dir, pkg.Scripts
	}
	return "", nil
}

// packageFile is a package.json: as the script has written it, or as it is.
func (w *walker) packageFile(c *Command, name string) ([]byte, bool) {
	for _, text := range w.textOfFile(name) {
		if text.kind == streamText {
			return []byte(text.text), true
		}
		if w.unpackedAt(name) == streamEmpty { // what was unpacked is said elsewhere
			c.foreign(text)
		}
	}
	return w.readFile(name)
}

func (w *walker) readFile(name string) ([]byte, bool) {
	if w.at.Machine == nil || w.looks >= maxLooks {
		return nil, false
	}
	w.looks++
	text, err := w.at.Machine.ReadFile(name, maxFileSize)
	return text, err == nil && len(text) <= maxFileSize
}
