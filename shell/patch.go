package shell

import (
	"path"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// patchFile is a file with a patch in it, which is read from where it can be seen.
func (v *visit) patchFile(a Arg) {
	if a.Text == "-" || standardInput(a) {
		return // it is followed as the standard input
	}
	v.touch(a, Read, false)
	if a.Unknown || a.Glob {
		return
	}
	abs := resolve(a.Text, v.st.dir)
	texts := v.w.textOfFile(abs)
	for _, text := range texts {
		if text.kind == streamUnknown { // the session has written it, and it cannot be read
			v.c.doubt(Moderate, "which files the patch changes cannot be known")
		}
		v.patch(a, text)
	}
	if len(texts) > 0 || abs == "" {
		return
	}
	if text, ok := v.w.readFile(abs); ok {
		v.patch(a, stream{kind: streamText, text: string(text)})
		return
	}
	if v.w.at.Machine == nil { // else there is none, or it is long and was there before
		v.c.doubt(Moderate, "which files the patch changes cannot be known")
	}
}

// patchInput is a patch on the standard input.
func (v *visit) patchInput(in stream) {
	if in.kind == streamUnknown && in.text == "" {
		for i := range v.c.Redirects {
			if r := &v.c.Redirects[i]; r.Op == "<" && (r.Fd == "" || r.Fd == "0") {
				v.patchFile(r.Target)
			}
		}
	}
	v.patch(Arg{Span: v.c.Span}, in)
}

// patch touches the files that a patch names. More lines are taken for headers than
// a program would take: what stands in a hunk only looks like one.
func (v *visit) patch(a Arg, in stream) {
	if in.kind >= streamNetwork {
		v.c.doubt(Moderate, "which files the patch changes cannot be known")
	}
	before := "" // the last file that was named
	for line := range strings.Lines(in.text) {
		header, ok := patchName(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue
		}
		name := v.stripped(header)
		switch {
		case header == "/dev/null" && before != "" && line[0] == '+', strings.HasPrefix(line, "rename from ") && name != "":
			if name == "" {
				name = before
			}
			v.touch(a.named(name), Delete, false)
		case name == "":
		case v.r.name == "git" && !v.r.has("--reject"):
			v.touch(a.named(name), Write, false)
		default:
			v.nextTo(table.KindPatched, a.named(name), false)
		}
		before = name
	}
}

// stripped is a name in a patch without as many of its folders as the options say,
// and below the folder that they name.
func (v *visit) stripped(name string) string {
	if name == "" || name == "/dev/null" {
		return ""
	}
	strip := 1 // as git has it
	if v.r.name != "git" {
		strip = strings.Count(name, "/")
	}
	if g := v.r.given("-p"); g != nil && g.hasValue {
		if n, err := strconv.Atoi(g.value.Text); err == nil {
			strip = n
		}
	}
	for ; strip > 0; strip-- {
		_, below, ok := strings.Cut(name, "/")
		if !ok {
			break // such a name is taken as it stands
		}
		name = strings.TrimLeft(below, "/")
	}
	if g := v.r.given("--directory"); g != nil && g.hasValue && v.r.name == "git" {
		name = path.Join(g.value.Text, name)
	}
	return name
}

// patchHeaders start the lines of a patch that name a file.
var patchHeaders = [...]string{"--- ", "+++ ", "*** ", "Index: ", "rename from ", "rename to ", "copy to ", "diff --git "}

// patchName is the file that a line of a patch names.
func patchName(line string) (string, bool) {
	for _, h := range patchHeaders {
		name, ok := strings.CutPrefix(line, h)
		if !ok {
			continue
		}
		if strings.HasPrefix(h, "diff") { // the same name twice
			name = strings.TrimPrefix(name[len(name)/2:], " ")
		} else {
			name, _, _ = strings.Cut(name, "\t") // and when it was changed
		}
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		if strings.HasPrefix(h, "rename") || strings.HasPrefix(h, "copy") {
			name = "x/" + name // these have nothing to strip
		}
		return strings.TrimSpace(name), true
	}
	return "", false
}
