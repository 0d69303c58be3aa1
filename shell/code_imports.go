package shell

import (
	"path"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// imports follows the modules that a program loads and that were just written:
// import x in Python, require('./x') and import … from './x' in JavaScript. They
// are judged like the files that tools load by their names.
func (v *visit) imports(k table.Kind, text string) {
	w := v.w
	if len(w.written) == 0 && len(w.at.WrittenFiles) == 0 || v.st.dir == "" {
		return
	}
	var files []string
	switch k {
	case table.KindPython:
		files = pythonImports(text)
	case table.KindNode:
		files = nodeImports(text)
	}
	for _, file := range files {
		abs := path.Join(v.st.dir, file)
		if w.imported[abs] || len(w.textOfFile(abs)) == 0 {
			continue
		}
		if w.imported == nil {
			w.imported = map[string]bool{}
		}
		w.imported[abs] = true // it may import what imports it
		v.harm(func() { v.loaded(abs, k) })
	}
}

// pythonImports are the files that the modules may be in which a program imports.
func pythonImports(text string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		names, found := strings.CutPrefix(strings.TrimSpace(line), "import ")
		if !found {
			if names, found = strings.CutPrefix(strings.TrimSpace(line), "from "); !found {
				continue
			}
			names, _, _ = strings.Cut(names, " import")
		}
		for _, name := range strings.Split(names, ",") {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			if name = strings.ReplaceAll(strings.TrimLeft(name, "."), ".", "/"); name != "" {
				out = append(out, name+".py", name+"/__init__.py")
			}
		}
	}
	return out
}

// nodeImports are the files that a program of JavaScript loads by a relative path.
func nodeImports(text string) []string {
	var out []string
	for i := 0; i+2 < len(text); i++ {
		if quote := text[i]; (quote == '\'' || quote == '"' || quote == '`') && text[i+1] == '.' {
			name, _, closed := strings.Cut(text[i+1:], string(quote))
			before := strings.TrimRight(text[:i], " \t\n(")
			if !closed || !strings.HasSuffix(before, "require") && !strings.HasSuffix(before, "import") && !strings.HasSuffix(before, "from") {
				continue
			}
			out = append(out, name)
			if path.Ext(name) == "" {
				out = append(out, name+".js", name+".mjs", name+".cjs", name+".ts", name+"/index.js")
			}
		}
	}
	return out
}
